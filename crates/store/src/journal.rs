//! The journal mode that makes commits durable, which depends on the campaign's file system.
//!
//! With write-ahead logging, other processes can read while a campaign runs. But the log's index is in shared
//! memory, which only processes on the same machine can use. On file systems that several machines can mount,
//! captune therefore uses the older rollback journal, and keeps the file locked as long as it is open.

use std::path::Path;

use rustix::fs::statfs;

use super::StoreError;

/// The journal mode, which determines how commits are made durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Journal {
    /// Write-ahead log. Other processes can read at the same time.
    WriteAhead,
    /// Rollback journal, for network file systems. No other process can read at the same time.
    Rollback,
}

/// `f_type` values of file systems that several machines can mount at once. FUSE is included because it hides
/// whether a file system is local: sshfs and several cluster file systems use it.
const NETWORK: [u32; 20] = [
    0x0000_6969, // NFS
    0x0000_517b, // SMB
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB 2
    0x0000_564c, // NCP
    0x0bd0_0bd0, // Lustre
    0x4750_4653, // GPFS
    0x1983_0326, // BeeGFS
    0x00c3_6400, // Ceph
    0x6573_5546, // FUSE
    0x5346_414f, // AFS
    0x6b41_4653, // AFS in the kernel
    0x7375_7245, // Coda
    0x0102_1997, // 9P
    0x7461_636f, // OCFS2
    0x0116_1970, // GFS2
    0x6163_6673, // ACFS
    0xaad7_aaea, // PanFS
    0x2003_0528, // OrangeFS
    0x786f_4256, // VirtualBox shared folders
];

impl Journal {
    /// Returns the journal for a folder.
    pub(super) fn of_folder(folder: &Path) -> Result<Self, StoreError> {
        let found = statfs(folder).map_err(|error| StoreError::file("examine", folder)(error.into()))?;
        // The magic numbers have 32 bits. The field is wider on some machines and signed on others.
        Ok(Self::of_magic(found.f_type as u32))
    }

    /// Returns the journal for a file system, given the magic number that `statfs` reports.
    pub fn of_magic(magic: u32) -> Self {
        if NETWORK.contains(&magic) { Self::Rollback } else { Self::WriteAhead }
    }

    /// Returns SQLite's name for the journal mode.
    pub(super) fn mode(self) -> &'static str {
        match self {
            Self::WriteAhead => "wal",
            Self::Rollback => "delete",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_have_no_write_ahead_log() {
        let network = [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x0bd0_0bd0, 0x4750_4653, 0x1983_0326];
        for magic in network {
            assert_eq!(Journal::of_magic(magic), Journal::Rollback, "{magic:#x}");
        }
        assert_eq!(Journal::of_magic(0x6573_5546), Journal::Rollback, "FUSE");
        for (name, magic) in [
            ("ext4", 0xef53),
            ("xfs", 0x5846_5342),
            ("btrfs", 0x9123_683e),
            ("zfs", 0x2fc1_2fc1),
            ("tmpfs", 0x0102_1994),
            ("overlay", 0x794c_7630),
            ("f2fs", 0xf2f5_2010),
        ] {
            assert_eq!(Journal::of_magic(magic), Journal::WriteAhead, "{name}");
        }
    }

    #[test]
    fn the_sign_of_the_field_does_not_matter() {
        assert_eq!(Journal::of_magic(-11_317_950_i64 as u32), Journal::Rollback, "CIFS as a signed number");
        assert!(Journal::of_folder(Path::new("/")).is_ok());
    }
}

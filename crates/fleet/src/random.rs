//! Random text for passwords and names.

use std::fs::File;
use std::io::{self, Read as _};

/// Returns hexadecimal text made of this number of random bytes from the kernel.
pub(crate) fn hex(bytes: usize) -> io::Result<String> {
    let mut random = vec![0; bytes];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

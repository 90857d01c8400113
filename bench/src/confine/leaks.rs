//! Many runs, two at a time: what is left of them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use confine::{Folder, Limits};

use super::Setting;

/// Everything that could be left.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    children: usize,
    descriptors: usize,
    folders: usize,
    cgroups: usize,
    resident_kib: u64,
}

/// Runs a target in a private folder many times in every tier and counts what is left.
pub(super) fn search(setting: &Setting, runs: usize) -> Result<()> {
    println!("\n## Left after {runs} runs, two at a time\n");
    println!(
        "| tier | children | descriptors | folders | cgroups | memory KiB, after a tenth -> at the end |"
    );
    println!("|---|---|---|---|---|---|");
    for &tier in &setting.tiers {
        let target = setting.command("/bin/true").folder(Folder::Private);
        let many = |count: usize| -> Result<()> {
            std::thread::scope(|scope| {
                let half = || {
                    (0..count / 2).try_for_each(|_| setting.run(tier, &target, &Limits::default()).map(drop))
                };
                let threads = [scope.spawn(half), scope.spawn(half)];
                threads
                    .into_iter()
                    .try_for_each(|thread| thread.join().map_err(|_| anyhow::anyhow!("a panic"))?)
            })
        };
        many(runs / 10)?;
        let before = left()?;
        many(runs - runs / 10)?;
        let after = left()?;
        println!(
            "| {tier} | {} | {:+} | {} | {} | {} -> {} |",
            after.children,
            after.descriptors as i64 - before.descriptors as i64,
            after.folders,
            after.cgroups,
            before.resident_kib,
            after.resident_kib
        );
    }
    Ok(())
}

fn left() -> Result<Left> {
    let id = std::process::id();
    let status = fs::read_to_string("/proc/self/status")?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    let prefix = format!("captune-run-{id}-");
    let ours = |folder: &Path| -> usize {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)).count()
    };
    let mut children = 0;
    for thread in fs::read_dir("/proc/self/task")?.flatten() {
        children += fs::read_to_string(thread.path().join("children"))?.split_whitespace().count();
    }
    Ok(Left {
        children,
        descriptors: fs::read_dir("/proc/self/fd")?.count(),
        folders: ours(&std::env::temp_dir()),
        cgroups: groups(Path::new("/sys/fs/cgroup"), &ours),
        resident_kib: resident.trim().trim_end_matches(" kB").parse()?,
    })
}

/// Groups of ours anywhere below the mount, wherever it is.
fn groups(folder: &Path, ours: &dyn Fn(&Path) -> usize) -> usize {
    let below = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
    ours(folder) + below.map(|entry| groups(&entry.path(), ours)).sum::<usize>()
}

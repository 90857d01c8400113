//! Counts what many runs leave behind, with two runs at a time.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use confine::{Folder, Limits};

use super::Setting;

/// Everything that a run could leave behind.
#[derive(Debug, PartialEq, Eq)]
struct Leftovers {
    /// Descendants of this process, not counting the guardian.
    processes: usize,
    /// File descriptors of this process and the guardian.
    descriptors: usize,
    folders: usize,
    cgroups: usize,
    /// Resident memory of this process and the guardian.
    resident_kib: u64,
}

/// Runs a target in a private folder many times in every tier and counts the leftovers.
pub(super) fn search(setting: &Setting, runs: usize) -> Result<()> {
    println!("\n## Leftovers after {runs} runs, two at a time\n");
    println!(
        "| tier | processes | descriptors | folders | cgroups | memory, KiB: after a tenth of the runs -> at the end |"
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
                threads.into_iter().try_for_each(|thread| {
                    thread.join().map_err(|_| anyhow::anyhow!("a worker thread panicked"))?
                })
            })
        };
        many(runs / 10)?;
        let before = leftovers()?;
        many(runs - runs / 10)?;
        let after = leftovers()?;
        println!(
            "| {tier} | {} | {:+} | {} | {} | {} -> {} |",
            after.processes,
            after.descriptors as i64 - before.descriptors as i64,
            after.folders,
            after.cgroups,
            before.resident_kib,
            after.resident_kib
        );
    }
    Ok(())
}

fn leftovers() -> Result<Leftovers> {
    let id = std::process::id();
    let guardian = children(id)?.into_iter().next().context("no guardian")?;
    // A supervisor exits shortly after its report, so wait for it.
    let mut milliseconds_left = 1000;
    while !children(guardian)?.is_empty() && milliseconds_left > 0 {
        std::thread::sleep(std::time::Duration::from_millis(1));
        milliseconds_left -= 1;
    }
    let prefix = format!("captune-run-{id}-");
    let ours = |folder: &Path| -> usize {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)).count()
    };
    let descriptors = |pid: u32| -> Result<usize> { Ok(fs::read_dir(format!("/proc/{pid}/fd"))?.count()) };
    Ok(Leftovers {
        processes: children(id)?.len() - 1 + children(guardian)?.len(),
        descriptors: descriptors(id)? + descriptors(guardian)?,
        folders: ours(&std::env::temp_dir()),
        cgroups: groups(Path::new("/sys/fs/cgroup"), &ours),
        resident_kib: resident_kib(id)? + resident_kib(guardian)?,
    })
}

/// Returns the children of all threads of a process.
fn children(pid: u32) -> Result<Vec<u32>> {
    let mut children = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
        let list = fs::read_to_string(thread.path().join("children"))?;
        children.extend(list.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    Ok(children)
}

fn resident_kib(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(resident.trim().trim_end_matches(" kB").parse()?)
}

/// Counts this process's cgroups anywhere below a folder.
fn groups(folder: &Path, ours: &dyn Fn(&Path) -> usize) -> usize {
    let below = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
    ours(folder) + below.map(|entry| groups(&entry.path(), ours)).sum::<usize>()
}

//! The life of a supervisor from its first job to its last; most supervisors have only one job.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};

use super::deaths::Deaths;
use super::enclosure::Enclosure;
use super::tree::Tree;
use super::watch::watch;
use crate::finished::Finished;
use crate::folder;
use crate::sys;
use crate::wire::{self, Job, Killed, Reply, Report, Request, RunSpec};

/// Runs as the supervisor; never returns.
pub(super) fn supervise(socket: BorrowedFd<'_>, guardian: BorrowedFd<'_>, spec: &RunSpec) -> ! {
    let mut held: Option<Enclosure> = None;
    while let Some((job, files)) = next_job(socket, guardian) {
        let is_first = held.is_none();
        let mut enclosure = match held.take().map_or_else(|| Enclosure::make(spec, &job.limits), Ok) {
            Ok(enclosure) => enclosure,
            Err(failure) => not_started(socket, spec, Report::NotStarted(failure)),
        };
        let report = match watch(socket, guardian, &job, files, &mut enclosure, is_first) {
            Ok(Some(finished)) if job.at_end == Killed::All => {
                let finished = with_files(finished, &job);
                enclosure.remove();
                let left_behind = clear_folder(spec);
                let finished = Box::new(Finished { left_behind, ..finished });
                // If the caller is gone, there is nobody to report to.
                wire::send(socket, &Reply::Report(Report::Finished(finished)), &[]).ok();
                sys::exit_now(0)
            }
            Ok(Some(finished)) => Report::Finished(Box::new(with_files(finished, &job))),
            Ok(None) => {
                held = Some(enclosure);
                break;
            }
            Err(failure) if is_first => {
                enclosure.remove();
                not_started(socket, spec, Report::NotStarted(failure))
            }
            // Do not exit yet: processes of earlier jobs may still have to be killed.
            Err(failure) => Report::NotStarted(failure),
        };
        held = Some(enclosure);
        if wire::send(socket, &Reply::Report(report), &[]).is_err() {
            break;
        }
    }
    if let Some(enclosure) = held {
        // If the tree cannot be read, no job was ever started.
        if let Some(tree) = Tree::probe() {
            enclosure.kill(tree, &mut Deaths::new(None, enclosure.adopts()));
        }
        enclosure.remove();
    }
    clear_folder(spec);
    sys::exit_now(0)
}

/// Waits for the next job and returns it. Returns `None` if no job follows, or if the caller or guardian
/// is gone.
fn next_job(socket: BorrowedFd<'_>, guardian: BorrowedFd<'_>) -> Option<(Box<Job>, Vec<OwnedFd>)> {
    loop {
        let mut waits = [socket, guardian].map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN));
        match poll(&mut waits, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return None,
        }
        if !waits[1].revents().is_empty() {
            return None;
        }
        match wire::receive::<Request>(socket) {
            Ok(Some((Request::Run(job), files))) => return Some((job, files)),
            // This order came too late for the previous job.
            Ok(Some((Request::Order(_), _))) => {}
            Ok(Some((Request::End, _)) | None) | Err(_) => return None,
        }
    }
}

/// Reports that the first job did not start. Leaves the private folder in place, because the caller may
/// try again with another tier.
fn not_started(socket: BorrowedFd<'_>, spec: &RunSpec, report: Report) -> ! {
    if wire::send(socket, &Reply::Report(report), &[]).is_err() {
        clear_folder(spec);
    }
    sys::exit_now(0)
}

/// Adds the contents and sizes of the files that the caller has requested.
fn with_files(finished: Finished, job: &Job) -> Finished {
    let files = job.read_files.iter().map(|path| folder::read(&job.folder, path)).collect();
    let sizes = job.measured_files.iter().map(|path| folder::size(&job.folder, path)).collect();
    Finished { files, sizes, ..finished }
}

/// Removes the private folder; returns its path if that fails.
fn clear_folder(spec: &RunSpec) -> Option<std::path::PathBuf> {
    spec.private_folder().filter(|path| folder::remove(path).is_err())
}

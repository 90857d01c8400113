//! The limits of one run, and the check that they are valid.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A limited quantity; also the reason why a run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// CPU time of the whole tree, user and system.
    Cpu,
    /// Wall-clock time since the start.
    Wall,
    /// Memory of the whole tree.
    Memory,
    /// Bytes written to standard output and standard error together.
    Output,
    /// Processes alive at one time.
    Processes,
    /// Size of any one file written, in bytes.
    FileSize,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "CPU time",
            Self::Wall => "wall time",
            Self::Memory => "memory",
            Self::Output => "output",
            Self::Processes => "processes",
            Self::FileSize => "file size",
        })
    }
}

/// The limits of one run; `None` means no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time of the whole tree.
    pub cpu: Option<Duration>,
    /// Wall time; see [`Limits::effective_wall`] for the wall limit that a CPU limit implies.
    pub wall: Option<Duration>,
    /// Memory of the whole tree in bytes.
    pub memory: Option<u64>,
    /// Bytes of standard output and standard error together.
    pub output: Option<u64>,
    /// Processes alive at one time.
    pub processes: Option<u32>,
    /// Size of any one file, in bytes.
    pub file_size: Option<u64>,
    /// The cores that the tree may use.
    pub cores: Option<Cores>,
    /// Time between TERM and KILL when a limit is reached; `None` means KILL at once.
    pub grace: Option<Duration>,
}

impl Limits {
    /// Returns the wall limit in force. If only a CPU limit is set, it implies a wall limit (twice the CPU
    /// limit plus five seconds), because a deadlocked target uses no CPU time but must still be stopped.
    pub fn effective_wall(&self) -> Option<Duration> {
        self.wall.or_else(|| self.cpu.map(implied_wall))
    }

    /// Rejects a limit of zero, which is always a mistake.
    pub fn check(&self) -> Result<(), LimitError> {
        let zero = |is_zero: bool, limit| if is_zero { Err(LimitError::Zero(limit)) } else { Ok(()) };
        zero(self.cpu.is_some_and(|d| d.is_zero()), Limit::Cpu)?;
        zero(self.wall.is_some_and(|d| d.is_zero()), Limit::Wall)?;
        zero(self.memory == Some(0), Limit::Memory)?;
        zero(self.output == Some(0), Limit::Output)?;
        zero(self.processes == Some(0), Limit::Processes)?;
        zero(self.file_size == Some(0), Limit::FileSize)?;
        if self.cores.as_ref().is_some_and(Cores::is_empty) { Err(LimitError::NoCores) } else { Ok(()) }
    }
}

/// Returns the wall limit that a CPU limit implies.
pub(crate) fn implied_wall(cpu: Duration) -> Duration {
    cpu.saturating_mul(2).saturating_add(Duration::from_secs(5))
}

/// A limit that no run could stay within.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LimitError {
    /// A limit of zero.
    #[error("a {0} limit of zero would stop every run; leave it out for no limit")]
    Zero(Limit),
    /// An empty set of cores.
    #[error("the list of cores is empty; leave it out to use every core")]
    NoCores,
}

/// A set of CPU cores by number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cores(Vec<usize>);

impl Cores {
    /// One more than the largest core number in the kernel's affinity mask.
    pub const CEILING: usize = rustix::thread::CpuSet::MAX_CPU;

    /// Adds a core; the set stays sorted.
    pub fn insert(&mut self, core: usize) {
        if let Err(at) = self.0.binary_search(&core) {
            self.0.insert(at, core);
        }
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of cores.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Iterates over the cores in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied()
    }

    /// Returns the cores that this process may use.
    pub fn allowed() -> std::io::Result<Self> {
        let mask = rustix::thread::sched_getaffinity(None)?;
        Ok((0..Self::CEILING).filter(|&core| mask.is_set(core)).collect())
    }
}

impl FromIterator<usize> for Cores {
    fn from_iter<I: IntoIterator<Item = usize>>(cores: I) -> Self {
        let mut set = Self::default();
        cores.into_iter().for_each(|core| set.insert(core));
        set
    }
}

impl fmt::Display for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for core in self.iter() {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == core => *last = core,
                _ => runs.push((core, core)),
            }
        }
        for (at, (first, last)) in runs.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            if first == last { write!(f, "{comma}{first}")? } else { write!(f, "{comma}{first}-{last}")? }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_limit_implies_a_wall_limit() {
        let mut limits = Limits { cpu: Some(Duration::from_secs(10)), ..Limits::default() };
        assert_eq!(limits.effective_wall(), Some(Duration::from_secs(25)));
        limits.wall = Some(Duration::from_secs(3));
        assert_eq!(limits.effective_wall(), Some(Duration::from_secs(3)));
        assert_eq!(Limits::default().effective_wall(), None);
    }

    #[test]
    fn a_limit_of_zero_is_rejected() {
        let limits = Limits { memory: Some(0), ..Limits::default() };
        assert_eq!(limits.check(), Err(LimitError::Zero(Limit::Memory)));
        let limits = Limits { cores: Some(Cores::default()), ..Limits::default() };
        assert_eq!(limits.check(), Err(LimitError::NoCores));
    }

    #[test]
    fn cores_are_shown_as_ranges() {
        assert_eq!([3, 0, 1, 5].into_iter().collect::<Cores>().to_string(), "0-1,3,5");
    }
}

//! The options for limits, shared by all verbs that have them.

use std::time::Duration;

use clap::Args;
use confine::quantity::{parse_cores, parse_duration, parse_size};
use confine::{Cores, Limits, Tier};

#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArguments {
    /// CPU time of the process tree (2.5s, 250ms, 1h); also limits wall time to twice that + 5s
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = parse_duration)]
    cpu: Option<Duration>,
    /// Wall time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = parse_duration)]
    wall: Option<Duration>,
    /// Memory of the process tree (512MiB, 2GB)
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = parse_size)]
    memory: Option<u64>,
    /// Size of standard output and standard error together
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = parse_size)]
    output: Option<u64>,
    /// Number of processes at the same time
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..))]
    processes: Option<u32>,
    /// Size of any file that the command writes
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = parse_size)]
    file_size: Option<u64>,
    /// Cores that the command may use (0 or 0,2-3)
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, value_parser = parse_cores)]
    cores: Option<Cores>,
    /// Time between SIGTERM and SIGKILL at a limit [default: SIGKILL at once]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = parse_duration)]
    grace: Option<Duration>,
    /// Mechanism that controls the process tree: cgroup, namespace, subreaper or group [default: the
    /// best that works]
    #[arg(long)]
    pub(crate) tier: Option<Tier>,
}

impl LimitArguments {
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            cpu: self.cpu,
            wall: self.wall,
            memory: self.memory,
            output: self.output,
            processes: self.processes,
            file_size: self.file_size,
            cores: self.cores.clone(),
            grace: self.grace,
        }
    }
}

//! How a process tree is held together, so that its CPU time can be summed and all its processes killed.
//!
//! | tier | finds the tree by | kills it by | what escapes |
//! |---|---|---|---|
//! | cgroup | a control group of its own | `cgroup.kill` | nothing |
//! | namespace | a PID namespace | `kill(-1)` inside, or the kernel | the time of unwaited-for children |
//! | subreaper | parent links, orphans adopted | repeated walks | the time of unwaited-for children |
//! | group | a process group | `kill(-group)` | processes that call `setsid` |

pub(crate) mod cgroup;
pub(crate) mod namespace;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A way to hold a process tree together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// A control group (version 2) for each run.
    Cgroup,
    /// A PID namespace for each run, inside a new user namespace if the caller is not root.
    Namespace,
    /// The supervisor adopts every orphan and walks the tree.
    Subreaper,
    /// A process group; processes that leave it escape.
    Group,
}

impl Tier {
    /// All tiers, best first.
    pub const ALL: [Self; 4] = [Self::Cgroup, Self::Namespace, Self::Subreaper, Self::Group];

    /// Returns the tier's name in commands, records and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cgroup => "cgroup",
            Self::Namespace => "namespace",
            Self::Subreaper => "subreaper",
            Self::Group => "group",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Tier {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|tier| tier.name() == text).ok_or_else(|| {
            format!("`{text}` is not a tier; expected one of {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

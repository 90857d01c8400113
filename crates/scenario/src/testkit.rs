//! For tests: a folder of their own, and a scenario in it.

#![allow(clippy::unwrap_used, reason = "only tests use it")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use engine::{Cap, ConfigId, InstanceId, Pair, Seed, TrialId, TrialKey, TrialRequest, Why};

use crate::{Scenario, read};

/// A folder that is removed with it.
#[derive(Debug)]
pub struct Stage {
    /// Its path.
    pub folder: PathBuf,
}

impl Stage {
    /// A new, empty one.
    #[allow(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("captune-test-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    /// Writes a file, and the folders it lies in.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Reads a scenario that must be sound.
    pub fn read(&self, text: &str) -> Scenario {
        read(text, &self.folder, "test.toml").unwrap_or_else(|mistakes| panic!("{mistakes}"))
    }

    /// The mistakes of a scenario that must not be sound, without what is of this machine.
    pub fn mistakes(&self, text: &str) -> String {
        let mistakes = read(text, &self.folder, "test.toml").map(|_| "sound").unwrap_err();
        self.hidden(&mistakes.to_string())
    }

    /// A text without the folder and the search path of this machine.
    pub fn hidden(&self, text: &str) -> String {
        let text = text.replace(self.folder.to_str().unwrap(), "FOLDER");
        std::env::var("PATH").map_or(text.clone(), |path| text.replace(&path, "PATH"))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The least that a scenario needs.
pub const SMALL: &str = r#"
[target]
command = ["true", "{params}", "{seed}"]
[objective]
minimise = "cpu_time"
cutoff = "5s"
[budget]
trials = 10
[space]
alpha = { float = [0.0, 1.0], default = 0.5 }
fast  = { boolean = false }
"#;

/// A trial of the default configuration on an instance.
pub fn trial(scenario: &Scenario, instance: u32, cap: Cap) -> TrialRequest {
    TrialRequest {
        id: TrialId(0),
        key: TrialKey { config: ConfigId(0), pair: Pair { instance: InstanceId(instance), seed: Seed(17) } },
        configuration: scenario.space.default_configuration(),
        cap,
        why: Why::Incumbent,
    }
}

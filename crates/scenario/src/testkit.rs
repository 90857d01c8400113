//! Test helpers: temporary folders, and scenarios in them.

#![allow(clippy::unwrap_used, reason = "only tests use it")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use engine::{Cap, ConfigId, InstanceId, Pair, Seed, TrialId, TrialKey, TrialRequest, Why};

use crate::{Scenario, read};

/// A temporary folder, removed on drop.
#[derive(Debug)]
pub struct Stage {
    /// Path of the folder.
    pub folder: PathBuf,
}

impl Stage {
    /// Creates a new, empty folder.
    #[allow(clippy::new_without_default, reason = "it creates a folder")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("captune-test-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    /// Writes a file. Creates its parent folders if necessary.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Reads a scenario, which must be valid.
    pub fn read(&self, text: &str) -> Scenario {
        read(text, &self.folder, "test.toml").unwrap_or_else(|mistakes| panic!("{mistakes}"))
    }

    /// Returns the mistakes in an invalid scenario, without the paths of this machine.
    pub fn mistakes(&self, text: &str) -> String {
        let mistakes = read(text, &self.folder, "test.toml").map(|_| "valid").unwrap_err();
        self.hidden(&mistakes.to_string())
    }

    /// Replaces the temporary folder and this machine's PATH in a text, so that the text is the same
    /// everywhere.
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

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A minimal scenario.
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

/// Returns a trial of the default configuration on an instance.
pub fn trial(scenario: &Scenario, instance: u32, cap: Cap) -> TrialRequest {
    TrialRequest {
        id: TrialId(0),
        key: TrialKey { config: ConfigId(0), pair: Pair { instance: InstanceId(instance), seed: Seed(17) } },
        configuration: scenario.space.default_configuration(),
        cap,
        why: Why::Incumbent,
    }
}

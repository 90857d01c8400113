//! The file that tells workers where the coordinator is and how they are admitted.
//!
//! It is in the campaign's folder, and only its owner may read it, because a reader could report results.
//! Beside it is the text of the scenario, from which workers build the commands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use scenario::Scenario;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use space::format::{CannotExpress, Format, write};

use crate::nats::Address;
use crate::private::{PrivateError, private_folder, read_private, write_private};
use crate::random;

/// Name of the folder in the campaign's folder.
const FOLDER: &str = "fleet";
/// Name of the invitation.
const FILE: &str = "join.json";
/// Name of the scenario's copy.
const SCENARIO: &str = "scenario.toml";

/// An invitation to a campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Invitation {
    /// Version of captune that workers must have.
    pub version: String,
    /// Name of the campaign in subjects: random text that stays the same when the campaign is resumed.
    pub campaign: String,
    /// The folder to which the scenario's paths are relative.
    pub folder: PathBuf,
    /// Addresses of the server, in the order in which to try them.
    pub addresses: Vec<Address>,
    /// Whether the campaign is over, so that workers that start later end at once.
    #[serde(default)]
    pub is_over: bool,
}

/// Reason why an invitation cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum InvitationError {
    #[error(transparent)]
    Private(#[from] PrivateError),
    #[error("{} is not an invitation: {source}", path.display())]
    Damaged { path: PathBuf, source: serde_json::Error },
}

/// Returns the folder in a campaign's folder that holds the files of its fleet.
pub fn folder(campaign: &Path) -> PathBuf {
    campaign.join(FOLDER)
}

/// Returns the path of the scenario's copy.
pub fn scenario_file(campaign: &Path) -> PathBuf {
    folder(campaign).join(SCENARIO)
}

/// Returns a random name for a campaign.
pub fn new_name() -> std::io::Result<String> {
    random::hex(8)
}

impl Invitation {
    /// Returns the path of the invitation in a campaign's folder.
    pub fn path(campaign: &Path) -> PathBuf {
        folder(campaign).join(FILE)
    }

    /// Reads the invitation in a file; returns `None` if the file does not exist.
    pub fn read(path: &Path) -> Result<Option<Self>, InvitationError> {
        let Some(text) = read_private(path)? else { return Ok(None) };
        let read = serde_json::from_str(&text);
        read.map(Some).map_err(|source| InvitationError::Damaged { path: path.to_owned(), source })
    }

    /// Writes the invitation and the text of the scenario to a campaign's folder.
    pub fn publish(&self, campaign: &Path, scenario: &str) -> Result<(), PrivateError> {
        private_folder(&folder(campaign))?;
        write_private(&scenario_file(campaign), scenario.as_bytes())?;
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        write_private(&Self::path(campaign), &text)
    }
}

/// Returns the digest that must be the same for coordinator and worker: of the scenario's text, its parameters,
/// which may be in another file, and the names of its instances.
pub fn digest(text: &str, scenario: &Scenario) -> Result<String, CannotExpress> {
    let instances = scenario.instances.train.iter().chain(&scenario.instances.test);
    let names: BTreeSet<&str> = instances.map(|instance| instance.name.as_str()).collect();
    let space = write(&scenario.space, Format::Toml)?;
    let mut digest = Sha256::new();
    for part in [text, &space].into_iter().chain(names) {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    Ok(digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_its_owner_may_read_an_invitation() {
        let campaign = std::env::temp_dir().join(format!("captune-invitation-{}", std::process::id()));
        let invitation = Invitation {
            version: "1".to_owned(),
            campaign: new_name().unwrap(),
            folder: "/here".into(),
            addresses: vec![Address { place: "a:1".to_owned(), login: None, trust: None }],
            is_over: false,
        };
        let path = Invitation::path(&campaign);
        assert_eq!(Invitation::read(&path).unwrap(), None);
        invitation.publish(&campaign, "text").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&folder(&campaign))), (0o600, 0o700));
        assert_eq!(Invitation::read(&path).unwrap(), Some(invitation));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = Invitation::read(&path).unwrap_err().to_string();
        assert!(error.contains("(mode 640)") && error.contains("chmod 600"), "{error}");
        fs::remove_dir_all(campaign).unwrap();
    }

    #[test]
    fn a_digest_covers_text_parameters_and_instances() {
        let text = "[target]\ncommand = [\"true\", \"{params}\"]\n[objective]\nminimise = \"cpu_time\"\n\
            cutoff = \"9s\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n";
        let read = |text: &str| scenario::read(text, Path::new("."), "test.toml").unwrap();
        let scenario = read(text);
        let first = digest(text, &scenario).unwrap();
        assert_eq!((digest(text, &scenario).unwrap(), first.len()), (first.clone(), 32));
        assert_ne!(digest(&format!("{text}\n"), &scenario).unwrap(), first);
        assert_ne!(digest(text, &read(&text.replace("[1, 9]", "[1, 8]"))).unwrap(), first);
        let mut other = scenario.clone();
        other.instances.train[0].name += "x";
        assert_ne!(digest(text, &other).unwrap(), first);
    }
}

//! Failed trials, grouped by reason, with what they have in common.

use engine::ConfigId;
use space::Configuration;
use store::Failures;

use crate::common_setting::{CommonSetting, common_setting};
use crate::error::ViewError;
use crate::kept::Kept;

/// Trials that failed for the same reason.
#[derive(Clone, PartialEq, Debug)]
pub struct Failing {
    /// The trials.
    pub failures: Failures,
    /// Number of instances that trials of the campaign have run on.
    pub instances: usize,
    /// The setting that explains the failures, if there is one.
    pub common: Option<CommonSetting>,
}

impl Kept {
    /// Returns the failed trials grouped by reason, with the most frequent reason first.
    pub fn failures(&self) -> Result<Vec<Failing>, ViewError> {
        let groups = self.reader().failures()?;
        if groups.is_empty() {
            return Ok(Vec::new());
        }
        let mut all: Vec<(ConfigId, Configuration)> = Vec::new();
        let space = &self.charter.space;
        self.reader().each_configuration(space, |stored| -> Result<(), ViewError> {
            all.push((stored.id, stored.configuration.clone()));
            Ok(())
        })?;
        let instances = self.charter.instances.len();
        let failing = |failures: Failures| {
            let has = |wanted: bool| -> Vec<&Configuration> {
                let fails = |id| failures.configurations.binary_search(id).is_ok();
                all.iter().filter(|(id, _)| fails(id) == wanted).map(|(_, one)| one).collect()
            };
            Failing { common: common_setting(space, &has(true), &has(false)), instances, failures }
        };
        Ok(groups.into_iter().map(failing).collect())
    }
}

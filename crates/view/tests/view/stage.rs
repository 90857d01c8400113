//! An artificial campaign: a scenario and the contents of its store.

use std::path::PathBuf;

use campaign::conduct::{Order, settings};
use campaign::validation::plan;
use engine::{ConfigId, Observation, Pair, Reading, Space, TrialId};
use execution::Record;
use execution::testkit::record;
use scenario::testkit;
use space::Literal;
use store::{
    Batch, Charter, Elapsed, NewCampaign, Store, StoredConfiguration, StoredIncumbent, StoredValidation,
};

/// A scenario with two training instances, six unseen ones and a constraint.
pub(crate) const SCENARIO: &str = r#"name = "made up"
[target]
command = ["true", "{params}", "{instance}", "--seed={seed}"]
[objective]
minimise = "cpu_time"
cutoff = "5s"
[outputs]
error = { pattern = 'error (\d+)' }
[constraints]
error = "<= 3"
[instances]
list = ["a", "b"]
test = ["c", "d", "e", "f", "g", "h"]
[budget]
trials = 40
[space]
x = { integer = [1, 9], default = 5 }
mode = { choices = ["slow", "fast"] }
"#;

pub(crate) struct Stage {
    pub(crate) stage: testkit::Stage,
    pub(crate) folder: PathBuf,
    space: Space,
}

impl Stage {
    /// Creates a campaign that has not started.
    pub(crate) fn new(text: &str) -> Self {
        let stage = testkit::Stage::new();
        let scenario = stage.read(text);
        let folder = stage.folder.join("made.campaign");
        let charter = Charter {
            name: scenario.name.clone(),
            scenario: text.to_owned(),
            folder: stage.folder.clone(),
            space: scenario.space.clone(),
            instances: scenario.instances.train.iter().map(|one| one.name.clone()).collect(),
            seed: 1,
        };
        Store::create_with(&folder, &NewCampaign::of(charter)).unwrap();
        Self { stage, folder, space: scenario.space }
    }

    /// Adds a session that wrote a batch and ended.
    pub(crate) fn session(&self, batch: Batch, reason: &str) {
        let mut writer = Store::open(&self.folder).unwrap().write(|_| {}).unwrap();
        writer.submit(batch).unwrap();
        writer.finish(reason).unwrap();
    }

    /// Returns configurations with these values of `x`. The first one is the default.
    pub(crate) fn configurations(&self, values: &[i64]) -> Vec<StoredConfiguration> {
        let one = |(id, &x): (u32, &i64)| {
            let values = [("x", Literal::Integer(x)), ("mode", Literal::from("slow"))];
            let configuration = self.space.configuration(values).unwrap();
            StoredConfiguration { id: ConfigId(id), origin: "design".to_owned(), configuration }
        };
        (0..).zip(values).map(one).collect()
    }

    /// Returns a validation of configuration 1, which costs half as much as the default.
    pub(crate) fn validations(&self, text: &str) -> Vec<StoredValidation> {
        let scenario = self.stage.read(text);
        let own = settings(&scenario, &Order { seed: Some(1), ..Order::default() });
        let names: Vec<&str> = scenario
            .instances
            .train
            .iter()
            .chain(&scenario.instances.test)
            .map(|one| one.name.as_str())
            .collect();
        let pairs = plan(&own, scenario.instances.test.len() as u32).pairs;
        let both = |pair: Pair| {
            [(0, 2.0), (1, 1.0)].map(|(config, cost)| {
                let outputs = vec![Some(Reading::Exact(2.0)); scenario.constraints.len()];
                let observation = Observation::finished(cost).with_constraints(outputs);
                StoredValidation {
                    instance: names[pair.instance.index()].to_owned(),
                    record: record(config, pair.instance.0, pair.seed.0, observation),
                    host: None,
                    session: None,
                }
            })
        };
        pairs.into_iter().flat_map(both).collect()
    }
}

/// Returns trials of configurations with these observations, alternating between two instances.
pub(crate) fn trials(told: &[(u32, Observation)]) -> Vec<Record> {
    let one = |(id, (config, observation)): (u64, &(u32, Observation))| {
        let mut record = record(*config, id as u32 % 2, 7, observation.clone());
        record.trial.id = TrialId(id);
        record
    };
    (0..).zip(told).map(one).collect()
}

/// Returns an incumbent that took over after this many trials.
pub(crate) fn best(config: u32, after: u64, cost: f64) -> StoredIncumbent {
    let spent = Elapsed { wall: 3.0, cpu: 4.0 };
    StoredIncumbent { after, config: ConfigId(config), pairs: 2, cost, spent }
}

/// Returns an observation with a cost and a value for the constrained output.
pub(crate) fn cost(cost: f64, error: f64) -> Observation {
    Observation::finished(cost).with_constraints(vec![Some(Reading::Exact(error))])
}

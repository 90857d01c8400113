//! Artificial campaigns: any scenario, with trials drawn at random but always the same.

use std::path::PathBuf;

use campaign::conduct::{Order, settings};
use campaign::event::Event;
use campaign::validation::plan;
use engine::{Cap, ConfigId, Observation, Pair, Reading, Rng, Seed, Space, Status, TrialId, Why};
use execution::Record;
use execution::testkit::record;
use scenario::testkit;
use serde_json::json;
use store::{
    Batch, Charter, Elapsed, NewCampaign, Store, StoredConfiguration, StoredEvent, StoredIncumbent,
    StoredValidation,
};
use view::pages::Pages;
use view::{Kept, Records};

/// A scenario with a constraint and names that try to escape from the page.
pub(crate) const HOSTILE: &str = r#"name = "</title><script>alert(1)</script>"
[target]
command = ["true", "{params}", "{instance}", "--seed={seed}"]
[objective]
minimise = "cpu_time"
cutoff = "5s"
[outputs]
"<img src=x onerror=alert(2)>" = { pattern = 'error (\d+)' }
[constraints]
"<img src=x onerror=alert(2)>" = "<= 3"
[instances]
list = ["\"><svg onload=alert(3)>", "b\u001b[2J", "c", "d"]
test = ["</script><script>alert(4)</script>", "e", "f", "g", "h", "i"]
[budget]
trials = 400
[space]
"x</text><script>alert(5)</script>" = { integer = [1, 9], default = 5 }
rate = { float = [0.01, 10.0], log = true, default = 1.0 }
mode = { choices = ["slow", "fast'\"<b>", "javascript:alert(6)"] }
"#;

pub(crate) struct Stage {
    stage: testkit::Stage,
    pub(crate) folder: PathBuf,
    text: String,
    space: Space,
    instances: u32,
    rng: Rng,
    next: u64,
}

impl Stage {
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
        let instances = charter.instances.len() as u32;
        Store::create_with(&folder, &NewCampaign::of(charter)).unwrap();
        let (space, rng) = (scenario.space.clone(), Rng::new(1, "stage", 0));
        Self { stage, folder, text: text.to_owned(), space, instances, rng, next: 0 }
    }

    /// Adds a session with configurations that are each tried on up to `pairs` pairs. Returns the number of
    /// trials. The last configuration becomes the incumbent.
    pub(crate) fn add(&mut self, first: u32, configurations: u32, pairs: u64) -> u64 {
        let mut writer = Store::open(&self.folder).unwrap().write(|_| {}).unwrap();
        let constraints = self.stage.read(&self.text).constraints.len();
        let mut count = 0;
        for start in (first..first + configurations).step_by(1000) {
            let mut batch = Batch::default();
            for id in start..(start + 1000).min(first + configurations) {
                let configuration = if id == 0 {
                    self.space.default_configuration()
                } else {
                    self.space.sample(&mut self.rng).unwrap()
                };
                let origin = ["design", "forest", "random"][id as usize % 3].to_owned();
                batch.configurations.push(StoredConfiguration { id: ConfigId(id), origin, configuration });
                let visits = if id == 0 { u64::from(self.instances) } else { 1 + u64::from(id) % pairs };
                for visit in 0..visits {
                    let trial = self.trial(id, visit, constraints);
                    batch.trials.push(trial);
                    count += 1;
                }
                batch.events.extend(self.race(id));
            }
            writer.submit(batch).unwrap();
        }
        let spent = Elapsed { wall: self.next as f64 * 0.1, cpu: 1.0 };
        let config = ConfigId(first + configurations - 1);
        let after = self.next;
        let incumbents = vec![StoredIncumbent { after, config, pairs: 4, cost: 0.5, spent }];
        writer.submit(Batch { incumbents, spent: Some(spent), ..Batch::default() }).unwrap();
        writer.finish("budget spent: trials").unwrap();
        count
    }

    /// Returns the events of a configuration's race, with a forecast.
    fn race(&mut self, config: u32) -> [StoredEvent; 2] {
        let (at, low) = (self.next as f64 * 0.1, 0.05 + self.rng.unit());
        let forecast = json!({ "cost": 1.5 * low, "low": low, "high": 3.0 * low });
        let opened = json!({ "config": config, "foretold": forecast });
        let dropped = json!({ "config": config, "pairs": 1, "why": "sum" });
        [("race_opened", opened), ("race_dropped", dropped)].map(|(kind, fields)| {
            let stored = StoredEvent { at, kind: kind.to_owned(), text: fields.to_string() };
            assert!(Event::of_stored(&stored).is_some(), "{stored:?}");
            stored
        })
    }

    fn trial(&mut self, config: u32, visit: u64, constraints: usize) -> Record {
        let cost = 0.05 + 4.0 * self.rng.unit() * self.rng.unit();
        let observation = match self.rng.below(100) {
            0..25 if config > 0 => Observation::capped(cost),
            25..29 => Observation::timeout(5.0),
            29..31 if config > 0 => Observation::failed(Status::Crashed, 0.1),
            _ => Observation::finished(cost),
        };
        let value = (observation.status() == Status::Finished).then(|| Reading::Exact(5.0 * self.rng.unit()));
        let observation = observation.with_constraints(vec![value; constraints]);
        let mut own = record(
            config,
            visit as u32 % self.instances,
            (visit / u64::from(self.instances)) as u32,
            observation,
        );
        own.trial.id = TrialId(self.next);
        (own.trial.cap, own.trial.why) = (Cap::at(5.0), Why::Challenge);
        (own.started, own.ended) = (self.next as f64 * 0.1, self.next as f64 * 0.1 + cost);
        if own.status() == Status::Crashed {
            own.detail.reason = Some("<script>alert(7)</script> signal 11".to_owned());
        }
        self.next += 1;
        own
    }

    /// Adds a validation of the default and of this configuration.
    pub(crate) fn validate(&self, best: u32) {
        let scenario = self.stage.read(&self.text);
        let own = settings(&scenario, &Order { seed: Some(1), ..Order::default() });
        let names: Vec<&str> = scenario
            .instances
            .train
            .iter()
            .chain(&scenario.instances.test)
            .map(|one| one.name.as_str())
            .collect();
        let both = |pair: Pair| {
            [(0, 2.0), (best, 0.5)].map(|(config, cost)| {
                let outputs = vec![Some(Reading::Exact(2.0)); scenario.constraints.len()];
                let Pair { instance, seed: Seed(seed) } = pair;
                let observation = match pair.instance.0 % 3 {
                    0 if config == 0 => Observation::timeout(5.0),
                    _ => Observation::finished(cost * f64::from(1 + instance.0)),
                };
                let record = record(config, instance.0, seed, observation.with_constraints(outputs));
                StoredValidation {
                    instance: names[instance.index()].to_owned(),
                    record,
                    host: None,
                    session: None,
                }
            })
        };
        let pairs = plan(&own, scenario.instances.test.len() as u32).pairs;
        let validations = pairs.into_iter().flat_map(both).collect();
        let mut writer = Store::open(&self.folder).unwrap().write(|_| {}).unwrap();
        writer.submit(Batch { validations, ..Batch::default() }).unwrap();
        writer.finish("budget spent: trials").unwrap();
    }

    pub(crate) fn pages(&self) -> Pages {
        let kept = Kept::open(&self.folder).unwrap();
        Pages::of(&Records::of(&kept).unwrap()).unwrap()
    }
}

/// Returns a finished campaign with hostile names.
pub(crate) fn hostile() -> Stage {
    let mut stage = Stage::new(HOSTILE);
    stage.add(0, 60, 6);
    stage.validate(59);
    stage
}

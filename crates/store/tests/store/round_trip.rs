//! Tests that stored records are read back unchanged, however they are divided into batches.

use engine::history::Trial;
use engine::{
    Cap, ConfigId, InstanceId, Observation, Pair, Reading, Rng, Seed, Status, TrialId, TrialKey, Why,
};
use execution::{Detail, Record};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use store::{
    Batch, Elapsed, State, Store, StoredConfiguration, StoredEvent, StoredIncumbent, StoredValidation,
};

use super::stage::{Folder, charter, space, start};

fn cost() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 1e-3..1e6, any::<f64>().prop_filter("finite", |cost| cost.is_finite())]
}

fn reading() -> impl Strategy<Value = Reading> {
    (cost(), any::<bool>()).prop_map(|(cost, exact)| match exact {
        true => Reading::Exact(cost),
        false => Reading::AtLeast(cost),
    })
}

fn observation() -> impl Strategy<Value = Observation> {
    let observation = (0..Status::ALL.len(), cost()).prop_map(|(status, cost)| match Status::ALL[status] {
        Status::Finished => Observation::finished(cost),
        Status::Capped => Observation::capped(cost),
        Status::Timeout => Observation::timeout(cost),
        status => Observation::failed(status, cost),
    });
    (observation, 0.0..1e6, vec(option::of(reading()), 0..4), option::of(-1e9..1e9)).prop_map(
        |(observation, spent, constraints, tie)| {
            observation.with_spent(spent).with_constraints(constraints).with_tie(tie)
        },
    )
}

fn seconds() -> impl Strategy<Value = Option<f64>> {
    option::of(0.0..1e9)
}

fn tail() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![".*".prop_map(String::into_bytes), vec(any::<u8>(), 0..50)]
}

/// Generates a record for configuration 0 and trial 0. Both numbers are set later.
fn record() -> impl Strategy<Value = Record> {
    let request = (0..5u32, 0..1u32 << 31, option::of(1e-9..1e9), any::<bool>());
    let outputs = prop::collection::btree_map(".*", -1e300..1e300, 0..3);
    let measured = (seconds(), seconds(), option::of(any::<u64>()), option::of(any::<i32>()), outputs);
    let rest = (option::of(".*"), 0.0..1e9, 0.0..1e9, any::<u32>(), tail(), tail());
    (request, observation(), measured, rest).prop_map(|(request, observation, measured, rest)| {
        let pair = Pair { instance: InstanceId(request.0), seed: Seed(request.1) };
        let trial = Trial {
            id: TrialId(0),
            key: TrialKey { config: ConfigId(0), pair },
            cap: request.2.map_or(Cap::NONE, Cap::at),
            why: if request.3 { Why::Incumbent } else { Why::Challenge },
            observation,
        };
        let (cpu, wall, memory, exit, outputs) = measured;
        let (reason, started, ended, slot, stdout_tail, stderr_tail) = rest;
        let mut detail = Detail { cpu, wall, memory, exit, outputs, reason, ..Detail::default() };
        // Output is stored only for failed trials.
        if trial.observation.status().is_failure() {
            (detail.stdout_tail, detail.stderr_tail) = (stdout_tail, stderr_tail);
        }
        Record { trial, detail, started, ended, slot }
    })
}

fn spent() -> impl Strategy<Value = Elapsed> {
    (0.0..1e9, 0.0..1e9).prop_map(|(wall, cpu)| Elapsed { wall, cpu })
}

fn incumbent() -> impl Strategy<Value = StoredIncumbent> {
    (0..1u64 << 60, any::<u32>(), cost(), spent()).prop_map(|(after, pairs, cost, spent)| StoredIncumbent {
        after,
        config: ConfigId(0),
        pairs,
        cost,
        spent,
    })
}

fn event() -> impl Strategy<Value = StoredEvent> {
    (0.0..1e9, "[a-z]+", ".*").prop_map(|(at, kind, text)| StoredEvent { at, kind, text })
}

/// Generates a validation trial. Its output and the number of its instance are not stored.
fn validation() -> impl Strategy<Value = StoredValidation> {
    (record(), ".*").prop_map(|(mut record, instance)| {
        record.trial.why = Why::Validation;
        record.trial.key.pair.instance = InstanceId(0);
        (record.detail.stdout_tail, record.detail.stderr_tail) = (Vec::new(), Vec::new());
        StoredValidation { instance, record, host: None, session: None }
    })
}

fn batch() -> impl Strategy<Value = Batch> {
    let state = vec(any::<u8>(), 0..100).prop_map(|snapshot| State { snapshot, format: 2, told: 0 });
    (
        vec("[a-z]*", 0..4),
        vec((record(), any::<prop::sample::Index>()), 0..6),
        vec(incumbent(), 0..2),
        vec(event(), 0..3),
        vec(validation(), 0..2),
        option::of(state),
        option::of(spent()),
    )
        .prop_map(|(origins, trials, incumbents, events, validations, state, spent)| {
            let configurations = origins
                .into_iter()
                .map(|origin| StoredConfiguration {
                    id: ConfigId(0),
                    origin,
                    configuration: space().default_configuration(),
                })
                .collect();
            let trials = trials
                .into_iter()
                .map(|(mut trial, index)| {
                    // Draws an index. `number` later reduces it modulo the number of configurations known by
                    // then.
                    trial.trial.key.config = ConfigId(index.index(1000) as u32);
                    trial
                })
                .collect();
            let of_ablation = |one: &StoredValidation| {
                let mut one = one.clone();
                one.record.trial.why = Why::Ablation;
                one
            };
            let ablations = validations.iter().map(of_ablation).collect();
            Batch {
                configurations,
                trials,
                incumbents,
                events,
                validations,
                ablations,
                state,
                spent,
                ..Batch::default()
            }
        })
}

/// Numbers all records as a campaign would.
fn number(batches: &mut [Batch], ids: impl IntoIterator<Item = u64>) {
    let space = space();
    let mut ids = ids.into_iter().map(TrialId);
    let (mut configurations, mut rows) = (0, 0);
    for batch in batches {
        for stored in &mut batch.configurations {
            stored.id = ConfigId(configurations);
            stored.configuration =
                space.sample(&mut Rng::new(3, "round trip", u64::from(configurations))).unwrap();
            configurations += 1;
        }
        if configurations == 0 {
            (batch.trials, batch.incumbents, batch.validations) = Default::default();
            batch.ablations.clear();
        }
        for stored in &mut batch.trials {
            stored.trial.key.config.0 %= configurations;
            stored.trial.id = ids.next().unwrap();
            rows += 1;
        }
        if let Some(state) = &mut batch.state {
            state.told = rows;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn stored_records_are_read_back_unchanged(
        mut batches in vec(batch(), 0..8),
        ids in btree_set(any::<u64>(), 48).prop_map(Vec::from_iter).prop_shuffle(),
        pause in any::<prop::sample::Index>(),
    ) {
        number(&mut batches, ids);
        let folder = Folder::in_memory();
        let mut store = Store::create(folder.path(), &charter()).unwrap();
        let (before, after) = batches.split_at(pause.index(batches.len() + 1));
        for part in [before, after] {
            let (mut writer, _acknowledgements) = start(store);
            for batch in part {
                writer.submit(batch.clone()).unwrap();
            }
            writer.finish("a part is done").unwrap();
            store = Store::open(folder.path()).unwrap();
        }

        let loaded = store.load().unwrap();
        let reader = store.reader();
        prop_assert_eq!(&loaded.charter, &charter());
        let configurations: Vec<_> = batches.iter().flat_map(|batch| &batch.configurations).collect();
        prop_assert_eq!(loaded.history.configurations().len(), configurations.len());
        for (given, kept) in configurations.into_iter().zip(loaded.history.configurations()) {
            prop_assert_eq!(&given.configuration, kept);
            prop_assert_eq!(Some(given.clone()), reader.configuration(given.id).unwrap());
        }
        let trials: Vec<_> = batches.iter().flat_map(|batch| &batch.trials).collect();
        prop_assert_eq!(loaded.history.trials().len(), trials.len());
        for (row, (given, kept)) in trials.into_iter().zip(loaded.history.trials()).enumerate() {
            prop_assert_eq!(&given.trial, kept);
            let row = row as u64 + 1;
            prop_assert_eq!(Some(given.clone()), reader.trial(row).unwrap());
        }
        let all = |batches: &[Batch]| batches.iter().flat_map(|batch| batch.incumbents.clone()).collect::<Vec<_>>();
        prop_assert_eq!(all(&batches), loaded.incumbents);
        let events: Vec<_> = batches.iter().flat_map(|batch| batch.events.clone()).collect();
        prop_assert_eq!(events, reader.events().unwrap());
        let validations: Vec<_> = batches.iter().flat_map(|batch| batch.validations.clone()).collect();
        let ablations: Vec<_> = batches.iter().flat_map(|batch| batch.ablations.clone()).collect();
        let all = [(validations, reader.validations().unwrap()), (ablations, reader.ablations().unwrap())];
        for (given, kept) in all {
            prop_assert_eq!(given.len(), kept.len());
            for (mut given, kept) in given.into_iter().zip(kept) {
                given.record.trial.id = kept.record.trial.id;
                prop_assert!(kept.host.is_some());
                prop_assert_eq!((given.instance, given.record), (kept.instance, kept.record));
            }
        }
        prop_assert_eq!(batches.iter().filter_map(|batch| batch.state.clone()).next_back(), loaded.state);
        prop_assert_eq!(batches.iter().filter_map(|batch| batch.spent).next_back().unwrap_or_default(), loaded.spent);
        reader.verify().unwrap();
    }
}

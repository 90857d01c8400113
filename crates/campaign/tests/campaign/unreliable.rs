//! Tests with unreliable executors. They lose trials, refuse them, or report them twice or too late, and
//! their workers come and go. The campaign continues, counts every trial once, and keeps within its budget.

use std::collections::{BTreeSet, VecDeque};

use campaign::budget::Budget;
use campaign::event::{Stop, What};
use campaign::validation::conclude;
use campaign::{Campaign, Desk, Ledger};
use engine::{Cap, InstanceId, Rng, TrialId, TrialRequest};
use execution::Record;
use execution::executor::{Answer, Executor, Happening, Inbox, Pacing, Refused, Simulated};

use crate::simulated::{bowl, settings};

/// Simulated workers with all of these faults.
struct Unreliable {
    workers: Simulated,
    rng: Rng,
    /// Records that were already reported and will be reported again.
    again: VecDeque<Box<Record>>,
    refused: usize,
    repeated: usize,
    most_out: usize,
    out: BTreeSet<TrialId>,
}

impl Unreliable {
    fn new(seed: u64) -> Self {
        let mut losing = Rng::new(seed, "lost trials", 0);
        let oracle = move |request: &TrialRequest| {
            let answer = bowl(request);
            if losing.unit() < 0.1 { Answer { status: engine::Status::Lost, ..answer } } else { answer }
        };
        Self {
            workers: Simulated::new(Box::new(oracle), Some(50.0), 4, 0.0),
            rng: Rng::new(seed, "unreliable", 0),
            again: VecDeque::new(),
            refused: 0,
            repeated: 0,
            most_out: 0,
            out: BTreeSet::new(),
        }
    }
}

impl Executor for Unreliable {
    /// Returns a number of workers that changes over time and is sometimes zero.
    fn workers(&self) -> usize {
        (self.workers.now() * 0.7) as usize % 5
    }

    fn pacing(&self) -> Pacing {
        self.workers.pacing()
    }

    fn now(&self) -> f64 {
        self.workers.now()
    }

    fn submit(&mut self, request: &TrialRequest, started: Option<f64>) -> Result<(), Refused> {
        if self.rng.unit() < 0.2 {
            self.refused += 1;
            return Err(Refused("the line is busy".to_owned()));
        }
        assert!(self.out.insert(request.id), "trial {} was submitted twice", request.id);
        self.most_out = self.most_out.max(self.out.len());
        self.workers.submit(request, started)
    }

    fn tighten(&mut self, id: TrialId, cap: Cap) {
        self.workers.tighten(id, cap);
    }

    fn cancel(&mut self, id: TrialId) -> bool {
        let unheard = self.workers.cancel(id);
        if unheard {
            self.out.remove(&id);
        }
        unheard
    }

    fn next(&mut self, inbox: &Inbox, patience: Option<f64>) -> Happening {
        if self.rng.unit() < 0.3
            && let Some(record) = self.again.pop_front()
        {
            self.repeated += 1;
            return Happening::Ended(record);
        }
        // Time also passes when there are no workers.
        let happening = self.workers.next(inbox, Some(patience.unwrap_or(1.0).min(1.0)));
        if let Happening::Ended(record) = &happening {
            self.out.remove(&record.trial.id);
            if self.rng.unit() < 0.5 {
                self.again.push_back(record.clone());
            }
        } else if self.out.is_empty() && matches!(happening, Happening::Nothing) {
            // No trial is running, so simulated time would not advance by itself.
            self.workers.pass(0.5);
        }
        happening
    }

    fn reached(&self) -> Vec<(TrialId, f64)> {
        // Trials that were already reported are still in the list.
        let before = self.again.iter().map(|record| (record.trial.id, 1e9));
        self.workers.reached().into_iter().chain(before).collect()
    }
}

#[test]
fn nothing_is_counted_twice_and_the_campaign_continues() {
    for seed in 0..20 {
        let settings = settings(5, 50.0, Budget { trials: Some(300), ..Budget::default() });
        let mut executor = Unreliable::new(seed);
        let mut campaign =
            Campaign::new(&settings, Desk::new(&mut executor, Inbox::new()), Ledger::in_memory(), None)
                .unwrap();
        let mut told = BTreeSet::new();
        let stop = campaign.search(&mut |event| {
            if let What::TrialEnded(record) = &event.what {
                assert!(told.insert(record.trial.id), "trial {} was reported twice", record.trial.id);
            }
        });
        assert!(matches!(stop, Ok(Stop::Budget(_))), "{stop:?}");
        assert_eq!((told.len(), campaign.optimizer().history().trials().len()), (300, 300));
        let compared = campaign.progress().default.unwrap();
        assert!(compared.default / compared.incumbent > 2.0, "{compared:?}");
        // The verdict has almost all pairs, as with workers that only lose a trial now and then.
        let names = |id: InstanceId| id.to_string();
        let concluded = conclude(&mut campaign, &settings, 20, &names, &[], &mut |_| {}).unwrap();
        drop(campaign);
        assert!(
            executor.refused > 20 && executor.repeated > 50,
            "{} {}",
            executor.refused,
            executor.repeated
        );
        assert!(executor.most_out > 1);
        let pairs = concluded.verdict.expect("a verdict").verdict.comparison.pairs;
        assert!((18..=20).contains(&pairs), "{pairs} pairs");
    }
}

/// A campaign gives up on an executor that refuses everything.
#[test]
fn a_campaign_whose_trials_are_all_refused_stops_with_the_reason() {
    struct Closed;
    impl Executor for Closed {
        fn workers(&self) -> usize {
            2
        }

        fn pacing(&self) -> Pacing {
            Pacing::Stepwise
        }

        fn now(&self) -> f64 {
            0.0
        }

        fn submit(&mut self, _: &TrialRequest, _: Option<f64>) -> Result<(), Refused> {
            Err(Refused("closed on Sundays".to_owned()))
        }

        fn tighten(&mut self, _: TrialId, _: Cap) {}

        fn cancel(&mut self, _: TrialId) -> bool {
            true
        }

        fn next(&mut self, _: &Inbox, _: Option<f64>) -> Happening {
            Happening::Nothing
        }
    }
    let settings = settings(5, 50.0, Budget { trials: Some(300), ..Budget::default() });
    let desk = Desk::new(Closed, Inbox::new());
    let mut campaign = Campaign::new(&settings, desk, Ledger::in_memory(), None).unwrap();
    let stop = campaign.search(&mut |_| {}).unwrap();
    assert_eq!(stop, Stop::Aborted("no trial can be run now: closed on Sundays".to_owned()));
}

//! Laws that every racer must obey, in all worlds and in whatever order trials end.
//!
//! | law | |
//! |---|---|
//! | incumbent | never replaced on fewer pairs than it had; its successor is better over all of them |
//! | caps | positive, never above the cutoff, and only ever lowered, by orders about running trials |
//! | trials | none is forgotten, none is repeated once its cost is known, and none is repeated without a larger cap than before |
//! | proposals | all different; numbers increase |
//! | pairs | the incumbent has the number of pairs that are due after the challengers so far, whatever these cost |
//! | busy | with a free slot there is a trial to run, unless the proposer has nothing new |
//! | memory | a racer restored from a snapshot continues as if nothing had happened |
//! | history | lower bounds come only from trials that were capped or timed out |
//! | capping | does not change which configurations become incumbents until a finite space is exhausted |

mod drive;
mod stage;
mod witness;

use std::ops::AddAssign;

use math::Rng;

use super::World;
use crate::history::History;
use crate::problem::Problem;
use crate::racing::{Ask, News, Racer, Racing, Snapshot};
use crate::trial::ConfigId;
use stage::{Stage, Watched};

/// A function that makes a racer for a problem.
pub type Make<'a> = &'a dyn Fn(Problem, Racing, &mut History) -> Box<dyn Racer>;
/// A function that makes a racer that continues from a snapshot.
pub type Restore<'a> = &'a dyn Fn(Problem, Racing, Snapshot, &History) -> Box<dyn Racer>;

/// Counts of the events during a suite. They show whether the laws were tested: without the events that a law
/// is about, a suite that passes proves nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exercised {
    /// Trials requested.
    pub trials: usize,
    /// Trials on a pair on which the configuration had been stopped before.
    pub repeated: usize,
    /// Caps lowered.
    pub tightened: usize,
    /// Trials cancelled.
    pub cancelled: usize,
    /// Trials lost or withdrawn.
    pub vanished: usize,
    /// Racers restored from a snapshot.
    pub restored: usize,
    /// Challengers that became incumbents.
    pub promoted: usize,
    /// Challengers that became incumbents while others were racing.
    pub overtaken: usize,
    /// Challengers that raced again after they had lost.
    pub returned: usize,
    /// Spaces that were exhausted.
    pub exhausted: usize,
}

impl AddAssign for Exercised {
    fn add_assign(&mut self, other: Self) {
        self.trials += other.trials;
        self.repeated += other.repeated;
        self.tightened += other.tightened;
        self.cancelled += other.cancelled;
        self.vanished += other.vanished;
        self.restored += other.restored;
        self.promoted += other.promoted;
        self.overtaken += other.overtaken;
        self.returned += other.returned;
        self.exhausted += other.exhausted;
    }
}

/// Runs races in these worlds with 1 to 64 workers: once with trials that end in any order, and once with a
/// simulated clock.
///
/// # Panics
/// If a law is broken.
pub fn conforms(make: Make<'_>, restore: Restore<'_>, worlds: impl IntoIterator<Item = World>) -> Exercised {
    let mut exercised = Exercised::default();
    for world in worlds {
        let mut rng = Rng::new(world.seed, "workers", 0);
        let workers = [1, 1, 2, 3, 8, 20, 64][rng.below(7)];
        for drive in [drive::in_any_order, drive::by_the_clock] {
            let mut stage = Stage::new(&world, workers, make, restore);
            drive(&mut stage, &mut rng);
            exercised += stage.end();
        }
    }
    exercised
}

/// Runs races in these worlds with one worker, with a slack of 1, 1.3 and 2 and without capping. The
/// incumbents and their pairs must be the same in all cases, until this many races have been opened. Returns
/// the number of challengers that won and the number of trials that were capped.
///
/// # Panics
/// If capping changes a winner.
pub fn capping_changes_nothing(
    make: Make<'_>,
    worlds: impl IntoIterator<Item = u64>,
    challengers: usize,
) -> (usize, u64) {
    let (mut winners, mut capped) = (0, 0);
    for seed in worlds {
        let world = World::repeatable(seed);
        let run = |slack| incumbents(make, &world, slack, challengers);
        let (uncapped, _) = run(f64::INFINITY);
        for slack in [1.0, 1.3, 2.0] {
            let (incumbents, count) = run(slack);
            assert_eq!(incumbents, uncapped, "world {seed}: slack {slack} (left) against no capping (right)");
            capped += count;
        }
        winners += uncapped.len() - 1;
    }
    (winners, capped)
}

/// The number of challengers when a configuration became the incumbent, the configuration, and its number of
/// pairs. The last entry has the largest number of challengers, and the incumbent and its pairs at the end.
type Reign = (usize, ConfigId, usize);

/// Counts the opened races and records the new incumbents.
fn hear(news: Vec<News>, opened: &mut usize, reigns: &mut Vec<Reign>) {
    for news in news {
        match news {
            News::Opened(_) => *opened += 1,
            News::NewIncumbent(config, pairs, _) => reigns.push((*opened, config, pairs)),
            News::Dropped(..) | News::Dethroned(..) => {}
        }
    }
}

fn incumbents(make: Make<'_>, world: &World, slack: f64, challengers: usize) -> (Vec<Reign>, u64) {
    let racing = Racing { slack, ..world.racing.clone() };
    let mut history = History::new();
    let mut racer = make(world.problem.clone(), racing, &mut history);
    let mut proposer = Watched::new(world.proposer());
    let mut reigns = Vec::new();
    let mut opened = 0;
    loop {
        let ask = racer.next(1, &mut history, &mut proposer);
        // In an exhausted space, the next challenger depends on which costs are known, and therefore on the
        // caps.
        if proposer.gave_up {
            break;
        }
        hear(racer.news(), &mut opened, &mut reigns);
        match ask {
            // The last challenger does not count, because its race is not over.
            Ask::Run(_) if opened > challengers => break,
            Ask::Run(request) => {
                let observation = world.observe(&world.truth(&request), request.cap);
                history.push(stage::ended(&request, observation));
                racer.told(request.id, &history);
                hear(racer.news(), &mut opened, &mut reigns);
            }
            Ask::Done(_) => break,
            order => panic!("world {}: {order:?} with nothing running", world.seed),
        }
    }
    // Whether the last races before the proposer gave up were heard depends on the number of their trials, and so on
    // the caps. Their number is therefore not compared.
    reigns.push((challengers, racer.incumbent(), racer.incumbent_pairs()));
    (reigns, history.count(crate::observation::Status::Capped))
}

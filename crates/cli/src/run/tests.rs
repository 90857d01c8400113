//! Tests of the last lines of a run, with invented campaigns.

use campaign::budget::{Budget, Limit, Spent};
use campaign::event::Stop;
use campaign::progress::{Progress, Standing};
use campaign::validation::{BothHoldings, GaveUp, Judged};
use engine::stats::{Basis, Claim, Comparison, CostVerdict, Interval, Solved, Unit};
use engine::{ConfigId, Observation, Status};
use execution::Detail;
use view::CutShort;

use super::exit_code;
use crate::ending::{Ending, Layout};
use crate::exit_code::ExitCode;
use crate::paint::Paint;
use crate::progress::Facts;
use crate::progress::tests::{facts, progress, trial};
use crate::verdict::{self, Hosts};
use crate::words::Costs;

fn faster() -> CostVerdict {
    CostVerdict {
        claim: Claim::Faster,
        basis: Basis::UnseenInstances,
        comparison: Comparison {
            pairs: 75,
            instances: 75,
            unit: Unit::Instance,
            default: 390.0,
            tuned: 243.0,
            ratio: 1.604,
            interval: Some(Interval { low: 1.31, high: 1.93 }),
            p: 0.0004,
        },
        solved: Solved { before: 58, after: 64, lost: 1 },
        wrong: 0,
        training_ratio: Some(1.76),
        gain_does_not_carry_over: false,
    }
}

fn nothing() -> CostVerdict {
    let comparison = Comparison {
        ratio: 1.02,
        interval: Some(Interval { low: 0.94, high: 1.10 }),
        p: 0.41,
        ..faster().comparison
    };
    CostVerdict { claim: Claim::NothingReliable, comparison, gain_does_not_carry_over: true, ..faster() }
}

fn slower() -> CostVerdict {
    let comparison =
        Comparison { ratio: 0.8, interval: Some(Interval { low: 0.7, high: 0.9 }), ..faster().comparison };
    CostVerdict { claim: Claim::Slower, comparison, gain_does_not_carry_over: true, ..faster() }
}

fn text(
    stop: &Stop,
    verdict: Option<&CostVerdict>,
    progress: &Progress,
    facts: &Facts,
    cut_short: Option<CutShort>,
) -> String {
    let layout = Layout { paint: Paint::none(), width: None };
    text_in(layout, stop, verdict, progress, facts, cut_short)
}

fn text_in(
    layout: Layout,
    stop: &Stop,
    verdict: Option<&CostVerdict>,
    progress: &Progress,
    facts: &Facts,
    cut_short: Option<CutShort>,
) -> String {
    let command = "/opt/kissat --chrono=false --tier1=3 {instance}";
    let progress = view::Progress::of(progress, &facts.costs);
    let verdict = verdict.map(|verdict| shown(verdict, &facts.costs));
    let end = &view::Ending::new(stop.clone(), progress, verdict, cut_short, Some(75));
    Ending { end, command, facts }.text(layout)
}

/// Converts a verdict to the form of the view.
fn shown(verdict: &CostVerdict, costs: &Costs) -> view::Verdict {
    let (verdict, holdings) = (verdict.clone(), BothHoldings::default());
    let (candidates, hosts) = (1, Vec::new());
    view::Verdict::of(&Judged { verdict, holdings, unseen_timeouts: None, candidates, hosts }, costs)
}

fn sentence(verdict: &CostVerdict, costs: &Costs) -> String {
    verdict::sentence(&shown(verdict, costs), costs)
}

fn remarks(verdict: &CostVerdict, costs: &Costs) -> Vec<String> {
    verdict::remarks(&shown(verdict, costs), costs)
}

#[test]
fn ends_with_a_verdict() {
    let facts = facts();
    let budget = Stop::Budget(Limit::Wall);
    let ends = [
        ("faster", faster()),
        ("nothing", nothing()),
        ("slower", slower()),
        ("training", CostVerdict { claim: Claim::NothingReliable, basis: Basis::TrainingOnly, ..faster() }),
    ];
    for (name, verdict) in ends {
        insta::assert_snapshot!(
            format!("end_{name}"),
            text(&budget, Some(&verdict), &progress(), &facts, None)
        );
    }
    let cut_short = text(&budget, Some(&faster()), &progress(), &facts, Some(CutShort::Interrupted));
    insta::assert_snapshot!("end_cut_short", cut_short);
    let mut few = faster();
    (few.comparison.pairs, few.solved) = (12, Solved { before: 12, after: 12, lost: 0 });
    let out_of_time = text(&budget, Some(&few), &progress(), &facts, Some(CutShort::Deadline));
    insta::assert_snapshot!("end_out_of_time", out_of_time);
    let not_begun = text(&budget, None, &progress(), &facts, Some(CutShort::Deadline));
    insta::assert_snapshot!("end_not_validated_in_time", not_begun);
    let lost = GaveUp::Lost { times: 12, reason: "the supervisor was lost".to_owned() };
    let gave_up = text(&budget, Some(&few), &progress(), &facts, Some(CutShort::GaveUp(lost)));
    insta::assert_snapshot!("end_gave_up", gave_up);
    let aborted = GaveUp::Aborted("the target cannot be run: ./x".to_owned());
    let gave_up = text(&budget, None, &progress(), &facts, Some(CutShort::GaveUp(aborted)));
    insta::assert_snapshot!("end_gave_up_at_once", gave_up);
}

#[test]
fn ends_without_a_verdict() {
    let (cpu, trials) = (Some(7200.0), Some(1000));
    let facts = Facts { budget: Budget { wall: None, cpu, trials }, ..facts() };
    let default = Standing { config: ConfigId(0), ..progress().best };
    let counts = [990, 10, 0, 0, 0, 0, 0, 0];
    let spent = Spent { trials: 1000, cpu: 7200.0, ..progress().spent };
    let default = Progress { best: default, counts, spent, ..progress() };
    let unmeasured =
        Progress { best: Standing { pairs: 0, mean: f64::NAN, ..default.best.clone() }, ..default.clone() };
    let lost =
        Stop::Lost { trial: Box::new(trial(0, 1, Observation::failed(Status::Lost, 1.0))), lost: 10, of: 12 };
    let ends = [
        ("interrupted", Stop::Interrupted, progress()),
        ("interrupted_at_once", Stop::Interrupted, unmeasured),
        ("deadline", Stop::Deadline, progress()),
        ("deadline_with_the_default", Stop::Deadline, default.clone()),
        ("interrupted_with_the_default", Stop::Interrupted, default.clone()),
        ("nothing_better", Stop::Budget(Limit::Trials), default.clone()),
        ("cpu_spent", Stop::Budget(Limit::Cpu), default.clone()),
        ("exhausted", Stop::Exhausted, progress()),
        ("lost", lost, Progress { lost: 11, ..default.clone() }),
        ("aborted", Stop::Aborted("the target cannot be run: ./x".to_owned()), progress()),
    ];
    for (name, stop, progress) in ends {
        insta::assert_snapshot!(format!("end_{name}"), text(&stop, None, &progress, &facts, None));
    }
}

#[test]
fn verdicts_name_their_basis() {
    let costs = Costs::seconds(2.0);
    let verdict = |basis, pairs, instances, unit, flag| {
        let comparison = Comparison { pairs, instances, unit, ..faster().comparison };
        let solved = Solved { before: pairs, after: pairs, lost: 0 };
        let found = CostVerdict { basis, comparison, solved, gain_does_not_carry_over: flag, ..faster() };
        std::iter::once(sentence(&found, &costs))
            .chain(remarks(&found, &costs))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let all = [
        verdict(Basis::UnseenInstances, 20, 10, Unit::Instance, false),
        verdict(Basis::UnseenInstances, 20, 4, Unit::Pair, true),
        verdict(Basis::FreshSeeds, 20, 5, Unit::Pair, false),
        verdict(Basis::FreshSeeds, 20, 1, Unit::Pair, false),
    ];
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn a_failure_is_explained_with_its_command_and_output() {
    // Pass all environment variables, so that the advice does not depend on this machine's variables.
    let text = "[target]\ncommand = [\"true\", \"{params}\", \"{seed}\"]\npass_env = \"*\"\n[objective]\n\
        minimise = \"cpu_time\"\ncutoff = \"9s\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n";
    let scenario = scenario::read(text, std::path::Path::new("."), "test.toml").unwrap();
    let target = scenario.target;
    let lines: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    let detail = Detail {
        exit: Some(10),
        reason: Some("exit 10".to_owned()),
        stdout_tail: lines.into_bytes(),
        stderr_tail: b"\x1b[31mred\x07\n".to_vec(),
        ..Detail::default()
    };
    let failed = super::failing::explanation("/opt/solver 'a b'", Status::Crashed, &detail, &target);
    let silent =
        Detail { exit: Some(-11), reason: Some("signal 11 (SIGSEGV)".to_owned()), ..Detail::default() };
    let silent = super::failing::explanation("/opt/solver", Status::Crashed, &silent, &target);
    insta::assert_snapshot!(format!("{failed}\n{silent}"));
}

#[test]
fn a_gain_that_does_not_carry_over_comes_with_advice() {
    let advice = |basis, instances| {
        let comparison = Comparison { instances, ..nothing().comparison };
        remarks(&CostVerdict { basis, comparison, ..nothing() }, &Costs::seconds(10.0)).concat()
    };
    assert!(advice(Basis::UnseenInstances, 75).contains("More instances to tune on would help"));
    assert!(
        advice(Basis::FreshSeeds, 1)
            .contains("More trials of each configuration (`racing.repeats`) would help")
    );
}

#[test]
fn a_job_is_requeued_only_if_it_made_progress() {
    assert_eq!(exit_code(false, false, 0), ExitCode::Done, "there was nothing left to do");
    assert_eq!(exit_code(false, true, 1), ExitCode::Interrupted);
    assert_eq!(exit_code(false, true, 0), ExitCode::Failed);
    assert_eq!(exit_code(true, true, 0), ExitCode::Interrupted);
}

#[test]
fn a_loss_in_training_is_reported() {
    let said = |ratio, costs: &Costs| {
        remarks(&CostVerdict { training_ratio: Some(ratio), ..slower() }, costs).concat()
    };
    assert_eq!(said(0.6, &Costs::seconds(10.0)), "In training: 1.67x slower.");
    assert_eq!(said(0.5, &Costs::maximised("tps")), "In training: 2.0x less tps.");
    assert!(said(1.6, &Costs::seconds(10.0)).starts_with("In training: 1.60x faster; that gain does not"));
}

#[test]
fn an_interval_has_the_direction_of_its_ratio() {
    let comparison =
        Comparison { ratio: 0.8, interval: Some(Interval { low: 0.5, high: 1.25 }), ..faster().comparison };
    let uncertain = CostVerdict { claim: Claim::NothingReliable, comparison, ..faster() };
    let costs = Costs::seconds(10.0);
    let said = |verdict: &CostVerdict| sentence(verdict, &costs);
    let training = said(&CostVerdict { basis: Basis::TrainingOnly, ..uncertain.clone() });
    assert!(training.contains("1.25x slower") && training.contains("0.80x to 2.0x"), "{training}");
    let unseen = said(&uncertain);
    assert!(unseen.contains("Best: 1.25x slower on ") && unseen.contains("0.80x to 2.0x"), "{unseen}");
}

#[test]
fn a_verdict_without_any_finished_trial_says_so() {
    let said = |solved| remarks(&CostVerdict { solved, ..nothing() }, &facts().costs).join(" ");
    assert!(
        said(Solved { before: 0, after: 0, lost: 0 }).contains("nor the default finished a single trial")
    );
    assert!(!said(Solved { before: 0, after: 1, lost: 0 }).contains("single trial"));
}

#[test]
fn endings_fit_the_terminal() {
    let facts = facts();
    let shown = |width, paint, verdict: &CostVerdict| {
        let layout = Layout { paint, width: Some(width) };
        text_in(layout, &Stop::Budget(Limit::Wall), Some(verdict), &progress(), &facts, None)
    };
    for width in [80, 120] {
        for (name, verdict) in [("faster", faster()), ("nothing", nothing())] {
            let plain = shown(width, Paint::none(), &verdict);
            let is_command = |line: &&str| line.contains("/opt/kissat") || line.contains("captune ");
            let mut sentences = plain.lines().filter(|line| !is_command(line));
            assert!(sentences.all(|line| line.chars().count() <= width), "{plain}");
            insta::assert_snapshot!(format!("end_{name}_{width}"), plain);
            let colours = shown(width, Paint::all(), &verdict);
            assert_eq!(colours.replace("\u{1b}[1m", "").replace("\u{1b}[0m", ""), plain);
            insta::assert_snapshot!(format!("end_{name}_{width}_colour"), colours.replace('\u{1b}', "ESC"));
        }
    }
}

#[test]
fn few_pairs_give_no_ratio() {
    let with = |basis, claim, pairs, costs: &Costs| {
        let comparison = Comparison { pairs, instances: pairs, ..faster().comparison };
        sentence(&CostVerdict { basis, claim, comparison, ..faster() }, costs)
    };
    let (costs, unseen) = (Costs::seconds(10.0), Basis::UnseenInstances);
    let few = with(unseen, Claim::NothingReliable, 4, &costs);
    assert_eq!(
        few,
        "nothing reliably faster than the default was found. Best: PAR10 390 s -> 243 s on 4 unseen instances, too \
         few pairs for a ratio. Keep the default."
    );
    assert!(
        with(unseen, Claim::NothingReliable, 5, &costs).contains("Best: 1.60x faster on 5 unseen instances")
    );
    for basis in [unseen, Basis::TrainingOnly] {
        for costs in [&costs, &Costs::maximised("tps")] {
            let few = with(basis, Claim::NothingReliable, 4, costs);
            assert!(!few.contains("1.6") && !few.contains("95 %"), "{few}");
        }
    }
}

#[test]
fn a_failure_without_a_penalty_is_named_instead_of_an_infinite_factor() {
    let solved = Solved { before: 75, after: 73, lost: 2 };
    let comparison = Comparison {
        default: -3.93,
        tuned: f64::INFINITY,
        ratio: 0.0,
        interval: Some(Interval { low: 0.0, high: 1.4 }),
        ..faster().comparison
    };
    let found = CostVerdict { claim: Claim::NothingReliable, comparison, solved, ..faster() };
    assert_eq!(
        sentence(&found, &Costs::maximised("ratio")),
        "nothing with reliably more ratio than the default was found. Best: ratio 3.93 -> none on 75 unseen \
         instances; the best failed on 2 of them (p = 0.0004). Keep the default."
    );
}

#[test]
fn a_larger_budget_than_all_sessions_have_spent_is_suggested() {
    let with = |trials: u64| {
        let mut facts = facts();
        facts.budget = Budget { trials: Some(trials), ..Budget::default() };
        text(&Stop::Budget(Limit::Trials), None, &progress(), &facts, None)
    };
    assert!(with(20).contains("--trials 29624\n"), "14 812 trials are spent: {}", with(20));
    assert!(with(14_800).contains("--trials 29600\n"), "{}", with(14_800));
}

#[test]
fn a_default_that_never_finishes_is_named_instead_of_a_ratio_to_its_penalty() {
    let with = |claim, default: f64, tuned: f64, before: usize, after: usize| {
        let solved = Solved { before, after, lost: before.saturating_sub(after) };
        let comparison = Comparison { default, tuned, ratio: default / tuned, ..faster().comparison };
        let found = CostVerdict { claim, comparison, solved, training_ratio: Some(9000.0), ..faster() };
        let costs = facts().costs;
        verdict::lines(&shown(&found, &costs), &costs, Hosts::IfOther).join(" ")
    };
    assert_eq!(
        with(Claim::Faster, 50.0, 0.00332, 0, 75),
        "PAR10 50.0 s -> 3.32 ms on 75 unseen instances; the default finished none of them, and the \
         best 75 (p = 0.0004)."
    );
    assert_eq!(
        with(Claim::Slower, 0.00332, 50.0, 75, 0),
        "the best configuration in training is worse: PAR10 3.32 ms -> 50.0 s on 75 unseen instances; the best \
         finished none of them, and the default 75 (p = 0.0004). Keep the default."
    );
    assert!(with(Claim::Faster, 50.0, 5.0, 1, 75).starts_with("10x faster"), "one trial finished");
}

#[test]
fn maximised_outputs_start_with_the_figures() {
    let with = |claim, default: f64, tuned: f64, noun: &str| {
        let comparison = Comparison {
            default: -default,
            tuned: -tuned,
            ratio: tuned / default,
            interval: Some(Interval { low: 0.9, high: 1.9 }),
            ..faster().comparison
        };
        let solved = Solved { before: 75, after: 75, lost: 0 };
        sentence(&CostVerdict { claim, comparison, solved, ..faster() }, &Costs::maximised(noun))
    };
    assert_eq!(
        with(Claim::Faster, 200.0, 300.0, "tps"),
        "tps 200 -> 300 (1.50x) on 75 unseen instances (95 %: 0.90x to 1.90x, p = 0.0004)."
    );
    assert_eq!(
        with(Claim::Faster, 0.931, 0.952, "accuracy"),
        "accuracy 0.931 -> 0.952 (error 0.069 -> 0.048) on 75 unseen instances (p = 0.0004)."
    );
    assert_eq!(
        with(Claim::Slower, 200.0, 100.0, "tps"),
        "the best configuration in training is worse: tps 200 -> 100 (2.0x less tps) on 75 unseen instances \
         (95 %: 0.53x to 1.11x, p = 0.0004). Keep the default."
    );
    assert_eq!(
        with(Claim::NothingReliable, 0.931, 0.93, "accuracy"),
        "nothing with reliably more accuracy than the default was found. Best: accuracy 0.931 -> 0.930 (error \
         0.069 -> 0.070) on 75 unseen instances (p = 0.0004). Keep the default."
    );
}

#[test]
fn a_verdict_names_its_machine() {
    let named = |host: &str, hosts| {
        let verdict = view::Verdict { hosts: vec![host.to_owned()], ..shown(&faster(), &facts().costs) };
        verdict::lines(&verdict, &facts().costs, hosts).contains(&format!("Measured on {host}."))
    };
    let own = store::host_name();
    assert!(named(&own, Hosts::Always) && named("farm-7", Hosts::Always) && named("farm-7", Hosts::IfOther));
    assert!(!named(&own, Hosts::IfOther));
}

//! Campaigns in a Slurm job. Trials that cannot end in time are not started, and the next job resumes the
//! campaign.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::stage::{Running, SCENARIO, Stage, stored_trials};
use super::validation::validations;
use crate::{code, stderr};

/// Returns a stage in which every trial sleeps for a tenth of a second.
fn sleeper(cutoff: &str, budget: &str) -> Stage {
    let scenario = SCENARIO
        .replace("cpu_time", "wall_time")
        .replace("cutoff = \"2s\"", &format!("cutoff = \"{cutoff}\""))
        .replace("trials = 40", budget);
    let stage = Stage::new(&scenario);
    stage.write("counter", "#!/bin/sh\nsleep 0.1\n");
    stage
}

fn in_seconds(seconds: u64) -> SystemTime {
    SystemTime::now() + Duration::from_secs(seconds)
}

/// Returns a captune command that runs in job 17, which ends at `end`.
fn in_job(stage: &Stage, line: &str, end: SystemTime) -> Command {
    let mut command = stage.command(line);
    let end = end.duration_since(UNIX_EPOCH).unwrap().as_secs();
    command.env("SLURM_JOB_ID", "17").env("SLURM_JOB_END_TIME", end.to_string());
    command
}

/// Returns a captune command that runs in job 17. Only the program `squeue` reports when the job ends.
fn with_squeue(stage: &Stage, line: &str, squeue: &str) -> Command {
    let program = stage.write("bin/squeue", &format!("#!/bin/sh\n{squeue}\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = stage.command(line);
    let path = format!("{}:/usr/bin:/bin", stage.folder.join("bin").display());
    command.env("SLURM_JOB_ID", "17").env("PATH", path);
    command
}

/// Returns the line about the job in the printed plan.
fn about_job(said: &str) -> &str {
    said.lines().find(|line| line.starts_with("Slurm job")).unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn a_campaign_stops_before_its_job_ends_and_the_next_job_resumes_it() {
    let stage = sleeper("2s", "wall = \"1h\"");
    let folder = stage.folder.join("count.campaign");
    let end = in_seconds(15);
    let (output, events) = Running::of(in_job(&stage, "run count.toml --progress json", end)).end();
    let said = stderr(&output);
    assert!(SystemTime::now() < end - Duration::from_secs(9), "ten seconds are left, or nearly");
    assert_eq!(code(&output), 130, "{said}");
    let line = about_job(&said);
    assert!(line.starts_with("Slurm job 17 ends in 00:1"), "{line}");
    let meaning = ": the campaign stops 59.9 min before its budget runs out; the same command resumes it";
    assert!(line.ends_with(meaning), "{line}");
    assert!(
        said.contains("Stopped: the job is about to end; run the same command again to continue. "),
        "{said}"
    );
    let stopped = events.iter().find(|event| event["event"] == "stopped").unwrap();
    assert_eq!(stopped["stop"], "deadline");
    let ended = events.iter().filter(|event| event["event"] == "trial_ended");
    let mut told: Vec<u64> = ended.map(|event| event["trial"].as_u64().unwrap()).collect();
    told.sort_unstable();
    assert!(!told.is_empty());
    assert_eq!(stored_trials(&folder), told, "exactly the reported trials are stored");
    assert_eq!(stage.status("count.toml")["reason"], "deadline");
    assert!(validations(&stage).is_empty(), "the campaign has not ended");

    let line = format!("run count.toml --trials {}", told.len() + 5);
    let next = in_job(&stage, &line, in_seconds(3600)).output().unwrap();
    let said = stderr(&next);
    assert_eq!(code(&next), 0, "{said}");
    let kept = stored_trials(&folder);
    assert_eq!(kept.len(), told.len() + 5);
    assert!(told.iter().all(|id| kept.contains(id)));
}

#[test]
fn a_validation_starts_no_trial_that_cannot_end_and_continues_in_the_next_job() {
    // With fewer trials, luck may propose only slow configurations; then nothing is validated.
    let stage = sleeper("2s", "trials = 40");
    let scenario = std::fs::read_to_string(stage.folder.join("count.toml")).unwrap();
    stage.write("count.toml", &format!("{scenario}[validation]\ncutoff = \"10m\"\n"));
    stage.write("counter", "#!/bin/sh\ncase \"$*\" in *slow*) sleep 0.1 ;; esac\n");
    let output = in_job(&stage, "run count.toml", in_seconds(300)).output().unwrap();
    let said = stderr(&output);
    assert_eq!(code(&output), 130, "{said}");
    assert!(about_job(&said).ends_with(": the campaign stops before then; the same command resumes it"));
    assert!(said.contains("Stopped: the budget of 40 trials is spent."), "{said}");
    let part = "The validation stopped after 0 of 24 pairs because the job is about to end; run the same command \
                again to complete it.";
    assert!(said.contains(part), "{said}");
    assert!(validations(&stage).is_empty());
    let output = in_job(&stage, "run count.toml", in_seconds(3600)).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("on 24 pairs of 6 unseen instances"), "{}", stderr(&output));
}

#[test]
fn a_job_that_is_too_short_for_any_trial_is_an_error() {
    let stage = sleeper("1h", "wall = \"10h\"");
    let output = in_job(&stage, "run count.toml", in_seconds(600)).output().unwrap();
    let said = stderr(&output);
    assert_eq!(code(&output), 1, "{said}");
    let part = "error: no trial can end before the job ends: a trial takes up to 60.0 min, and the campaign \
                stops 10.0 s before the end.\nhint: request a job that is many times as long as a trial\n";
    assert!(said.contains(part), "{said}");
    assert!(stored_trials(&stage.folder.join("count.campaign")).is_empty());
}

#[test]
fn squeue_is_asked_if_no_variable_has_the_end() {
    let stage = sleeper("2s", "trials = 3");
    let run = |squeue: &str| {
        let output = with_squeue(&stage, "run count.toml", squeue).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stderr(&output)
    };
    let asked = stage.folder.join("asked");
    let said = run(&format!("echo \"$*\" >> {}; echo 1-00:00:30", asked.display()));
    let line = about_job(&said);
    assert!(line.starts_with("Slurm job 17 ends in 24:00:"), "{line}");
    assert_eq!(std::fs::read_to_string(asked).unwrap(), "--noheader --jobs=17 --format=%L\n");
    assert_eq!(about_job(&run("echo UNLIMITED")), "Slurm job 17 has no time limit");
    let said = run("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    assert_eq!(
        about_job(&said),
        "Slurm job 17: end time unknown (squeue failed with exit code 1: slurm_load_jobs error: Invalid job id \
         specified); SIGTERM or SIGUSR1 stops the campaign cleanly"
    );
    let task = stage.folder.join("task");
    let squeue = format!("echo \"$*\" >> {}; echo 1:00", task.display());
    let mut of_array = with_squeue(&stage, "run count.toml", &squeue);
    of_array.env("SLURM_ARRAY_JOB_ID", "17").env("SLURM_ARRAY_TASK_ID", "3").output().unwrap();
    assert_eq!(std::fs::read_to_string(task).unwrap(), "--noheader --jobs=17_3 --format=%L\n");
    let mut missing = stage.command("run count.toml");
    let output = missing.env("SLURM_JOB_ID", "17").env("PATH", stage.folder.join("none")).output().unwrap();
    let said = stderr(&output);
    assert!(about_job(&said).starts_with("Slurm job 17: end time unknown (squeue could not be run: "));
}

#[test]
fn an_invalid_end_time_is_reported_and_squeue_is_asked() {
    let stage = sleeper("2s", "trials = 3");
    for (value, why) in [
        ("tomorrow", "`tomorrow` is not a time; expected seconds since the epoch"),
        ("1000", "1000 is in the past"),
    ] {
        let mut command = with_squeue(&stage, "run count.toml", "echo 2:00:00");
        let output = command.env("SLURM_JOB_END_TIME", value).output().unwrap();
        let said = stderr(&output);
        assert_eq!(code(&output), 0, "{said}");
        assert!(
            said.contains(&format!("warning: SLURM_JOB_END_TIME: {why}; asking squeue instead\n")),
            "{said}"
        );
        let line = about_job(&said);
        assert!(line.starts_with("Slurm job 17 ends in 2:00:00") || line.contains(" in 1:59:"), "{line}");
    }
}

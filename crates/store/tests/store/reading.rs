//! Tests reading while another process writes.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use store::Store;

use super::child::{acknowledged, command};
use super::stage::{Folder, await_commit, batch, charter, space, start, trial};

#[test]
fn readers_see_complete_batches_while_the_campaign_runs() {
    let folder = Folder::new();
    let mut child = command(folder.path()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut seen = 0;
    for _ in 0..30 {
        let known = lines.find_map(|line| acknowledged(&line)).unwrap();
        let reader = Store::read(folder.path()).unwrap();
        let summary = reader.summary().unwrap();
        assert!(summary.trials >= 2 * u64::from(known), "acknowledged trials can be read");
        assert!(summary.trials >= seen && summary.trials == 2 * summary.configurations);
        assert_eq!(summary.counts.iter().sum::<u64>(), summary.trials);
        let loaded = reader.load().unwrap();
        seen = loaded.history.trials().len() as u64;
        assert_eq!(seen, 2 * loaded.history.configurations().len() as u64);
        for (row, stored) in loaded.history.trials().iter().enumerate() {
            assert_eq!(*stored, trial(row as u64, row as u32 / 2).trial);
        }
        assert_eq!(summary.sessions.last().unwrap().pid, child.id());
        assert!(Store::open(folder.path()).is_err());
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_open_reader_does_not_keep_a_campaign_from_ending() {
    let folder = Folder::new();
    let (mut writer, acknowledgements) = start(Store::create(folder.path(), &charter()).unwrap());
    let reader = Store::read(folder.path()).unwrap();
    assert_eq!(reader.summary().unwrap().trials, 0);
    writer.submit(batch(&space(), 0)).unwrap();
    await_commit(&acknowledgements, 1);
    writer.finish("done").unwrap();
    assert_eq!(reader.load().unwrap().history.trials().len(), 2);
    assert_eq!(Store::read(folder.path()).unwrap().summary().unwrap().trials, 2);
    let (mut writer, acknowledgements) = start(Store::open(folder.path()).unwrap());
    writer.submit(batch(&space(), 1)).unwrap();
    await_commit(&acknowledgements, 1);
    assert_eq!(reader.summary().unwrap().trials, 4);
}

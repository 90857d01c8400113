//! Removes what could identify a machine, a person or a project: paths, hosts, commands and the texts that
//! programs printed. Names and values of parameters stay.

use std::collections::BTreeMap;

use super::Pages;
use crate::picture::Figured;
use crate::state::State;

/// Text that replaces a hidden one.
const HIDDEN: &str = "(hidden)";

impl Pages {
    /// Replaces names of instances, families and hosts by numbers, and removes paths, commands and reasons.
    pub fn redact(&mut self) {
        let mut instances = Numbered::new("instance");
        let mut families = Numbered::new("family");
        let mut hosts = Numbered::new("machine");
        for input in &mut self.inputs.instances {
            instances.hide(&mut input.name);
            input.family.iter_mut().for_each(|family| families.hide(family));
        }
        self.duel.pairs.iter_mut().for_each(|pair| instances.hide(&mut pair.instance));
        self.matrix.instances.iter_mut().for_each(|name| instances.hide(name));
        for row in &mut self.trials.rows.shown {
            instances.hide(&mut row.instance);
            row.reason = row.reason.take().map(|_| HIDDEN.to_owned());
        }
        self.trials.folder = "DIR".to_owned();
        let overview = &mut self.overview;
        overview.tuned.command = HIDDEN.to_owned();
        overview.command = overview.command.take().map(|_| HIDDEN.to_owned());
        let picture = &mut overview.picture;
        picture.folder = "DIR".to_owned();
        picture.hosts.iter_mut().for_each(|host| hosts.hide(host));
        for session in &mut picture.sessions {
            hosts.hide(&mut session.host);
            session.reason.iter_mut().for_each(hide_target);
        }
        match &mut picture.state {
            State::Running { host: Some(host), .. } => hosts.hide(host),
            State::Stopped { reason } => hide_target(reason),
            _ => {}
        }
        match &mut picture.figures {
            Figured::Known(figures) => {
                let verdict = figures.verdict.iter_mut();
                verdict.flat_map(|verdict| &mut verdict.hosts).for_each(|host| hosts.hide(host));
            }
            // The problem names files.
            Figured::Unknown { problem } => *problem = HIDDEN.to_owned(),
        }
    }
}

/// Shortens the reason of an aborted session, which quotes the target.
fn hide_target(reason: &mut String) {
    if reason.starts_with("aborted") {
        *reason = "aborted".to_owned();
    }
}

/// Names that are replaced by numbers, the same name always by the same number.
struct Numbered {
    noun: &'static str,
    known: BTreeMap<String, usize>,
}

impl Numbered {
    fn new(noun: &'static str) -> Self {
        Self { noun, known: BTreeMap::new() }
    }

    fn hide(&mut self, name: &mut String) {
        let next = self.known.len() + 1;
        let number = *self.known.entry(std::mem::take(name)).or_insert(next);
        *name = format!("{} {number}", self.noun);
    }
}

//! Pages without what could identify a machine, a person or a project.

use std::collections::BTreeSet;

use serde_json::Value;
use view::pages::Pages;
use view::{Figured, Session, State};

use crate::pages::{campaign, pages};

/// A place in the pages that could identify something: what it is, and how to write a text there.
type Place = (&'static str, fn(&mut Pages, String));

fn session(host: String, reason: Option<String>) -> Session {
    let (began_at, version) = (String::new(), String::new());
    Session { began_at, ended_at: None, reason, host, pid: 1, version }
}

const PLACES: [Place; 17] = [
    ("instance", |pages, text| pages.inputs.instances[0].name = text),
    ("family of an instance", |pages, text| pages.inputs.instances[0].family = Some(text)),
    ("instance of a pair", |pages, text| pages.duel.pairs[0].instance = text),
    ("instance of the matrix", |pages, text| pages.matrix.instances[0] = text),
    ("instance of a trial", |pages, text| pages.trials.rows.shown[0].instance = text),
    ("reason of a failure", |pages, text| pages.trials.rows.shown[0].reason = Some(text)),
    ("folder of the trials", |pages, text| pages.trials.folder = text),
    ("folder of the campaign", |pages, text| pages.overview.picture.folder = text),
    ("command of the default", |pages, text| pages.overview.tuned.command = text),
    ("command of the best", |pages, text| pages.overview.command = Some(text)),
    ("machine", |pages, text| pages.overview.picture.hosts = vec![text]),
    ("machine of a session", |pages, text| pages.overview.picture.sessions = vec![session(text, None)]),
    ("end of a session", |pages, text| {
        let reason = Some(format!("aborted: {text}"));
        pages.overview.picture.sessions = vec![session(String::new(), reason)];
    }),
    ("machine of the running campaign", |pages, text| {
        pages.overview.picture.state = State::Running { pid: None, host: Some(text) };
    }),
    ("end of the campaign", |pages, text| {
        pages.overview.picture.state = State::Stopped { reason: format!("aborted: {text}") };
    }),
    ("machine of the verdict", |pages, text| {
        let Figured::Known(figures) = &mut pages.overview.picture.figures else { unreachable!() };
        figures.verdict.as_mut().unwrap().hosts = vec![text];
    }),
    ("problem with the scenario", |pages, text| {
        pages.overview.picture.figures = Figured::Unknown { problem: text };
    }),
];

fn json(pages: &Pages) -> String {
    serde_json::to_string(pages).unwrap()
}

#[test]
fn every_place_that_could_identify_something_is_hidden() {
    let whole = pages(&campaign());
    let mut leaks = Vec::new();
    for (what, write) in PLACES {
        let mut pages = whole.clone();
        write(&mut pages, "xyzzy".to_owned());
        assert!(json(&pages).contains("xyzzy"), "{what} is not in the pages, so hiding it proves nothing");
        pages.redact();
        if json(&pages).contains("xyzzy") {
            leaks.push(what);
        }
    }
    assert_eq!(leaks, Vec::<&str>::new());
}

#[test]
fn the_same_name_has_the_same_number_on_every_page() {
    let mut pages = pages(&campaign());
    let numbers = |pages: &Pages, name: &str| -> Vec<bool> {
        let rows = pages.trials.rows.shown.iter().map(|row| row.instance == name);
        rows.chain(pages.matrix.instances.iter().map(|one| one == name)).collect()
    };
    let before = numbers(&pages, "b");
    assert!(before.contains(&true) && before.contains(&false));
    let place = pages.inputs.instances.iter().position(|input| input.name == "b").unwrap();
    pages.redact();
    let name = pages.inputs.instances[place].name.clone();
    assert!(name.starts_with("instance "), "{name}");
    assert_eq!(numbers(&pages, &name), before);
}

/// Collects the keys of all texts. The elements of a list have the key of the list.
fn keys_of_texts(key: &str, value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::String(_) => drop(keys.insert(key.to_owned())),
        Value::Array(all) => all.iter().for_each(|one| keys_of_texts(key, one, keys)),
        Value::Object(all) => all.iter().for_each(|(key, one)| keys_of_texts(key, one, keys)),
        _ => {}
    }
}

/// A new key with a text must be judged: either `redact` hides it, or it is listed here as harmless.
#[test]
fn every_key_with_a_text_is_known() {
    let mut all = BTreeSet::new();
    let mut pages = pages(&campaign());
    pages.overview.picture.sessions = vec![session("here".to_owned(), Some("budget spent".to_owned()))];
    keys_of_texts("", &serde_json::to_value(&pages).unwrap(), &mut all);
    insta::assert_debug_snapshot!(all.into_iter().collect::<Vec<_>>());
}

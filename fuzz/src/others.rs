//! Fuzzes the parsers for SMAC, SMAC3 and irace scenarios. The first byte chooses between plain text and
//! JSON. The text after a `--` line is written to `more.txt`, which the scenario may name.
//! [`draft`](crate::draft) checks the draft.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::draft;
use crate::fixtures::{FOLDER, may_leave};

/// Nested folders, deep enough that a search in parent folders stays within the fuzzer's folder.
static FOLDERS: LazyLock<[PathBuf; 2]> = LazyLock::new(|| {
    let files = [
        (
            "parameters.txt",
            "mode \"--mode=\" c (slow, fast)\nalpha \"--alpha=\" r (0.01, 5.00)\ndepth \"-d \" i (1, 9) | mode == \"fast\"\n",
        ),
        ("params.pcs", "alpha real [0.01, 1.0] [0.5] log\nmode categorical {slow, fast} [slow]\n"),
        ("list.txt", "cnf/a.cnf\ncnf/b.cnf x=1\n"),
        ("target-runner", "#!/bin/sh\n"),
        (
            "configspace.json",
            "{\"name\": null, \"hyperparameters\": [], \"conditions\": [], \"forbiddens\": []}",
        ),
    ];
    ["text", "json"].map(|form| {
        let folder = FOLDER.join("of/others/in").join(form);
        fs::create_dir_all(&folder).expect("the folder is writable");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("the folder is writable");
        }
        folder
    })
});

pub fn check(bytes: &[u8]) {
    let Some((form, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    if may_leave(&text) {
        return;
    }
    let (text, more) = text.split_once("\n--\n").unwrap_or((&text, ""));
    let [of_text, of_json] = &*FOLDERS;
    let (folder, name) = if form % 2 == 0 { (of_text, "scenario.txt") } else { (of_json, "scenario.json") };
    for (name, content) in [(name, text), ("more.txt", more)] {
        fs::write(folder.join(name), content).expect("the folder is writable");
    }
    draft::check(&folder.join(name));
}

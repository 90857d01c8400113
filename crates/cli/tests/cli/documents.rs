//! Checks that the spaces in the documentation are valid and that its commands run.

use std::process::Command;

use crate::{CAPTUNE, captune_reading, code, installed, root, stderr};

pub(crate) fn document(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// Returns the fenced blocks of a document that are marked with one language.
pub(crate) fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}");
    let mut found = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in text.lines() {
        match &mut open {
            Some(lines) if line == "```" => {
                found.push(lines.join("\n") + "\n");
                open = None;
            }
            Some(lines) => lines.push(line),
            None if line == fence => open = Some(Vec::new()),
            None => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

#[test]
fn every_space_in_the_documentation_is_valid() {
    for (path, least) in [("docs/reference/space-toml.md", 9), ("docs/guides/spaces.md", 1)] {
        let blocks = blocks(&document(path), "toml");
        assert!(blocks.len() >= least, "{path} has {} spaces", blocks.len());
        for block in blocks {
            let output = captune_reading("space check -", &block);
            assert_eq!(code(&output), 0, "{path}:\n{block}{}", stderr(&output));
        }
    }
}

#[test]
fn the_readme_names_every_crate() {
    let text = document("README.md");
    let crates = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap();
    let mut missing: Vec<String> = crates
        .map(|entry| format!("crates/{}", entry.unwrap().file_name().display()))
        .filter(|name| !text.lines().any(|line| line.split_whitespace().next() == Some(name)))
        .collect();
    missing.sort();
    assert_eq!(missing, [] as [String; 0]);
}

/// Checks that every key that the program lists is explained and used in an example.
#[test]
fn the_reference_has_every_key() {
    let output = captune_reading("space check -", "a = { zzzzzzzzzzzz = 1 }\n");
    let said = stderr(&output);
    let keys = said.lines().find_map(|line| line.strip_prefix("hint: known keys: ")).unwrap();
    let text = document("docs/reference/space-toml.md");
    let examples = blocks(&text, "toml").concat();
    assert!(keys.split(", ").count() >= 14, "{keys}");
    for key in keys.split(", ") {
        assert!(text.contains(&format!("| `{key}` |")), "no row for {key}");
        assert!(examples.contains(&format!("{key} = ")), "no example of {key}");
    }
}

#[test]
fn every_command_of_the_guide_runs() {
    let mut ran = 0;
    for block in blocks(&document("docs/guides/spaces.md"), "sh") {
        for line in block.lines().filter(|line| line.starts_with("captune space ")) {
            let program = line.split_once(" -- ").and_then(|(_, command)| command.split(' ').next());
            if program.is_some_and(|program| !installed(program)) {
                continue;
            }
            let line = line.replacen("captune", CAPTUNE, 1).replace("| captune", &format!("| {CAPTUNE}"));
            let output = Command::new("bash")
                .args(["-o", "pipefail", "-c", &line])
                .current_dir(root())
                .output()
                .unwrap();
            assert!(output.status.success(), "{line}: {}", stderr(&output));
            ran += 1;
        }
    }
    assert!(ran >= 5, "{ran}");
}

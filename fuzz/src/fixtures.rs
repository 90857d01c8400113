//! Fixtures for the parsers: a folder with a few files, a space and scenarios.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use engine::Space;
use space::Diagnostics;
use space::format::{Format, read};

/// Parameters of every kind. One of them is conditional, and one has a name with a dot and a space.
const SPACE: &str = "alpha = { float = [0.01, 1], default = 0.5, log = true }\n\
    depth = { integer = [1, 9], default = 3 }\n\
    mode = { choices = [\"slow\", \"fast\", \"a b\"] }\n\
    rate = { float = [0, 1], default = 0.25, when = \"mode == 'fast'\" }\n\
    \"a.b c\" = { boolean = false }\n";

/// Files that scenarios may name.
const FILES: [(&str, &str); 8] = [
    ("space.toml", SPACE),
    ("space.pcs", "alpha real [0.01, 1.0] [0.5] log\nmode categorical {slow, fast} [slow]\n"),
    ("cnf/a.cnf", "p cnf 1 1\n1 0\n"),
    ("cnf/b.cnf", "p cnf 1 1\n-1 0\n"),
    ("list.txt", "a\nb x\nc\n"),
    ("features.csv", "instance,size,kind\ncnf/a.cnf,1,0.5\ncnf/b.cnf,2,-3\na,3,1e3\n"),
    ("start.toml", "alpha = 0.25\nmode = \"fast\"\n"),
    ("known.csv", "instance,answer\ncnf/a.cnf,10\ncnf/b.cnf,20\na,10\n"),
];

pub static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = PathBuf::from(std::env::var_os("FOLDER").expect("set FOLDER to an empty folder"));
    fs::create_dir_all(folder.join("cnf")).expect("the folder is writable");
    for (name, text) in FILES {
        fs::write(folder.join(name), text).expect("the folder is writable");
    }
    folder
});

pub static PARSED_SPACE: LazyLock<Space> =
    LazyLock::new(|| read(SPACE, "space", Format::Toml).expect("the space is valid"));

/// Returns a scenario with these lines and the fixtures' space.
pub fn scenario(lines: &str) -> scenario::Scenario {
    let text = format!("{lines}\n[space]\nfrom = \"space.toml\"\n");
    scenario::read(&text, &FOLDER, "fixed").unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics}"))
}

/// Writes bytes to a file in the folder.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.join(name);
    fs::write(&path, bytes).expect("the folder is writable");
    path
}

/// Returns whether a text may name files outside its folder. Such files differ from machine to machine, and a
/// pattern could even match the whole file system.
pub fn may_leave(text: &str) -> bool {
    let is_inside =
        |before: Option<char>| before.is_some_and(|c| c.is_alphanumeric() || "_-*?]}.".contains(c));
    let absolute = text.match_indices('/').any(|(at, _)| !is_inside(text[..at].chars().next_back()));
    absolute || ["..", "~", "\\u", "\\U", "\\x"].iter().any(|part| text.contains(part))
}

/// Checks that diagnostics can be printed and that each has a message.
pub fn check_diagnostics(diagnostics: &Diagnostics) {
    assert!(!diagnostics.to_string().trim().is_empty(), "diagnostics without a message");
    for diagnostic in diagnostics.list() {
        assert!(!diagnostic.message.is_empty(), "a diagnostic without a message");
    }
}

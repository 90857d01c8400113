//! Properties of the untyped formats: a space that they can express survives a round trip, and for any
//! invalid text, a reader reports mistakes instead of failing in another way.

use math::Rng;
use proptest::prelude::*;
use space::format::{Format, read, write};
use space::{ParameterDefinition as P, Space, SpaceBuilder};

use crate::other_formats::{IRACE, NEW, OLD};

/// Number of spaces generated for the round trip.
const CASES: u64 = 2500;
const UNTYPED: [Format; 3] = [Format::PcsOld, Format::PcsNew, Format::Irace];

fn pick<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list[rng.below(list.len())]
}

const PLAIN: [&str; 4] = ["a", "bc", "c", "x1"];
const ODD: [&str; 9] = ["a.b", "in", "min", "a-b", "@1:S", "b!", "c<d", "x&y", "TRUE"];
const VALUES: [&str; 16] = [
    "a",
    "b",
    "c",
    "1",
    "2.5",
    "1e-4",
    "0.0001",
    "01",
    "+",
    "a&b",
    "in",
    "true",
    "f(x",
    "two words",
    "a=b",
    "a||b",
];

/// Returns a parameter; the first letter of its name indicates its kind, which the statements below use.
fn parameter(rng: &mut Rng, name: String) -> P {
    let values = |rng: &mut Rng| {
        let mut values: Vec<&str> = (0..1 + rng.below(5)).map(|_| pick(rng, &VALUES)).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let log = rng.below(2) == 0;
    let (low, high) = (rng.below(9) as i64 + 1, rng.below(1000) as i64 + 10);
    let range = match name.as_bytes()[0] {
        b'i' => P::integer(name.as_str(), if log { low } else { -low }, high),
        b'r' => P::float(name.as_str(), if log { low as f64 / 8.0 } else { -low as f64 / 3.0 }, high as f64),
        b'o' => return P::ordinal(name.as_str(), values(rng)),
        _ => return P::categorical(name.as_str(), values(rng)),
    };
    if log { range.log() } else { range }
}

fn quoted(text: &str, mark: char) -> String {
    format!("{mark}{text}{mark}")
}

fn statement(rng: &mut Rng, space: &Space) -> String {
    let parameter = &space.parameters()[rng.below(space.parameters().len())];
    let name = quoted(parameter.name(), '`');
    let sign = pick(rng, &["==", "!=", "<", ">", "<=", ">="]);
    let Some(choices) = parameter.choices() else {
        let left = match rng.below(6) {
            0 => format!("{name} * 2 % 7 - 1"),
            1 => format!("2 * ({name} % 3) / 5"),
            2 => format!("abs({name}) ^ 2"),
            3 => return format!("{name} in {{1, 2, 5}}"),
            _ => name,
        };
        return format!("{left} {sign} {}", rng.below(9) as f64 / 2.0 - 1.0);
    };
    let mut value = || quoted(&choices.values()[rng.below(choices.count())].to_string(), '\'');
    let (first, second) = (value(), value());
    match (rng.below(4), parameter.name().as_bytes()[0]) {
        (0, _) => format!("{name} in {{{first}, {second}}}"),
        (1, b'o') => format!("{name} {sign} {first}"),
        (2, _) => format!("{name} != {first}"),
        _ => format!("{name} == {first}"),
    }
}

fn formula(rng: &mut Rng, space: &Space) -> String {
    let (a, b, c) = (statement(rng, space), statement(rng, space), statement(rng, space));
    match rng.below(6) {
        0 | 1 => a,
        2 => format!("{a} && {b}"),
        3 => format!("{a} && {b} || {c}"),
        4 => format!("({a} || {b}) && {c}"),
        _ => format!("!({a} && {b})"),
    }
}

/// Generates a space of the kind that people write; most formats can express most such spaces. `None` if the
/// space forbids so much that no default is found.
fn space(seed: u64) -> Option<Space> {
    let mut rng = Rng::new(seed, "carried", 0);
    let rng = &mut rng;
    let (odd, switches, defaults) = (rng.below(3) == 0, rng.below(2) == 0, rng.below(3) == 0);
    let digits = rng.below(4) == 0;
    let mut builder = SpaceBuilder::default();
    let mut names = std::collections::BTreeSet::new();
    let mut clauses = 0;
    for _ in 0..1 + rng.below(6) {
        let name = if odd { pick(rng, &ODD) } else { pick(rng, &PLAIN) };
        let name = format!("{}{name}", pick(rng, &["i", "r", "o", "k"]));
        if !names.insert(name.clone()) {
            continue;
        }
        let before = builder.clone().finish().ok();
        let mut definition = parameter(rng, name.clone());
        if digits && name.starts_with('r') {
            definition = P::float(name.as_str(), 0.25, 3.0).step(0.01);
        }
        definition.switch = switches.then(|| pick(rng, &["", "--x ", "-", "--a\\b="]).to_owned());
        definition.note =
            (rng.below(4) == 0).then(|| pick(rng, &["why", "# x", "a  \"b\" | {c}"]).to_owned());
        if defaults {
            let mut alone = SpaceBuilder::default();
            alone.parameter(definition.clone());
            let sample = alone.finish().ok().and_then(|alone| alone.sample(rng).ok());
            definition.default = sample.and_then(|s| s.iter().next().map(|(_, value)| value.into()));
        }
        builder.parameter(definition);
        let Some(before) = before else { continue };
        if rng.below(2) == 0 {
            builder.when(name.as_str(), formula(rng, &before).as_str());
        }
        if rng.below(3) == 0 && clauses < 2 {
            let mut more = builder.clone();
            more.forbid(formula(rng, &before).as_str());
            if more.clone().finish().is_ok() {
                builder = more;
                clauses += 1;
            }
        }
    }
    builder.finish().ok()
}

#[test]
fn what_a_format_can_express_survives_a_round_trip() {
    let mut counts = [0; 3];
    for seed in 0..CASES {
        let Some(space) = space(seed) else { continue };
        for (count, format) in counts.iter_mut().zip(UNTYPED) {
            let Ok(text) = write(&space, format) else { continue };
            let again = read(&text, "again", format).unwrap_or_else(|e| panic!("{seed}\n{text}\n{e}"));
            assert_eq!(again, space, "{seed} {format}\n{text}\n{}", write(&space, Format::Toml).unwrap());
            *count += 1;
        }
    }
    println!("expressible of {CASES}: {counts:?}");
    assert!(counts.iter().all(|&count| count > CASES / 20), "{counts:?}");
}

/// Reads the text in every format. A space that is accepted must survive a round trip through TOML, and
/// through its own format unless the writer rejects it.
fn is_handled(text: &str) {
    let _ = Format::guess("a.txt", text);
    for format in UNTYPED {
        let space = match read(text, "file", format) {
            Ok(space) => space,
            Err(mistakes) => {
                assert!(mistakes.to_string().starts_with("error: "));
                continue;
            }
        };
        for target in [Format::Toml, format] {
            let Ok(written) = write(&space, target) else { continue };
            let again = read(&written, "again", target).unwrap_or_else(|e| panic!("{text}\n{written}\n{e}"));
            assert_eq!(again, space, "{text}\n{written}");
        }
    }
}

/// Returns a typing error: the kind of edit, its position, and the text to insert.
fn typo() -> impl Strategy<Value = (u8, prop::sample::Index, String)> {
    let mark = "[\\[\\]{}()|,#=\"'<>&!%iloc0-9. \n\t*-]|&&|\\|\\||in|log|\u{e9}|\\PC";
    (0u8..4, any::<prop::sample::Index>(), mark)
}

fn with_typos(text: &str, typos: Vec<(u8, prop::sample::Index, String)>) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for (how, position, mark) in typos {
        let at = position.index(letters.len().max(1)).min(letters.len());
        match how {
            0 => drop(letters.splice(at..(at + 1).min(letters.len()), mark.chars())),
            1 => drop(letters.splice(at..at, mark.chars())),
            2 => drop(letters.splice(at..(at + 5).min(letters.len()), [])),
            _ => {
                let piece: Vec<char> = letters[at..(at + 20).min(letters.len())].to_vec();
                drop(letters.splice(at..at, piece));
            }
        }
    }
    letters.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_rejected(text in "\\PC{0,60}|([a-c]\"?[ \\[\\]{}()|,#=&<>!%\"icrol0-9.\n-]{0,30}\n?){1,4}") {
        is_handled(&text);
    }

    #[test]
    fn typos_are_read_or_rejected(which in 0usize..3, typos in prop::collection::vec(typo(), 1..6)) {
        is_handled(&with_typos([OLD, NEW, IRACE][which], typos));
    }
}

#[test]
fn long_input_is_handled_quickly() {
    for piece in [
        "(",
        "{",
        "[",
        "a=",
        "a|",
        "x {a,b} [a]\n",
        "a \"",
        "&&",
        "a in {",
        "!=",
        "a==1||",
        "a in {b} && ",
        "a \"\" i (",
        "\"",
        "#",
    ] {
        let text = piece.repeat(20_000 / piece.len());
        for prefix in
            ["", "x {a} [a]\nx | ", "x \"\" c (a)\n[forbidden]\n", "x {a} [a]\n{", "x real [0, 1] [0]\n"]
        {
            is_handled(&format!("{prefix}{text}"));
        }
    }
}

//! ConfigSpace's JSON and YAML: reading files written by the real package, mistakes, and writing.

use space::Space;
use space::format::{Format, read, write};

const JSON: Format = Format::ConfigSpaceJson;
const YAML: Format = Format::ConfigSpaceYaml;

#[allow(clippy::disallowed_methods, reason = "the crate must not read files, but its tests may")]
fn file(name: &str) -> String {
    let path = format!("{}/tests/data/configspace/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a file of the tests")
}

fn space(text: &str, format: Format) -> Space {
    read(text, "space", format).unwrap_or_else(|e| panic!("{e}"))
}

fn shown(text: &str, format: Format) -> String {
    read(text, "space", format).expect_err("the text has mistakes").to_string()
}

#[test]
fn files_of_every_version_are_read() {
    let toml = |name: &str, format| write(&space(&file(name), format), Format::Toml).unwrap();
    insta::assert_snapshot!(toml("everything-0.6.json", JSON), @r#"
    a = { integer = [0, 20], default = 11 }
    b = { integer = [0, 20], default = 12 }
    c = { float = [0.0, 20.0], default = 3.25 }
    fixed = { constant = "on" }
    flag = { boolean = true }
    level = { ordinal = ["low", "middle", "high"], default = "middle" }
    mode = { choices = ["sat", "unsat", "both"], weights = [1.0, 2.0, 5.0], default = "both" }
    number = { constant = 3 }
    alpha = { float = [1e-7, 10.0], log = true, default = 0.5, when = "mode == 'sat'" }
    depth = { integer = [1, 1000], log = true, default = 30, when = "mode in {'sat', 'both'}" }
    ratio = { float = [-1.5, 2.5], default = 0.5, when = "mode != 'sat'" }
    size = { ordinal = [1, 2, 4, 8], default = 1, when = "a < 15 && (flag == true || c > 2.5)" }
    width = { integer = [0, 100], default = 10, when = "level > 'low'" }
    "@1:odd name/ü 😀" = { integer = [0, 9], default = 4, when = "depth == 30" }
    mixed = { choices = [0.5, 2, "off", "a \"b\" c: d"], default = 0.5, when = "size in {1, 2}" }

    forbidden = [
      "mixed == 'off'",
      "a in {3, 4, 5}",
      "mode == 'unsat' && level in {'low', 'high'}",
      "b < a",
      "a == b",
      "c > a",
    ]
    "#);
    insta::assert_snapshot!(toml("everything-0.7.json", JSON), @r#"
    a = { integer = [0, 20], default = 11 }
    b = { integer = [0, 20], default = 12 }
    c = { float = [0.0, 20.0], default = 3.25 }
    fixed = { constant = "on" }
    flag = { boolean = true }
    level = { ordinal = ["low", "middle", "high"], default = "middle" }
    mode = { choices = ["sat", "unsat", "both"], weights = [1.0, 2.0, 5.0], default = "both" }
    number = { constant = 3 }
    alpha = { float = [1e-7, 10.0], log = true, default = 0.5, when = "mode == 'sat'" }
    depth = { integer = [1, 1000], log = true, default = 30, when = "mode in {'sat', 'both'}" }
    ratio = { float = [-1.5, 2.5], default = 0.5, when = "mode != 'sat'" }
    size = { ordinal = [1, 2, 4, 8], default = 1, when = "a < 15 && (flag == true || c > 2.5)" }
    width = { integer = [0, 100], step = 5, default = 10, when = "level > 'low'" }
    "@1:odd name/ü 😀" = { integer = [0, 9], default = 4, when = "depth == 30" }
    mixed = { choices = [0.5, 2, "off", "a \"b\" c: d"], default = 0.5, when = "size in {1, 2}" }

    forbidden = [
      "mixed == 'off'",
      "a in {3, 4, 5}",
      "mode == 'unsat' && level in {'low', 'high'}",
      "b < a",
      "a == b",
      "c > a",
    ]
    "#);
    insta::assert_snapshot!(toml("everything-1.2.json", JSON), @r#"
    a = { integer = [0, 20], default = 11 }
    b = { integer = [0, 20], default = 12 }
    c = { float = [0.0, 20.0], default = 3.25 }
    fixed = { constant = "on" }
    flag = { boolean = true }
    level = { ordinal = ["low", "middle", "high"], default = "middle" }
    mode = { choices = ["sat", "unsat", "both"], weights = [1.0, 2.0, 5.0], default = "both" }
    number = { constant = 3 }
    alpha = { float = [1e-7, 10.0], log = true, default = 0.5, when = "mode == 'sat'", note = "{\"origin\": \"manual\", \"pages\": [3, 4]}" }
    depth = { integer = [1, 1000], log = true, default = 30, when = "mode in {'sat', 'both'}" }
    ratio = { float = [-1.5, 2.5], default = 0.5, when = "mode != 'sat'" }
    size = { ordinal = [1, 2, 4, 8], default = 1, when = "a < 15 && (flag == true || c > 2.5)" }
    width = { integer = [0, 100], default = 10, when = "level > 'low'" }
    "@1:odd name/ü 😀" = { integer = [0, 9], default = 4, when = "depth == 30" }
    mixed = { choices = [0.5, 2, "off", "a \"b\" c: d"], default = 0.5, when = "size in {1, 2}" }

    forbidden = [
      "flag == false && a <= c",
      "level >= 'high' || flag == false && a == 0",
      "mode == 'unsat' && level in {'low', 'high'}",
      "a == b",
      "a in {3, 4, 5}",
      "b < a",
      "b > 19",
      "c < 0.5",
      "c > a",
      "mixed == 'off'",
    ]
    "#);
    assert_eq!(space(&file("everything-1.2.yaml"), YAML), space(&file("everything-1.2.json"), JSON));
}

#[test]
fn priors_are_rejected_by_name() {
    insta::assert_snapshot!(shown(&file("priors-1.2.yaml"), YAML), @r"
    error: the prior `beta_float` of `bf` is not supported: captune draws numbers uniformly
      --> space:12:9
       |
    12 |   type: beta_float
       |         ^^^^^^^^^^
    hint: if only its bounds matter, change its type to uniform_float

    error: the prior `beta_int` of `bi` is not supported: captune draws numbers uniformly
      --> space:21:9
       |
    21 |   type: beta_int
       |         ^^^^^^^^
    hint: if only its bounds matter, change its type to uniform_int

    error: the prior `normal_float` of `nf` is not supported: captune draws numbers uniformly
      --> space:30:9
       |
    30 |   type: normal_float
       |         ^^^^^^^^^^^^
    hint: if only its bounds matter, change its type to uniform_float

    error: the prior `normal_int` of `ni` is not supported: captune draws numbers uniformly
      --> space:39:9
       |
    39 |   type: normal_int
       |         ^^^^^^^^^^
    hint: if only its bounds matter, change its type to uniform_int
    ");
    for name in ["priors-0.6.json", "priors-0.7.json", "priors-1.2.json"] {
        let rejected = shown(&file(name), JSON).matches("is not supported").count();
        // Version 0.6 itself writes beta priors as uniform.
        assert_eq!(rejected, if name.contains("0.6") { 2 } else { 4 }, "{name}");
    }
}

#[test]
fn written_spaces_read_back_equal() {
    let original = space(&file("everything-1.2.json"), JSON);
    let json = write(&original, JSON).unwrap();
    let yaml = write(&original, YAML).unwrap();
    assert_eq!(space(&json, JSON), original, "{json}");
    assert_eq!(space(&yaml, YAML), original, "{yaml}");
    insta::assert_snapshot!(json.lines().take(14).collect::<Vec<_>>().join("\n"), @r#"
    {
      "name": null,
      "hyperparameters": [
        {"type": "uniform_int", "name": "a", "lower": 0, "upper": 20, "default_value": 11, "log": false, "meta": null},
        {"type": "uniform_int", "name": "b", "lower": 0, "upper": 20, "default_value": 12, "log": false, "meta": null},
        {"type": "uniform_float", "name": "c", "lower": 0.0, "upper": 20.0, "default_value": 3.25, "log": false, "meta": null},
        {"type": "constant", "name": "fixed", "value": "on", "meta": null},
        {"type": "categorical", "name": "flag", "choices": [false, true], "weights": null, "default_value": true, "meta": null},
        {"type": "ordinal", "name": "level", "sequence": ["low", "middle", "high"], "default_value": "middle", "meta": null},
        {"type": "categorical", "name": "mode", "choices": ["sat", "unsat", "both"], "weights": [1.0, 2.0, 5.0], "default_value": "both", "meta": null},
        {"type": "constant", "name": "number", "value": 3, "meta": null},
        {"type": "uniform_float", "name": "alpha", "lower": 1e-7, "upper": 10.0, "default_value": 0.5, "log": true, "meta": {"origin": "manual", "pages": [3, 4]}},
        {"type": "uniform_int", "name": "depth", "lower": 1, "upper": 1000, "default_value": 30, "log": true, "meta": null},
        {"type": "uniform_float", "name": "ratio", "lower": -1.5, "upper": 2.5, "default_value": 0.5, "log": false, "meta": null},
    "#);
    insta::assert_snapshot!(yaml.lines().rev().take(30).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n"), @r#"
    - type: "AND"
      clauses:
      - type: "EQUALS"
        name: "mode"
        value: "unsat"
      - type: "IN"
        name: "level"
        values: ["low", "high"]
    - type: "RELATION_EQ"
      left: "a"
      right: "b"
    - type: "IN"
      name: "a"
      values: [3, 4, 5]
    - type: "RELATION_LT"
      left: "b"
      right: "a"
    - type: "CLAUSE_GT"
      name: "b"
      value: 19
    - type: "CLAUSE_LT"
      name: "c"
      value: 0.5
    - type: "RELATION_GT"
      left: "c"
      right: "a"
    - type: "EQUALS"
      name: "mixed"
      value: "off"
    format_version: 0.4
    "#);
}

#[test]
fn all_mistakes_are_shown_at_once() {
    insta::assert_snapshot!(shown(r#"{
  "hyperparameters": [
    {"name": "a", "type": "unifrom_int", "lower": 0, "upper": 1},
    {"name": "b", "type": "uniform_int", "lower": 0, "upper": 1, "defualt": 1},
    {"name": "c", "type": "uniform_float", "lower": "0", "upper": 1, "log": 1},
    {"name": "d", "type": "categorical", "choices": ["x", null]},
    {"type": "constant", "value": 1},
    {"name": "e", "type": "ordinal", "sequence": [1, 2], "default": 1, "default_value": 1},
    {"name": "b", "type": "constant", "value": 1},
    {"name": "f", "type": "categorical", "choices": ["x", "y"], "default": "z"},
    7
  ],
  "conditions": [
    {"child": "b", "parent": "g", "type": "EQ", "value": 1},
    {"child": "b", "parent": "f", "type": "EG", "value": 1},
    {"child": "b", "type": "AND", "conditions": [{"child": "f", "parent": "b", "type": "EQ", "value": 1}]},
    {"child": "b", "parent": "f", "type": "IN", "values": []}
  ],
  "forbiddens": [
    {"name": "f", "type": "EQUALS", "value": "w"},
    {"left": "f", "right": "b", "type": "RELATION", "lambda": "LESS"},
    {"left": "b", "right": "b", "type": "RELATION", "lambda": "ABOVE"}
  ],
  "condition": []
}"#, JSON), @r#"
    error: unknown type `unifrom_int` for `a`
     --> space:3:27
      |
    3 |     {"name": "a", "type": "unifrom_int", "lower": 0, "upper": 1},
      |                           ^^^^^^^^^^^^^
    hint: did you mean `uniform_int`?

    error: unknown key `defualt` in `b`
     --> space:4:66
      |
    4 |     {"name": "b", "type": "uniform_int", "lower": 0, "upper": 1, "defualt": 1},
      |                                                                  ^^^^^^^^^
    hint: did you mean `default`?

    error: `lower` must be a number, but this is text
     --> space:5:53
      |
    5 |     {"name": "c", "type": "uniform_float", "lower": "0", "upper": 1, "log": 1},
      |                                                     ^^^
    hint: write it without quotes; in YAML, an exponent needs a decimal point and a sign: 1.0e-7

    error: each item of `choices` must be a single value, but this is null
     --> space:6:59
      |
    6 |     {"name": "d", "type": "categorical", "choices": ["x", null]},
      |                                                           ^^^^
    hint: a value is text, a number, true or false; write anything else as text

    error: a hyperparameter has no `name`
     --> space:7:5
      |
    7 |     {"type": "constant", "value": 1},
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    error: `e` has both `default_value` and `default`
     --> space:8:69
      |
    8 |     {"name": "e", "type": "ordinal", "sequence": [1, 2], "default": 1, "default_value": 1},
      |                                                                     ^
    hint: keep one

    error: duplicate parameter `b`
     --> space:9:14
      |
    9 |     {"name": "b", "type": "constant", "value": 1},
      |              ^^^
    hint: first defined on line 4

    error: the default `z` of `f` is invalid: it is not among the choices
      --> space:10:76
       |
    10 |     {"name": "f", "type": "categorical", "choices": ["x", "y"], "default": "z"},
       |                                                                            ^^^
    hint: the choices are x, y

    error: a hyperparameter must be a mapping with keys, but this is a number
      --> space:11:5
       |
    11 |     7
       |     ^

    error: unknown parameter `g`
      --> space:14:30
       |
    14 |     {"child": "b", "parent": "g", "type": "EQ", "value": 1},
       |                              ^^^

    error: unknown type `EG` for a condition
      --> space:15:43
       |
    15 |     {"child": "b", "parent": "f", "type": "EG", "value": 1},
       |                                           ^^^^
    hint: did you mean `EQ`?

    error: the parts of one condition name two children, `b` and `f`
      --> space:16:60
       |
    16 |     {"child": "b", "type": "AND", "conditions": [{"child": "f", "parent": "b", "type": "EQ", "value"...
       |                                                            ^^^

    error: an empty list of values never matches
      --> space:17:59
       |
    17 |     {"child": "b", "parent": "f", "type": "IN", "values": []}
       |                                                           ^^

    error: `w` is not among the choices of `f`
      --> space:20:46
       |
    20 |     {"name": "f", "type": "EQUALS", "value": "w"},
       |                                              ^^^
    hint: the choices are x, y

    error: `f` and `b` are not both numbers
      --> space:21:14
       |
    21 |     {"left": "f", "right": "b", "type": "RELATION", "lambda": "LESS"},
       |              ^^^
    hint: ConfigSpace would compare them as text; forbid the pairs of values instead

    error: unknown relation `ABOVE`
      --> space:22:63
       |
    22 |     {"left": "b", "right": "b", "type": "RELATION", "lambda": "ABOVE"}
       |                                                               ^^^^^^^
    hint: known relations: LESS, EQUALS, GREATER

    error: unknown key `condition` in the document
      --> space:24:3
       |
    24 |   "condition": []
       |   ^^^^^^^^^^^
    hint: did you mean `conditions`?
    "#);
}

#[test]
fn syntax_errors_are_shown_where_they_occur() {
    insta::assert_snapshot!(shown("{\"hyperparameters\": [\n  {\"name\": \"ü\", 'type': 1},\n]}\n", JSON), @r#"
    error: unexpected `'` where a key in double quotes was expected
     --> space:2:17
      |
    2 |   {"name": "ü", 'type': 1},
      |                 ^
    "#);
    insta::assert_snapshot!(shown("{\"hyperparameters\": [1, ]}\n", JSON), @r#"
    error: unexpected `]` where another item was expected
     --> space:1:25
      |
    1 | {"hyperparameters": [1, ]}
      |                         ^
    hint: remove the comma before it
    "#);
    insta::assert_snapshot!(shown("hyperparameters:\n  - name: \"ü\n    type: x\n", YAML), @r#"
    error: invalid indentation in quoted scalar
     --> space:2:11
      |
    2 |   - name: "ü
      |           ^
    hint: indent items with spaces; put text with special characters in quotes
    "#);
    insta::assert_snapshot!(shown("hyperparameters:\n- {name: a, type: uniform_float, lower: 1e-7, upper: 1.0}\n- {name: b, type: constant, value: 2001-12-14}\n", YAML), @r"
    error: `2001-12-14` is a number, a date or text, depending on the YAML parser
     --> space:3:36
      |
    3 | - {name: b, type: constant, value: 2001-12-14}
      |                                    ^^^^^^^^^^
    hint: if it is text, put it in quotes
    ");
    for (text, format) in
        [("", JSON), ("\n", YAML), ("[]", JSON), ("{}", JSON), ("null", YAML), ("a: 1", YAML)]
    {
        assert!(shown(text, format).starts_with("error: "), "{text}");
    }
}

#[test]
fn everything_the_format_cannot_express_is_listed() {
    let toml = r#"
a = { integer = [0, 100], step = 5, default = 0 }
b = { integer = [1, "c"], default = 1 }
c = { integer = [1, 9], default = 3 }
d = { float = [2, 2] }
e = { boolean = true, fixed = true }
f = { choices = [1, 1.0, "x"] }
g = { boolean = true, when = "c > a" }
h = { boolean = true, when = "c > 20 || g" }
forbidden = ["c * 2 > 12 && d > 1"]
"#;
    let space = space(toml, Format::Toml);
    insta::assert_snapshot!(write(&space, JSON).unwrap_err().to_string().replace("; ", "\n"), @r"
    the format configspace-json cannot express the step of `a`
    the dependent bounds of `b`
    the single-number range of `d`
    the fixed value of `e`
    choices that are equal in Python, such as 1 and true, of `f`
    a comparison of two parameters in the condition of `g`
    a comparison of `c` with 20, which is not one of its values, in the condition of `h`
    arithmetic in the forbidden clause `c * 2 > 12 && d > 1`
    ");
}

#[test]
fn notes_and_switches_are_written_as_meta() {
    let toml = "a = { integer = [0, 9], switch = \"--a=\", note = \"why\" }\nb = { integer = [0, 9], note = '{\"k\": [1, 2.5, null]}' }\nc = { integer = [0, 9], note = '{\"note\": \"x\"}' }\nd = { integer = [0, 9], note = '{ \"k\":1 }' }\n";
    let original = space(toml, Format::Toml);
    for format in [JSON, YAML] {
        let text = write(&original, format).unwrap();
        assert_eq!(space(&text, format), original, "{text}");
    }
    assert!(write(&original, JSON).unwrap().contains(r#""meta": {"k": [1, 2.5, null]}"#));
}

#[test]
fn every_kind_of_clause_is_read() {
    let single = ["EQUALS", "CLAUSE_LT", "CLAUSE_LE", "CLAUSE_GT", "CLAUSE_GE"];
    let relations = ["RELATION_LT", "RELATION_LE", "RELATION_EQ", "RELATION_GE", "RELATION_GT"];
    let old = ["LESS", "EQUALS", "GREATER"];
    let single = single.map(|kind| format!(r#"{{"type": "{kind}", "name": "a", "value": 0}}"#));
    let relations = relations.map(|kind| format!(r#"{{"type": "{kind}", "left": "a", "right": "b"}}"#));
    let old =
        old.map(|how| format!(r#"{{"type": "RELATION", "left": "b", "right": "c", "lambda": "{how}"}}"#));
    // Each clause is joined with a choice that is not the default, so that the default is not forbidden.
    let guard = r#"{"type": "EQUALS", "name": "m", "value": "y"}"#;
    let all = single.into_iter().chain(relations).chain(old);
    let all: Vec<String> =
        all.map(|clause| format!(r#"{{"type": "AND", "clauses": [{guard}, {clause}]}}"#)).collect();
    let number =
        |name: &str| format!(r#"{{"type": "uniform_int", "name": "{name}", "lower": 0, "upper": 9}}"#);
    let text = format!(
        r#"{{"hyperparameters": [{{"type": "categorical", "name": "m", "choices": ["x", "y"]}}, {}], "forbiddens": [{}]}}"#,
        ["a", "b", "c"].map(number).join(", "),
        all.join(", ")
    );
    let space = space(&text, JSON);
    let clauses: Vec<String> = (0..space.forbidden().len()).map(|i| space.clause_text(i)).collect();
    insta::assert_snapshot!(clauses.join("\n").replace("m == 'y' && ", ""), @r"
    a == 0
    a < 0
    a <= 0
    a > 0
    a >= 0
    a < b
    a <= b
    a == b
    a >= b
    a > b
    b < c
    b == c
    b > c
    ");
}

#[test]
fn no_comparison_with_an_inactive_parent_holds() {
    let text = r#"{"hyperparameters": [
        {"name": "m", "type": "categorical", "choices": ["a", "b"], "default": "b"},
        {"name": "p", "type": "categorical", "choices": ["x", "y", "z"]},
        {"name": "q", "type": "uniform_float", "lower": 0.1, "upper": 1.0}],
      "conditions": [
        {"child": "p", "parent": "m", "type": "EQ", "value": "a"},
        {"child": "q", "parent": "p", "type": "NEQ", "value": "x"}],
      "forbiddens": []}"#;
    let original = space(text, JSON);
    assert_eq!(original.default_configuration().to_string(), "m=b");
    // The condition of `q` is written as a list, which all versions evaluate in the same way.
    let json = write(&original, JSON).unwrap();
    assert!(json.contains(r#""parent": "p", "values": ["y", "z"]"#), "{json}");
}

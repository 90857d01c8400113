//! All mistakes in a file are shown at once, each with its position, the text at fault and a hint.

use space::format::{Format, read, read_bytes};

fn shown(text: &str) -> String {
    read(text, "space.toml", Format::Toml).expect_err("the text has mistakes").to_string()
}

#[test]
fn unknown_kind() {
    insta::assert_snapshot!(shown("alpha = { flaot = [1.0, 1.4] }\n"), @r"
    error: unknown key `flaot` in `alpha`
     --> space.toml:1:11
      |
    1 | alpha = { flaot = [1.0, 1.4] }
      |           ^^^^^
    hint: did you mean `float`?
    ");
}

#[test]
fn no_kind_and_two_kinds() {
    insta::assert_snapshot!(shown("alpha = { default = 1 }\nbeta = { float = [0, 1], integer = [0, 1] }\nc = 3\n"), @r"
    error: `alpha` has no kind
     --> space.toml:1:1
      |
    1 | alpha = { default = 1 }
      | ^^^^^
    hint: add one of float, integer, choices, ordinal, boolean, constant

    error: `beta` is both `float` and `integer`
     --> space.toml:2:26
      |
    2 | beta = { float = [0, 1], integer = [0, 1] }
      |                          ^^^^^^^
    hint: keep one

    error: `c` is not a parameter: expected a table with a kind
     --> space.toml:3:5
      |
    3 | c = 3
      |     ^
    hint: write `c = { constant = ... }` for a value that never changes
    ");
}

#[test]
fn unknown_setting_and_dotted_name() {
    insta::assert_snapshot!(shown("a = { float = [0, 1], defualt = 1 }\nb.c = { integer = [0, 1] }\n"), @r#"
    error: unknown key `defualt` in `a`
     --> space.toml:1:23
      |
    1 | a = { float = [0, 1], defualt = 1 }
      |                       ^^^^^^^
    hint: did you mean `default`?

    error: unknown key `c` in `b`
     --> space.toml:2:3
      |
    2 | b.c = { integer = [0, 1] }
      |   ^
    hint: a name with a dot needs quotes: "b.c"
    "#);
}

#[test]
fn duplicate_name() {
    insta::assert_snapshot!(shown("a = { float = [0, 1] }\nb = { float = [0, 1] }\na = { integer = [0, 1] }\n"), @r"
    error: duplicate parameter or key `a`
     --> space.toml:3:1
      |
    3 | a = { integer = [0, 1] }
      | ^
    hint: first defined on line 1
    ");
}

#[test]
fn default_outside_the_range() {
    insta::assert_snapshot!(shown("a = { float = [0, 1], default = 2 }\nb = { integer = [0, 10], step = 5, default = 3 }\nc = { integer = [1, 5], default = 2.5 }\n"), @r"
    error: the default `2` of `a` is invalid: it is outside the range 0.0 to 1.0
     --> space.toml:1:33
      |
    1 | a = { float = [0, 1], default = 2 }
      |                                 ^
    hint: change it, or widen the range

    error: the default `3` of `b` is invalid: it is not a whole number of steps above the lower bound
     --> space.toml:2:46
      |
    2 | b = { integer = [0, 10], step = 5, default = 3 }
      |                                              ^
    hint: the nearest value is 5

    error: the default `2.5` of `c` is invalid: it is not a whole number
     --> space.toml:3:35
      |
    3 | c = { integer = [1, 5], default = 2.5 }
      |                                   ^^^
    hint: round it, or make the parameter a float
    ");
}

#[test]
fn log_range_touching_zero() {
    insta::assert_snapshot!(shown("a = { float = [0, 1], log = true }\n"), @r"
    error: the logarithmic range of `a` starts at 0.0, which has no logarithm
     --> space.toml:1:16
      |
    1 | a = { float = [0, 1], log = true }
      |                ^
    hint: start above zero, or make the range linear
    ");
}

#[test]
fn invalid_bounds() {
    insta::assert_snapshot!(shown("a = { float = [2, 1] }\nb = { integer = [0.5, 3] }\nc = { float = [0] }\nd = { float = [0, inf] }\ne = { integer = [0, 1e18] }\nf = { float = [0, 1], step = -1 }\n"), @r"
    error: the upper bound 1.0 of `a` is below its lower bound 2.0
     --> space.toml:1:15
      |
    1 | a = { float = [2, 1] }
      |               ^^^^^^
    hint: put the lower bound first

    error: `0.5` is not a whole number
     --> space.toml:2:18
      |
    2 | b = { integer = [0.5, 3] }
      |                  ^^^
    hint: make `b` a float, or round its bounds

    error: the range of `c` needs two bounds
     --> space.toml:3:15
      |
    3 | c = { float = [0] }
      |               ^^^
    hint: write `float = [lowest, highest]`

    error: `inf` is not a finite number
     --> space.toml:4:19
      |
    4 | d = { float = [0, inf] }
      |                   ^^^

    error: the bounds of `e` are too large for an integer
     --> space.toml:5:21
      |
    5 | e = { integer = [0, 1e18] }
      |                     ^^^^
    hint: the largest integer is 4503599627370496; use a float

    error: the step of `f` must be above zero
     --> space.toml:6:30
      |
    6 | f = { float = [0, 1], step = -1 }
      |                              ^^
    ");
}

#[test]
fn condition_on_an_unknown_parameter() {
    insta::assert_snapshot!(shown("mode = { choices = [\"a\", \"b\"] }\nx = { float = [0, 1], when = \"mdoe == 'a'\" }\n"), @r#"
    error: unknown parameter `mdoe`
     --> space.toml:2:31
      |
    2 | x = { float = [0, 1], when = "mdoe == 'a'" }
      |                               ^^^^
    hint: did you mean `mode`?
    "#);
}

#[test]
fn cyclic_conditions() {
    insta::assert_snapshot!(shown("a = { boolean = true, when = \"b\" }\nb = { boolean = true, when = \"c\" }\nc = { boolean = true, when = \"a\" }\nd = { boolean = true, when = \"d\" }\ne = { boolean = true, when = \"d && a\" }\n"), @r#"
    error: `a` depends on itself: a -> b -> c -> a
     --> space.toml:1:31
      |
    1 | a = { boolean = true, when = "b" }
      |                               ^
    hint: a parameter's condition and bounds may only mention parameters that do not depend on it

    error: `d` depends on itself: d -> d
     --> space.toml:4:31
      |
    4 | d = { boolean = true, when = "d" }
      |                               ^
    hint: a parameter's condition and bounds may only mention parameters that do not depend on it
    "#);
}

#[test]
fn value_not_among_the_choices() {
    insta::assert_snapshot!(shown("mode = { choices = [\"sat\", \"unsat\"], default = \"sta\" }\nx = { float = [0, 1], when = \"mode in {'sat', 'unsta'}\" }\nforbidden = [\"mode == 3\"]\n"), @r#"
    error: the default `sta` of `mode` is invalid: it is not among the choices
     --> space.toml:1:48
      |
    1 | mode = { choices = ["sat", "unsat"], default = "sta" }
      |                                                ^^^^^
    hint: did you mean `sat`?

    error: `unsta` is not among the choices of `mode`
     --> space.toml:2:47
      |
    2 | x = { float = [0, 1], when = "mode in {'sat', 'unsta'}" }
      |                                               ^^^^^^^
    hint: did you mean `unsat`?

    error: `3` is not among the choices of `mode`
     --> space.toml:3:23
      |
    3 | forbidden = ["mode == 3"]
      |                       ^
    hint: the choices are sat, unsat
    "#);
}

#[test]
fn lists_of_choices() {
    insta::assert_snapshot!(shown("a = { choices = [] }\nb = { choices = [\"x\", \"y\", \"x\"] }\nc = { choices = [1, 2], weights = [1] }\nd = { choices = [1, 2], weights = [0, 0] }\ne = { ordinal = \"low\" }\n"), @r#"
    error: `a` has no values
     --> space.toml:1:17
      |
    1 | a = { choices = [] }
      |                 ^^

    error: duplicate value `x` for `b`
     --> space.toml:2:28
      |
    2 | b = { choices = ["x", "y", "x"] }
      |                            ^^^

    error: `c` has 1 weights for 2 choices
     --> space.toml:3:35
      |
    3 | c = { choices = [1, 2], weights = [1] }
      |                                   ^^^

    error: the weights of `d` are invalid
     --> space.toml:4:35
      |
    4 | d = { choices = [1, 2], weights = [0, 0] }
      |                                   ^^^^^^
    hint: weights must not be negative, and at least one must be above zero

    error: the values of `e` must be a list
     --> space.toml:5:17
      |
    5 | e = { ordinal = "low" }
      |                 ^^^^^
    hint: write `ordinal = ["one", "two"]`
    "#);
}

#[test]
fn forbidden_default() {
    insta::assert_snapshot!(shown("a = { integer = [0, 9], default = 3 }\nb = { boolean = true }\nforbidden = [\n  \"a == 4\",\n  \"a > 2 && b\",\n]\n"), @r#"
    error: the default configuration is forbidden by this clause
     --> space.toml:5:4
      |
    5 |   "a > 2 && b",
      |    ^^^^^^^^^^
    hint: change a default or the clause
    "#);
}

#[test]
fn empty_file() {
    insta::assert_snapshot!(shown(""), @r"
    error: no parameters are defined
     --> space.toml:1:1
      |
    1 | 
      | ^
    hint: check that this is the right file and format
    ");
    insta::assert_snapshot!(shown("# nothing but words\n"), @r"
    error: no parameters are defined
     --> space.toml:1:1
      |
    1 | # nothing but words
      | ^
    hint: check that this is the right file and format
    ");
}

#[test]
fn wrong_encoding() {
    let latin = b"a = { choices = [\"x\"] }\nb = { note = \"na\xefve\" }\n";
    insta::assert_snapshot!(read_bytes(latin, "space.toml", Format::Toml).unwrap_err(), @r#"
    error: the byte 0xef is not valid UTF-8
     --> space.toml:2:17
      |
    2 | b = { note = "na�ve" }
      |                 ^
    hint: save the file as UTF-8
    "#);
    let wide = b"\xff\xfea\0 \0";
    insta::assert_snapshot!(read_bytes(wide, "space.toml", Format::Toml).unwrap_err(), @r"
    error: the byte 0xff is not valid UTF-8
     --> space.toml:1:1
      |
    1 | ��a
      | ^
    hint: it looks like UTF-16; save it as UTF-8
    ");
    assert!(read_bytes("\u{feff}a = { boolean = true }".as_bytes(), "space.toml", Format::Toml).is_ok());
}

#[test]
fn broken_syntax() {
    insta::assert_snapshot!(shown("a = { float = [0, 1] }\nb = { float = [0, 1\nc = \n"), @r"
    error: missing comma between array elements, expected `,`
     --> space.toml:3:1
      |
    3 | c =
      | ^
    hint: write `name = { kind = ... }`, with text in quotes
    ");
}

#[test]
fn a_mistake_in_an_expression_with_escapes_marks_the_whole_expression() {
    insta::assert_snapshot!(shown("a = { integer = [0, 1] }\nforbidden = [\"a == \\\"x\\\" \"]\n"), @r#"
    error: `x` is not a number
     --> space.toml:2:14
      |
    2 | forbidden = ["a == \"x\" "]
      |              ^^^^^^^^^^^^^
    "#);
}

#[test]
fn dependent_bounds() {
    insta::assert_snapshot!(shown("a = { integer = [0, 9], default = 3 }\nb = { integer = [5, \"a\"] }\nc = { integer = [0, \"d\"] }\nx = { float = [0, \"y\"] }\ny = { float = [0, \"x\"] }\n"), @r#"
    error: unknown parameter `d`
     --> space.toml:3:22
      |
    3 | c = { integer = [0, "d"] }
      |                      ^

    error: `x` depends on itself: x -> y -> x
     --> space.toml:4:1
      |
    4 | x = { float = [0, "y"] }
      | ^
    hint: a parameter's condition and bounds may only mention parameters that do not depend on it
    "#);
    insta::assert_snapshot!(shown("a = { integer = [0, 9], default = 3 }\nb = { integer = [5, \"a\"] }\nc = { integer = [0, \"a\"], default = 4 }\n"), @r#"
    error: `b` has no valid value when the other parameters are at their defaults
     --> space.toml:2:1
      |
    2 | b = { integer = [5, "a"] }
      | ^
    hint: its bounds depend on other parameters: change a default or a bound
    "#);
}

#[test]
fn settings_of_the_wrong_type() {
    insta::assert_snapshot!(shown("a = { float = [0, 1], log = 1 }\nb = { boolean = \"yes\" }\nc = { boolean = true, default = false }\nd = { choices = [1979-05-27] }\ne = { choices = [\"x\"], log = true, switch = 3 }\nf = { float = [0, 1], when = 3 }\nforbidden = \"a > 1\"\n"), @r#"
    error: `log` must be true or false
     --> space.toml:1:29
      |
    1 | a = { float = [0, 1], log = 1 }
      |                             ^
    hint: write `log = true`

    error: `boolean` must be true or false
     --> space.toml:2:17
      |
    2 | b = { boolean = "yes" }
      |                 ^^^^^
    hint: write the default, as in `boolean = true`

    error: the default of a boolean is the value of `boolean`
     --> space.toml:3:33
      |
    3 | c = { boolean = true, default = false }
      |                                 ^^^^^
    hint: remove `default` and write `boolean = false`

    error: a date is not a valid value
     --> space.toml:4:18
      |
    4 | d = { choices = [1979-05-27] }
      |                  ^^^^^^^^^^
    hint: put it in quotes

    error: `log` does not apply to `e`
     --> space.toml:5:30
      |
    5 | e = { choices = ["x"], log = true, switch = 3 }
      |                              ^^^^
    hint: remove it

    error: `switch` must be text
     --> space.toml:5:45
      |
    5 | e = { choices = ["x"], log = true, switch = 3 }
      |                                             ^
    hint: put it in quotes

    error: an expression must be text
     --> space.toml:6:30
      |
    6 | f = { float = [0, 1], when = 3 }
      |                              ^
    hint: put it in quotes: "a == 1"

    error: `forbidden` must be a list of strings
     --> space.toml:7:13
      |
    7 | forbidden = "a > 1"
      |             ^^^^^^^
    hint: write `forbidden = ["a == 1 && b > 2"]`; a parameter with this name goes in `[parameters]`
    "#);
}

//! Mistakes in the parameters of PCS files, shown all at once.

use space::format::{Format, read, read_bytes};

fn old(text: &str) -> String {
    read(text, "a.pcs", Format::PcsOld).expect_err("the text has mistakes").to_string()
}

fn new(text: &str) -> String {
    read(text, "a.pcs", Format::PcsNew).expect_err("the text has mistakes").to_string()
}

#[test]
fn kinds() {
    insta::assert_snapshot!(new("a categorial {x, y} [x]\nb float [0, 1] [0]\nc ordinal [0, 1] [0]\nd integer {1, 2} [1]\n"), @r"
    error: unknown kind `categorial` for `a`
     --> a.pcs:1:3
      |
    1 | a categorial {x, y} [x]
      |   ^^^^^^^^^^
    hint: did you mean `categorical`?

    error: unknown kind `float` for `b`
     --> a.pcs:2:3
      |
    2 | b float [0, 1] [0]
      |   ^^^^^
    hint: the kinds are categorical, ordinal, integer, real

    error: `{` is missing from the definition of `c`
     --> a.pcs:3:21
      |
    3 | c ordinal [0, 1] [0]
      |                     ^
    hint: write `c categorical {a, b} [a]` or `c real [0, 1] [0.5]`

    error: `[` is missing from the definition of `d`
     --> a.pcs:4:21
      |
    4 | d integer {1, 2} [1]
      |                     ^
    hint: write `d categorical {a, b} [a]` or `d real [0, 1] [0.5]`
    ");
    insta::assert_snapshot!(old("a categorical {x, y} [x]\nb twice {x} [x]\n"), @r"
    error: unexpected `categorical` after the name
     --> a.pcs:1:3
      |
    1 | a categorical {x, y} [x]
      |   ^^^^^^^^^^^
    hint: this line is in the new PCS format

    error: unexpected `twice` after the name
     --> a.pcs:2:3
      |
    2 | b twice {x} [x]
      |   ^^^^^
    hint: write `b {a, b} [a]` or `b [0, 1] [0.5]`
    ");
}

#[test]
fn duplicate_names_and_values() {
    insta::assert_snapshot!(old("a {x, y} [x]\nb [0, 1] [0]\na [0, 1] [0]\nc {x, y, x} [x]\n"), @r"
    error: duplicate parameter `a`
     --> a.pcs:3:1
      |
    3 | a [0, 1] [0]
      | ^
    hint: first defined on line 1

    error: duplicate value `x` for `c`
     --> a.pcs:4:10
      |
    4 | c {x, y, x} [x]
      |          ^
    ");
}

#[test]
fn invalid_defaults() {
    insta::assert_snapshot!(old("a {sat, unsat} [sta]\nb [0, 1] [2]\nc [0, 9] [2.5]i\nd [0, 1] [x]\ne {x} []\n"), @r"
    error: the default `sta` of `a` is invalid: it is not among the choices
     --> a.pcs:1:17
      |
    1 | a {sat, unsat} [sta]
      |                 ^^^
    hint: did you mean `sat`?

    error: the default `2` of `b` is invalid: it is outside the range 0.0 to 1.0
     --> a.pcs:2:11
      |
    2 | b [0, 1] [2]
      |           ^
    hint: change it, or widen the range

    error: the default `2.5` of `c` is invalid: it is not a whole number
     --> a.pcs:3:11
      |
    3 | c [0, 9] [2.5]i
      |           ^^^
    hint: round it, or make the parameter a float

    error: the default `x` of `d` is invalid: it is not a number
     --> a.pcs:4:11
      |
    4 | d [0, 1] [x]
      |           ^
    hint: write a number without quotes or units

    error: the default of `e` is missing
     --> a.pcs:5:8
      |
    5 | e {x} []
      |        ^
    hint: put it between the brackets
    ");
}

#[test]
fn ranges() {
    insta::assert_snapshot!(old("a [0, 1] [0.5]l\nb [3, 1] [2]\nc [0.5, 2] [1]i\nd [0] [0]\ne [0, inf] [0]\nf [a, b] [a]\ng [1, 2, 3] [2]\n"), @r"
    error: the logarithmic range of `a` starts at 0.0, which has no logarithm
     --> a.pcs:1:4
      |
    1 | a [0, 1] [0.5]l
      |    ^
    hint: start above zero, or make the range linear

    error: the upper bound 1.0 of `b` is below its lower bound 3.0
     --> a.pcs:2:4
      |
    2 | b [3, 1] [2]
      |    ^^^^
    hint: put the lower bound first

    error: `0.5` is not a whole number
     --> a.pcs:3:4
      |
    3 | c [0.5, 2] [1]i
      |    ^^^
    hint: make `c` a float, or round its bounds

    error: the range of `d` needs two bounds
     --> a.pcs:4:4
      |
    4 | d [0] [0]
      |    ^
    hint: write `[lowest, highest]`

    error: `inf` is not a number
     --> a.pcs:5:7
      |
    5 | e [0, inf] [0]
      |       ^^^
    hint: put a list of values in braces: `{a, b}`

    error: `a` is not a number
     --> a.pcs:6:4
      |
    6 | f [a, b] [a]
      |    ^
    hint: put a list of values in braces: `{a, b}`

    error: the range of `g` needs two bounds
     --> a.pcs:7:4
      |
    7 | g [1, 2, 3] [2]
      |    ^^^^^^^
    hint: write `[lowest, highest]`
    ");
    insta::assert_snapshot!(new("a real [0, 1] [0.5] log\nb integer [0, 1e300] [0]\n"), @r"
    error: the logarithmic range of `a` starts at 0.0, which has no logarithm
     --> a.pcs:1:9
      |
    1 | a real [0, 1] [0.5] log
      |         ^
    hint: start above zero, or make the range linear

    error: the bounds of `b` are too large for an integer
     --> a.pcs:2:15
      |
    2 | b integer [0, 1e300] [0]
      |               ^^^^^
    hint: the largest integer is 4503599627370496; use a float
    ");
}

#[test]
fn missing_brackets_and_unexpected_text() {
    insta::assert_snapshot!(old("a {x, y [x]\nb {x, y}\nc [0, 1\nd [0, 1] 0\ne [0, 1] [0\nf {x}[x]i\ng [0, 1] [0]ii\nh [0, 1] [0] linear\ni {x,,y} [x]\nj\n[0, 1] [0]\n"), @r"
    error: `}` is missing from the definition of `a`
     --> a.pcs:1:12
      |
    1 | a {x, y [x]
      |            ^
    hint: write `a {a, b} [a]` or `a [0, 1] [0.5]`

    error: `[` is missing from the definition of `b`
     --> a.pcs:2:9
      |
    2 | b {x, y}
      |         ^
    hint: write `b {a, b} [a]` or `b [0, 1] [0.5]`

    error: `]` is missing from the definition of `c`
     --> a.pcs:3:8
      |
    3 | c [0, 1
      |        ^
    hint: write `c {a, b} [a]` or `c [0, 1] [0.5]`

    error: `[` is missing from the definition of `d`
     --> a.pcs:4:11
      |
    4 | d [0, 1] 0
      |           ^
    hint: write `d {a, b} [a]` or `d [0, 1] [0.5]`

    error: `]` is missing from the definition of `e`
     --> a.pcs:5:12
      |
    5 | e [0, 1] [0
      |            ^
    hint: write `e {a, b} [a]` or `e [0, 1] [0.5]`

    error: unexpected `i` after the default
     --> a.pcs:6:9
      |
    6 | f {x}[x]i
      |         ^
    hint: nothing may follow the default of a list of values

    error: unexpected `ii` after the default
     --> a.pcs:7:13
      |
    7 | g [0, 1] [0]ii
      |             ^^
    hint: `i` means whole numbers, `l` a logarithmic range, `il` both

    error: unexpected `linear` after the default
     --> a.pcs:8:14
      |
    8 | h [0, 1] [0] linear
      |              ^^^^^^
    hint: `i` means whole numbers, `l` a logarithmic range, `il` both

    error: a value of `i` is empty
     --> a.pcs:9:6
      |
    9 | i {x,,y} [x]
      |      ^
    hint: separate values with one comma

    error: `[` is missing from the definition of `j`
      --> a.pcs:10:2
       |
    10 | j
       |  ^
    hint: write `j {a, b} [a]` or `j [0, 1] [0.5]`

    error: expected the name of a parameter at the start of the line
      --> a.pcs:11:1
       |
    11 | [0, 1] [0]
       | ^^^^^^^^^^
    hint: write `name {a, b} [a]` or `name [0, 1] [0.5]`
    ");
    insta::assert_snapshot!(new("a categorical {x, y [x]\nb categorical {x, y}\nc real [0, 1] [0]i\nd real\ne\nf integer [0, 1] [0] log log\n"), @r"
    error: `}` is missing from the definition of `a`
     --> a.pcs:1:24
      |
    1 | a categorical {x, y [x]
      |                        ^
    hint: write `a categorical {a, b} [a]` or `a real [0, 1] [0.5]`

    error: `[` is missing from the definition of `b`
     --> a.pcs:2:21
      |
    2 | b categorical {x, y}
      |                     ^
    hint: write `b categorical {a, b} [a]` or `b real [0, 1] [0.5]`

    error: unexpected `i` after the default
     --> a.pcs:3:18
      |
    3 | c real [0, 1] [0]i
      |                  ^
    hint: only `log` is allowed here

    error: `[` is missing from the definition of `d`
     --> a.pcs:4:7
      |
    4 | d real
      |       ^
    hint: write `d categorical {a, b} [a]` or `d real [0, 1] [0.5]`

    error: `[` is missing from the definition of `e`
     --> a.pcs:5:2
      |
    5 | e
      |  ^
    hint: write `e categorical {a, b} [a]` or `e real [0, 1] [0.5]`

    error: unexpected `log log` after the default
     --> a.pcs:6:22
      |
    6 | f integer [0, 1] [0] log log
      |                      ^^^^^^^
    hint: only `log` is allowed here
    ");
}

#[test]
fn files_without_parameters() {
    insta::assert_snapshot!(old(""), @r"
    error: no parameters are defined
     --> a.pcs:1:1
      |
    1 | 
      | ^
    hint: check that this is the right file and format
    ");
    insta::assert_snapshot!(new("# only a comment\nConditionals:\n"), @r"
    error: no parameters are defined
     --> a.pcs:1:1
      |
    1 | # only a comment
      | ^
    hint: check that this is the right file and format
    ");
    insta::assert_snapshot!(read_bytes(b"a {x} [x]\nb {\xff} [x]\n", "a.pcs", Format::PcsOld).unwrap_err(), @r"
    error: the byte 0xff is not valid UTF-8
     --> a.pcs:2:4
      |
    2 | b {�} [x]
      |    ^
    hint: save the file as UTF-8
    ");
}

#[test]
fn long_words_are_shortened_in_messages() {
    let text = format!("a {{x}} [x] {}\na | {}", "y".repeat(500), "z".repeat(500));
    assert!(old(&text).lines().all(|line| line.chars().count() < 130));
}

//! Mistakes in irace's parameter files, shown all at once.

use space::format::{Format, read, read_bytes};

fn shown(text: &str) -> String {
    read(text, "parameters.txt", Format::Irace).expect_err("the text has mistakes").to_string()
}

#[test]
fn columns() {
    insta::assert_snapshot!(shown("a-b \"\" c (x)\nc --c c (x)\nd \"--d c (x)\ne \"\" x (1, 2)\nf \"\" c,log (x)\ng \"\" i, log (1, 2)\nh \"\" c\ni \"\" c x, y\nj \"\" c (x, y\nk \"\" c (x, \"y)\nl \"\" c (x,,y)\nm \"\" c (\"x\" \"y\", z)\nn \"\" c (x) y == 1\no \"\" c (x) |\np\nq \"\" c ()\n"), @r#"
    error: the name `a-b` may only contain letters, digits, `.` and `_`
     --> parameters.txt:1:2
      |
    1 | a-b "" c (x)
      |  ^^
    hint: write `name "switch" type (values)`

    error: the switch of `c` is not quoted
     --> parameters.txt:2:3
      |
    2 | c --c c (x)
      |   ^^^
    hint: write `"--name "`, or `""` if there is none

    error: the switch of `d` is not quoted
     --> parameters.txt:3:3
      |
    3 | d "--d c (x)
      |   ^^^^
    hint: write `"--name "`, or `""` if there is none

    error: unknown type `x` for `e`
     --> parameters.txt:4:6
      |
    4 | e "" x (1, 2)
      |      ^
    hint: c: categorical, o: ordinal, i: integer, r: real; i,log and r,log: logarithmic

    error: unknown type `c,log` for `f`
     --> parameters.txt:5:6
      |
    5 | f "" c,log (x)
      |      ^^^^^
    hint: c: categorical, o: ordinal, i: integer, r: real; i,log and r,log: logarithmic

    error: unknown type `i,` for `g`
     --> parameters.txt:6:6
      |
    6 | g "" i, log (1, 2)
      |      ^^
    hint: c: categorical, o: ordinal, i: integer, r: real; i,log and r,log: logarithmic

    error: `(` is missing from the definition of `h`
     --> parameters.txt:7:7
      |
    7 | h "" c
      |       ^
    hint: put the values in parentheses: `(a, b)` or `(0, 1)`

    error: `(` is missing from the definition of `i`
     --> parameters.txt:8:8
      |
    8 | i "" c x, y
      |        ^^^^
    hint: put the values in parentheses: `(a, b)` or `(0, 1)`

    error: `)` is missing from the definition of `j`
     --> parameters.txt:9:13
      |
    9 | j "" c (x, y
      |             ^
    hint: put the values in parentheses: `(a, b)` or `(0, 1)`

    error: `"` is missing from the definition of `k`
      --> parameters.txt:10:15
       |
    10 | k "" c (x, "y)
       |               ^
    hint: put the values in parentheses: `(a, b)` or `(0, 1)`

    error: a value of `l` is empty
      --> parameters.txt:11:11
       |
    11 | l "" c (x,,y)
       |           ^
    hint: write `""` for an empty value

    error: misplaced quotation mark in `"x" "y"`
      --> parameters.txt:12:9
       |
    12 | m "" c ("x" "y", z)
       |         ^^^^^^^
    hint: separate values with one comma

    error: unexpected `y == 1` after the values
      --> parameters.txt:13:12
       |
    13 | n "" c (x) y == 1
       |            ^^^^^^
    hint: a condition begins with `|`

    error: the condition is missing
      --> parameters.txt:14:12
       |
    14 | o "" c (x) |
       |            ^
    hint: remove the `|`

    error: the switch of `p` is not quoted
      --> parameters.txt:15:2
       |
    15 | p
       |  ^
    hint: write `"--name "`, or `""` if there is none

    error: `q` has no values
      --> parameters.txt:16:9
       |
    16 | q "" c ()
       |         ^
    "#);
}

#[test]
fn duplicate_names_and_values() {
    insta::assert_snapshot!(shown("a \"\" c (x, y)\nb \"\" i (1, 2)\na \"\" r (0, 1)\nc \"\" o (x, y, x)\n"), @r#"
    error: duplicate parameter `a`
     --> parameters.txt:3:1
      |
    3 | a "" r (0, 1)
      | ^
    hint: first defined on line 1

    error: duplicate value `x` for `c`
     --> parameters.txt:4:15
      |
    4 | c "" o (x, y, x)
      |               ^
    "#);
}

#[test]
fn ranges() {
    insta::assert_snapshot!(shown("a \"\" r,log (0, 1)\nb \"\" i (3, 1)\nc \"\" i (0.5, 2)\nd \"\" r (0)\ne \"\" i (1, 2, 3)\nf \"\" i (1, \"ff * 2\")\ng \"\" i (1, \"b +\")\nh \"\" i (1, sin(b))\n"), @r#"
    error: the logarithmic range of `a` starts at 0.0, which has no logarithm
     --> parameters.txt:1:13
      |
    1 | a "" r,log (0, 1)
      |             ^
    hint: start above zero, or make the range linear

    error: the upper bound 1.0 of `b` is below its lower bound 3.0
     --> parameters.txt:2:9
      |
    2 | b "" i (3, 1)
      |         ^^^^
    hint: put the lower bound first

    error: `0.5` is not a whole number
     --> parameters.txt:3:9
      |
    3 | c "" i (0.5, 2)
      |         ^^^
    hint: make `c` a float, or round its bounds

    error: the range of `d` needs two bounds
     --> parameters.txt:4:9
      |
    4 | d "" r (0)
      |         ^
    hint: write `(lowest, highest)`

    error: the range of `e` needs two bounds
     --> parameters.txt:5:9
      |
    5 | e "" i (1, 2, 3)
      |         ^^^^^^^
    hint: write `(lowest, highest)`

    error: unknown parameter `ff`
     --> parameters.txt:6:13
      |
    6 | f "" i (1, "ff * 2")
      |             ^^
    hint: did you mean `f`?

    error: the expression ends where a value was expected
     --> parameters.txt:7:16
      |
    7 | g "" i (1, "b +")
      |                ^

    error: unknown function `sin`
     --> parameters.txt:8:12
      |
    8 | h "" i (1, sin(b))
      |            ^^^
    hint: did you mean `min`?
    "#);
    insta::assert_snapshot!(shown("a \"\" i (0, 9)\nb \"\" i (10, \"a\")\n"), @r#"
    error: `b` has no valid value when the other parameters are at their defaults
     --> parameters.txt:2:1
      |
    2 | b "" i (10, "a")
      | ^
    hint: its bounds depend on other parameters: change a default or a bound
    "#);
}

#[test]
fn conditions() {
    let parameters = "mode \"\" c (sat, unsat)\nn \"\" i (0, 9)\n";
    insta::assert_snapshot!(shown(&format!("{parameters}a \"\" c (x) | mdoe == \"sat\"\nb \"\" c (x) | mode == \"sta\"\nc \"\" c (x) | mode %in% c(\"sat\", 3)\nd \"\" c (x) | mode < \"sat\"\ne \"\" c (x) | n >\nf \"\" c (x) | n\ng \"\" c (x) | is.na(n)\nh \"\" c (x) | mode == sat\ni \"\" c (x) | n = 3\n")), @r#"
    error: unknown parameter `mdoe`
     --> parameters.txt:3:14
      |
    3 | a "" c (x) | mdoe == "sat"
      |              ^^^^
    hint: did you mean `mode`?

    error: `sta` is not among the choices of `mode`
     --> parameters.txt:4:22
      |
    4 | b "" c (x) | mode == "sta"
      |                      ^^^^^
    hint: did you mean `sat`?

    error: `3` is not among the choices of `mode`
     --> parameters.txt:5:33
      |
    5 | c "" c (x) | mode %in% c("sat", 3)
      |                                 ^
    hint: the choices are sat, unsat

    error: the choices of `mode` have no order
     --> parameters.txt:6:21
      |
    6 | d "" c (x) | mode < "sat"
      |                     ^^^^^
    hint: use `==`, `!=` or `in`, or make it an ordinal parameter

    error: the expression ends where a value was expected
     --> parameters.txt:7:17
      |
    7 | e "" c (x) | n >
      |                 ^

    error: expected an expression that is true or false, found a value
     --> parameters.txt:8:14
      |
    8 | f "" c (x) | n
      |              ^
    hint: compare it with something, as in `a == 1`

    error: unknown function `is.na`
     --> parameters.txt:9:14
      |
    9 | g "" c (x) | is.na(n)
      |              ^^^^^

    error: unknown parameter `sat`
      --> parameters.txt:10:22
       |
    10 | h "" c (x) | mode == sat
       |                      ^^^
    hint: if you mean the choice, quote it: 'sat'

    error: unexpected character `=`
      --> parameters.txt:11:16
       |
    11 | i "" c (x) | n = 3
       |                ^
    "#);
    insta::assert_snapshot!(shown("a \"\" i (0, 9) | b > 1\nb \"\" i (0, \"a\")\n"), @r#"
    error: `a` depends on itself: a -> b -> a
     --> parameters.txt:1:17
      |
    1 | a "" i (0, 9) | b > 1
      |                 ^^^^^
    hint: a parameter's condition and bounds may only mention parameters that do not depend on it
    "#);
}

#[test]
fn sections() {
    let parameters = "mode \"\" c (sat, unsat)\nr \"\" r (0.001, 1)\n";
    insta::assert_snapshot!(shown(&format!("{parameters}[forbiden]\nmode == \"sat\"\n[forbidden]\nmode == \"sta\"\nr > x\n[global]\ndigit = 4\ndigits = many\ndigits\n")), @r#"
    error: unknown section `forbiden`
     --> parameters.txt:3:2
      |
    3 | [forbiden]
      |  ^^^^^^^^
    hint: did you mean `forbidden`?

    error: `sta` is not among the choices of `mode`
     --> parameters.txt:6:9
      |
    6 | mode == "sta"
      |         ^^^^^
    hint: did you mean `sat`?

    error: unknown parameter `x`
     --> parameters.txt:7:5
      |
    7 | r > x
      |     ^

    error: unknown setting `digit`
     --> parameters.txt:9:1
      |
    9 | digit = 4
      | ^^^^^
    hint: the only setting is `digits`

    error: `many` is not a number of digits
      --> parameters.txt:10:10
       |
    10 | digits = many
       |          ^^^^
    hint: write `digits = 4`

    error: `` is not a number of digits
      --> parameters.txt:11:7
       |
    11 | digits
       |       ^
    hint: write `digits = 4`
    "#);
    insta::assert_snapshot!(shown(&format!("{parameters}[forbidden]\nr >= 0 & r < 2\n")), @r"
    error: the default configuration is forbidden by this clause
     --> parameters.txt:4:1
      |
    4 | r >= 0 & r < 2
      | ^^^^^^^^^^^^^^
    hint: change a default or the clause
    ");
    insta::assert_snapshot!(shown(&format!("{parameters}[global]\ndigits = 2\n")), @r#"
    error: the bound `0.001` has more than 2 decimals
     --> parameters.txt:2:9
      |
    2 | r "" r (0.001, 1)
      |         ^^^^^
    hint: round it, or set `digits = 3`
    "#);
}

#[test]
fn files_without_parameters() {
    insta::assert_snapshot!(shown(""), @r"
    error: no parameters are defined
     --> parameters.txt:1:1
      |
    1 | 
      | ^
    hint: check that this is the right file and format
    ");
    insta::assert_snapshot!(shown("[forbidden]\n# none\n"), @r"
    error: no parameters are defined
     --> parameters.txt:1:1
      |
    1 | [forbidden]
      | ^
    hint: check that this is the right file and format
    ");
    insta::assert_snapshot!(read_bytes(b"\xff\xfea\0", "parameters.txt", Format::Irace).unwrap_err(), @r"
    error: the byte 0xff is not valid UTF-8
     --> parameters.txt:1:1
      |
    1 | ��a
      | ^
    hint: it looks like UTF-16; save it as UTF-8
    ");
}

//! Mistakes in the conditions and clauses of PCS files, shown all at once.

use space::format::{Format, read};

fn old(text: &str) -> String {
    read(text, "a.pcs", Format::PcsOld).expect_err("the text has mistakes").to_string()
}

fn new(text: &str) -> String {
    read(text, "a.pcs", Format::PcsNew).expect_err("the text has mistakes").to_string()
}

#[test]
fn conditions() {
    let parameters = "mode {sat, unsat} [sat]\nn [0, 9] [1]i\nx {1} [1]\n";
    insta::assert_snapshot!(old(&format!("{parameters}x | mdoe in {{sat}}\ny | mode in {{sat}}\nx | mode in {{sta}}\nx | mode == sat\nx | mode in {{sat}} || n in {{1}}\nx | mode in sat\nx | mode in {{sat,}}\nx | mode\nx |\nx | mode in {{sat}} n in {{1}}\nx | (mode in {{sat}})\n")), @r"
    error: unknown parameter `mdoe`
     --> a.pcs:4:5
      |
    4 | x | mdoe in {sat}
      |     ^^^^
    hint: did you mean `mode`?

    error: unknown parameter `y`
     --> a.pcs:5:1
      |
    5 | y | mode in {sat}
      | ^

    error: `sta` is not among the choices of `mode`
     --> a.pcs:6:14
      |
    6 | x | mode in {sta}
      |              ^^^
    hint: did you mean `sat`?

    error: `==` is not part of the old PCS format
     --> a.pcs:7:10
      |
    7 | x | mode == sat
      |          ^^
    hint: it only allows `parent in {a, b}`, joined by `&&`; the new format allows more

    error: `||` is not part of the old PCS format
     --> a.pcs:8:19
      |
    8 | x | mode in {sat} || n in {1}
      |                   ^^
    hint: it only allows `parent in {a, b}`, joined by `&&`; the new format allows more

    error: unexpected `sat` where a list of values in braces was expected
     --> a.pcs:9:13
      |
    9 | x | mode in sat
      |             ^^^
    hint: write `child | parent in {a, b}`

    error: a value is missing from the list
      --> a.pcs:10:14
       |
    10 | x | mode in {sat,}
       |              ^^^^
    hint: separate values with one comma

    error: the condition ends where `in` was expected
      --> a.pcs:11:9
       |
    11 | x | mode
       |         ^
    hint: write `child | parent in {a, b}`

    error: the condition ends where the name of a parameter was expected
      --> a.pcs:12:4
       |
    12 | x |
       |    ^
    hint: write `child | parent in {a, b}`

    error: unexpected `n` where `&&` or the end was expected
      --> a.pcs:13:19
       |
    13 | x | mode in {sat} n in {1}
       |                   ^
    hint: write `child | parent in {a, b}`

    error: `(` is not part of the old PCS format
      --> a.pcs:14:5
       |
    14 | x | (mode in {sat})
       |     ^
    hint: it only allows `parent in {a, b}`, joined by `&&`; the new format allows more
    ");
    let parameters = "mode categorical {sat, unsat} [sat]\nn integer [0, 9] [1]\nx categorical {1} [1]\n";
    insta::assert_snapshot!(new(&format!("{parameters}x | mdoe == sat\nx | mode == sta && m == 3\nx | mode < sat\nx | n == many\nx | mode ==\nx | (mode == sat\nx | mode == sat)\nx | == sat\nx | mode ~ sat\nx | n > 1 && || n < 3\n")), @r"
    error: unknown parameter `mdoe`
     --> a.pcs:4:5
      |
    4 | x | mdoe == sat
      |     ^^^^
    hint: did you mean `mode`?

    error: `sta` is not among the choices of `mode`
     --> a.pcs:5:13
      |
    5 | x | mode == sta && m == 3
      |             ^^^
    hint: did you mean `sat`?

    error: the choices of `mode` have no order
     --> a.pcs:6:12
      |
    6 | x | mode < sat
      |            ^^^
    hint: use `==`, `!=` or `in`, or make it an ordinal parameter

    error: `many` is not a number
     --> a.pcs:7:10
      |
    7 | x | n == many
      |          ^^^^

    error: the condition ends where a value was expected
     --> a.pcs:8:12
      |
    8 | x | mode ==
      |            ^
    hint: write `child | parent == a && other in {b, c}`

    error: the condition ends where `)` was expected
     --> a.pcs:9:17
      |
    9 | x | (mode == sat
      |                 ^
    hint: write `child | parent == a && other in {b, c}`

    error: `sat)` is not among the choices of `mode`
      --> a.pcs:10:13
       |
    10 | x | mode == sat)
       |             ^^^^
    hint: did you mean `sat`?

    error: unexpected `==` where the name of a parameter was expected
      --> a.pcs:11:5
       |
    11 | x | == sat
       |     ^^
    hint: write `child | parent == a && other in {b, c}`

    error: unexpected `~` where a comparison or `in` was expected
      --> a.pcs:12:10
       |
    12 | x | mode ~ sat
       |          ^
    hint: write `child | parent == a && other in {b, c}`

    error: unexpected `||` where the name of a parameter was expected
      --> a.pcs:13:14
       |
    13 | x | n > 1 && || n < 3
       |              ^^
    hint: write `child | parent == a && other in {b, c}`
    ");
    assert!(new(&format!("{parameters}x | {}n == 1", "(".repeat(100_000))).contains("levels of nesting"));
}

#[test]
fn cycles() {
    insta::assert_snapshot!(old("a {x} [x]\nb {x} [x]\nc {x} [x]\nd {x} [x]\na | b in {x}\nb | c in {x}\nc | a in {x}\nd | d in {x}\n"), @r"
    error: `a` depends on itself: a -> b -> c -> a
     --> a.pcs:5:5
      |
    5 | a | b in {x}
      |     ^^^^^^^
    hint: a parameter's condition and bounds may only mention parameters that do not depend on it

    error: `d` depends on itself: d -> d
     --> a.pcs:8:5
      |
    8 | d | d in {x}
      |     ^^^^^^^
    hint: a parameter's condition and bounds may only mention parameters that do not depend on it
    ");
}

#[test]
fn forbidden_clauses() {
    let parameters = "mode {sat, unsat} [sat]\nn [0, 9] [1]i\n";
    insta::assert_snapshot!(old(&format!("{parameters}{{mode=sta}}\n{{mdoe=sat, n=1}}\n{{n=x}}\n{{mode=sat, n=1\n{{mode=sat}} n\n{{}}\n{{mode}}\n{{n > 3}}\n{{mode=sat,}}\n")), @r"
    error: `sta` is not among the choices of `mode`
     --> a.pcs:3:7
      |
    3 | {mode=sta}
      |       ^^^
    hint: did you mean `sat`?

    error: unknown parameter `mdoe`
     --> a.pcs:4:2
      |
    4 | {mdoe=sat, n=1}
      |  ^^^^
    hint: did you mean `mode`?

    error: `x` is not a number
     --> a.pcs:5:4
      |
    5 | {n=x}
      |    ^

    error: `}` is missing after the forbidden clause
     --> a.pcs:6:1
      |
    6 | {mode=sat, n=1
      | ^^^^^^^^^^^^^^
    hint: write `{a=1, b=2}`

    error: unexpected `n` after the clause
     --> a.pcs:7:12
      |
    7 | {mode=sat} n
      |            ^
    hint: put each forbidden clause on its own line

    error: the forbidden clause is empty
     --> a.pcs:8:1
      |
    8 | {}
      | ^^
    hint: write `{a=1, b=2}`

    error: `mode` is not a list of `name=value` pairs
     --> a.pcs:9:2
      |
    9 | {mode}
      |  ^^^^
    hint: other expressions need the new PCS format

    error: `n > 3` is not a list of `name=value` pairs
      --> a.pcs:10:2
       |
    10 | {n > 3}
       |  ^^^^^
    hint: other expressions need the new PCS format

    error: `mode=sat,` is not a list of `name=value` pairs
      --> a.pcs:11:2
       |
    11 | {mode=sat,}
       |  ^^^^^^^^^
    hint: other expressions need the new PCS format
    ");
    insta::assert_snapshot!(old(&format!("{parameters}{{mode=sat, n=1}}\n")), @r"
    error: the default configuration is forbidden by this clause
     --> a.pcs:3:2
      |
    3 | {mode=sat, n=1}
      |  ^^^^^^^^^^^^^
    hint: change a default or the clause
    ");
    let parameters = "mode categorical {sat, unsat} [sat]\nn integer [0, 9] [1]\n";
    insta::assert_snapshot!(new(&format!("{parameters}{{mode == sta && n > 3}}\n{{m * n > 3}}\n{{n > }}\n{{sin(n) > 0.5}}\n{{mode + 1 > 2}}\n{{n}}\n{{n > 3, mode = sat}}\n{{n > 0 && mode == sat}}\n{{1 < 2}}\n")), @r"
    error: `sta` is not among the choices of `mode`
     --> a.pcs:3:10
      |
    3 | {mode == sta && n > 3}
      |          ^^^
    hint: did you mean `sat`?

    error: unknown parameter `m`
     --> a.pcs:4:2
      |
    4 | {m * n > 3}
      |  ^

    error: the expression ends where a value was expected
     --> a.pcs:5:5
      |
    5 | {n > }
      |     ^

    error: unknown function `sin`
     --> a.pcs:6:2
      |
    6 | {sin(n) > 0.5}
      |  ^^^
    hint: did you mean `min`?

    error: not all choices of `mode` are numbers
     --> a.pcs:7:2
      |
    7 | {mode + 1 > 2}
      |  ^^^^

    error: expected an expression that is true or false, found a value
     --> a.pcs:8:2
      |
    8 | {n}
      |  ^
    hint: compare it with something, as in `a == 1`

    error: unexpected `,` where an operator or the end was expected
     --> a.pcs:9:7
      |
    9 | {n > 3, mode = sat}
      |       ^

    error: the forbidden clause mentions no parameter
      --> a.pcs:11:2
       |
    11 | {1 < 2}
       |  ^^^^^
    ");
    insta::assert_snapshot!(new(&format!("{parameters}{{n > 0 && mode == sat}}\n")), @r"
    error: the default configuration is forbidden by this clause
     --> a.pcs:3:2
      |
    3 | {n > 0 && mode == sat}
      |  ^^^^^^^^^^^^^^^^^^^^
    hint: change a default or the clause
    ");
}

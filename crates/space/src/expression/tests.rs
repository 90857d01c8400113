//! Parsing, evaluating and writing expressions over one small space.

use super::super::{Literal, ParameterDefinition as P, Space, SpaceBuilder};
use super::{Formula, Notation};

fn builder() -> SpaceBuilder {
    let mut b = SpaceBuilder::default();
    b.parameter(P::categorical("mode", ["sat", "unsat", "it's"]))
        .parameter(P::categorical("n", ["1", "2", "10"]))
        .parameter(P::ordinal("level", ["low", "mid", "high"]))
        .parameter(P::boolean("fast"))
        .parameter(P::integer("i", 0, 100).default(7))
        .parameter(P::float("sp-freq", -5.0, 5.0).default(2.5))
        .parameter(P::float("sp", 0.0, 1.0).default(0.25))
        .parameter(P::integer("child", 0, 1))
        .when("child", "mode == 'unsat'")
        .parameter(P::categorical("twin", ["unsat", "sat"]));
    b
}

fn space_with(expression: &str) -> Space {
    let mut b = builder();
    // The clause under test is wrapped in one that never holds, so that every default is allowed.
    b.parameter(P::boolean("off"));
    b.forbid(format!("off && ({expression})").as_str());
    b.finish().unwrap_or_else(|e| panic!("{expression}: {e}"))
}

/// Returns whether an expression holds at the defaults (mode = sat, child inactive). Also checks that
/// it survives writing and reading.
fn holds(expression: &str) -> bool {
    let space = space_with(expression);
    let Formula::All(parts) = &space.forbidden()[0] else { panic!("{expression}") };
    let text = Notation::captune(&space).formula(&space.forbidden()[0]);
    let again = {
        let mut b = builder();
        b.parameter(P::boolean("off"));
        b.forbid(text.as_str());
        b.finish().unwrap_or_else(|e| panic!("{text}: {e}"))
    };
    assert_eq!(again.forbidden(), space.forbidden(), "{expression} was written as {text}");
    Formula::all(parts[1..].iter().cloned()).holds(space.default_configuration().codes())
}

#[test]
fn expressions_evaluate_correctly() {
    for expression in [
        "mode == 'sat'",
        "mode != \"unsat\"",
        "mode in {'sat', 'unsat'}",
        "!(mode in ['unsat'])",
        "mode != 'it\\'s'",
        "'sat' == mode",
        "n == 1 && n < 2 && n + 1 == 2",
        "level < 'mid' && level <= 'low' && 'high' > level",
        "!fast && fast == false && fast != true",
        "i in {7, 8} && i != 8",
        "i * 2 + 1 == 15 && i - 1 - 1 == 5 && -i == -7 && i % 4 == 3 && -i % 4 == 1",
        "2 ^ 3 ^ 2 == 512 && -2 ^ 2 == -4 && 2 ^ -1 == 0.5 && (i + 1) * 2 == 16 && 12 / 2 / 3 == 2",
        "min(i, 3, 9) == 3 && max(i, 3) == 7 && abs(-i) == 7 && floor(2.9) == 2 && ceil(2.1) == 3",
        "log(exp(1)) == 1 && sqrt(49) == i && log2(8) == 3 && log10(1000) == 3 && round(2.5) == 3",
        "trunc(-2.5) == -2 && round_even(2.5) == 2 && round_even(3.5) == 4",
        "sp-freq == 2.5 && `sp-freq` > 2 && sp - i < 0 && sp -i == -6.75",
        "mode == twin || mode != twin",
        "1 < 2 || i == 0",
        "i == 0 || (i == 7 && (mode == 'sat' || false))",
        "1e-3 < .5 && i>=7&&i<=7",
    ] {
        assert!(holds(expression), "{expression}");
        assert!(!holds(&format!("!({expression})")), "{expression}");
    }
}

#[test]
fn expressions_with_an_inactive_parameter_are_unknown() {
    for unknown in ["child == 0", "child != 0", "!(child == 0)", "child + i > 0", "child ^ 0 == 1"] {
        assert!(!holds(unknown) && !holds(&format!("!({unknown})")), "{unknown}");
    }
    assert!(holds("child == 0 || i == 7"));
    assert!(holds("!(child == 0 && i == 8)"));
    assert!(!holds("log(-1) < 0 || log(-1) >= 0"));
}

fn mistakes(expressions: &[&str]) -> String {
    let show = |expression: &&str| {
        let mut b = builder();
        b.forbid(*expression);
        let error = b.finish().expect_err(expression);
        let list = error.list().iter();
        let lines = list.map(|d| {
            format!("  {}{}", d.message, d.hint.as_ref().map_or(String::new(), |h| format!(" [{h}]")))
        });
        format!("{expression}\n{}", lines.collect::<Vec<_>>().join("\n"))
    };
    expressions.iter().map(show).collect::<Vec<_>>().join("\n")
}

#[test]
fn mistakes_are_explained() {
    insta::assert_snapshot!(mistakes(&[
        "mod == 'sat'",
        "mode == 'sta'",
        "mode == sat",
        "mode in {sat}",
        "mode < 'sat'",
        "level > 'highest'",
        "mode + 1 > 2",
        "i",
        "i == 'x'",
        "i & 2",
        "1 < i < 3",
        "i ==",
        "(i == 1",
        "mode in 'sat'",
        "mode == 'sat",
        "sqr(i) == 2",
        "abs(i, 2) == 2",
        "1 < 2",
        "i == 1 i == 2",
        "1.2.3 < i",
        "(i > 1) + 1 == 2",
    ]), @r"
    mod == 'sat'
      unknown parameter `mod` [did you mean `mode`?]
    mode == 'sta'
      `sta` is not among the choices of `mode` [did you mean `sat`?]
    mode == sat
      unknown parameter `sat` [if you mean the choice, quote it: 'sat']
    mode in {sat}
      `sat` in a set must be quoted [if you mean the choice, quote it: 'sat']
    mode < 'sat'
      the choices of `mode` have no order [use `==`, `!=` or `in`, or make it an ordinal parameter]
    level > 'highest'
      `highest` is not among the choices of `level` [the choices are low, mid, high]
    mode + 1 > 2
      not all choices of `mode` are numbers
    i
      expected an expression that is true or false, found a value [compare it with something, as in `a == 1`]
    i == 'x'
      `x` is not a number
    i & 2
      unexpected character `&`
    1 < i < 3
      comparisons cannot be chained [write `a < b && b < c`]
    i ==
      the expression ends where a value was expected
    (i == 1
      the expression ends where `)` was expected
    mode in 'sat'
      unexpected `sat` where `{` and a list of values was expected [write `mode in {'a', 'b'}`]
    mode == 'sat
      unclosed quotation mark `'`
    sqr(i) == 2
      unknown function `sqr` [did you mean `sqrt`?]
    abs(i, 2) == 2
      `abs` takes one argument, not 2
    1 < 2
      the forbidden clause mentions no parameter
    i == 1 i == 2
      unexpected `i` where an operator or the end was expected
    1.2.3 < i
      `1.2.3` is not a number
    (i > 1) + 1 == 2
      expected a number, found an expression that is true or false
    ");
}

#[test]
fn nesting_is_bounded() {
    for text in [
        format!("{}i == 1{}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("{}fast", "!".repeat(10_000)),
        format!("i{} == 1", " + 1".repeat(10_000)),
        format!("{}i == 1", "-".repeat(10_000)),
        format!("{}i{} == 1", "(".repeat(60), " + 1 + 1 + 1 + 1 + 1 + 1)".repeat(60)),
    ] {
        let mut b = builder();
        b.forbid(text.as_str());
        assert!(b.finish().is_err());
    }
    let mut b = builder();
    let long = vec!["i == 200"; 10_000].join(" || ");
    b.forbid(long.as_str());
    assert!(b.finish().is_ok());
}

#[test]
fn the_dialects_of_the_formats_are_read() {
    use super::{Dialect, ExprKind, parse};
    let none = |_: &str| false;
    let r = parse("mode %in% c(\"x1\", 2) & !(real <= 3.5) | a %% 2 == 1", Dialect::R, &none).unwrap();
    assert!(matches!(&r.kind, ExprKind::Any(parts) if parts.len() == 2));
    let pcs = parse("del-cfl in {x, +, a b} && other = 3", Dialect::Pcs, &|name| name == "del-cfl").unwrap();
    let ExprKind::All(parts) = pcs.kind else { panic!() };
    let ExprKind::In(_, values) = &parts[0].kind else { panic!() };
    let texts: Vec<_> = values
        .iter()
        .map(|v| match &v.kind {
            ExprKind::Literal(Literal::Text(t)) => t.as_str(),
            _ => "",
        })
        .collect();
    assert_eq!(texts, ["x", "+", "a b"]);
    assert!(matches!(parts[1].kind, ExprKind::Compare(..)));
}

//! Reading and writing every construct of the PCS and irace formats, and what their writers reject.

use math::Rng;
use space::format::{Format, read, write};
use space::{Kind, Space};

fn parsed(text: &str, format: Format) -> Space {
    read(text, "file", format).unwrap_or_else(|e| panic!("{e}"))
}

/// Reads text, writes it again and asserts that the result reads back as the same space.
fn rewritten(text: &str, format: Format) -> String {
    let space = parsed(text, format);
    let again = write(&space, format).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parsed(&again, format), space, "{again}");
    let toml = write(&space, Format::Toml).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parsed(&toml, Format::Toml), space, "{toml}");
    again
}

pub(super) const OLD: &str = "\
# a comment alone
Forbidden:
{@1:S:del = no,\t@1:0:x=+}
@1:S:del{yes,no}[no] # switches deletion  # on
@1:0:x\t{ +, x , two words }\t[ x ]\r
  runs [1, 1e3] [32]il
size[2,20][8] l i
ratio [-.5,0.5] [0]
decay [1e-7, 1E-3] [1e-5]l
count [0, 5] [5]i#

Conditionals:
runs | @1:S:del in {no}
size|@1:S:del in {yes,no} && @1:0:x in{x, two words}
size | ratio in {0}
conditionals:
";

#[test]
fn old_pcs() {
    insta::assert_snapshot!(write(&parsed(OLD, Format::PcsOld), Format::Toml).unwrap(), @r#"
    "@1:S:del" = { choices = ["yes", "no"], default = "no", note = "switches deletion  # on" }
    "@1:0:x" = { choices = ["+", "x", "two words"], default = "x" }
    runs = { integer = [1, 1000], log = true, default = 32, when = "`@1:S:del` == 'no'" }
    size = { integer = [2, 20], log = true, default = 8, when = "`@1:S:del` in {'yes', 'no'} && `@1:0:x` in {'x', 'two words'} && ratio == 0" }
    ratio = { float = [-0.5, 0.5], default = 0.0 }
    decay = { float = [1e-7, 0.001], log = true, default = 1e-5 }
    count = { integer = [0, 5], default = 5 }

    forbidden = [
      "`@1:S:del` == 'no' && `@1:0:x` == '+'",
    ]
    "#);
    // The new format allows conditions on numbers; the old one does not.
    let plain = OLD.replace("size | ratio in {0}\n", "");
    insta::assert_snapshot!(rewritten(&plain, Format::PcsOld), @r"
    @1:S:del {yes, no} [no] # switches deletion  # on
    @1:0:x {+, x, two words} [x]
    runs [1, 1000] [32]il
    size [2, 20] [8]il
    ratio [-0.5, 0.5] [0]
    decay [1e-7, 0.001] [1e-5]l
    count [0, 5] [5]i

    Conditionals:
    runs | @1:S:del in {no}
    size | @1:S:del in {yes, no}
    size | @1:0:x in {x, two words}

    Forbidden:
    {@1:S:del = no, @1:0:x = +}
    ");
    assert_eq!(parsed(OLD, Format::PcsNew), parsed(OLD, Format::PcsOld));
    assert!(write(&parsed(OLD, Format::PcsOld), Format::PcsOld).is_err());
}

pub(super) const NEW: &str = "\
mode categorical {sat, unsat, QUICK_ONE} [sat]   # how
level  ordinal{low,mid,high}[mid]
steps ordinal {1, 2.5, 10} [2.5]
runs integer [1, 32] [4] log
ratio real [0.0, 1.0] [0.5]
power real [1e-7, 1] [0.001]log
old {a, b} [b]
older [1, 9] [3]i

runs | mode == unsat && level > low || ratio<0.2&&steps in {1, 10}
ratio | mode != QUICK_ONE
power | (level == mid || level == high) && runs > 3
old | runs in {1, 2, 4}
older | old in {a}
older | mode in {unsat}
{mode=unsat, level=high}
{runs = 3, ratio = 0.25}
{runs * ratio > 10 && mode == unsat}
{level >= mid && abs(runs - 4) + sqrt(ratio ^ 2) <= -log10(power) % 3 || ceil(older) == floor(2.5)}
{steps > runs && old == a}
";

#[test]
fn new_pcs() {
    insta::assert_snapshot!(write(&parsed(NEW, Format::PcsNew), Format::Toml).unwrap(), @r#"
    mode = { choices = ["sat", "unsat", "QUICK_ONE"], default = "sat", note = "how" }
    level = { ordinal = ["low", "mid", "high"], default = "mid" }
    steps = { ordinal = ["1", "2.5", "10"], default = "2.5" }
    runs = { integer = [1, 32], log = true, default = 4, when = "mode == 'unsat' && level > 'low' || ratio < 0.2 && steps in {'1', '10'}" }
    ratio = { float = [0.0, 1.0], default = 0.5, when = "mode != 'QUICK_ONE'" }
    power = { float = [1e-7, 1.0], log = true, default = 0.001, when = "(level == 'mid' || level == 'high') && runs > 3" }
    old = { choices = ["a", "b"], default = "b", when = "runs in {1, 2, 4}" }
    older = { integer = [1, 9], default = 3, when = "old == 'a' && mode == 'unsat'" }

    forbidden = [
      "mode == 'unsat' && level == 'high'",
      "runs == 3 && ratio == 0.25",
      "runs * ratio > 10 && mode == 'unsat'",
      "level >= 'mid' && abs(runs - 4) + sqrt(ratio ^ 2) <= -log10(power) % 3 || ceiling(older) == floor(2.5)",
      "steps > runs && old == 'a'",
    ]
    "#);
    let without_groups =
        NEW.replace("(level == mid || level == high) && runs > 3", "level == mid && runs > 3");
    insta::assert_snapshot!(rewritten(&without_groups, Format::PcsNew), @r"
    mode categorical {sat, unsat, QUICK_ONE} [sat] # how
    level ordinal {low, mid, high} [mid]
    steps ordinal {1, 2.5, 10} [2.5]
    runs integer [1, 32] [4] log
    ratio real [0, 1] [0.5]
    power real [1e-7, 1] [0.001] log
    old categorical {a, b} [b]
    older integer [1, 9] [3]

    runs | mode == unsat && level > low || ratio < 0.2 && steps in {1, 10}
    ratio | mode != QUICK_ONE
    power | level == mid && runs > 3
    old | runs in {1, 2, 4}
    older | old == a && mode == unsat

    {mode = unsat, level = high}
    {runs = 3, ratio = 0.25}
    {runs * ratio > 10 && mode == unsat}
    {level >= mid && abs(runs - 4) + sqrt(ratio ^ 2) <= -log10(power) % 3 || ceil(older) == floor(2.5)}
    {steps > runs && old == a}
    ");
    insta::assert_snapshot!(write(&parsed(NEW, Format::PcsNew), Format::PcsNew).unwrap_err(), @"the format pcs-new cannot express conditions (`power | (level == 'mid' || level == 'high') && runs > 3`)");
}

#[test]
fn values_may_look_like_operators() {
    let text = "a-b {<, >=, -1, a&b, f(x), a|b} [<]\nno! {x} [x]\nc {1} [1]\n\
        c | a-b in {a|b, f(x)} && no! in {x}\n{a-b=-1, no!=x}\n";
    insta::assert_snapshot!(rewritten(text, Format::PcsOld), @r"
    a-b {<, >=, -1, a&b, f(x), a|b} [<]
    no! {x} [x]
    c {1} [1]

    Conditionals:
    c | a-b in {f(x), a|b}
    c | no! in {x}

    Forbidden:
    {a-b = -1, no! = x}
    ");
    let text = "a-b categorical {<, >=, -1, a&b, f(x)} [<]\nb! categorical {x} [x]\nc categorical {1, 2} [1]\n\
        c | a-b != >= && b!==x || a-b == f(x)\nb! | (a-b == <)\n{a-b=<, c=2}\n";
    insta::assert_snapshot!(rewritten(text, Format::PcsNew), @r"
    a-b categorical {<, >=, -1, a&b, f(x)} [<]
    b! categorical {x} [x]
    c categorical {1, 2} [1]

    b! | a-b == <
    c | a-b != >= && b! == x || a-b == f(x)

    {a-b = <, c = 2}
    ");
}

pub(super) const IRACE: &str = "\
### header
algorithm  \"--\"          c      (as,mmas, \"e, as\", \"\")   # which one
# gone     \"--gone \"     c      (1, 2)
ants       \"--ants \"     i,log  (5, 100)                  | algorithm != \"as\" & algorithm %in% c(\"mmas\", \"\")
local.search \"\"          c      (0, 1 ,2)
rho        \"--rho=  \"    r      (0.01, 1.00)              | local.search %in% c(1,2) | !(ants > 10)
decay      \"-d\"          r,log  (1e-4, 1)
level      \"--level \"    o      (low, \"very low\", high) |rho<0.5&&decay >= 0.1 || algorithm == 'as'
rank       \"--rank \"     i(1, \"min(ants, 10) + rank2 %% 3 * 2\")
rank2      \"--rank2 \"    i      (rho * 2, round(10.5))
only       \"--only\"      c      (x)

[forbidden]
rho == 0.01 & ants < 10
(decay > 0.5 | level == \"high\") & algorithm == \"mmas\"

[global]
digits = 4
";

#[test]
fn irace() {
    insta::assert_snapshot!(write(&parsed(IRACE, Format::Irace), Format::Toml).unwrap(), @r#"
    algorithm = { choices = ["as", "mmas", "e, as", ""], switch = "--", note = "which one" }
    ants = { integer = [5, 100], log = true, when = "algorithm != 'as' && algorithm in {'mmas', ''}", switch = "--ants " }
    "local.search" = { choices = ["0", "1", "2"], switch = "" }
    rho = { float = [0.01, 1.0], step = 0.0001, when = "`local.search` in {'1', '2'} || !(ants > 10)", switch = "--rho=  " }
    decay = { float = [0.0001, 1.0], log = true, step = 0.0001, switch = "-d" }
    level = { ordinal = ["low", "very low", "high"], when = "rho < 0.5 && decay >= 0.1 || algorithm == 'as'", switch = "--level " }
    rank = { integer = [1, "min(ants, 10) + rank2 % 3 * 2"], switch = "--rank " }
    rank2 = { integer = ["rho * 2", "round_even(10.5)"], switch = "--rank2 " }
    only = { choices = ["x"], switch = "--only" }

    forbidden = [
      "rho == 0.01 && ants < 10",
      "(decay > 0.5 || level == 'high') && algorithm == 'mmas'",
    ]
    "#);
    insta::assert_snapshot!(rewritten(IRACE, Format::Irace), @r#"
    algorithm "--" c ("as", "mmas", "e, as", "") # which one
    ants "--ants " i,log (5, 100) | algorithm != "as" & algorithm %in% c("mmas", "")
    local.search "" c ("0", "1", "2")
    rho "--rho=  " r (0.01, 1) | local.search %in% c("1", "2") | !(ants > 10)
    decay "-d" r,log (0.0001, 1)
    level "--level " o ("low", "very low", "high") | rho < 0.5 & decay >= 0.1 | algorithm == "as"
    rank "--rank " i (1, "min(ants, 10) + rank2 %% 3 * 2")
    rank2 "--rank2 " i ("rho * 2", "round(10.5)")
    only "--only" c ("x")

    [forbidden]
    rho == 0.01 & ants < 10
    (decay > 0.5 | level == "high") & algorithm == "mmas"

    [global]
    digits = 4
    "#);
}

#[test]
fn irace_digits_become_steps() {
    let text = |digits: &str| format!("a \"\" r (0, 1)\nb \"\" i (0, 9)\n{digits}");
    let step = |digits: &str| parsed(&text(digits), Format::Irace).parameters()[0].range().unwrap().step();
    assert_eq!(step(""), None);
    assert_eq!(step("[global]\ndigits = 2\n"), Some(0.01));
    assert_eq!(step("[global]\ndigits = 15\n"), None);
    // The writer adds the largest number of digits that irace allows; otherwise irace would round to four.
    let written = rewritten(&text(""), Format::Irace);
    assert!(written.contains("digits = 15"), "{written}");
}

#[test]
fn in_r_the_remainder_binds_tighter_and_round_goes_to_even() {
    let text = "a \"\" i (0, 9)\nb \"\" i (0, 1) | a * 7 %% 4 == 3\nc \"\" i (0, 1) | round(a / 2) == 2\n";
    let space = parsed(text, Format::Irace);
    let active = |a: i64, name: &str| {
        let id = space.find(name).unwrap();
        let mut codes = vec![a as f64, 0.0, 0.0];
        codes[id.index()] = f64::NAN;
        space.condition(id).unwrap().holds(&codes)
    };
    assert!(active(1, "b") && !active(5, "b"));
    assert!(active(4, "c") && active(5, "c") && active(3, "c") && !active(6, "c"));
    rewritten(text, Format::Irace);
    let toml = "a = { integer = [0, 9], switch = \"\" }\nb = { boolean = false, switch = \"\", when = \"a * 7 % 4 == 3\" }\n";
    let written = write(&parsed(toml, Format::Toml), Format::Irace).unwrap();
    assert!(written.contains("| (a * 7) %% 4 == 3"), "{written}");
}

/// irace has no defaults, so its clauses may forbid the first choices and the midpoints of ranges.
#[test]
fn an_allowed_default_is_found_if_none_is_given() {
    let text = "a \"\" c (x, y)\nb \"\" i (0, 8)\nc \"\" i (7, \"b\")\n[forbidden]\na == \"x\" & b < 8\n";
    let space = parsed(text, Format::Irace);
    space.check(space.default_configuration().codes()).unwrap();
    let again = parsed(&write(&space, Format::Toml).unwrap(), Format::Toml);
    assert_eq!(again.default_configuration().to_string(), space.default_configuration().to_string());
    assert_eq!(again, space);
    assert_eq!(parsed(&write(&space, Format::Irace).unwrap(), Format::Irace), space);
    // A given default that is forbidden is an error.
    assert!(read("a {x, y} [x]\nb {1} [1]\n{a=x}\n", "file", Format::PcsOld).is_err());
}

/// A space with every feature that at least one format cannot express.
const RICH: &str = r##"
"my mode" = { choices = ["a", "b c"], weights = [1, 2], note = "one\ntwo" }
level     = { ordinal = ["low", "high"], switch = "--level \"x\"" }
runs      = { integer = [0, 100], step = 5, fixed = 10 }
ratio     = { float = [0, 1], step = 0.3, default = 0.3 }
late      = { integer = [1, "runs ^ 2 + 1"], when = "level >= 'high' && !(`my mode` == 'a' || ratio > 0.5)" }
odd       = { choices = ["x", "y,z", "#"], default = "x" }
many      = { integer = [1, 1], when = "odd in {'x', 'y,z'} || level == 'low'" }
forbidden = ["max(runs, ratio) > 3 && odd != 'x'", "odd in {'y,z', '#'} && level == 'high'"]
"##;

#[test]
fn a_writer_lists_everything_it_cannot_express() {
    let space = parsed(RICH, Format::Toml);
    let rejected = |format| write(&space, format).unwrap_err().what.join("\n");
    insta::assert_snapshot!(rejected(Format::PcsOld), @r"
    names with spaces, brackets, quotes, `,` `|` `=` `#` or the like (`my mode`)
    notes with several lines (`my mode`)
    weights (`my mode`)
    the order of ordinal values (`level`)
    switches (`level`)
    fixed values (`runs`)
    steps (`runs`, `ratio`)
    bounds that depend on other parameters (`late`)
    values with spaces, brackets, `,` `#` or the like (`odd`)
    conditions (`late | level >= 'high' && !(`my mode` == 'a' || ratio > 0.5)`, `many | odd in {'x', 'y,z'} || level == 'low'`)
    forbidden clauses (`max(runs, ratio) > 3 && odd != 'x'`, `odd in {'y,z', '#'} && level == 'high'`)
    ");
    insta::assert_snapshot!(rejected(Format::PcsNew), @r"
    names with spaces, brackets, quotes, `,` `|` `=` `#` or the like (`my mode`)
    notes with several lines (`my mode`)
    weights (`my mode`)
    values with spaces, brackets, `,` `#` or the like (`my mode`, `odd`)
    switches (`level`)
    fixed values (`runs`)
    steps (`runs`, `ratio`)
    bounds that depend on other parameters (`late`)
    conditions (`late | level >= 'high' && !(`my mode` == 'a' || ratio > 0.5)`)
    forbidden clauses (`max(runs, ratio) > 3 && odd != 'x'`, `odd in {'y,z', '#'} && level == 'high'`)
    ");
    insta::assert_snapshot!(rejected(Format::Irace), @r#"
    steps other than one power of ten for all reals (`ratio`)
    weights (`my mode`)
    names with characters other than letters, digits, `.` and `_` (`my mode`)
    notes with several lines (`my mode`)
    parameters without a switch (`my mode`, `runs`, `ratio`, `late`, `odd`, `many`)
    switches with `"` or `#` (`level`)
    integer steps (`runs`)
    fixed values (`runs`)
    defaults (`ratio`)
    bounds with anything but numbers and + - * / %% min max round floor ceiling trunc (`late`)
    conditions (`late | level >= 'high' && !(`my mode` == 'a' || ratio > 0.5)`)
    values with `"`, `#` or `|` (`odd`)
    ranges of a single number (`many`)
    "#);
}

#[test]
fn advanced_clauses_need_identifiers() {
    let rejected = |text: &str| write(&parsed(text, Format::PcsNew), Format::PcsNew).unwrap_err().to_string();
    insta::assert_snapshot!(rejected("a-b integer [0, 9] [1]\nm categorical {x.y, z, 1} [z]\nz real [0, 1] [0]\n{a-b > 3 && z > 0.5}\n"), @"the format pcs-new cannot express names that are not identifiers, together with advanced forbidden clauses (`a-b`); values that are not identifiers or numbers, together with advanced forbidden clauses (`x.y`); values with the name of a parameter, together with advanced forbidden clauses (`z`)");
}

#[test]
fn clauses_with_values_that_would_be_split_are_rejected() {
    for value in ["a=b", "a&&b", "a||b"] {
        let text = format!("m = {{ choices = [\"x\", \"{value}\"] }}\nforbidden = [\"m == '{value}'\"]\n");
        let space = parsed(&text, Format::Toml);
        let error = write(&space, Format::PcsOld).unwrap_err();
        assert_eq!(error.what, [format!("forbidden clauses (`m == '{value}'`)")]);
        assert!(write(&space, Format::PcsNew).is_err());
    }
}

/// These formats have no types for constants, booleans and numbers among choices. The writers list the values
/// as text, and the text of every configuration stays the same.
#[test]
fn untyped_formats_keep_the_text_of_values() {
    let text = r#"
flag = { boolean = false, switch = "-f" }
same = { constant = 4, switch = "-s" }
size = { choices = [1, 2.5, true, "x"], when = "flag", switch = "-z" }
late = { integer = [0, 9], when = "size in {1, 2.5} && same == 4", switch = "-l" }
forbidden = ["late == 3 && flag"]
"#;
    let space = parsed(text, Format::Toml);
    let bare = parsed(
        &text.replace(", switch = \"-", ", note = \"").replace("late == 3", "size == 2.5"),
        Format::Toml,
    );
    for (space, format) in [(&bare, Format::PcsOld), (&bare, Format::PcsNew), (&space, Format::Irace)] {
        let written = write(space, format).unwrap_or_else(|e| panic!("{e}"));
        let again = parsed(&written, format);
        assert_eq!(again.parameters()[0].kind(), Kind::Categorical);
        let (mut a, mut b) = (Rng::new(1, "spelling", 0), Rng::new(1, "spelling", 0));
        for _ in 0..500 {
            let (before, after) = (space.sample(&mut a).unwrap(), again.sample(&mut b).unwrap());
            assert_eq!(before.to_string(), after.to_string(), "{format}");
        }
        assert_eq!(parsed(&write(&again, format).unwrap(), format), again);
    }
}

#[test]
fn formats_are_detected() {
    let guess = |name: &str, text: &str| Format::guess(name, text);
    assert_eq!(guess("a.pcs", OLD), Some(Format::PcsOld));
    assert_eq!(guess("a.pcs", NEW), Some(Format::PcsNew));
    assert_eq!(guess("a.PCS", "x [0,1] [0]\ny real [0,1] [0]\n"), Some(Format::PcsNew));
    assert_eq!(guess("parameters.txt", IRACE), Some(Format::Irace));
    assert_eq!(guess("params", OLD), Some(Format::PcsOld));
    assert_eq!(guess("x.toml", NEW), Some(Format::Toml));
    assert_eq!(guess("x.yml", ""), Some(Format::ConfigSpaceYaml));
    assert_eq!(guess("x.json", ""), Some(Format::ConfigSpaceJson));
    assert_eq!(guess("-", "\n{\"name\": null}"), Some(Format::ConfigSpaceJson));
    assert_eq!(guess("-", "name: x\nhyperparameters:\n  - a\n"), Some(Format::ConfigSpaceYaml));
    assert_eq!(guess("-", "alpha = { float = [1, 2] }\n"), None);
    assert_eq!(guess("space", "[parameters]\na = { integer = [1, 2] }\n"), None);
    assert_eq!(guess("notes.txt", "hello world\n[section]\na = { float = [0, 1] }\n"), None);
    assert_eq!(guess("empty.pcs", "\n# nothing\n"), Some(Format::PcsOld));
}

//! Configurations: values, checks, order and the stable hash.

use space::format::{Format, read};
use space::{Configuration, Literal, Space};

const SPACE: &str = r#"
mode  = { choices = ["sat", "unsat"], default = "sat" }
"a b" = { float = [0.5, 8.0], log = true, default = 2.0 }
level = { ordinal = ["low", "mid", "high"], when = "mode == 'unsat'" }
deep  = { integer = [0, 9], default = 1, when = "level != 'low'" }
ants  = { integer = [1, 10], default = 5 }
elite = { integer = [1, "ants"] }
pin   = { integer = [0, 9], fixed = 4 }
forbidden = ["mode == 'unsat' && ants > 8"]
"#;

fn space() -> Space {
    read(SPACE, "space.toml", Format::Toml).unwrap_or_else(|e| panic!("{e}"))
}

fn of(space: &Space, values: &[(&str, Literal)]) -> Result<Configuration, String> {
    space.configuration(values.iter().cloned()).map_err(|e| e.to_string())
}

fn text(value: &str) -> Literal {
    value.into()
}

#[test]
fn the_default_shows_only_active_parameters() {
    assert_eq!(space().default_configuration().to_string(), "mode=sat \"a b\"=2.0 ants=5 elite=3 pin=4");
}

#[test]
fn values_are_found_by_name() {
    let default = space().default_configuration();
    assert_eq!(default.get("a b"), Some(Literal::Float(2.0)));
    assert_eq!(default.get("level"), None);
    assert_eq!(default.get("nothing"), None);
    assert_eq!(default.iter().count(), 5);
}

#[test]
fn invalid_values_are_rejected_with_the_reason() {
    let space = space();
    let base = [
        ("mode", text("sat")),
        ("a b", 2.0.into()),
        ("ants", 5.into()),
        ("elite", 3.into()),
        ("pin", 4.into()),
    ];
    assert_eq!(of(&space, &base), Ok(space.default_configuration()));
    let with = |name: &'static str, value: Option<Literal>| {
        let mut values: Vec<_> = base.iter().filter(|(n, _)| *n != name).cloned().collect();
        values.extend(value.map(|v| (name, v)));
        of(&space, &values).unwrap_err()
    };
    let messages = [
        with("ants", None),
        with("ants", Some(11.into())),
        with("ants", Some(2.5.into())),
        with("ants", Some(text("many"))),
        with("ants", Some(2.into())),
        with("mode", Some(text("sta"))),
        with("mode", Some(text("unsat"))),
        with("level", Some(text("low"))),
        with("pin", Some(3.into())),
        with("antz", Some(3.into())),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
    `ants` is active but has no value
    `11` is not a value of `ants`: it is outside the range 1 to 10
    `2.5` is not a value of `ants`: it is not a whole number
    `many` is not a value of `ants`: it is not a number
    `elite` is outside the bounds that other parameters set
    `sta` is not a value of `mode`: it is not among the choices
    `level` is active but has no value
    `level` has a value but is not active
    `pin` is fixed to another value
    unknown parameter `antz`; did you mean `ants`?
    ");
    let unsat = [("mode", text("unsat")), ("level", text("low")), ("ants", 9.into())];
    let rest = [("a b", 2.0.into()), ("elite", 3.into()), ("pin", 4.into())];
    insta::assert_snapshot!(of(&space, &[&unsat[..], &rest[..]].concat()).unwrap_err(), @"forbidden by `mode == 'unsat' && ants > 8`");
}

#[test]
fn a_child_of_an_inactive_parent_is_inactive() {
    let space = space();
    let unsat = |level: &str, deep: Option<i64>| {
        let mut values = vec![("mode", text("unsat")), ("level", text(level)), ("ants", 5.into())];
        values.extend([("a b", 2.0.into()), ("elite", 3.into()), ("pin", 4.into())]);
        values.extend(deep.map(|deep| ("deep", deep.into())));
        of(&space, &values)
    };
    assert!(unsat("low", None).is_ok() && unsat("mid", Some(2)).is_ok());
    assert!(unsat("low", Some(2)).is_err() && unsat("mid", None).is_err());
}

#[test]
fn hash_and_order_have_not_changed() {
    let space = space();
    let mut rng = math::Rng::new(1, "test", 0);
    let mut all: Vec<Configuration> = (0..4).map(|_| space.sample(&mut rng).unwrap()).collect();
    all.push(space.default_configuration());
    all.sort();
    let lines: Vec<String> = all.iter().map(|c| format!("{:032x} {c}", c.fingerprint())).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    14530b6029d98e5f8f07d1ed5351b81d mode=sat "a b"=0.8120767400843015 ants=8 elite=5 pin=4
    ef69829807ab42a3fab317edd0d31170 mode=sat "a b"=1.2961811028304653 ants=10 elite=10 pin=4
    ca73745d6bfd8c2010e8d2d52530a340 mode=sat "a b"=2.0 ants=5 elite=3 pin=4
    ccb9a1439427fae3eadb08c9c2eb2e95 mode=unsat "a b"=0.7282373654824872 level=low ants=2 elite=2 pin=4
    567bd26a734da27fdbca32cfd23c028a mode=unsat "a b"=1.6921204740882285 level=low ants=2 elite=2 pin=4
    "#);
}

#[test]
fn the_hash_ignores_inactive_parameters() {
    let more = format!("extra = {{ integer = [0, 1], when = \"mode == 'unsat'\" }}{SPACE}");
    let more = read(&more, "space.toml", Format::Toml).unwrap();
    let (a, b) = (space().default_configuration(), more.default_configuration());
    assert_eq!(a.fingerprint(), b.fingerprint());
}

#[test]
fn samples_respect_weights_and_fixed_values() {
    let text =
        "a = { choices = [\"x\", \"y\", \"z\"], weights = [1, 3, 0] }\nb = { integer = [0, 9], fixed = 3 }\n";
    let space = read(text, "space.toml", Format::Toml).unwrap();
    let mut rng = math::Rng::new(1, "test", 0);
    let mut counts = [0; 3];
    for _ in 0..4000 {
        let sample = space.sample(&mut rng).unwrap();
        assert_eq!(sample.get("b"), Some(Literal::Integer(3)));
        counts[sample.codes()[0] as usize] += 1;
    }
    assert!(counts[2] == 0 && (900..1100).contains(&counts[0]), "{counts:?}");
}

#[test]
fn sampling_a_space_that_forbids_nearly_everything_explains_why() {
    let text = "a = { float = [0, 1], default = 0 }\nb = { float = [0, 1] }\nforbidden = [\"a > 0\"]\n";
    let space = read(text, "space.toml", Format::Toml).unwrap();
    let error = space.sample(&mut math::Rng::new(1, "test", 0)).unwrap_err();
    insta::assert_snapshot!(error, @"no valid configuration found in 10000 attempts: the clause `a > 0` rejected 10000; hint: nearly every combination of these parameters is forbidden; relax the clauses or narrow the ranges");
}

#[test]
fn independent_forbidden_clauses_are_satisfied_one_at_a_time() {
    let mut text = String::new();
    let mut clauses = Vec::new();
    for i in 0..500 {
        text += &format!("a{i} = {{ integer = [0, 3] }}\n");
        clauses.push(format!("\"a{i} == 0\""));
    }
    let text = format!("{text}forbidden = [{}]\n", clauses.join(", "));
    let space = read(&text, "space.toml", Format::Toml).unwrap();
    // Drawing everything again would need about (4/3)^500 attempts.
    assert!(space.sample(&mut math::Rng::new(1, "test", 0)).is_ok());
}

#[test]
fn distance_adds_up_the_differences() {
    let space = read("a = { float = [0, 10], default = 0 }\nb = { choices = [1, 2] }\nc = { boolean = true, when = \"b == 2\" }\nd = { constant = 1 }\n", "t", Format::Toml).unwrap();
    let of = |values: Vec<(&'static str, Literal)>| space.configuration(values).unwrap();
    let x = of(vec![("a", 0.0.into()), ("b", 1.into()), ("d", 1.into())]);
    let y = of(vec![("a", 5.0.into()), ("b", 2.into()), ("c", true.into()), ("d", 1.into())]);
    assert_eq!((space.distance(&x, &x), space.distance(&x, &y)), (0.0, (0.5 + 1.0 + 1.0) / 4.0));
}

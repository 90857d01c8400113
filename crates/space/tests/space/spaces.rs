//! Whole spaces: all kinds of parameters, large spaces, neighbours and the distribution of samples.

use math::Rng;
use space::format::{Format, read, write};
use space::{Neighbourhood, Space};

fn toml(text: &str) -> Space {
    read(text, "space.toml", Format::Toml).unwrap_or_else(|e| panic!("{e}"))
}

/// Every kind of parameter, in the table `[parameters]` and in a table of its own.
const ALL_KINDS: &str = r#"
forbidden = ["`parameters` > 3 && mode == 'b'"]

[parameters]
parameters = { integer = [0, 8], default = 2, switch = "--p ", note = "a \"quoted\" remark" }
forbidden  = { float = [1e-7, 1e-3], log = true, step = 1e-7 }
mode       = { choices = ["a", "b", 3, 4.5, true], weights = [1, 2, 3, 4, 5], default = "a" }
"@1:S:del" = { ordinal = [0.1, 0.5, 2], when = ["mode == 3 || mode == 'a'", "parameters < 5"] }
flag       = { boolean = true, fixed = false }
same       = { constant = "x y" }

[parameters.late]
integer = [1, "parameters + 1"]
when = "`@1:S:del` < 2 && flag == false"
"#;

#[test]
fn every_kind_is_read_and_written() {
    let space = toml(ALL_KINDS);
    let text = write(&space, Format::Toml).unwrap();
    insta::assert_snapshot!(text, @r#"
    forbidden = [
      "parameters > 3 && mode == 'b'",
    ]
    [parameters]
    parameters = { integer = [0, 8], default = 2, switch = "--p ", note = "a \"quoted\" remark" }
    forbidden = { float = [1e-7, 0.001], log = true, step = 1e-7 }
    mode = { choices = ["a", "b", 3, 4.5, true], weights = [1.0, 2.0, 3.0, 4.0, 5.0], default = "a" }
    "@1:S:del" = { ordinal = [0.1, 0.5, 2], when = "(mode == 3 || mode == 'a') && parameters < 5" }
    flag = { boolean = true, fixed = false }
    same = { constant = "x y" }
    late = { integer = [1, "parameters + 1"], when = "`@1:S:del` < 2 && flag == false" }
    "#);
    assert_eq!(toml(&text), space);
    insta::assert_snapshot!(space.default_configuration(), @r#"parameters=2 forbidden=1e-5 mode=a @1:S:del=0.1 flag=false same="x y" late=2"#);
}

#[test]
fn a_change_in_any_part_makes_spaces_unequal() {
    let base = toml(ALL_KINDS);
    for (from, to) in [
        ("[0, 8]", "[0, 9]"),
        ("--p ", "--p"),
        ("< 5", "< 4"),
        ("> 3", "> 4"),
        ("[1, 2, 3", "[2, 2, 3"),
        ("fixed = false", "fixed = true, when = \"mode == 'b'\""),
    ] {
        assert_ne!(toml(&ALL_KINDS.replace(from, to)), base, "{from}");
    }
}

#[test]
fn children_may_be_defined_before_their_parents() {
    let space = toml(
        "c = { boolean = true, when = \"b\" }\nb = { boolean = true, when = \"a\" }\na = { boolean = false }\n",
    );
    assert_eq!(space.default_configuration().to_string(), "a=false");
}

#[test]
fn neighbours_of_the_default_configuration() {
    let space = toml(
        "m = { choices = [\"x\", \"y\", \"z\"] }\no = { ordinal = [1, 2, 3, 4], default = 2 }\ni = { integer = [0, 1] }\nk = { integer = [0, 9], default = 5, when = \"m != 'x'\" }\nc = { constant = 1 }\nforbidden = [\"m == 'z'\"]\n",
    );
    let mut rng = Rng::new(1, "neighbours", 0);
    let mut all: Vec<String> = space
        .neighbours(&space.default_configuration(), &Neighbourhood::default(), &mut rng)
        .iter()
        .map(ToString::to_string)
        .collect();
    all.sort();
    all.dedup();
    insta::assert_snapshot!(all.join("\n"), @r"
    m=x o=1 i=1 c=1
    m=x o=2 i=0 c=1
    m=x o=3 i=1 c=1
    m=y o=2 i=1 k=5 c=1
    ");
}

#[test]
fn gaussian_steps_have_the_requested_standard_deviation() {
    let space = toml("x = { float = [0, 1], default = 0.5 }\n");
    let how = Neighbourhood { steps: 2000, sd: 0.1, ..Neighbourhood::default() };
    let all = space.neighbours(&space.default_configuration(), &how, &mut Rng::new(1, "steps", 0));
    let variance = all.iter().map(|c| (c.codes()[0] - 0.5).powi(2)).sum::<f64>() / all.len() as f64;
    assert!(all.len() == 2000 && (variance.sqrt() - 0.1).abs() < 0.005, "{variance}");
}

#[test]
fn a_large_space_is_read_sampled_and_encoded() {
    let mut text = String::new();
    for i in 0..10_000 {
        let kind = [
            "float = [0.001, 10.0], log = true",
            "integer = [1, 100]",
            "choices = [\"a\", \"b\", \"c\"]",
            "boolean = true",
        ][i % 4];
        let when = match i {
            0..5000 => String::new(),
            _ if i % 2 == 0 => format!(", when = \"p-{} == 'a'\"", (i - 5000) / 4 * 4 + 2),
            _ => format!(", when = \"p-{} > 3 && p-{}\"", (i - 1000) / 4 * 4 + 1, (i - 3000) / 4 * 4 + 3),
        };
        text += &format!("p-{i} = {{ {kind}{when} }}\n");
    }
    let space = toml(&text);
    let mut rng = Rng::new(1, "large", 0);
    let (mut codes, mut row) = (vec![0.0; 10_000], vec![0.0; 10_000]);
    for _ in 0..20 {
        space.sample_into(&mut rng, &mut codes).unwrap();
        space.encode_codes(&codes, &mut row);
    }
    assert!(space.check(&codes).is_ok());
    assert!(row.iter().any(|&u| u == -1.0));
}

#[test]
fn samples_are_uniform_over_the_allowed_configurations() {
    let text = "a = { integer = [0, 2] }\nb = { choices = [\"x\", \"y\", \"z\"] }\nforbidden = [\"a == 0 && b == 'z'\", \"a == 2 && b == 'x'\", \"a == 2 && b == 'y'\"]\n";
    let space = toml(&text.replace("[0, 2]", "[0, 2], default = 0"));
    let mut rng = Rng::new(1, "uniform", 0);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..6000 {
        *counts.entry(space.sample(&mut rng).unwrap()).or_insert(0) += 1;
    }
    assert!(counts.len() == 6 && counts.values().all(|c| (880..1120).contains(c)), "{counts:?}");
}

#[test]
fn many_samples_follow_the_same_distribution() {
    let space = toml(
        "a = { integer = [0, 2], default = 0 }\nb = { choices = [\"x\", \"y\", \"z\"] }\nc = { choices = [1, 2], weights = [3, 1], when = \"b == 'x'\" }\nd = { float = [1, 100], log = true }\ne = { integer = [1, 4], fixed = 2 }\nf = { integer = [1, 100], log = true }\nforbidden = [\"a == 0 && b == 'z'\", \"a == 2 && b == 'y'\"]\n",
    );
    let mut rng = Rng::new(1, "many", 0);
    let mut codes = vec![0.0; 6 * 7000];
    space.sample_many(&mut rng, &mut codes).unwrap();
    let mut pairs = std::collections::BTreeMap::new();
    let (mut active, mut first, mut below_ten, mut ones) = (0, 0, 0, 0);
    for row in codes.chunks_exact(6) {
        *pairs.entry((row[0] as i64, row[1] as i64)).or_insert(0) += 1;
        assert_eq!((row[2].is_nan(), row[4]), (row[1] != 0.0, 2.0));
        active += usize::from(row[1] == 0.0);
        first += usize::from(row[2] == 0.0);
        below_ten += usize::from(row[3] < 10.0);
        ones += usize::from(row[5] == 1.0);
    }
    assert!(pairs.len() == 7 && pairs.values().all(|c| (880..1120).contains(c)), "{pairs:?}");
    let share = first as f64 / active as f64;
    assert!((share - 0.75).abs() < 0.03 && (3300..3700).contains(&below_ten), "{share} {below_ten}");
    // On the logarithmic scale from edge 1/2 to edge 100.5, the integer 1 covers 1/2 to 3/2.
    let expected = 7000.0 * 3.0f64.ln() / 201.0f64.ln();
    assert!((f64::from(ones as u32) - expected).abs() < 150.0, "{ones} {expected}");
}

#[test]
fn conditions_work_beyond_the_64th_choice() {
    let choices: Vec<String> = (0..100).map(|i| format!("\"c{i}\"")).collect();
    let text = "m = { choices = [LIST] }\nfew = { boolean = true, when = \"m in {'c3', 'c63'}\" }\nfar = { boolean = true, when = \"m in {'c3', 'c70'}\" }\n";
    let space = toml(&text.replace("LIST", &choices.join(", ")));
    let (few, far) = (space.find("few").unwrap(), space.find("far").unwrap());
    let mut rng = Rng::new(1, "choices", 0);
    for _ in 0..2000 {
        let sample = space.sample(&mut rng).unwrap();
        let choice = sample.codes()[0];
        assert_eq!(sample.is_active(few), choice == 3.0 || choice == 63.0);
        assert_eq!(sample.is_active(far), choice == 3.0 || choice == 70.0);
    }
}

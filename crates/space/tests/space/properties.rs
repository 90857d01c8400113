//! Properties that hold for every space, tested on generated spaces.

use math::Rng;
use proptest::prelude::*;
use space::design::Design;
use space::format::{Format, read, write};
use space::{
    BoundDefinition, Clause, DomainDefinition, Literal, Neighbourhood, ParameterDefinition as P, Space,
    SpaceBuilder, Spanned,
};

fn literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        "[a-c'\"\\\\ =+-]{1,3}".prop_map(Literal::Text),
        "\\PC{1,4}".prop_map(Literal::Text),
        (-50i64..50).prop_map(Literal::Integer),
        (-50.0..50.0f64).prop_map(Literal::Float),
        any::<bool>().prop_map(Literal::Boolean),
    ]
}

fn values() -> impl Strategy<Value = Vec<Literal>> {
    proptest::collection::vec(literal(), 1..20).prop_map(|mut values| {
        let mut seen = std::collections::BTreeSet::new();
        values.retain(|value| seen.insert(value.to_string()));
        values
    })
}

fn parameter(name: String) -> impl Strategy<Value = P> {
    let a = name.clone();
    let float = (-100.0..100.0f64, 0.0..1e4f64, any::<bool>(), prop::option::of(0.01..3.0f64)).prop_map(
        move |(low, width, log, step)| {
            let low = if log { low.abs() + 1e-3 } else { low };
            let p = P::float(a.as_str(), low, low + width);
            let p = if log { p.log() } else { p };
            step.map_or(p.clone(), |step| p.step(step))
        },
    );
    let b = name.clone();
    let integer = (-1000i64..1000, 0i64..100_000, any::<bool>(), prop::option::of(1i64..50)).prop_map(
        move |(low, width, log, step)| {
            let low = if log { low.abs() + 1 } else { low };
            let p = P::integer(b.as_str(), low, low + width);
            let p = if log { p.log() } else { p };
            step.map_or(p.clone(), |step| p.step(step as f64))
        },
    );
    let (c, d, e, f) = (name.clone(), name.clone(), name.clone(), name);
    prop_oneof![
        float,
        integer,
        values().prop_map(move |values| P::categorical(c.as_str(), values)),
        values().prop_map(move |values| P::ordinal(d.as_str(), values)),
        any::<bool>().prop_map(move |truth| P::boolean(e.as_str()).default(truth)),
        literal().prop_map(move |value| P::constant(f.as_str(), value)),
    ]
}

/// Spaces with up to 11 parameters, conditions, dependent bounds and clauses that allow the default.
fn space() -> impl Strategy<Value = Space> {
    let names =
        proptest::collection::btree_set("[a-c]{1,2}|[a-c] [-@:.+%`'\"]{1,2}|\\PC{1,3}|min|in|true", 1..12);
    let parameters = names.prop_flat_map(|names| names.into_iter().map(parameter).collect::<Vec<_>>());
    (parameters, any::<u64>()).prop_map(|(parameters, seed)| assemble(&parameters, seed, false))
}

/// Spaces without steps, arithmetic, dependent bounds or ranges of a single number.
fn plain_space() -> impl Strategy<Value = Space> {
    let names = proptest::collection::btree_set("[a-c]{1,2}|\\PC{1,3}|in|yes|1.5", 1..12);
    let parameters = names.prop_flat_map(|names| names.into_iter().map(parameter).collect::<Vec<_>>());
    (parameters, any::<u64>()).prop_map(|(mut parameters, seed)| {
        for p in &mut parameters {
            if let DomainDefinition::Float { step, upper, .. } | DomainDefinition::Integer { step, upper, .. } =
                &mut p.domain
                && let BoundDefinition::Number(upper) = &mut upper.value
            {
                (*step, *upper) = (None, *upper + 1.0);
            }
            if let DomainDefinition::Integer { lower, upper, .. } = &mut p.domain
                && let (BoundDefinition::Number(low), BoundDefinition::Number(high)) =
                    (&lower.value, &mut upper.value)
            {
                // A narrow range, so that values often equal the number they are compared with.
                *high = *low + 1.0 + (*high - *low) % 5.0;
            }
            if let DomainDefinition::Categorical { choices, .. } = &p.domain
                && choices.iter().all(|choice| matches!(choice.value, Literal::Boolean(_)))
            {
                // The format cannot distinguish such a parameter from a boolean.
                p.domain = DomainDefinition::Boolean;
            }
        }
        assemble(&parameters, seed, true)
    })
}

/// Returns a statement about a parameter that is true for about half of its values.
fn statement(parameter: &P, name: &str, rng: &mut Rng, plain: bool) -> String {
    let quote = |text: &str, mark: char| {
        let mut out = String::from(mark);
        for c in text.chars() {
            out.extend((c == mark || c == '\\').then_some('\\'));
            out.push(c);
        }
        out + &mark.to_string()
    };
    let value = |value: &Literal| match value {
        Literal::Text(text) => quote(text, '\''),
        other => other.to_string(),
    };
    let pick = |list: &[Spanned<Literal>], rng: &mut Rng| value(&list[rng.below(list.len())].value);
    let name = quote(name, '`');
    match &parameter.domain {
        DomainDefinition::Float { lower, upper, .. } | DomainDefinition::Integer { lower, upper, .. } => {
            let (BoundDefinition::Number(low), BoundDefinition::Number(high)) = (&lower.value, &upper.value)
            else {
                return format!("{name} != 0");
            };
            let middle = (low + high) / 2.0;
            if plain {
                let whole = matches!(parameter.domain, DomainDefinition::Integer { .. });
                let middle = if whole { middle.floor() } else { middle };
                let sign = ["<", "<=", "==", "!=", ">=", ">"][rng.below(6)];
                return format!("{name} {sign} {middle:?}");
            }
            [
                format!("{name} >= {middle:?}"),
                format!("{name} * 2 - 1 < {middle:?} / 0.5"),
                format!("max({name}, -{name}) ^ 2 > 1 + abs({middle:?})"),
            ][rng.below(3)]
            .clone()
        }
        DomainDefinition::Categorical { choices, .. } => match rng.below(3) {
            0 => format!("{name} == {}", pick(choices, rng)),
            1 => format!("{name} != {}", pick(choices, rng)),
            _ => format!("{name} in {{{}, {}}}", pick(choices, rng), pick(choices, rng)),
        },
        DomainDefinition::Ordinal { values } => format!("{name} <= {}", pick(values, rng)),
        DomainDefinition::Boolean => name,
        DomainDefinition::Constant { value: constant } => format!("{name} == {}", value(&constant.value)),
    }
}

fn assemble(parameters: &[P], seed: u64, plain: bool) -> Space {
    let mut rng = Rng::new(seed, "assemble", 0);
    let mut base = SpaceBuilder::default();
    for (i, p) in parameters.iter().enumerate() {
        let mut p = p.clone();
        if i > 0
            && !plain
            && rng.below(4) == 0
            && let parent = &parameters[rng.below(i)]
            && let DomainDefinition::Integer { .. } = parent.domain
            && let DomainDefinition::Integer { log: false, step: None, lower, upper } = &mut p.domain
            && let BoundDefinition::Number(low) = lower.value
        {
            let name = parent.name.value.replace('\\', "\\\\").replace('`', "\\`");
            let bound = format!("{low:?} + abs(`{name}`)");
            *upper = BoundDefinition::Expression(Clause::from(bound.as_str())).into();
        }
        base.parameter(p);
        if i > 0 && rng.below(2) == 0 {
            let mut part = || {
                let parent = &parameters[rng.below(i)];
                statement(parent, &parent.name.value, &mut rng, plain)
            };
            let (a, b, c) = (part(), part(), part());
            let when = [
                a.clone(),
                format!("{a} && !({b})"),
                format!("{a} || {b} && {c}"),
                format!("({a} || {b}) && {c}"),
            ];
            base.when(parameters[i].name.value.as_str(), when[rng.below(4)].as_str());
        }
    }
    let mut space = base.clone().finish().unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..3 {
        let mut part = || {
            let p = &parameters[rng.below(parameters.len())];
            statement(p, &p.name.value, &mut rng, plain)
        };
        let clause = format!("{} && {} && !({})", part(), part(), part());
        let mut more = base.clone();
        more.forbid(clause.as_str());
        if let Ok(with_clause) = more.clone().finish() {
            (base, space) = (more, with_clause);
        }
    }
    space
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_space_is_equal_after_a_toml_round_trip(space in space()) {
        let text = write(&space, Format::Toml).unwrap();
        let again = read(&text, "space.toml", Format::Toml).unwrap_or_else(|e| panic!("{text}\n{e}"));
        prop_assert_eq!(&again, &space, "{}", text);
        prop_assert_eq!(again.default_configuration().fingerprint(), space.default_configuration().fingerprint());
    }

    #[test]
    fn a_space_means_the_same_after_a_configspace_round_trip(space in plain_space(), seed: u64) {
        for format in [Format::ConfigSpaceJson, Format::ConfigSpaceYaml] {
            // A list such as [1, true], or a clause about all choices of a parameter, is rejected.
            let Ok(text) = write(&space, format) else { continue };
            let again = read(&text, "space", format).unwrap_or_else(|e| panic!("{text}\n{e}"));
            prop_assert_eq!(again.parameters(), space.parameters(), "{}", text);
            let (mut a, mut b) = (Rng::new(seed, "meaning", 0), Rng::new(seed, "meaning", 0));
            for _ in 0..20 {
                let (Ok(x), Ok(y)) = (space.sample(&mut a), again.sample(&mut b)) else { continue };
                prop_assert_eq!(x.to_string(), y.to_string(), "{}", text);
            }
            // Clauses may be rewritten the first time; the second round trip must not change them.
            let text = write(&again, format).unwrap();
            prop_assert_eq!(read(&text, "space", format).unwrap(), again, "{}", text);
        }
    }

    #[test]
    fn samples_and_designs_are_valid(space in space(), seed: u64) {
        let mut rng = Rng::new(seed, "samples", 0);
        space.check(space.default_configuration().codes()).unwrap();
        for design in [Design::Uniform, Design::LatinHypercube, Design::Sobol] {
            // A generated space may allow hardly anything but its default.
            let Ok(configurations) = design.configurations(&space, 10, &mut rng) else { continue };
            for configuration in configurations {
                prop_assert!(space.check(configuration.codes()).is_ok(), "{configuration}");
                let values: Vec<_> = configuration.iter().collect();
                prop_assert_eq!(&space.configuration(values).unwrap(), &configuration);
            }
        }
    }

    #[test]
    fn sampling_and_encoding_many_matches_one_at_a_time(space in space(), seed: u64, count in 1usize..80) {
        let width = space.parameters().len();
        let (mut codes, mut rows) = (vec![0.0; width * count], vec![0.0; width * count]);
        if space.sample_many(&mut Rng::new(seed, "many", 0), &mut codes).is_ok() {
            space.encode_many(&codes, &mut rows);
            for (codes, row) in codes.chunks_exact(width).zip(rows.chunks_exact(width)) {
                prop_assert!(space.check(codes).is_ok(), "{:?}", space.check(codes));
                let mut alone = vec![0.0; width];
                space.encode_codes(codes, &mut alone);
                prop_assert_eq!(row, alone.as_slice());
            }
        }
    }

    #[test]
    fn rows_decode_to_the_encoded_configuration(space in space(), seed: u64) {
        let mut rng = Rng::new(seed, "rows", 0);
        let one_hot = space.one_hot();
        for _ in 0..10 {
            let Ok(configuration) = space.sample(&mut rng) else { continue };
            let row = space.encode(&configuration);
            for (unit, code) in row.iter().zip(configuration.codes()) {
                let fits = if code.is_nan() { *unit == -1.0 } else { (0.0..=1.0).contains(unit) };
                prop_assert!(fits, "{} {}", unit, code);
            }
            let hot = one_hot.encode(&configuration);
            prop_assert!(hot.iter().all(|x| (0.0..=1.0).contains(x)));
            // Rounding may move a float across the edge of a clause.
            let Ok(again) = space.decode(&row) else { continue };
            for ((&a, &b), p) in again.codes().iter().zip(configuration.codes()).zip(space.parameters()) {
                let near = (a - b).abs() <= 1e-9 * b.abs().max(1.0);
                prop_assert!(a.to_bits() == b.to_bits() || near || a.is_nan() != b.is_nan(), "{}: {a} {b}", p.name());
            }
        }
    }

    #[test]
    fn neighbours_are_valid_and_differ_from_the_origin(space in space(), seed: u64) {
        let mut rng = Rng::new(seed, "neighbours", 0);
        let origin = space.sample(&mut rng).unwrap_or_else(|_| space.default_configuration());
        for neighbour in space.neighbours(&origin, &Neighbourhood::default(), &mut rng) {
            prop_assert!(space.check(neighbour.codes()).is_ok(), "{origin}\n{neighbour}");
            prop_assert_ne!(&neighbour, &origin);
        }
    }

    #[test]
    fn any_text_is_read_or_rejected(text in "\\PC{0,80}|([a-c]= \\{(float|choices|when|integer)=[\\[\\]\"a-c0-9, =<>&|!()*^%{}`'-]{0,30}\\}\n){1,3}") {
        if let Err(mistakes) = read(&text, "space.toml", Format::Toml) {
            prop_assert!(mistakes.to_string().starts_with("error: "));
        }
    }
}

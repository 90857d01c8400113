//! The differences between a configuration and the default, in a few words.

use space::Literal;
use view::Change;

use crate::{harmless, number};

/// Maximum number of changes shown in a line. The rest are only counted.
const SHOWN: usize = 4;

/// Lists the changed values of active parameters: `chrono=off tier1=3 (+4)`.
pub fn in_short(changes: &[Change]) -> String {
    let active: Vec<(&str, &Literal)> =
        changes.iter().filter_map(|change| Some((change.name.as_str(), change.value.as_ref()?))).collect();
    let mut words: Vec<String> =
        active.iter().take(SHOWN).map(|(name, value)| format!("{name}={}", value_in_short(value))).collect();
    if active.len() > SHOWN {
        words.push(format!("(+{})", active.len() - SHOWN));
    }
    harmless(&words.join(" "))
}

fn value_in_short(value: &Literal) -> String {
    match value {
        Literal::Float(float) => number(*float),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use space::format::{Format, read};
    use view::changes;

    use super::*;

    #[test]
    fn the_short_list_shows_changed_values_and_skips_inactive_parameters() {
        let text = "a = { float = [0, 1], default = 0.5 }\nb = { boolean = true }\n\
                    c = { integer = [1, 9], default = 3, when = \"b == true\" }\n\
                    d = { integer = [1, 9], default = 3 }\ne = { integer = [1, 9], default = 3 }\n\
                    f = { integer = [1, 9], default = 3 }\n";
        let space = read(text, "space.toml", Format::Toml).unwrap();
        let default = space.default_configuration();
        assert_eq!(in_short(&changes(&default, &default)), "");
        let other = space
            .configuration([
                ("a", Literal::Float(0.123_456)),
                ("b", Literal::Boolean(false)),
                ("d", Literal::Integer(4)),
                ("e", Literal::Integer(5)),
                ("f", Literal::Integer(6)),
            ])
            .unwrap();
        assert_eq!(in_short(&changes(&default, &other)), "a=0.123 b=false d=4 e=5 (+1)");
        let all = changes(&default, &other);
        assert_eq!(all.len(), 6);
        assert_eq!((&all[2].default, &all[2].value), (&Some(Literal::Integer(3)), &None));
    }
}

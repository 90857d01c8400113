//! Parses the file. American spellings of keys are read as their British equivalents.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// Keys of `[objective]` that have two spellings.
const TWINS: [(&str, &str); 2] = [("minimize", "minimise"), ("maximize", "maximise")];

/// Parses a scenario and reports every syntax error.
pub(super) fn parse(text: &str) -> (Spanned<DeTable<'_>>, Vec<Error>) {
    let (mut table, errors) = DeTable::parse_recoverable(text);
    let objective = table.get_mut().get_mut("objective").map(Spanned::get_mut);
    if let Some(DeValue::Table(objective)) = objective {
        for (american, british) in TWINS {
            // If both spellings are given, one of them stays and is reported as unknown.
            if objective.contains_key(british) {
                continue;
            }
            if let Some((key, value)) = objective.remove_entry(american) {
                objective.insert(Spanned::new(key.span(), Cow::Borrowed(british)), value);
            }
        }
    }
    (table, errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn american_keys_are_read_as_british_ones() {
        let keys = |text| {
            let (table, errors) = parse(text);
            assert!(errors.is_empty());
            let keys = table.get_ref()["objective"].get_ref().as_table().unwrap().keys();
            keys.map(|key| key.get_ref().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(keys("[objective]\nminimize = 'x'"), ["minimise"]);
        assert_eq!(keys("[objective]\nmaximize = 'x'"), ["maximise"]);
        assert_eq!(keys("[objective]\nminimize = 'x'\nminimise = 'y'"), ["minimise", "minimize"]);
    }
}

//! The known name closest to a misspelt one.

/// Length in characters of the longest word that gets a suggestion; the search would take too long for longer
/// words.
const MAX_LENGTH: usize = 64;

/// Returns the candidate that is the fewest edits away, if the edits are few enough for a typing error.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(MAX_LENGTH + 1).collect();
    if word.is_empty() || word.len() > MAX_LENGTH {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        // With two edits in three letters, almost any word would match.
        let allowed = (word.len().max(candidate.len()) / 3).max(usize::from(word.len() > 1));
        let bound = best.map_or(allowed, |(edits, _)| allowed.min(edits.saturating_sub(1)));
        if candidate.len() > 4 * MAX_LENGTH || candidate.chars().count().abs_diff(word.len()) > bound {
            continue;
        }
        let edits = distance(&word, candidate);
        if edits <= bound && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Returns the hint for an unknown word.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|name| format!("did you mean `{name}`?"))
}

/// Returns the smallest number of insertions, deletions, replacements and swaps of adjacent characters that
/// turn one word into the other.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before = vec![0; b.len() + 1];
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    let mut current = previous.clone();
    for i in 1..=a.len() {
        current[0] = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            current[j] = (previous[j] + 1).min(current[j - 1] + 1).min(previous[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                current[j] = current[j].min(before[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before, &mut previous);
        std::mem::swap(&mut previous, &mut current);
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_get_suggestions_and_unrelated_words_do_not() {
        let names = ["float", "integer", "choices", "default"];
        for (word, found) in
            [("flaot", "float"), ("intger", "integer"), ("choice", "choices"), ("defualt", "default")]
        {
            assert_eq!(nearest(word, names), Some(found));
        }
        assert_eq!(nearest("temperature", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("ab", ["ba"]), Some("ba"));
    }
}

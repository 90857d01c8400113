//! The known name nearest to a mistyped one.

/// Look-ups over more work than this are not made: a hint is not worth a stall.
const LONGEST: usize = 64;

/// The candidate with the fewest edits, if they are few enough to be a slip of the hand.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        // Two edits in three letters would suggest anything for anything.
        let allowed = (word.len().max(candidate.len()) / 3).max(usize::from(word.len() > 1));
        let bound = best.map_or(allowed, |(edits, _)| allowed.min(edits.saturating_sub(1)));
        if candidate.len() > 4 * LONGEST || candidate.chars().count().abs_diff(word.len()) > bound {
            continue;
        }
        let edits = distance(&word, candidate);
        if edits <= bound && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// The hint sentence for an unknown word.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|name| format!("did you mean `{name}`?"))
}

/// The least number of insertions, deletions, replacements and swaps of neighbours.
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
    fn slips_are_found_and_strangers_are_not() {
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

//! Finds patterns in the lines of an output stream.
//!
//! Lines longer than [`MAX_LINE`] are skipped. If the middle of a long stream was dropped, the two lines that
//! were cut there are skipped, too, because half a number would look like a whole one.

use confine::Captured;
use regex::bytes::Regex;

/// Longest line that is searched, in bytes.
const MAX_LINE: usize = 64 << 10;

/// Returns whether any line matches.
pub(super) fn matches(stream: &Captured, pattern: &Regex) -> bool {
    parts(stream).iter().any(|part| lines(part).any(|line| pattern.is_match(line)))
}

/// Returns the text of the pattern's group in the last match.
pub(super) fn last_group(stream: &Captured, pattern: &Regex) -> Option<String> {
    let of_line = |line| {
        let groups = pattern.captures_iter(line).filter_map(|found| found.get(1));
        groups.last().map(|group| String::from_utf8_lossy(group.as_bytes()).into_owned())
    };
    parts(stream).iter().rev().find_map(|part| lines(part).rev().find_map(of_line))
}

/// Returns the text of the pattern's group in the first match.
pub(super) fn first_group(stream: &Captured, pattern: &Regex) -> Option<String> {
    let of_line = |line| {
        let group = pattern.captures_iter(line).find_map(|found| found.get(1))?;
        Some(String::from_utf8_lossy(group.as_bytes()).into_owned())
    };
    parts(stream).iter().find_map(|part| lines(part).find_map(of_line))
}

/// Returns the result of `find` for the last line in which it finds anything.
pub(super) fn last_line<T>(stream: &Captured, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let of_line = |line: &[u8]| find(&String::from_utf8_lossy(line));
    parts(stream).iter().rev().find_map(|part| lines(part).rev().find_map(of_line))
}

/// Returns the whole stream or, if its middle was dropped, its start and its end without the cut lines.
fn parts(stream: &Captured) -> Vec<Vec<u8>> {
    if stream.dropped() == 0 {
        return vec![[stream.head.as_slice(), stream.tail.as_slice()].concat()];
    }
    let is_end = |&byte: &u8| byte == b'\n';
    let head_end = stream.head.iter().rposition(is_end).unwrap_or(0);
    let tail_start = stream.tail.iter().position(is_end).map_or(stream.tail.len(), |at| at + 1);
    vec![stream.head[..head_end].to_vec(), stream.tail[tail_start..].to_vec()]
}

fn lines(part: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let lines = part.split(|&byte| byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| line.len() <= MAX_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(head: &str, tail: &str, dropped: usize) -> Captured {
        let (head, tail) = (head.as_bytes().to_vec(), tail.as_bytes().to_vec());
        let written = (head.len() + tail.len() + dropped) as u64;
        Captured { head, tail, written, file_complete: true }
    }

    fn last(stream: &Captured) -> Option<String> {
        last_group(stream, &Regex::new("steps ([0-9]+)").unwrap())
    }

    #[test]
    fn the_last_match_counts() {
        assert_eq!(last(&captured("steps 1\r\nsteps 2 steps 3\nnone\n", "", 0)).as_deref(), Some("3"));
        let first = |stream: &Captured| first_group(stream, &Regex::new("steps ([0-9]+)").unwrap());
        assert_eq!(first(&captured("x\nsteps 2 steps 3\nsteps 4\n", "", 0)).as_deref(), Some("2"));
        assert_eq!(first(&captured("steps", "\n1\nsteps 5", 9)).as_deref(), Some("5"));
        assert_eq!(last(&captured("nothing", "", 0)), None);
        // A line may start in the first part and end in the second.
        assert_eq!(last(&captured("steps 1", "23\n", 0)).as_deref(), Some("123"));
    }

    #[test]
    fn a_line_that_was_cut_is_skipped() {
        assert_eq!(last(&captured("steps 1\nsteps 2", "steps 3\nend\n", 9)).as_deref(), Some("1"));
        assert_eq!(last(&captured("steps 1", "steps 3", 9)), None);
        assert_eq!(last(&captured("steps 1\n", "x\nsteps 4", 9)).as_deref(), Some("4"));
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let long = "x".repeat(MAX_LINE) + "steps 5";
        assert_eq!(last(&captured(&long, "\nsteps 6\n", 0)).as_deref(), Some("6"));
        assert_eq!(last(&captured(&long, "", 0)), None);
        assert!(matches(&captured("a\nb", "", 0), &Regex::new("^b$").unwrap()));
    }
}

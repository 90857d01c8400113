//! The usual file format of formulas, DIMACS CNF.
//!
//! ```text
//! c a comment
//! p cnf 3 2
//! 1 -2 0
//! 2 3 -1 0
//! ```
//!
//! Clauses end with `0` and may share or span lines; a line that begins with `%` ends the file.

use std::fmt::Write as _;

use crate::formula::{Formula, Literal};

/// An error in a file. Lines are numbered from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DimacsError {
    /// There is no `p` line before the clauses.
    #[error("line {line}: expected `p cnf VARIABLES CLAUSES` before the clauses")]
    NoHeader {
        /// The first line that needs it, or the last of the file.
        line: usize,
    },
    /// The `p` line is malformed.
    #[error(
        "line {line}: `{text}` is not `p cnf VARIABLES CLAUSES` with at most {} variables",
        Formula::LARGEST
    )]
    BadHeader {
        /// Where.
        line: usize,
        /// The line.
        text: String,
    },
    /// There is more than one `p` line.
    #[error("line {line}: unexpected second `p` line")]
    SecondHeader {
        /// Where.
        line: usize,
    },
    /// A word among the clauses is not a literal of the formula.
    #[error("line {line}: `{word}` is not a literal: a whole number from -{variables} to {variables}")]
    BadLiteral {
        /// Where.
        line: usize,
        /// The word.
        word: String,
        /// Number of variables that the `p` line declares.
        variables: u32,
    },
    /// The file ends within a clause.
    #[error("line {line}: the file ends within a clause; every clause ends with 0")]
    Unfinished {
        /// The last line.
        line: usize,
    },
    /// There are fewer or more clauses than declared.
    #[error("line {line}: the file has {found} clauses, but its `p` line declares {declared}")]
    WrongCount {
        /// The last line.
        line: usize,
        /// Number of clauses in the file.
        found: usize,
        /// Number of clauses in the `p` line.
        declared: usize,
    },
}

/// Reads a formula.
pub fn read(text: &str) -> Result<Formula, DimacsError> {
    let mut header: Option<(Formula, usize)> = None;
    let mut clause = Vec::new();
    let mut line = 0;
    for content in text.lines() {
        line += 1;
        let content = content.trim();
        match content.bytes().next() {
            None | Some(b'c') => continue,
            Some(b'%') => break,
            Some(b'p') if header.is_some() => return Err(DimacsError::SecondHeader { line }),
            Some(b'p') => {
                let bad = || DimacsError::BadHeader { line, text: content.to_owned() };
                let (variables, clauses) = sizes(content).ok_or_else(bad)?;
                header = Some((Formula::new(variables), clauses));
            }
            Some(_) => {
                let (formula, _) = header.as_mut().ok_or(DimacsError::NoHeader { line })?;
                let variables = formula.variables();
                for word in content.split_ascii_whitespace() {
                    let bad = || DimacsError::BadLiteral { line, word: word.to_owned(), variables };
                    match word.parse::<i32>().map_err(|_| bad())? {
                        0 => formula.push(clause.drain(..)),
                        number if number.unsigned_abs() > variables => return Err(bad()),
                        number if number < 0 => clause.push(Literal::negative(number.unsigned_abs() - 1)),
                        number => clause.push(Literal::positive(number.unsigned_abs() - 1)),
                    }
                }
            }
        }
    }
    let (formula, declared) = header.ok_or(DimacsError::NoHeader { line })?;
    if !clause.is_empty() {
        return Err(DimacsError::Unfinished { line });
    }
    match formula.clause_count() {
        found if found == declared => Ok(formula),
        found => Err(DimacsError::WrongCount { line, found, declared }),
    }
}

fn sizes(line: &str) -> Option<(u32, usize)> {
    let mut words = line.split_ascii_whitespace();
    if (words.next(), words.next()) != (Some("p"), Some("cnf")) {
        return None;
    }
    let variables = words.next()?.parse().ok().filter(|&variables: &u32| variables <= Formula::LARGEST)?;
    let clauses = words.next()?.parse().ok()?;
    words.next().is_none().then_some((variables, clauses))
}

/// Returns a formula as text: first the comment, then one clause per line.
pub fn write(formula: &Formula, comment: &str) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "c {line}");
    }
    let _ = writeln!(text, "p cnf {} {}", formula.variables(), formula.clause_count());
    for clause in formula.clauses() {
        for &literal in clause {
            let _ = write!(text, "{} ", number(literal));
        }
        text.push_str("0\n");
    }
    text
}

/// Returns a literal as a number of the format. Variables are numbered from 1, and negative literals have a
/// minus sign.
pub fn number(literal: Literal) -> i64 {
    let number = i64::from(literal.variable()) + 1;
    if literal.is_negative() { -number } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_formulas_are_read_back() {
        let mut formula = Formula::new(4);
        formula.push([Literal::positive(0), Literal::negative(3)]);
        formula.push([]);
        formula.push([Literal::negative(1)]);
        let text = write(&formula, "two\nlines");
        assert_eq!(text, "c two\nc lines\np cnf 4 3\n1 -4 0\n0\n-2 0\n");
        assert_eq!(read(&text).unwrap(), formula);
    }

    #[test]
    fn clauses_may_share_and_span_lines() {
        let formula = read("c x\n p  cnf 3 3 \r\n1 -2\nc between\n 3 0 2 0\n-1 0\n%\n0\n").unwrap();
        let numbers: Vec<Vec<i64>> =
            formula.clauses().map(|clause| clause.iter().map(|&literal| number(literal)).collect()).collect();
        assert_eq!(numbers, [vec![1, -2, 3], vec![2], vec![-1]]);
    }

    #[test]
    fn errors_name_their_line() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(message(""), "line 0: expected `p cnf VARIABLES CLAUSES` before the clauses");
        assert_eq!(message("c\n1 0\n"), "line 2: expected `p cnf VARIABLES CLAUSES` before the clauses");
        for header in ["p sat 3 2", "p cnf 3", "p cnf -3 2", "p cnf 3 2 1", "p cnf 2147483648 0"] {
            let expected = format!(
                "line 1: `{header}` is not `p cnf VARIABLES CLAUSES` with at most 2147483647 variables"
            );
            assert_eq!(message(header), expected);
        }
        assert_eq!(message("p cnf 1 0\np cnf 1 0\n"), "line 2: unexpected second `p` line");
        for word in ["3", "-3", "x", "1.5", "99999999999", "-2147483648"] {
            let expected = format!("line 2: `{word}` is not a literal: a whole number from -2 to 2");
            assert_eq!(message(&format!("p cnf 2 1\n{word} 0\n")), expected);
        }
        let expected = "line 2: the file ends within a clause; every clause ends with 0";
        assert_eq!(message("p cnf 2 1\n1 2\n"), expected);
        let expected = "line 3: the file has 2 clauses, but its `p` line declares 1";
        assert_eq!(message("p cnf 2 1\n1 0\n2 0"), expected);
    }
}

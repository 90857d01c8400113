//! Questions on standard error, answers on standard input.

use std::io::{self, BufRead, Write};

/// Asks.
pub(super) struct Questions<R> {
    answers: R,
    /// Whether a person types the answers: then they are seen already.
    typed: bool,
}

impl<R: BufRead> Questions<R> {
    pub(super) fn new(answers: R, typed: bool) -> Self {
        Self { answers, typed }
    }

    /// The answer, or what holds without one.
    pub(super) fn ask(&mut self, question: &str, otherwise: &str) -> io::Result<String> {
        let shown = if otherwise.is_empty() { String::new() } else { format!(" [{otherwise}]") };
        let mut out = io::stderr().lock();
        write!(out, "{question}{shown}: ").and_then(|()| out.flush()).ok();
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer = line.trim();
        if !self.typed {
            writeln!(out, "{answer}").ok();
        }
        Ok(if answer.is_empty() { otherwise.to_owned() } else { answer.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_answer_is_the_one_that_was_proposed() {
        let mut questions = Questions::new(&b" 10s \n\n"[..], false);
        let mut ask = || questions.ask("How long", "30s").unwrap();
        assert_eq!([ask(), ask(), ask()], ["10s", "30s", "30s"]);
    }
}

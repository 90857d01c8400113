//! Questions on standard error, answers on standard input.

use std::io::{self, BufRead, Write};

/// A dialogue that asks questions and reads the answers.
pub(super) struct Questions<R> {
    answers: R,
    /// Whether the answers are typed in a terminal. A terminal already shows them, so they are not printed.
    typed: bool,
}

impl<R: BufRead> Questions<R> {
    pub(super) fn new(answers: R, typed: bool) -> Self {
        Self { answers, typed }
    }

    /// Asks a question. Returns the answer, or the default if the answer is empty.
    pub(super) fn ask(&mut self, question: &str, default: &str) -> io::Result<String> {
        let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
        let mut out = io::stderr().lock();
        write!(out, "{question}{shown}: ").and_then(|()| out.flush()).ok();
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer = line.trim();
        if !self.typed {
            writeln!(out, "{answer}").ok();
        }
        Ok(if answer.is_empty() { default.to_owned() } else { answer.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_answer_is_the_default() {
        let mut questions = Questions::new(&b" 10s \n\n"[..], false);
        let mut ask = || questions.ask("How long", "30s").unwrap();
        assert_eq!([ask(), ask(), ask()], ["10s", "30s", "30s"]);
    }
}

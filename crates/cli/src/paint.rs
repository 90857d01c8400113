//! Colours, where they are wanted: in a terminal, and unless NO_COLOR says otherwise.

use std::io::IsTerminal;

/// Paints text, or leaves it as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// For what goes to standard error.
    pub(crate) fn of_standard_error() -> Self {
        Self::where_terminal(std::io::stderr().is_terminal())
    }

    /// For tests.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { on: false }
    }

    fn where_terminal(terminal: bool) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { on: terminal && !refused }
    }

    /// Good news.
    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Something to look at.
    pub(crate) fn warning(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// The word that a paragraph begins with.
    pub(crate) fn heading(self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

//! Colours, which are used only in a terminal and only if NO_COLOR is not set.

use std::io::IsTerminal;

/// A painter that adds colours to text or leaves it unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Returns the colours for standard error.
    pub(crate) fn of_standard_error() -> Self {
        Self::where_terminal(std::io::stderr().is_terminal())
    }

    /// Returns a value that adds no colours, for tests.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { on: false }
    }

    /// Returns a value that always adds colours, for tests.
    #[cfg(test)]
    pub(crate) fn all() -> Self {
        Self { on: true }
    }

    fn where_terminal(terminal: bool) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { on: terminal && !refused }
    }

    /// Colours good news.
    pub(crate) fn good(self, text: &str) -> String {
        self.wrap("1;32", text)
    }

    /// Colours a warning.
    pub(crate) fn warning(self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    /// Colours the first word of a paragraph.
    pub(crate) fn heading(self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

//! Quotes words for a shell.

/// Returns variables and words as one line for a shell. Each word is quoted if necessary.
pub fn line<'a>(
    variables: impl IntoIterator<Item = &'a (String, String)> + Clone,
    words: impl IntoIterator<Item = String>,
) -> String {
    let named = variables.clone().into_iter().all(|(name, _)| is_identifier(name));
    // A shell accepts assignments only to plain names, but `env` accepts any name.
    let start = (!named).then(|| "env".to_owned());
    let settings = variables.into_iter().map(|(name, value)| {
        if named { format!("{name}={}", quoted(value)) } else { quoted(&format!("{name}={value}")) }
    });
    let words = words.into_iter().map(|word| quoted(&word));
    start.into_iter().chain(settings).chain(words).collect::<Vec<_>>().join(" ")
}

/// Returns whether a shell accepts this text as the name of a variable.
pub fn is_identifier(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// Returns the word in quotes, unless a shell would leave it unchanged without them.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+.,/:@%{}".contains(c);
    // A shell expands braces only around a list or a range. Other braces need no quotes, so placeholders stay
    // readable.
    let expands = word.contains(['{', '}']) && (word.contains(',') || word.contains(".."));
    if !word.is_empty() && word.chars().all(is_plain) && !expands && !word.starts_with('=') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_words_that_need_quotes_get_them() {
        let words = ["-a=1,2", "{instance}", "a b", "", "it's", "$HOME *", "{1..3}", "{a,b}", "=x", "~"];
        let expected = [
            "-a=1,2",
            "{instance}",
            "'a b'",
            "''",
            r"'it'\''s'",
            "'$HOME *'",
            "'{1..3}'",
            "'{a,b}'",
            "'=x'",
            "'~'",
        ];
        assert_eq!(words.map(quoted), expected);
    }

    fn output_of_sh(line: &str) -> String {
        let output = Command::new("sh").args(["-c", line]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_shell_reads_back_every_word() {
        let words =
            ["a b", "", "it's", "$HOME", "`id`", "é\n\"x\"", "{a,b}", "{x}", "*", "!", "#", "~", "\\"];
        let all = ["printf", "%s\\n"].into_iter().chain(words).map(String::from);
        let expected: String = words.map(|word| format!("{word}\n")).concat();
        assert_eq!(output_of_sh(&line(&[], all)), expected);
    }

    #[test]
    fn variables_come_first_whatever_their_names() {
        for name in ["A_1", "a.b"] {
            let variables = [(name.to_owned(), "x y".to_owned())];
            let line = line(&variables, ["printenv".to_owned(), name.to_owned()]);
            assert_eq!(output_of_sh(&line), "x y\n", "{line}");
        }
    }
}

//! Splits the text of an expression into tokens with their positions.

use super::super::diagnostic::{Diagnostic, Span};
use super::super::literal::{Literal, parse_number};
use super::{Comparison, Function};

/// Maximum length of a bare name; longer names must be quoted. The limit bounds the search for the longest
/// name.
const LONGEST_BARE_NAME: usize = 200;

/// The variant of the expression language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// captune's own language.
    Captune,
    /// New PCS: bare words may be values, sets contain unquoted text, and `=` may be used for `==`.
    Pcs,
    /// R, as in irace: sets are written as `%in% c(...)`, logical operators as single `&` and `|`, `%%` binds
    /// tighter than `*`, and `round` rounds halves to even.
    R,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Literal(Literal),
    Name(String),
    Word(String),
    Compare(Comparison),
    And,
    Or,
    Not,
    In,
    /// One of `+ - * / % ^ ( ) { } [ ] ,`
    Sign(char),
    End,
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    position: usize,
    dialect: Dialect,
    is_parameter: &'a dyn Fn(&str) -> bool,
    /// Whether the lexer is in a PCS set, where everything up to a comma or brace is one value.
    in_set: bool,
    after_in: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect, is_parameter: &'a dyn Fn(&str) -> bool) -> Self {
        Self { text, position: 0, dialect, is_parameter, in_set: false, after_in: false }
    }

    pub(super) fn next(&mut self) -> Result<(Token, Span), Diagnostic> {
        let rest = &self.text[self.position..];
        self.position += rest.len() - rest.trim_start().len();
        let start = self.position;
        let token = self.token()?;
        if self.dialect == Dialect::Pcs {
            self.in_set = match token {
                Token::Sign('{') => self.after_in,
                Token::Sign('}') => false,
                _ => self.in_set,
            };
        }
        self.after_in = token == Token::In;
        Ok((token, Span::new(start, self.position)))
    }

    fn take(&mut self, length: usize, token: Token) -> Result<Token, Diagnostic> {
        self.position += length;
        Ok(token)
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let rest = &self.text[self.position..];
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        if let '\'' | '"' | '`' = first {
            return self.quoted(first);
        }
        if self.in_set && !matches!(first, ',' | '}') {
            let length = rest.find([',', '}']).unwrap_or(rest.len());
            return self.take(length, Token::Literal(Literal::Text(rest[..length].trim_end().to_owned())));
        }
        if let Some((length, token)) = self.sign(rest) {
            return self.take(length, token);
        }
        if let Some(name) = self.longest_name(rest) {
            return self.take(name.len(), Token::Name(name.to_owned()));
        }
        if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            return self.number(rest);
        }
        let word = plain_word(rest);
        if word.is_empty() {
            let span = Span::new(self.position, self.position + first.len_utf8());
            return Err(Diagnostic::new(span, format!("unexpected character `{first}`")));
        }
        let token = match word {
            "in" => Token::In,
            "true" | "TRUE" => Token::Literal(Literal::Boolean(true)),
            "false" | "FALSE" => Token::Literal(Literal::Boolean(false)),
            _ => Token::Word(word.to_owned()),
        };
        self.take(word.len(), token)
    }

    fn sign(&self, rest: &str) -> Option<(usize, Token)> {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let fixed = [
            ("==", Token::Compare(Equal)),
            ("!=", Token::Compare(NotEqual)),
            ("<=", Token::Compare(LessOrEqual)),
            (">=", Token::Compare(GreaterOrEqual)),
            ("<", Token::Compare(Less)),
            (">", Token::Compare(Greater)),
            ("&&", Token::And),
            ("||", Token::Or),
            ("!", Token::Not),
            ("**", Token::Sign('^')),
        ];
        if let Some((text, token)) = fixed.into_iter().find(|(text, _)| rest.starts_with(text)) {
            return Some((text.len(), token));
        }
        let special: &[(&str, Token)] = match self.dialect {
            Dialect::Captune => &[],
            Dialect::Pcs => &[("=", Token::Compare(Equal))],
            Dialect::R => {
                &[("%in%", Token::In), ("%%", Token::Sign('%')), ("&", Token::And), ("|", Token::Or)]
            }
        };
        if let Some((text, token)) = special.iter().find(|(text, _)| rest.starts_with(text)) {
            return Some((text.len(), token.clone()));
        }
        let first = rest.chars().next()?;
        // Names that begin with an operator need quotes, except in PCS files, which have no quotes.
        let free = self.dialect != Dialect::Pcs || self.longest_name(rest).is_none();
        ("+-*/%^(){}[],".contains(first) && free).then_some((1, Token::Sign(first)))
    }

    /// Returns the longest prefix that is the name of a parameter and ends where a word can end.
    fn longest_name(&self, rest: &'a str) -> Option<&'a str> {
        let stops = |c: char| c.is_whitespace() || "(){}[],'\"`=<>!&|".contains(c);
        let run = &rest[..rest.find(stops).unwrap_or(rest.len()).min(rest.len())];
        let mut end = run.len();
        if end > LONGEST_BARE_NAME {
            end = (0..=LONGEST_BARE_NAME).rev().find(|&i| run.is_char_boundary(i))?;
        }
        while end > 0 {
            let name = &run[..end];
            let next = run[end..].chars().next();
            let splits_word = next.is_some_and(|c| is_word(c) && name.ends_with(is_word)) && !name.is_empty();
            let has_alphanumeric = name.contains(char::is_alphanumeric);
            if !splits_word
                && has_alphanumeric
                && !is_reserved(name, &rest[end..])
                && (self.is_parameter)(name)
            {
                return Some(name);
            }
            end -= name.chars().next_back().map_or(1, char::len_utf8);
        }
        None
    }

    fn number(&mut self, rest: &str) -> Result<Token, Diagnostic> {
        let bytes = rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let exponent = end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            match bytes[end] {
                b'0'..=b'9' | b'.' | b'e' | b'E' => end += 1,
                b'+' | b'-' if exponent => end += 1,
                _ => break,
            }
        }
        let text = &rest[..end];
        let span = Span::new(self.position, self.position + end);
        let literal = match (text.parse::<i64>(), parse_number(text)) {
            (Ok(whole), _) => Literal::Integer(whole),
            (_, Some(number)) => Literal::Float(number),
            _ => return Err(Diagnostic::new(span, format!("`{text}` is not a number"))),
        };
        self.take(end, Token::Literal(literal))
    }

    fn quoted(&mut self, quote: char) -> Result<Token, Diagnostic> {
        let mut text = String::new();
        let mut characters = self.text[self.position..].char_indices().skip(1);
        while let Some((offset, c)) = characters.next() {
            match c {
                '\\' => match characters.next() {
                    Some((_, escaped)) => text.push(escaped),
                    None => break,
                },
                c if c == quote => {
                    let token =
                        if quote == '`' { Token::Name(text) } else { Token::Literal(Literal::Text(text)) };
                    return self.take(offset + 1, token);
                }
                c => text.push(c),
            }
        }
        let span = Span::new(self.position, self.text.len());
        Err(Diagnostic::new(span, format!("unclosed quotation mark `{quote}`")))
    }
}

/// Returns whether text is a keyword, function call or number. Parameters with such names need quotes.
fn is_reserved(name: &str, after: &str) -> bool {
    let called = Function::named(name).is_some() && after.trim_start().starts_with('(');
    called || matches!(name, "in" | "true" | "false" | "TRUE" | "FALSE") || parse_number(name).is_some()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn plain_word(rest: &str) -> &str {
    let end = rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len());
    rest[..end].trim_end_matches('.')
}

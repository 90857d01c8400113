//! Parses tokens into an [`Expr`], with one function per line of the grammar.

use super::super::diagnostic::{Diagnostic, Span};
use super::super::nearest::suggestion;
use super::lexer::{Lexer, Token};
use super::{Arithmetic, Dialect, Expr, ExprKind, Function, MAX_DEPTH};

/// Parses an expression. `is_parameter` returns whether a parameter has this name, which is needed to find
/// the longest bare name. Positions in the result and in mistakes count from the start of `text`.
pub fn parse(text: &str, dialect: Dialect, is_parameter: &dyn Fn(&str) -> bool) -> Result<Expr, Diagnostic> {
    let mut lexer = Lexer::new(text, dialect, is_parameter);
    let (token, span) = lexer.next()?;
    let mut parser = Parser { lexer, token, span, before: Span::new(0, 0), dialect, depth: 0 };
    let expr = parser.any()?;
    match parser.token {
        Token::End => Ok(expr),
        _ => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    span: Span,
    before: Span,
    dialect: Dialect,
    depth: usize,
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token, Diagnostic> {
        let (token, span) = self.lexer.next()?;
        self.before = std::mem::replace(&mut self.span, span);
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn accept(&mut self, token: &Token) -> Result<bool, Diagnostic> {
        let found = self.token == *token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let message = match &self.token {
            Token::End => format!("the expression ends where {wanted} was expected"),
            Token::Sign(c) => format!("unexpected `{c}` where {wanted} was expected"),
            Token::Name(t) | Token::Word(t) => format!("unexpected `{t}` where {wanted} was expected"),
            Token::Literal(l) => format!("unexpected `{l}` where {wanted} was expected"),
            Token::Compare(c) => format!("unexpected `{}` where {wanted} was expected", c.sign()),
            Token::And => format!("unexpected `&&` where {wanted} was expected"),
            Token::Or => format!("unexpected `||` where {wanted} was expected"),
            Token::Not => format!("unexpected `!` where {wanted} was expected"),
            Token::In => format!("unexpected `in` where {wanted} was expected"),
        };
        Diagnostic::new(self.span, message)
    }

    /// Parses one level deeper. The limit keeps later walks over the tree from overflowing the stack.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::new(self.span, format!("more than {MAX_DEPTH} levels of nesting")));
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }

    fn any(&mut self) -> Result<Expr, Diagnostic> {
        let mut parts = vec![self.all()?];
        while self.accept(&Token::Or)? {
            parts.push(self.all()?);
        }
        Ok(Expr::any(parts))
    }

    fn all(&mut self) -> Result<Expr, Diagnostic> {
        let mut parts = vec![self.not()?];
        while self.accept(&Token::And)? {
            parts.push(self.not()?);
        }
        Ok(Expr::all(parts))
    }

    fn not(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.span;
        if self.accept(&Token::Not)? {
            let inner = self.deeper(Self::not)?;
            let span = start.to(inner.span);
            return Ok(Expr::new(ExprKind::Not(Box::new(inner)), span));
        }
        self.relation()
    }

    fn relation(&mut self) -> Result<Expr, Diagnostic> {
        let left = self.sum()?;
        let relation = match self.token {
            Token::Compare(comparison) => {
                self.advance()?;
                Expr::compare(comparison, left, self.sum()?)
            }
            Token::In => {
                self.advance()?;
                let start = left.span;
                let set = self.set()?;
                Expr::new(ExprKind::In(Box::new(left), set), start.to(self.before))
            }
            _ => left,
        };
        if let Token::Compare(comparison) = self.token {
            let hint = format!("write `a {0} b && b {0} c`", comparison.sign());
            return Err(Diagnostic::new(self.span, "comparisons cannot be chained").hint(hint));
        }
        Ok(relation)
    }

    fn set(&mut self) -> Result<Vec<Expr>, Diagnostic> {
        if self.dialect == Dialect::R && matches!(&self.token, Token::Word(w) | Token::Name(w) if w == "c") {
            self.advance()?;
        }
        let close = match self.token {
            Token::Sign('{') => '}',
            Token::Sign('[') => ']',
            Token::Sign('(') => ')',
            // In R, a single value is a vector of length one.
            _ if self.dialect == Dialect::R => return Ok(vec![self.sum()?]),
            _ => return Err(self.unexpected("`{` and a list of values").hint("write `mode in {'a', 'b'}`")),
        };
        self.advance()?;
        let mut values = Vec::new();
        loop {
            values.push(self.deeper(Self::sum)?);
            if !self.accept(&Token::Sign(','))? {
                break;
            }
        }
        self.close(close)?;
        Ok(values)
    }

    fn close(&mut self, close: char) -> Result<(), Diagnostic> {
        match self.accept(&Token::Sign(close))? {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{close}`"))),
        }
    }

    /// Parses a chain of operators of equal precedence. Each one deepens the tree on the left, so the
    /// number of operators is limited.
    fn chain(
        &mut self,
        signs: &[(char, Arithmetic)],
        operand: fn(&mut Self) -> Result<Expr, Diagnostic>,
    ) -> Result<Expr, Diagnostic> {
        let mut left = operand(self)?;
        let mut links = 0;
        while let Token::Sign(sign) = self.token
            && let Some(&(_, how)) = signs.iter().find(|(c, _)| *c == sign)
        {
            links += 1;
            if self.depth + links > MAX_DEPTH {
                return Err(Diagnostic::new(self.span, format!("more than {MAX_DEPTH} operators in a row")));
            }
            self.advance()?;
            let right = operand(self)?;
            let span = left.span.to(right.span);
            left = Expr::new(ExprKind::Arithmetic(how, Box::new(left), Box::new(right)), span);
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expr, Diagnostic> {
        self.chain(&[('+', Arithmetic::Add), ('-', Arithmetic::Subtract)], Self::product)
    }

    fn product(&mut self) -> Result<Expr, Diagnostic> {
        let signs = [('*', Arithmetic::Multiply), ('/', Arithmetic::Divide), ('%', Arithmetic::Remainder)];
        match self.dialect {
            // In R, the remainder binds tighter than `*` and `/`.
            Dialect::R => self.chain(&signs[..2], Self::remainder),
            _ => self.chain(&signs, Self::sign),
        }
    }

    fn remainder(&mut self) -> Result<Expr, Diagnostic> {
        self.chain(&[('%', Arithmetic::Remainder)], Self::sign)
    }

    fn sign(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.span;
        if self.accept(&Token::Sign('-'))? {
            let inner = self.deeper(Self::sign)?;
            let span = start.to(inner.span);
            return Ok(Expr::new(ExprKind::Negate(Box::new(inner)), span));
        }
        self.power()
    }

    fn power(&mut self) -> Result<Expr, Diagnostic> {
        let base = self.atom()?;
        if !self.accept(&Token::Sign('^'))? {
            return Ok(base);
        }
        let exponent = self.deeper(Self::sign)?;
        let span = base.span.to(exponent.span);
        Ok(Expr::new(ExprKind::Arithmetic(Arithmetic::Power, Box::new(base), Box::new(exponent)), span))
    }

    fn atom(&mut self) -> Result<Expr, Diagnostic> {
        let start = self.span;
        match self.token {
            Token::Literal(_) | Token::Name(_) | Token::Word(_) => {}
            Token::Sign('(') => {
                self.advance()?;
                let inner = self.deeper(Self::any)?;
                self.close(')')?;
                return Ok(Expr::new(inner.kind, start.to(self.before)));
            }
            _ => return Err(self.unexpected("a value")),
        }
        let kind = match self.advance()? {
            Token::Literal(literal) => ExprKind::Literal(literal),
            Token::Name(name) => ExprKind::Name(name),
            Token::Word(word) if self.token == Token::Sign('(') => return self.call(&word, start),
            Token::Word(word) if self.dialect == Dialect::Pcs => ExprKind::Word(word),
            Token::Word(word) => ExprKind::Name(word),
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Expr::new(kind, start))
    }

    fn call(&mut self, name: &str, start: Span) -> Result<Expr, Diagnostic> {
        let function = match (self.dialect, name) {
            // R rounds halves to the nearest even number.
            (Dialect::R, "round") => Some(Function::RoundEven),
            _ => Function::named(name),
        };
        let Some(function) = function else {
            let hint = suggestion(name, Function::ALL.iter().map(|f| f.name()));
            return Err(Diagnostic::new(start, format!("unknown function `{name}`")).maybe_hint(hint));
        };
        self.advance()?;
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.deeper(Self::any)?);
            if !self.accept(&Token::Sign(','))? {
                break;
            }
        }
        self.close(')')?;
        let span = start.to(self.before);
        let (least, most) = function.arguments();
        if arguments.len() < least || arguments.len() > most {
            let message = format!("`{name}` takes one argument, not {}", arguments.len());
            return Err(Diagnostic::new(span, message));
        }
        Ok(Expr::new(ExprKind::Call(function, arguments), span))
    }
}

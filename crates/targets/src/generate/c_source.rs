//! C programs as inputs for compilers. Their functions contain loops over arrays, branches, switches,
//! arithmetic and calls to each other. The programs compile without headers and compute nothing useful.

use std::fmt::Write as _;

use math::Rng;

/// Number of functions in a program.
const FUNCTIONS: usize = 3;
/// Number from which the maximum number of statements in functions and blocks is derived.
const STATEMENTS: usize = 4;
/// Maximum nesting depth of blocks.
const DEPTH: usize = 2;

/// Returns a random program.
pub fn c_source(seed: u64) -> String {
    let mut writer = Writer { rng: Rng::new(seed, "C source", 0), text: String::new(), indent: 1, loops: 0 };
    writer.text.push_str("extern int data[256];\nextern unsigned sink(unsigned);\n");
    for number in 0..FUNCTIONS {
        writer.function(number);
    }
    writer.text
}

struct Writer {
    rng: Rng,
    text: String,
    indent: usize,
    /// Number of loops around the current position.
    loops: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.indent));
    }

    fn function(&mut self, number: usize) {
        // Some functions are small, so that inlining them pays off. Some are static, because the compiler may
        // remove only static functions.
        let linkage = if self.rng.below(3) > 0 { "static " } else { "" };
        let size = if self.rng.below(2) == 0 { 1 } else { 2 + self.rng.below(STATEMENTS) };
        let _ = writeln!(self.text, "\n{linkage}int f{number}(int a, int b, int n)\n{{");
        self.line("int x = a, y = b;");
        for _ in 0..size {
            self.statement(number, DEPTH);
        }
        self.line("return x ^ y;");
        self.text.push_str("}\n");
        if linkage.is_empty() {
            return;
        }
        // Add an external function that calls the static one, so that the static one is used.
        let _ =
            writeln!(self.text, "\nint g{number}(int a)\n{{\n    return f{number}(a, a + {number}, 16);\n}}");
    }

    fn block(&mut self, number: usize, depth: usize) {
        self.indent += 1;
        for _ in 0..1 + self.rng.below(STATEMENTS - 1) {
            self.statement(number, depth);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, number: usize, depth: usize) {
        let kinds = if depth == 0 { 4 } else { 8 };
        match self.rng.below(kinds) {
            0 | 1 => {
                let value = self.value();
                let target = ["x", "y"][self.rng.below(2)];
                let operator = ["=", "+=", "^=", "-="][self.rng.below(4)];
                self.line(&format!("{target} {operator} {value};"));
            }
            2 => {
                let (place, value) = (self.place(), self.value());
                self.line(&format!("data[{place}] = {value};"));
            }
            3 if number > 0 => {
                let (callee, value) = (self.rng.below(number), self.value());
                self.line(&format!("y += f{callee}(x, {value}, n);"));
            }
            3 => self.line("x = (int)sink((unsigned)x);"),
            4 | 5 => self.repetition(number, depth),
            6 => {
                let (condition, value) = (self.value(), self.value());
                self.line(&format!("if (({condition}) > ({value})) {{"));
                self.block(number, depth - 1);
                self.line("} else {");
                self.block(number, depth - 1);
                self.line("}");
            }
            _ => self.choice(number, depth),
        }
    }

    /// Writes a loop over a fixed number of elements or over `n`.
    fn repetition(&mut self, number: usize, depth: usize) {
        let index = ["i", "j", "k"][self.loops];
        let end = ["8", "n", "64", "n & 31"][self.rng.below(4)];
        self.line(&format!("for (int {index} = 0; {index} < ({end}); {index}++) {{"));
        self.loops += 1;
        self.block(number, depth - 1);
        self.loops -= 1;
        self.line("}");
    }

    fn choice(&mut self, number: usize, depth: usize) {
        self.line("switch (x & 7) {");
        for case in 0..3 + self.rng.below(4) {
            self.line(&format!("case {case}:"));
            self.block(number, depth - 1);
            self.line("    break;");
        }
        self.line("default: x++;");
        self.line("}");
    }

    /// Returns a random index into the array.
    fn place(&mut self) -> String {
        let index = ["x", "i", "j", "k"][self.rng.below(self.loops + 1)];
        format!("({index} + {}) & 255", self.rng.below(16))
    }

    fn value(&mut self) -> String {
        let name = |rng: &mut Rng| ["x", "y", "a", "b", "n"][rng.below(5)];
        let first = name(&mut self.rng);
        match self.rng.below(6) {
            0 => {
                let place = self.place();
                format!("data[{place}] * {first}")
            }
            1 => {
                let place = self.place();
                format!("data[{place}] + {first}")
            }
            2 => format!("{first} / {}", 3 + self.rng.below(20)),
            3 => format!("({first} << {}) - {}", 1 + self.rng.below(5), name(&mut self.rng)),
            4 => format!("{first} * {} + {}", 3 + self.rng.below(50), name(&mut self.rng)),
            _ => format!("{first} & {}", self.rng.below(1000)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_balanced_and_differ_by_seed() {
        for seed in 0..50 {
            let text = c_source(seed);
            let count = |sign: char| text.matches(sign).count();
            assert_eq!((count('{'), count('(')), (count('}'), count(')')), "{text}");
            assert!(text.lines().count() > 20, "{text}");
        }
        assert_eq!(c_source(1), c_source(1));
        assert_ne!(c_source(1), c_source(2));
    }
}

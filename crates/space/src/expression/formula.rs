//! Expressions resolved against a space: typed, with parameter indices, ready to be evaluated.
//!
//! A truth value is a float: 1 for true, 0 for false, NaN for unknown. An inactive parameter has the
//! code NaN, so every comparison that mentions it is unknown without a separate check.

use std::sync::Arc;

use super::super::parameter::ParameterId;

/// A comparison operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// Returns the symbol of the operator.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Returns the same comparison with its sides swapped.
    pub(crate) const fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }

    /// Returns whether the comparison holds for two numbers.
    pub(crate) fn accepts(self, left: f64, right: f64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }

    fn holds(self, left: f64, right: f64) -> f64 {
        if left.is_nan() || right.is_nan() { f64::NAN } else { truth(self.accepts(left, right)) }
    }
}

/// An arithmetic operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// The remainder of a division; it has the sign of the divisor.
    Remainder,
    Power,
}

impl Arithmetic {
    /// Returns the symbol of the operator.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Power => "^",
        }
    }

    fn apply(self, left: f64, right: f64) -> f64 {
        match self {
            // NaN to the power of 0 is 1 by convention, but here NaN stands for an inactive parameter.
            _ if left.is_nan() || right.is_nan() => f64::NAN,
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
            Self::Remainder => left - right * libm::floor(left / right),
            Self::Power => libm::pow(left, right),
        }
    }
}

macro_rules! functions {
    ($($variant:ident $name:literal $least:literal $most:expr, $doc:literal;)*) => {
        /// The functions of the language.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Function { $(#[doc = $doc] $variant,)* }

        impl Function {
            /// All functions.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name used in expressions.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the minimum and maximum number of arguments.
            pub const fn arguments(self) -> (usize, usize) {
                match self { $(Self::$variant => ($least, $most),)* }
            }
        }
    };
}

functions! {
    Abs "abs" 1 1, "Absolute value.";
    Log "log" 1 1, "Natural logarithm.";
    Log2 "log2" 1 1, "Logarithm to base 2.";
    Log10 "log10" 1 1, "Logarithm to base 10.";
    Exp "exp" 1 1, "Exponential function.";
    Sqrt "sqrt" 1 1, "Square root.";
    Floor "floor" 1 1, "Largest whole number not above the argument.";
    Ceiling "ceiling" 1 1, "Smallest whole number not below the argument.";
    Round "round" 1 1, "Nearest whole number; halves round away from zero.";
    RoundEven "round_even" 1 1, "Nearest whole number; halves round to even.";
    Truncate "trunc" 1 1, "The argument without its fractional part.";
    Min "min" 1 usize::MAX, "Smallest of the arguments.";
    Max "max" 1 usize::MAX, "Largest of the arguments.";
}

impl Function {
    /// Finds a function by name.
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "ceil" { "ceiling" } else { name };
        Self::ALL.iter().copied().find(|function| function.name() == name)
    }

    fn apply(self, arguments: &[Quantity], codes: &[f64]) -> f64 {
        let Some((first, rest)) = arguments.split_first() else { return f64::NAN };
        let x = first.value(codes);
        match self {
            Self::Abs => x.abs(),
            Self::Log => libm::log(x),
            Self::Log2 => libm::log2(x),
            Self::Log10 => libm::log10(x),
            Self::Exp => libm::exp(x),
            Self::Sqrt => libm::sqrt(x),
            Self::Floor => libm::floor(x),
            Self::Ceiling => libm::ceil(x),
            Self::Round => libm::round(x),
            Self::RoundEven => libm::rint(x),
            Self::Truncate => libm::trunc(x),
            Self::Min | Self::Max => {
                let keep = if self == Self::Min { Comparison::Less } else { Comparison::Greater };
                rest.iter().map(|q| q.value(codes)).fold(x, |best, y| match keep.holds(y, best) {
                    1.0 => y,
                    0.0 => best,
                    _ => f64::NAN,
                })
            }
        }
    }
}

/// A number computed from parameters.
#[derive(Clone, PartialEq, Debug)]
pub enum Quantity {
    /// A constant.
    Constant(f64),
    /// The value of a float or integer parameter.
    Parameter(ParameterId),
    /// The value of a parameter whose choices are all numbers.
    Choice(ParameterId, Arc<[f64]>),
    /// The negative of a quantity.
    Negate(Box<Self>),
    /// An arithmetic operation on two quantities.
    Arithmetic(Arithmetic, Box<Self>, Box<Self>),
    /// A function call.
    Call(Function, Vec<Self>),
}

impl Quantity {
    /// Returns the value in a configuration given by its codes; NaN if the quantity has no value there.
    pub fn value(&self, codes: &[f64]) -> f64 {
        match self {
            Self::Constant(number) => *number,
            Self::Parameter(id) => codes[id.index()],
            Self::Choice(id, numbers) => {
                let code = codes[id.index()];
                if code.is_nan() { f64::NAN } else { numbers[code as usize] }
            }
            Self::Negate(inner) => -inner.value(codes),
            Self::Arithmetic(how, left, right) => how.apply(left.value(codes), right.value(codes)),
            Self::Call(function, arguments) => function.apply(arguments, codes),
        }
    }

    /// Calls `visit` with every parameter mentioned.
    pub fn parameters(&self, visit: &mut impl FnMut(ParameterId)) {
        match self {
            Self::Constant(_) => {}
            Self::Parameter(id) | Self::Choice(id, _) => visit(*id),
            Self::Negate(inner) => inner.parameters(visit),
            Self::Arithmetic(_, left, right) => {
                left.parameters(visit);
                right.parameters(visit);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|q| q.parameters(visit)),
        }
    }
}

/// A logical statement about parameters.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    /// Always true or always false.
    Constant(bool),
    /// Every part holds; no part is another `All`.
    All(Vec<Self>),
    /// At least one part holds; no part is another `Any`.
    Any(Vec<Self>),
    /// The part does not hold.
    Not(Box<Self>),
    /// A parameter has one of these choices, or none of them if negated.
    /// A single index means `==` or `!=`; a bare boolean means `== true`.
    Member {
        /// The parameter.
        parameter: ParameterId,
        /// Indices of choices, ascending.
        choices: Vec<u32>,
        /// The same indices as bits if all are below 64, else 0. Testing a bit avoids searching the list.
        bits: u64,
        /// Whether the parameter must have none of these choices.
        negated: bool,
    },
    /// An ordinal parameter comes before or after one of its values.
    Position {
        /// The parameter.
        parameter: ParameterId,
        /// One of the four order relations.
        comparison: Comparison,
        /// Index of the value that the parameter is compared with.
        choice: u32,
    },
    /// Two parameters have the same choice, or different ones if negated.
    Same {
        /// One parameter.
        left: ParameterId,
        /// The other.
        right: ParameterId,
        /// For each choice of `left`, the index of the same choice in `right`; `u32::MAX` if `right` does not
        /// have it.
        map: Arc<[u32]>,
        /// Whether the two choices must differ.
        negated: bool,
    },
    /// A number is in a list.
    Among {
        /// The number.
        quantity: Quantity,
        /// The list.
        numbers: Vec<f64>,
    },
    /// Two numbers are compared.
    Compare {
        /// The operator.
        comparison: Comparison,
        /// One number.
        left: Quantity,
        /// The other.
        right: Quantity,
    },
}

impl Formula {
    /// Returns whether the formula holds in a configuration given by its codes. An unknown formula does not
    /// hold.
    #[inline]
    pub fn holds(&self, codes: &[f64]) -> bool {
        match self {
            // A fast path for what is by far the most frequent case.
            Self::Member { parameter, bits, negated, .. } if *bits != 0 => {
                let code = codes[parameter.index()];
                !code.is_nan() && (code < 64.0 && bits >> code as u32 & 1 == 1) != *negated
            }
            _ => self.value(codes) == 1.0,
        }
    }

    fn value(&self, codes: &[f64]) -> f64 {
        match self {
            Self::Constant(value) => truth(*value),
            Self::All(parts) => decide(parts, codes, 0.0),
            Self::Any(parts) => decide(parts, codes, 1.0),
            Self::Not(part) => 1.0 - part.value(codes),
            Self::Member { parameter, choices, bits, negated } => {
                let code = codes[parameter.index()];
                let found = match *bits {
                    0 => choices.binary_search(&(code as u32)).is_ok(),
                    bits => code < 64.0 && bits >> code as u32 & 1 == 1,
                };
                known(code, truth(found != *negated))
            }
            Self::Position { parameter, comparison, choice } => {
                comparison.holds(codes[parameter.index()], f64::from(*choice))
            }
            Self::Same { left, right, map, negated } => {
                let (left, right) = (codes[left.index()], codes[right.index()]);
                let same = !left.is_nan() && f64::from(map[left as usize]) == right;
                known(left + right, truth(same != *negated))
            }
            Self::Among { quantity, numbers } => {
                let number = quantity.value(codes);
                known(number, truth(numbers.contains(&number)))
            }
            Self::Compare { comparison, left, right } => {
                comparison.holds(left.value(codes), right.value(codes))
            }
        }
    }

    /// Calls `visit` with every parameter mentioned, possibly more than once.
    pub fn parameters(&self, visit: &mut impl FnMut(ParameterId)) {
        match self {
            Self::Constant(_) => {}
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.parameters(visit)),
            Self::Not(part) => part.parameters(visit),
            Self::Member { parameter, .. } | Self::Position { parameter, .. } => visit(*parameter),
            Self::Same { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            Self::Among { quantity, .. } => quantity.parameters(visit),
            Self::Compare { left, right, .. } => {
                left.parameters(visit);
                right.parameters(visit);
            }
        }
    }

    /// Creates a membership test; the choices must be ascending.
    pub(crate) fn member(parameter: ParameterId, choices: Vec<u32>, negated: bool) -> Self {
        let small = choices.last().is_some_and(|&last| last < 64);
        let bits = if small { choices.iter().fold(0, |bits, &choice| bits | 1 << choice) } else { 0 };
        Self::Member { parameter, choices, bits, negated }
    }

    /// Creates a conjunction and flattens parts that are conjunctions themselves.
    pub(crate) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::All(flat) }
    }

    /// Creates a disjunction and flattens parts that are disjunctions themselves.
    pub(crate) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Any(flat) }
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// Returns `value`, or NaN (unknown) if `operand` is NaN.
fn known(operand: f64, value: f64) -> f64 {
    if operand.is_nan() { f64::NAN } else { value }
}

/// Evaluates a conjunction or disjunction. A part with the deciding value determines the result; otherwise,
/// an unknown part makes the result unknown.
fn decide(parts: &[Formula], codes: &[f64], deciding: f64) -> f64 {
    let mut result = 1.0 - deciding;
    for part in parts {
        let value = part.value(codes);
        if value == deciding {
            return deciding;
        }
        if value.is_nan() {
            result = f64::NAN;
        }
    }
    result
}

//! Factoring as formulas. A formula describes a circuit that multiplies two unknown numbers, and fixes their
//! product.
//!
//! The product is that of two primes with as many bits as the factors may have, so there are one or two
//! solutions. The circuit adds the partial products row by row. Each gate is a variable, and clauses define
//! its value.

use math::Rng;

use crate::formula::{Formula, Literal};

/// Returns a formula for factoring a random product of two primes. Each prime has `bits` bits (3 to 31).
pub fn factoring(bits: u32, seed: u64) -> Formula {
    let mut rng = Rng::new(seed, "factoring", 0);
    let product = prime(bits, &mut rng) * prime(bits, &mut rng);
    let mut circuit = Circuit::default();
    let (x, y): (Vec<Literal>, Vec<Literal>) = (circuit.inputs(bits), circuit.inputs(bits));
    let sum = circuit.product(&x, &y);
    for (place, &bit) in sum.iter().enumerate() {
        circuit.clause(&[if product >> place & 1 == 1 { bit } else { !bit }]);
    }
    let mut formula = Formula::new(circuit.variables);
    circuit.clauses.into_iter().for_each(|clause| formula.push(clause));
    formula
}

/// Returns a random prime with `bits` bits, the highest of which is set.
fn prime(bits: u32, rng: &mut Rng) -> u64 {
    assert!((3..=31).contains(&bits), "factors have 3 to 31 bits, not {bits}");
    let half = 1u64 << (bits - 1);
    loop {
        let number = half + rng.below(half as usize) as u64;
        if (2..)
            .take_while(|divisor| divisor * divisor <= number)
            .all(|divisor| !number.is_multiple_of(divisor))
        {
            return number;
        }
    }
}

#[derive(Default)]
struct Circuit {
    variables: u32,
    clauses: Vec<Vec<Literal>>,
}

impl Circuit {
    fn variable(&mut self) -> Literal {
        self.variables += 1;
        Literal::positive(self.variables - 1)
    }

    fn inputs(&mut self, count: u32) -> Vec<Literal> {
        (0..count).map(|_| self.variable()).collect()
    }

    fn clause(&mut self, literals: &[Literal]) {
        self.clauses.push(literals.to_vec());
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let gate = self.variable();
        self.clause(&[!a, !b, gate]);
        self.clause(&[a, !gate]);
        self.clause(&[b, !gate]);
        gate
    }

    fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let gate = self.variable();
        self.clause(&[!a, !b, !gate]);
        self.clause(&[a, b, !gate]);
        self.clause(&[a, !b, gate]);
        self.clause(&[!a, b, gate]);
        gate
    }

    /// Returns the sum of up to three bits, and the carry.
    fn add(&mut self, bits: &[Literal]) -> (Literal, Option<Literal>) {
        match *bits {
            [a] => (a, None),
            [a, b] => (self.xor(a, b), Some(self.and(a, b))),
            [a, b, c] => {
                let half = self.xor(a, b);
                let (both, passed) = (self.and(a, b), self.and(half, c));
                (self.xor(half, c), Some(!self.and(!both, !passed)))
            }
            _ => unreachable!("an adder has one to three inputs"),
        }
    }

    /// Returns the product, lowest bit first.
    fn product(&mut self, x: &[Literal], y: &[Literal]) -> Vec<Literal> {
        let mut sum: Vec<Literal> = Vec::new();
        for (shift, &digit) in y.iter().enumerate() {
            let mut carry = None;
            for (place, &bit) in x.iter().enumerate() {
                let partial = self.and(bit, digit);
                let known = sum.get(shift + place).copied();
                let bits: Vec<Literal> = [Some(partial), known, carry].into_iter().flatten().collect();
                let (total, carried) = self.add(&bits);
                match sum.get_mut(shift + place) {
                    Some(known) => *known = total,
                    None => sum.push(total),
                }
                carry = carried;
            }
            sum.extend(carry);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the factors `x` and `y` satisfy the formula. Sets the inputs and computes the gates
    /// one after the other; earlier variables determine the value of each gate.
    fn holds(formula: &Formula, x: u64, y: u64, bits: u32) -> bool {
        let mut values: Vec<Option<bool>> = vec![None; formula.variables() as usize];
        for place in 0..bits {
            values[place as usize] = Some(x >> place & 1 == 1);
            values[(bits + place) as usize] = Some(y >> place & 1 == 1);
        }
        for _ in 0..formula.variables() {
            for clause in formula.clauses().filter(|clause| clause.len() > 1) {
                let value =
                    |literal: &Literal| values[literal.variable() as usize].map(|it| literal.holds(it));
                let open: Vec<Literal> = clause.iter().copied().filter(|it| value(it).is_none()).collect();
                if let [last] = open[..]
                    && clause.iter().all(|it| value(it) != Some(true))
                {
                    values[last.variable() as usize] = Some(!last.is_negative());
                }
            }
        }
        let values: Vec<bool> = values.into_iter().map(|it| it.unwrap()).collect();
        formula.is_satisfied_by(&values)
    }

    #[test]
    fn the_factors_are_the_only_solutions() {
        let bits = 4;
        let mut rng = Rng::new(3, "factoring", 0);
        let (p, q) = (prime(bits, &mut rng), prime(bits, &mut rng));
        let formula = factoring(bits, 3);
        let pairs = (0..16).flat_map(|x| (0..16).map(move |y| (x, y)));
        let mut found: Vec<(u64, u64)> = pairs.filter(|&(x, y)| holds(&formula, x, y, bits)).collect();
        found.sort_unstable();
        let mut wanted = vec![(p, q), (q, p)];
        wanted.sort_unstable();
        wanted.dedup();
        assert_eq!(found, wanted);
    }

    #[test]
    fn primes_have_their_highest_bit_set() {
        let mut rng = Rng::new(1, "primes", 0);
        for _ in 0..20 {
            assert!([17, 19, 23, 29, 31].contains(&prime(5, &mut rng)));
        }
    }
}

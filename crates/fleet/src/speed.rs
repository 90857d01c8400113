//! Measures the speed of a machine with a fixed computation, so that unequal machines are noticed.

use std::hint::black_box;
use std::time::Instant;

/// Steps of one measurement, which takes about 10 ms.
const STEPS: u32 = 5_000_000;
/// Number of measurements. The fastest one counts, since the others were disturbed.
const ROUNDS: usize = 7;

/// Returns the speed of this machine in million steps per second. A step is a multiplication, a shift and an
/// addition, each of which needs the result of the previous one.
pub fn speed() -> f64 {
    let round = |_| {
        let began = Instant::now();
        let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
        for _ in 0..STEPS {
            state = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(1);
        }
        black_box(state);
        f64::from(STEPS) / began.elapsed().as_secs_f64() / 1e6
    };
    (0..ROUNDS).map(round).fold(0.0, f64::max)
}

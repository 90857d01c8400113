//! Dispatch: code compiled once for each set of vector instructions, chosen at run time.
//!
//! The program is built for every processor of its architecture, but these loops are several times faster
//! with the widest registers available. All sets give the same bits: each entry of a result is computed by a
//! chain of fused multiply-adds in an order that does not depend on the width of a register.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "functions compiled for instructions that not every processor has")
)]

#[cfg(target_arch = "x86_64")]
use crate::vector::{Avx2, Avx512};
use crate::vector::{Plain, Vector};

/// Work to compile for each set of instructions. Everything it calls must be inlined into `run` to benefit.
pub(crate) trait Work {
    /// The result.
    type Output;

    /// Does the work with these vectors and with tiles of `COLUMNS` columns, a number chosen to fill the
    /// registers.
    fn run<V: Vector, const COLUMNS: usize>(self) -> Self::Output;
}

/// A set of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instructions {
    /// The instructions that every processor of the architecture has.
    Portable,
    /// Four numbers per register.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Eight numbers per register.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// Returns every set that this processor has, the best last.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Self> {
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(has_avx2().then_some(Self::Avx2));
            all.extend(has_avx512().then_some(Self::Avx512));
        }
        all
    }

    /// Returns the best set that this processor has.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                return Self::Avx512;
            }
            if has_avx2() {
                return Self::Avx2;
            }
        }
        Self::Portable
    }

    /// Does the work with these instructions, or portably if the processor does not have them.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if has_avx512() => {
                // SAFETY: the guard has checked that the processor has these instructions.
                unsafe { with_avx512(work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if has_avx2() => {
                // SAFETY: the guard has checked that the processor has these instructions.
                unsafe { with_avx2(work) }
            }
            _ => work.run::<Plain, 4>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") && has_avx2()
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn with_avx512<W: Work>(work: W) -> W::Output {
    work.run::<Avx512, 8>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run::<Avx2, 4>()
}

//! Work on the widest registers that this processor has.
//!
//! The program is built for every processor of its kind, but a loop over sixteen lanes takes one
//! instruction with AVX-512, two with AVX2 and four without. So a [`Work`] is compiled once for each set
//! of instructions, and which one runs is decided while the program runs: once for many epochs of a network, or
//! for a column of covariances.
//! The code is the same, in plain loops, but for a few lines in `avx512`; results have the same bits with all sets.
//!
//! All of the crate's `unsafe` is in this folder: a function compiled for some instructions may be called
//! only where the processor has them.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "functions compiled for instructions that not every processor has")
)]

#[cfg(target_arch = "x86_64")]
mod avx512;

use super::arithmetic::{Arithmetic, ByHand, Instruction};
#[cfg(target_arch = "x86_64")]
use avx512::Avx512;

/// What is to be compiled for each set of instructions. Its code must be inlined into `run` to profit.
pub(super) trait Work {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<A: Arithmetic>(self) -> Self::Output;
}

/// A set of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instructions {
    /// What every processor of the kind has.
    Portable,
    /// Eight lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Sixteen lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// All that this processor has, the best last.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(has_avx2().then_some(Self::Avx2));
            all.extend(has_avx512().then_some(Self::Avx512));
        }
        all
    }

    /// The best that this processor has.
    pub(super) fn best() -> Self {
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

    /// Does work with these instructions; with those that every processor has, where they are missing.
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if has_avx512() => {
                // SAFETY: the processor has just said that it has these instructions.
                unsafe { with_avx512(work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if has_avx2() => {
                // SAFETY: the processor has just said that it has these instructions.
                unsafe { with_avx2(work) }
            }
            _ => portably(work),
        }
    }
}

/// The instructions that surrogates are trained with on this processor.
pub fn instructions() -> &'static str {
    match Instructions::best() {
        Instructions::Portable => "portable",
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => "AVX2",
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => "AVX-512",
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") && has_avx2()
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// The only one that may name `Avx512`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
fn with_avx512<W: Work>(work: W) -> W::Output {
    work.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run::<Instruction<5>>()
}

fn portably<W: Work>(work: W) -> W::Output {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
        work.run::<Instruction<5>>()
    } else {
        work.run::<ByHand>()
    }
}

//! Runtime dispatch to the widest vector registers of this processor.
//!
//! The program is built for all processors of an architecture, but an operation on sixteen lanes takes one
//! instruction with AVX-512, two with AVX2 and four with neither. So a [`Work`] is compiled for each
//! instruction set, and one version is chosen at run time: once for many epochs of a network, or once for a
//! column of covariances. Apart from a few lines in `avx512`, all versions come from the same plain loops,
//! and the results have the same bits with every instruction set.
//!
//! All of the crate's `unsafe` is in this folder: a function compiled for an instruction set may be called
//! only where the processor has it.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "functions compiled for instruction sets that not every processor has")
)]

#[cfg(target_arch = "x86_64")]
mod avx512;

use super::arithmetic::{Arithmetic, EmulatedFma, HardwareFma};
#[cfg(target_arch = "x86_64")]
use avx512::Avx512;

/// A computation to be compiled for each instruction set. Compiling it separately helps only if its code is
/// inlined into `run`.
pub(super) trait Work {
    /// The result.
    type Output;

    /// Runs the computation.
    fn run<A: Arithmetic>(self) -> Self::Output;
}

/// An instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instructions {
    /// The instructions that every processor of the architecture has.
    Portable,
    /// Eight lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Sixteen lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// Returns all instruction sets that this processor has, the best last.
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

    /// Returns the best instruction set that this processor has.
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

    /// Runs work with this instruction set, or with the portable one if the processor lacks it.
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if has_avx512() => {
                // SAFETY: the check above found that the processor has these instructions.
                unsafe { with_avx512(work) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if has_avx2() => {
                // SAFETY: the check above found that the processor has these instructions.
                unsafe { with_avx2(work) }
            }
            _ => run_portable(work),
        }
    }
}

/// Returns the name of the instruction set that surrogates are trained with on this processor.
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

/// Runs work with AVX-512. This is the only function that may name `Avx512`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
fn with_avx512<W: Work>(work: W) -> W::Output {
    work.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run::<HardwareFma<5>>()
}

fn run_portable<W: Work>(work: W) -> W::Output {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
        work.run::<HardwareFma<5>>()
    } else {
        work.run::<EmulatedFma>()
    }
}

//! The input of an adapter: a new folder with the scenario, the space and a folder for the adapter's own
//! files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use space::Literal;
use space::format::{Format, write};

use super::OUTPUT;
use crate::contest::arena::Arena;

/// Folder of one cell, which is kept if the cell fails.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(arena: &Arena, trials: u64, seed: u64) -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("captune-peer-{}-{number}", std::process::id()));
        let failed = || format!("could not write {}", path.display());
        std::fs::create_dir_all(path.join("work")).with_context(failed)?;
        let scenario = scenario(arena, trials, seed);
        std::fs::write(path.join("scenario.json"), scenario.to_string()).with_context(failed)?;
        let space = write(&arena.benchmark.space, Format::ConfigSpaceJson)?;
        std::fs::write(path.join("space.json"), space).with_context(failed)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn remove(self) -> Result<()> {
        std::fs::remove_dir_all(&self.0).with_context(|| format!("could not remove {}", self.0.display()))
    }
}

fn scenario(arena: &Arena, trials: u64, seed: u64) -> Value {
    let default = arena.benchmark.space.default_configuration();
    let default: Map<String, Value> =
        default.iter().map(|(name, value)| (name.to_owned(), value_of(value))).collect();
    let constraint = arena.objective.constraints.first();
    json!({
        "name": arena.name,
        "cutoff": arena.objective.cutoff,
        "par": arena.objective.par,
        "instances": arena.benchmark.training,
        "deterministic": arena.benchmark.deterministic,
        "trials": trials,
        "seed": seed,
        "constraint": constraint.map(|it| json!({ "output": OUTPUT, "most": it.bound })),
        "features": null,
        "default": default,
    })
}

fn value_of(literal: Literal) -> Value {
    match literal {
        Literal::Text(text) => text.into(),
        Literal::Integer(number) => number.into(),
        Literal::Float(number) => number.into(),
        Literal::Boolean(truth) => truth.into(),
    }
}

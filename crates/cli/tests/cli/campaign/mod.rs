//! Whole campaigns on real targets.

mod answers;
mod bounds;
mod comparing;
mod converted;
mod damage;
mod examples;
mod exporting;
mod failing;
mod first;
mod folds;
mod importing;
mod inline;
mod inputs;
mod job;
mod looking;
mod lost;
mod measuring;
mod minisat;
mod refusals;
mod running;
mod stage;
mod stopping;
mod terminal;
mod trials;
mod validation;
mod yours;

//! The store: nothing acknowledged is lost or doubled, and what cannot be used is refused in words.

mod child;
mod documented;
mod full;
mod kill;
mod lookup;
mod older;
mod power;
mod reading;
mod refusal;
mod round_trip;
mod stage;
mod writing;

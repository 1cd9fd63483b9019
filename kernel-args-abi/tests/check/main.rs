//! A struct against a kernel: every rule, every text, and no false alarm.

#[cfg(feature = "read")]
mod compiled;
mod members;
mod mutants;
mod names;
mod pairing;
mod rendering;
mod rules;
mod sides;
mod texts;

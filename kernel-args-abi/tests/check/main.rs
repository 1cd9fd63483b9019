//! A struct against a kernel: every rule, every text, and no false alarm.

mod mutants;
mod pairing;
mod rendering;
mod rules;
mod sides;
mod texts;

//! A struct against a kernel: every rule, every text, and no false alarm.

mod advice;
mod compiled;
mod elements;
mod members;
mod mutants;
mod names;
mod oracle;
mod pairing;
mod pointees;
mod rendering;
mod repairs;
mod rules;
mod sides;
mod sources;
mod texts;
mod variants;

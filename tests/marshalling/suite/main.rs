//! The bytes that each form passes to a driver, tested without a driver.

mod after_the_derive;
mod arguments;
mod contracts;
mod decisive_contracts;
mod forms;
mod lifetimes;
mod macros_in_types;
mod numbers;
mod pack_at;
mod panics;
mod places;

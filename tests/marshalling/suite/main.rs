//! What reaches a driver in either form, byte for byte, without a driver.

mod after_the_derive;
mod arguments;
mod forms;
mod lifetimes;
mod pack_at;
mod panics;
mod places;

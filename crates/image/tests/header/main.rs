//! Headers: the declarations, their order, their names, and the errors.

mod declared;
#[allow(dead_code, reason = "the suite `compilers` uses the rest")]
mod evil;
mod image;
mod parameters;
mod refused;

//! Headers: what is declared, in which order and by which names, and what is refused.

mod declared;
#[cfg(feature = "debug-info")]
mod image;
mod parameters;
mod refused;

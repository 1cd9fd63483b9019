//! Headers: what is declared, in which order and by which names, and what is refused.

mod declared;
mod image;
mod parameters;
mod refused;

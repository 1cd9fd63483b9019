//! Headers: the declarations, their order, their names, and the errors.

mod declared;
mod image;
mod parameters;
mod refused;

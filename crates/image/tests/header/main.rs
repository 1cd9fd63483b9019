//! Headers: the declarations, their order, their names, and the errors.

mod declared;
mod evil;
mod image;
mod parameters;
mod refused;

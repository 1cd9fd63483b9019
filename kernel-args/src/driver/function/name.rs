//! The name of a function, as the driver tells it.

use crate::driver::api::{FunctionHandle, api};
use std::string::String;

/// What stands for the name of a function whose driver does not tell it.
pub(crate) const UNNAMED: &str = "(unnamed)";

/// The function's symbol, for messages; drivers before 12.3 do not tell it.
pub(crate) fn function_name(function: FunctionHandle<'_>) -> String {
    let name = api().ok().and_then(|api| api.function_name(function));
    name.unwrap_or_else(|| UNNAMED.into())
}

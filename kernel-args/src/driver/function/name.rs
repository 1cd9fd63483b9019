//! The name of a function, from the driver.

use crate::driver::api::{FunctionHandle, api};
use std::string::String;

/// Replaces the name of a function if the driver does not report it.
pub(crate) const UNNAMED: &str = "(unnamed)";

/// The function's symbol, for messages; drivers before 12.3 do not report it.
pub(crate) fn function_name(function: FunctionHandle<'_>) -> String {
    let name = api().ok().and_then(|api| api.function_name(function));
    name.unwrap_or_else(|| UNNAMED.into())
}

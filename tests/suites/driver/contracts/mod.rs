//! Contracts of structs: each fires and passes, at each place that launches a struct.

mod places;
mod rules;
mod values;

use kernel_args::{Error, error::LaunchError};
use kernel_args_tests::driver::suite;
use std::process::ExitCode;

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

pub(crate) fn main() -> ExitCode {
    suite(
        "contracts",
        |driver| {
            let mut trials = rules::trials();
            trials.extend(places::trials());
            trials.extend(values::trials(driver));
            trials
        },
        |_| (),
    )
}

/// A broken contract, whose text begins with these lines after the name of the kernel.
#[track_caller]
pub(crate) fn refused<T>(result: Result<T, Error>, text: &str) {
    match result {
        Err(error @ Error::Launch(LaunchError::Contract(_))) => {
            let error = error.to_string();
            let rest = error.split_once("was not launched: ").map(|(_, rest)| rest);
            assert_eq!(rest, Some(text), "{error}");
        }
        Err(error) => panic!("another error: {error}\nexpected: {text}"),
        Ok(_) => panic!("no error, expected: {text}"),
    }
}

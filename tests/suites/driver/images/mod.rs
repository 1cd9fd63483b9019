//! Versions, images that are incompatible with the GPU or the driver, options of the driver's compiler, and compiling
//! at run time.

mod absent;
mod cache;
mod checked;
mod host_types;
mod linked;
mod options;
mod refused;
mod source;
mod stale;
mod versions;

use kernel_args_tests::{driver::suite, nvrtc};
use std::{error, process::ExitCode};

type Outcome = Result<(), Box<dyn error::Error>>;

pub(crate) fn main() -> ExitCode {
    let child = || cache::child().or_else(options::child);
    if let Some(code) = nvrtc::reexec_with_nvrtc().or_else(child) {
        return code;
    }
    suite(
        "images",
        |driver| {
            let mut trials = versions::trials(driver);
            trials.extend(absent::trials());
            trials.extend(refused::trials(driver));
            trials.extend(options::trials(driver));
            trials.extend(source::trials(driver));
            trials.extend(checked::trials());
            trials.extend(host_types::trials());
            trials.extend(linked::trials(driver));
            trials.extend(cache::trials());
            trials.extend(stale::trials());
            trials
        },
        |_| (),
    )
}

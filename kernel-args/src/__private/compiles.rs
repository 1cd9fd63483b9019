//! The error of a call of `Module::compile` without the feature `nvrtc`.

/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "`Module::compile` needs the feature `nvrtc` of kernel-args",
    label = "CUDA C++ is compiled with the feature `nvrtc`",
    note = "in Cargo.toml, add `nvrtc` to the features of `kernel-args`: `features = [\"nvrtc\"]`"
)]
pub trait CompilesWithNvrtc {}

//! The suites that launch kernels, on a GPU or on the test driver. Each has its own `main`.

mod attributes;
mod bundle;
mod contexts;
mod contracts;
mod debug_info;
mod echo;
mod error_texts;
mod fault_injection;
mod faults;
mod generated_structs;
mod globals;
mod graphs;
mod images;
mod launch;
mod launch_sites;
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "small whole numbers, and random bytes"
)]
mod launchers;
mod memcheck;
mod memory_changes;
mod mirrors;
mod observe;
mod packed;
mod pointers;
mod recordings;
mod runtime_api;
mod scale;
#[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "small whole numbers")]
mod sequences;
mod several_gpus;
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "small whole numbers"
)]
mod textures;
mod trace;

use std::process::ExitCode;

fn main() -> ExitCode {
    kernel_args_tests::suites::main(&[
        ("attributes", attributes::main),
        ("bundle", bundle::main),
        ("contexts", contexts::main),
        ("contracts", contracts::main),
        ("debug_info", debug_info::main),
        ("echo", echo::main),
        ("error_texts", error_texts::main),
        ("fault_injection", fault_injection::main),
        ("faults", faults::main),
        ("generated_structs", generated_structs::main),
        ("globals", globals::main),
        ("graphs", graphs::main),
        ("images", images::main),
        ("launch", launch::main),
        ("launch_sites", launch_sites::main),
        ("launchers", launchers::main),
        ("memcheck", memcheck::main),
        ("memory_changes", memory_changes::main),
        ("mirrors", mirrors::main),
        ("observe", observe::main),
        ("packed", packed::main),
        ("pointers", pointers::main),
        ("recordings", recordings::main),
        ("runtime_api", runtime_api::main),
        ("scale", scale::main),
        ("sequences", sequences::main),
        ("several_gpus", several_gpus::main),
        ("textures", textures::main),
        ("trace", trace::main),
    ])
}

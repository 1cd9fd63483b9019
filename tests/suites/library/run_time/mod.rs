//! Kernels that a program selects at run time: the module's cache, untyped functions, cudarc modules, raw functions.

mod cache;
mod conversions;
mod cudarc_modules;
mod families;
mod raw;

use cudarc::driver::CudaContext;
use kernel_args_tests::saxpy::{Pointers, SAXPY};
use std::sync::Arc;

fn context(ordinal: usize) -> Arc<CudaContext> {
    kernel_args::context(ordinal).expect("the test driver has this device")
}

/// PTX of kernels with these parameters, for example `("name", "u32 f32 u64")`.
fn ptx(kernels: &[(&str, &str)]) -> String {
    let mut text = String::from(".version 8.1\n.target sm_75\n.address_size 64\n");
    for (name, types) in kernels {
        let parameters: Vec<_> = types
            .split_whitespace()
            .enumerate()
            .map(|(index, ty)| format!(".param .{ty} {name}_param_{index}"))
            .collect();
        let parameters = parameters.join(", ");
        text += ".visible .entry ";
        text += name;
        text += "(";
        text += &parameters;
        text += ")\n{\n    ret;\n}\n";
    }
    text
}

//! Kernels that a program selects at run time: the module's cache, untyped functions, cudarc modules, raw functions.

mod cache;
mod conversions;
mod cudarc_modules;
mod families;
mod raw;

use cudarc::driver::CudaContext;
use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};
use std::sync::Arc;

const SAXPY: &str = include_str!("../../../../ptx/saxpy.ptx");

/// `saxpy` of no elements.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

impl Saxpy {
    const NONE: Self = Self { n: 0, alpha: 1.0, x: DevicePointer::NULL, y: DevicePointerMut::NULL };
}

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

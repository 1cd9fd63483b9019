//! Compares structs with the kernels of an image that take them by value and behind a pointer, and prints a line for
//! each.

use kernel_args::{DevicePointer, DeviceType, KernelArgs};
use kernel_args_abi::{Parameter, Signature, check};
use kernel_args_image::{Image, Kernels};

#[allow(dead_code, reason = "descriptions of structs, of which no value is made")]
mod structs;

#[derive(KernelArgs)]
struct Value<S: DeviceType> {
    s: S,
}

#[derive(KernelArgs)]
struct Pointer<S: DeviceType> {
    s: DevicePointer<S>,
}

pub struct Case {
    index: usize,
    mistake: &'static str,
    value: &'static [Parameter<'static>],
    pointer: &'static [Parameter<'static>],
}

impl Case {
    fn of<S: DeviceType>(index: usize, mistake: &'static str) -> Self {
        Self {
            index,
            mistake,
            value: Value::<S>::PARAMETERS,
            pointer: Pointer::<S>::PARAMETERS,
        }
    }
}

/// The error, or nothing.
fn compare(kernels: &Kernels<'_>, name: &str, fields: &'static [Parameter<'static>]) -> String {
    let kernel = kernels.kernel(name, None).expect("the kernel is there");
    let parameters = kernel.parameters();
    let kernel = Signature {
        name,
        parameters: &parameters,
    };
    let host = Signature {
        name: "Args",
        parameters: fields,
    };
    let report: check::Report<'_> = check::report(&host, &kernel);
    match report.mismatches().first() {
        Some(mismatch) => report.message(*mismatch).as_str().replace(['\n', '\t'], " "),
        None => String::new(),
    }
}

fn main() {
    let path = std::env::args().nth(1).expect("an image");
    let image = std::fs::read(path).expect("the image can be read");
    let image = Image::read(&image).expect("it is an image");
    let kernels = image.kernels().expect("it has kernels");
    for case in structs::cases() {
        let value = compare(&kernels, &format!("value_{}", case.index), case.value);
        let pointer = compare(&kernels, &format!("pointer_{}", case.index), case.pointer);
        let word = |text: &str| if text.is_empty() { "fits" } else { "differs" };
        println!(
            "{}\t{}\t{}\t{}\t{pointer}",
            case.index,
            case.mistake,
            word(&value),
            word(&pointer)
        );
    }
}

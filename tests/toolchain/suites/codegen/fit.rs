//! Compares every struct of this program with its kernel in an image, and prints a line for each.
//!
//! This repeats the comparison that `kernels!` and the derive made at compile time, with debug information.

use kernel_args::{KernelArgs, abi::Signature};
use kernel_args_abi::check;
use kernel_args_image::{Image, Kernels};

mod structs;

/// A struct's fields, and the symbol of its kernel.
type Struct = (Signature<'static>, &'static str);

const fn of<A: KernelArgs>() -> Struct {
    let source = A::SOURCE.expect("it names its kernel");
    (A::SIGNATURE, source.entry)
}

fn fit(image: &str, structs: &[Struct]) {
    let image = std::fs::read(image).expect("the image can be read");
    let image = Image::read(&image).expect("it is an image");
    let mut kernels = image.kernels().expect("it has kernels");
    image.add_bodies(&mut kernels, |_| true).expect("it has code");
    for (host, entry) in structs {
        fits(&kernels, host, entry);
    }
}

fn fits(kernels: &Kernels<'_>, host: &Signature<'_>, entry: &str) {
    let kernel = kernels.kernel(entry, None).expect("its kernel is there");
    let parameters = kernel.parameters();
    let signature = Signature {
        name: entry,
        parameters: &parameters,
    };
    let report: check::Report<'_> = check::report(host, &signature);
    if report.is_empty() {
        println!("{entry}\t{}", parameters.len());
    } else {
        println!("{entry}\tdiffers: {}", report.table());
        for mismatch in report.mismatches() {
            println!("{}", report.message(*mismatch).as_str());
        }
    }
}

fn main() {
    structs::all();
}

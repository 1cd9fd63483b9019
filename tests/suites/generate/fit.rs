//! Compares every struct of this program with its kernel, as an image describes it: a line for each.
//!
//! What `kernels!` and the derive compare while the program compiles is compared again, with debug information.

use kernel_args::{
    KernelArgs,
    abi::{Signature, check, image::Image},
};

mod structs;

fn fit<A: KernelArgs>(image: &str) {
    let image = std::fs::read(image).expect("the image can be read");
    let image = Image::read(&image).expect("it is an image");
    let kernels = image.kernels().expect("it has kernels");
    let entry = A::SOURCE.expect("it names its kernel").entry;
    let kernel = kernels.kernel(entry, None).expect("its kernel is there");
    let parameters = kernel.parameters();
    let signature = Signature {
        name: entry,
        parameters: &parameters,
    };
    let host = A::SIGNATURE;
    let report: check::Report<'_> = check::report(&host, &signature);
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

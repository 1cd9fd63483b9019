#![forbid(unsafe_code)]

use kernel_args::KernelArgs;
use kernel_args_test_macros::next;

#[derive(KernelArgs)]
struct Args {
    first: u64,
    // The layout has one byte, and the value 512.
    second: next!(second: u8, [u8; 512], [u8; 512], [u8; 512], u8, [u8; 512]),
}

fn main() {
    let args = Args {
        first: 1,
        second: [7; 512],
    };
    args.with_packed(|bytes| println!("{bytes:?}"));
}

use kernel_args::KernelArgs;
use kernel_args_test_macros::field_type;

#[derive(KernelArgs)]
#[field_type(n: Box<u32>)]
struct Args {
    n: u32,
    m: u8,
}

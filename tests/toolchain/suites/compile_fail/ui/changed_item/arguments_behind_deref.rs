use kernel_args::KernelArgs;
use kernel_args_test_macros::behind_deref;

#[derive(KernelArgs)]
#[behind_deref]
struct Args {
    n: u32,
    m: u8,
}

use kernel_args::KernelArgs;
use kernel_args_test_macros::field_type;

#[derive(KernelArgs)]
#[field_type(n: &'static mut u32)]
struct Args<T> {
    value: T,
    n: u32,
}

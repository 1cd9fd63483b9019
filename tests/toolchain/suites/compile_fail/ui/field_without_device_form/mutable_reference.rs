use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    count: &'a mut u32,
}

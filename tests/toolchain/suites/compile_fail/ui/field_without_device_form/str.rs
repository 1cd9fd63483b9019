use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    name: &'a str,
}

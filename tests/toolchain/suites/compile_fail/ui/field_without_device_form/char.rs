use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    letter: char,
}

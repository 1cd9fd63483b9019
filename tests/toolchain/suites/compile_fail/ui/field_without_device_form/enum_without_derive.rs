use kernel_args::KernelArgs;

#[derive(Clone, Copy)]
enum Mode {
    Fast,
    Exact,
}

#[derive(KernelArgs)]
struct Args {
    mode: Mode,
}

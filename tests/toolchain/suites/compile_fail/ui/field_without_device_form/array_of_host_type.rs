use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    names: [String; 4],
}

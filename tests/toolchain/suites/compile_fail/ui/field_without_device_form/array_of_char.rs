use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    letters: [char; 4],
}

use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<P> {
    x: P,
}

fn pass(x: &'static CudaSlice<f32>) {
    marshal(Args { x });
}

fn marshal<A: KernelArgs>(_: A) {}

fn main() {
    let _ = pass;
}

// Included by the programs that launch a correct struct.
use kernel_args::{Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

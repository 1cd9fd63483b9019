use kernel_args::{KernelArgs, vector::Float3};

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/vectors_typed.ptx", entry = "shift")]
struct Shift {
    by: Float3,
    on: bool,
}

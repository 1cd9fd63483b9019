use kernel_args::KernelArgs;
use std::collections::HashMap;

#[derive(KernelArgs)]
struct Args {
    table: HashMap<u32, f32>,
}

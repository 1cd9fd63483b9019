use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(file = "ptx/saxpy.ptx", function = "saxpy")]
struct A {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", entrypoint = "saxpy")]
struct B {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(image = "ptx/saxpy.ptx")]
struct C {
    n: u32,
    #[kernel_args(ignore)]
    m: u32,
    #[kernel_args(rename = "p")]
    k: u32,
    #[kernel_args(length = "n")]
    l: u32,
}

#[derive(KernelArgs)]
#[kernel(ptx = "ptx/saxpy.ptx")]
struct D {
    n: u32,
    #[kernel_arg(skip)]
    m: u32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = include_str!("ptx/saxpy.ptx"), entry = "saxpy")]
struct E {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(block_size = 256, grid = "n", stream = "required", max_threads = 256)]
struct F {
    n: u32,
}

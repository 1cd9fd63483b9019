use kernel_args::launch;

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx")]
struct Args {
    n: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
}

use kernel_args::DeviceType;

#[derive(Clone, Copy)]
struct Inner {
    x: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Outer {
    inner: Inner,
    n: u32,
}

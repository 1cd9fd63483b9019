use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct View<'a> {
    data: &'a f32,
    n: u32,
}

use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Plane {
    normal: (f32, f32, f32),
    letter: char,
    distance: f32,
    next: *const f32,
}

use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Shape {
    Point,
    Circle(f32),
    Box { width: f32, height: f32 },
}

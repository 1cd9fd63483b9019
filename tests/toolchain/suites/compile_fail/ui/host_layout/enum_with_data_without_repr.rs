use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
enum Shape {
    Point,
    Circle(f32),
}

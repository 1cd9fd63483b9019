use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Vertex {
    depth: f32,
    uv: glam::Vec2,
}

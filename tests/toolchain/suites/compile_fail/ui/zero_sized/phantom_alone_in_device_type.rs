use kernel_args::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Plane {
    nothing: std::marker::PhantomData<f32>,
}

use kernel_args::DeviceType;
use num_complex::Complex;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Wave {
    frequency: f32,
    amplitude: Complex<f32>,
}

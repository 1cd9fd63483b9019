use kernel_args::DeviceType;
use num_complex::Complex;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Wave {
    amplitude: Complex<f32>,
    frequency: f32,
}

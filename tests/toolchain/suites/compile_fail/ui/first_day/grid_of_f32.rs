include!("../fill.rs");

fn start(fill: &Kernel<Fill>, n: u32) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, n as f32 / 256.0, 256, Fill { value: 1.0, n }) }
}

fn rounded(fill: &Kernel<Fill>, n: u32) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, ((f64::from(n) / 16.0).ceil(), 1.0), (16, 16), Fill { value: 1.0, n }) }
}

fn of_a_length(fill: &Kernel<Fill>, x: &[f32]) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, x.len().div_ceil(256), 256, Fill { value: 1.0, n: x.len() as u32 }) }
}

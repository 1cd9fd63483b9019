include!("../fill.rs");

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, (1.0f32, 1u32)) }
}

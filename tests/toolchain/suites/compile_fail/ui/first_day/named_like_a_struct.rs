include!("../fill.rs");

fn colons(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, grid: 4, block: 256, Fill { value: 1.0, n: 1 }) }
}

include!("../fill.rs");

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    let grid: i32 = 4;
    unsafe { launch!(fill, grid, 256, args) }
}

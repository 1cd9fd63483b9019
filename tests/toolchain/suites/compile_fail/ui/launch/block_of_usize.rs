include!("../fill.rs");

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    let block: usize = 256;
    unsafe { launch!(fill, 4, block, args) }
}

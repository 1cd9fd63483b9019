include!("../fill.rs");

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, grid = 1, args) }
}

fn start_with_a_block(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, block = 256, 1, args) }
}

fn options_first(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, grid = 1, block = 256, shared = 4, args) }
}

fn named_last(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, args, grid = 1, shared = 4) }
}

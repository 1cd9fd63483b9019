include!("../fill.rs");

fn reference(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, 1, 256, &args) }
}

fn config(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, (1, 256), args) }
}

fn array(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, [1.0, 2.0]) }
}

include!("../fill.rs");

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, 1, 256, args, shared = 1024, priority) }
}

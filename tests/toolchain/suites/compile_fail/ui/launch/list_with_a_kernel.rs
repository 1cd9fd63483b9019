include!("../fill.rs");
use kernel_args::ArgList;

fn start(fill: &Kernel<Fill>) -> Result<(), kernel_args::Error> {
    let mut args = ArgList::new();
    args.push(1.0f32).push(1u32);
    unsafe { launch!(fill, 1, 256, &mut args) }
}

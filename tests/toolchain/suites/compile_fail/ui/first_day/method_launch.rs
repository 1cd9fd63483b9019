include!("../fill.rs");

fn method(fill: &Kernel<Fill>) {
    fill.launch(1, 256, Fill { value: 1.0, n: 1 });
}

fn function(fill: &Kernel<Fill>) {
    unsafe { kernel_args::launch(fill, 1, 256, Fill { value: 1.0, n: 1 }) };
}

fn called(fill: &Kernel<Fill>) {
    fill(1.0, 1);
}

use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Text {
    #[kernel_args(spread)]
    names: [String; 2],
}

#[derive(KernelArgs)]
struct Borrowed<'a> {
    #[kernel_args(spread)]
    numbers: [&'a f32; 2],
}

#[derive(KernelArgs)]
struct WithoutBytes {
    #[kernel_args(spread)]
    empty: [[f32; 0]; 2],
}

use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Number {
    #[kernel_args(spread)]
    n: u32,
}

#[derive(KernelArgs)]
struct Slice<'a> {
    #[kernel_args(spread)]
    shape: &'a [i32],
}

#[derive(KernelArgs)]
struct List {
    #[kernel_args(spread)]
    shape: Vec<i32>,
}

struct Shape {
    rows: i32,
    columns: i32,
}

#[derive(KernelArgs)]
struct Named {
    #[kernel_args(spread)]
    shape: Shape,
}

#[derive(KernelArgs)]
struct Generic<const N: usize> {
    #[kernel_args(spread)]
    shape: Shape,
    n: [u32; N],
}

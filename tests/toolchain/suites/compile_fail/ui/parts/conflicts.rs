use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Inner {
    n: u32,
}

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(spread, flatten)]
    both: [i32; 4],
    #[kernel_args(spread, spread)]
    twice: [i32; 4],
    #[kernel_args(skip, spread)]
    skipped: [i32; 4],
    #[kernel_args(flatten, skip)]
    skipped_struct: Inner,
    #[kernel_args(flatten, name = "x")]
    named: Inner,
    #[kernel_args(flatten, opaque)]
    opaque: Inner,
    #[kernel_args(flatten, len = 4)]
    contract: Inner,
    #[kernel_args(spread, as = i32)]
    narrowed: [usize; 2],
    #[kernel_args(spread = 4)]
    with_value: [i32; 4],
    #[kernel_args(spread, name = "shape")]
    one_name: [i32; 4],
    #[kernel_args(spread, name = "{}x{}")]
    two_places: [i32; 4],
    #[kernel_args(name = ["a", "b"])]
    not_spread: [i32; 2],
    #[kernel_args(spread, name = ["a", ""])]
    empty_name: [i32; 2],
}

#[derive(KernelArgs)]
#[kernel_args(spread)]
struct OnTheStruct {
    n: [i32; 4],
}

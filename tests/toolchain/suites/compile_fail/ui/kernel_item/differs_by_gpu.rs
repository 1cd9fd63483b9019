use kernel_args::KernelArgs;

kernel_args::kernels! {
    mod image = "ptx/differs.fatbin";
}

#[derive(KernelArgs)]
#[kernel_args(kernel = image::k)]
struct ByItem {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(image = "ptx/differs.fatbin", entry = "k")]
struct ByPath {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = image, entries = "*")]
struct ByPattern {
    n: u32,
}

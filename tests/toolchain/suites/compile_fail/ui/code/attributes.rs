// `shared_write` with another attribute, and on the struct.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Skipped<'a> {
    #[kernel_args(skip, shared_write)]
    counter: &'a CudaSlice<u32>,
}

#[derive(KernelArgs)]
struct Opaque<'a> {
    #[kernel_args(shared_write, opaque)]
    counter: &'a CudaSlice<u32>,
}

#[derive(KernelArgs)]
struct Twice<'a> {
    #[kernel_args(shared_write, shared_write)]
    counter: &'a CudaSlice<u32>,
}

#[derive(KernelArgs)]
#[kernel_args(shared_write)]
struct Whole<'a> {
    counter: &'a CudaSlice<u32>,
}

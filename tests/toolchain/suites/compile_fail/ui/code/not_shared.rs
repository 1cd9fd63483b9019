// `shared_write` on fields that are no shared pointers.
use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Number {
    #[kernel_args(shared_write)]
    n: u32,
}

#[derive(KernelArgs)]
struct Count<'a> {
    #[kernel_args(shared_write)]
    counter: &'a mut CudaSlice<u32>,
}

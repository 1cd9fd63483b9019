use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    name: std::ffi::CString,
}

use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
struct Args<T: DeviceType> {
    #[kernel_args(bound = "T: DeviceType")]
    n: T,
}

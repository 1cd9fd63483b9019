use kernel_args::{DeviceType, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(bound = "T DeviceType")]
struct Args<T: DeviceType> {
    n: T,
}

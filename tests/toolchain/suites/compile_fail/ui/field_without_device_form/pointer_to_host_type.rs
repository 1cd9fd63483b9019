use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs, Retained};

#[derive(KernelArgs)]
struct Args {
    names: DevicePointer<String>,
    optional: Option<DevicePointerMut<Vec<u8>>>,
    retained: Retained<DevicePointer<String>>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Inner {
    names: DevicePointer<String>,
}

/// What a generic struct points to is told where it is used.
#[derive(Clone, Copy, KernelArgs)]
struct Generic<T> {
    values: DevicePointer<T>,
}

fn main() {}

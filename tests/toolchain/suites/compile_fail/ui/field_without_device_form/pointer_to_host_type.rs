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

/// The target of a pointer in a generic struct is checked where the struct is used.
#[derive(Clone, Copy, KernelArgs)]
struct Generic<T> {
    values: DevicePointer<T>,
}

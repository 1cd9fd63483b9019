// Members of a base class: exchanged, missing, superfluous and of other types.
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

mod exchanged {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Derived")]
    struct Exchanged {
        weight: f32,
        id: i32,
        scale: f64,
        flags: i32,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_derived)]
    struct Args<'a> {
        d: Exchanged,
        many: &'a CudaSlice<Exchanged>,
        out: &'a mut CudaSlice<f32>,
    }
}

mod missing {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Derived")]
    struct Missing {
        id: i32,
        scale: f64,
        flags: i32,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_derived)]
    struct Args<'a> {
        d: Missing,
        many: &'a CudaSlice<Missing>,
        out: &'a mut CudaSlice<f32>,
    }
}

mod more {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Derived")]
    struct More {
        id: i32,
        weight: f32,
        scale: f64,
        flags: i32,
        extra: f64,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_derived)]
    struct Args<'a> {
        d: More,
        many: &'a CudaSlice<More>,
        out: &'a mut CudaSlice<f32>,
    }
}

mod types {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Derived")]
    struct Types {
        id: f32,
        weight: f32,
        scale: f32,
        flags: u64,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_derived)]
    struct Args<'a> {
        d: Types,
        many: &'a CudaSlice<Types>,
        out: &'a mut CudaSlice<f32>,
    }
}

mod base {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Base {
        weight: f32,
        id: i32,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Derived")]
    struct InBase {
        base: Base,
        flags: i32,
        scale: f64,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_derived)]
    struct Args<'a> {
        d: InBase,
        many: &'a CudaSlice<InBase>,
        out: &'a mut CudaSlice<f32>,
    }
}

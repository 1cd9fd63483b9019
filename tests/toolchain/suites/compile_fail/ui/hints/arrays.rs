// Members of structs in arrays of structs, by value and behind pointers.
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

mod exchanged {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Cell {
        kind: i32,
        x: f32,
        mass: f64,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Grid {
        cells: [Cell; 2],
        n: i32,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_grid)]
    struct Args<'a> {
        g: Grid,
        many: &'a CudaSlice<Grid>,
        cells: &'a CudaSlice<Cell>,
        out: &'a mut CudaSlice<f32>,
    }
}

mod sizes {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Cell")]
    struct Small {
        x: f32,
        mass: f32,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Grid")]
    struct SmallGrid {
        cells: [Small; 3],
        n: u64,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_grid)]
    struct Args<'a> {
        g: SmallGrid,
        many: &'a CudaSlice<SmallGrid>,
        cells: &'a CudaSlice<Small>,
        out: &'a mut CudaSlice<f32>,
    }
}

mod superfluous {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    #[device_type(cpp = "Cell")]
    struct Large {
        x: f32,
        y: f32,
        kind: i32,
        mass: f64,
    }

    #[derive(KernelArgs)]
    #[kernel_args(kernel = shapes::k_grid)]
    struct Args<'a> {
        #[kernel_args(opaque)]
        g: [f64; 5],
        #[kernel_args(opaque)]
        many: &'a CudaSlice<[f64; 5]>,
        cells: &'a CudaSlice<Large>,
        out: &'a mut CudaSlice<f32>,
    }
}

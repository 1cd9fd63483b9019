use kernel_args::{DevicePointer, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(grid_covers = "count", shared = "block.w * 4")]
struct Args {
    #[kernel_args(len = "rows * colums", capacity = "self.size")]
    x: DevicePointer<f32>,
    #[kernel_args(multiple_of = "TILE")]
    rows: u32,
    columns: u32,
}

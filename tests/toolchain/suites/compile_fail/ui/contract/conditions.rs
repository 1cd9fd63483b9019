use kernel_args::{DevicePointer, KernelArgs};

#[derive(KernelArgs)]
#[kernel_args(requires = "grid.x * block.y >= rowz")]
#[kernel_args(requires = "rows * cols")]
#[kernel_args(requires = "alpha > 0", requires = cols > alpha)]
#[kernel_args(requires = "rows && is_dense")]
#[kernel_args(requires = "grid.x || is_dense")]
#[kernel_args(requires = "is_dense + 1 == rows")]
#[kernel_args(requires = "(rows < cols) * 2 == 2")]
#[kernel_args(requires = "rows < cols < 5")]
#[kernel_args(requires = "rows & 3 == 0")]
#[kernel_args(requires = true)]
struct Args {
    rows: u32,
    cols: i64,
    alpha: f32,
    x: DevicePointer<f32>,
    #[kernel_args(skip)]
    is_dense: bool,
    #[kernel_args(requires = "rows > 0")]
    n: u32,
}

/// Types of which the derive knows nothing.
type Real = f64;

#[derive(KernelArgs)]
#[kernel_args(requires = "real > 1")]
#[kernel_args(requires = real && is_dense)]
#[kernel_args(requires = "x > 0")]
struct Unknown {
    real: Real,
    x: DevicePointer<f32>,
    #[kernel_args(skip)]
    is_dense: bool,
}

#[derive(KernelArgs)]
#[kernel_args(requires = "a + b + c + d + e + f + g + h + i + j + k + l + m > 0")]
struct Many {
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    m: u8,
}

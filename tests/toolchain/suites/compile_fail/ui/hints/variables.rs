// Structs of variables: exchanged members, in an array of structs, and a member that is missing.
use kernel_args::{DeviceType, Error, Module};

kernel_args::kernels! { mod shapes = "ptx/shapes.debug.ptx"; }

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
}

fn load(module: &Module) -> Result<(), Error> {
    let grid = module.global::<Grid>(shapes::GRID)?;
    println!("{}", grid.size());
    Ok(())
}

fn main() {
    let _ = load as fn(&Module) -> Result<(), Error>;
}

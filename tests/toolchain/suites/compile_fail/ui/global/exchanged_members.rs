use kernel_args::{DevicePointer, DeviceType, Error, Module};

kernel_args::kernels! { mod transform = "ptx/globals.ptx", debug_info = "ptx/globals.debug.ptx"; }

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "PowersData")]
struct Powers {
    fine_log_count: u32,
    coarse_log_count: u32,
    values: DevicePointer<u32>,
}

fn load(module: &Module) -> Result<(), Error> {
    let powers = module.global::<Powers>(transform::POWERS_DATA)?;
    println!("{}", powers.size());
    Ok(())
}

fn main() {
    let _ = load as fn(&Module) -> Result<(), Error>;
}

use kernel_args::{Error, Module};

kernel_args::kernels! { mod transform = "ptx/globals.ptx"; }

fn load(module: &Module) -> Result<(), Error> {
    module.global::<[f32; 128]>(transform::TABLE)?.write(&[0.0; 128])
}

fn main() {
    let _ = load as fn(&Module) -> Result<(), Error>;
}

use kernel_args::{Error, Module};

fn load(module: &Module) -> Result<(), Error> {
    module.global::<String>("name").map(drop)
}

fn main() {
    let _ = load as fn(&Module) -> Result<(), Error>;
}

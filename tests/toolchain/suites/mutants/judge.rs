//! Loads kernels for structs in every way, and prints the library's results.
//!
//! This file is part of the generated program; the structs are the rest.

use kernel_args::{error::VerifyError, Error, Kernel, KernelArgs, Module, image::Verification};
use std::{path::Path, sync::Arc};

/// The images of some kernels.
pub struct Images {
    pub ptx: &'static str,
    pub cubin: Option<&'static str>,
    pub debug: Option<&'static str>,
    pub kernels: &'static [Struct],
}

/// A struct and its intended kernel.
pub struct Struct {
    pub case: usize,
    pub entry: &'static str,
    pub symbol: &'static str,
    pub load: fn(&Loaded, &Struct),
}

/// The images of some kernels, loaded.
pub struct Loaded {
    ctx: Arc<cudarc::driver::CudaContext>,
    ptx: Arc<Module>,
    cubin: Option<Arc<Module>>,
    debug: Option<Arc<Module>>,
    cudarc: Arc<cudarc::driver::CudaModule>,
}

pub fn run(images: &[Images]) {
    let ctx = kernel_args::context(0).expect("a context");
    for images in images {
        let text = std::fs::read_to_string(images.ptx).expect("the PTX");
        let ptx = cudarc::nvrtc::Ptx::from_src(text);
        let loaded = Loaded {
            ptx: Module::load(&ctx, Path::new(images.ptx)).expect("PTX that loads"),
            cubin: images.cubin.map(|path| Module::load(&ctx, Path::new(path)).expect("a cubin that loads")),
            debug: images.debug.map(|path| Module::load(&ctx, Path::new(path)).expect("PTX that loads")),
            cudarc: ctx.load_module(ptx).expect("PTX that cudarc loads"),
            ctx: ctx.clone(),
        };
        for structure in images.kernels {
            (structure.load)(&loaded, structure);
        }
    }
}

/// Loads the kernel of one struct, and prints a line for each way: number, way, result, fields, and parameters without
/// a field.
pub fn load<A: KernelArgs>(loaded: &Loaded, structure: &Struct) {
    tell(structure, "ptx", loaded.ptx.kernel::<A>(structure.entry));
    if let Some(cubin) = &loaded.cubin {
        tell(structure, "cubin", cubin.kernel::<A>(structure.entry));
    }
    if let Some(debug) = &loaded.debug {
        tell(structure, "debug", debug.kernel::<A>(structure.entry));
    }
    let function = loaded.cudarc.load_function(structure.symbol).expect("a function");
    tell(structure, "function", Kernel::<A>::from_function(&loaded.ctx, function));
}

fn tell<A: KernelArgs>(structure: &Struct, way: &str, result: Result<Kernel<A>, Error>) {
    match result {
        Ok(kernel) => say(structure, way, kernel.verification()),
        Err(error) => refuse(structure, way, &error),
    }
}

fn say(structure: &Struct, way: &str, verification: &Verification) {
    let word = match verification {
        Verification::Verified { driver: true, image: true, .. } => "fits driver and image".to_owned(),
        Verification::Verified { driver: true, .. } => "fits driver".to_owned(),
        Verification::Verified { image: true, .. } => "fits image".to_owned(),
        Verification::Unverified(_) => "unverified".to_owned(),
        other => format!("{other:?}"),
    };
    println!("{}\t{way}\t{word}\t\t0", structure.case);
}

fn refuse(structure: &Struct, way: &str, error: &Error) {
    match error {
        Error::Verify(VerifyError::Mismatch(mismatch)) => {
            let marked = mismatch.table.lines().filter(|line| line.contains("  <- ")).count();
            println!(
                "{}\t{way}\trefused\t{}\t{}",
                structure.case,
                mismatch.fields.join(","),
                marked - mismatch.fields.len()
            );
        }
        other => println!("{}\t{way}\terror: {}\t\t0", structure.case, other.to_string().replace(['\n', '\t'], " ")),
    }
}

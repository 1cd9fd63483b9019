//! Global variables: kernels read what the host has written, and the host reads what kernels have written, byte for
//! byte; a type that does not fit is an error that names the member.

mod mistakes;
mod names;
mod on_streams;
mod types;
mod values;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use kernel_args::{KernelArgs, Module, launch};
use kernel_args_tests::{driver::suite, tally, values::Source};
use std::{process::ExitCode, sync::Arc};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const PTX: &str = include_str!("../../../../ptx/globals.ptx");

kernel_args::kernels! {
    /// The image, described by the debug information of another file.
    pub mod described = "../ptx/globals.ptx", debug_info = "../ptx/globals.debug.ptx";
    /// Without debug information.
    pub mod plain = "../ptx/globals.ptx";
}

#[derive(KernelArgs)]
struct Read<'a> {
    out: &'a mut CudaSlice<u8>,
}

#[derive(KernelArgs)]
struct Fill<'a> {
    from: &'a CudaSlice<u8>,
}

/// A module, and streams of its context.
struct World {
    ctx: Arc<CudaContext>,
    module: Arc<Module>,
    stream: Arc<CudaStream>,
}

impl World {
    fn new(module: Arc<Module>, ctx: Arc<CudaContext>) -> Result<Self, Box<dyn std::error::Error>> {
        let stream = ctx.new_stream()?;
        Ok(Self { ctx, module, stream })
    }

    /// The bytes of a variable, as a kernel on the stream sees them.
    fn seen(&self, kernel: &str, size: usize) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let kernel = self.module.kernel::<Read<'_>>(&format!("read_{kernel}"))?;
        let mut out = self.stream.clone_htod(&vec![0xa5; size])?;
        // SAFETY: `out` has the size of the variable, and the kernel writes as many bytes.
        unsafe { launch!(kernel, 1, 1, Read { out: &mut out }, stream = &self.stream) }?;
        Ok(self.stream.clone_dtoh(&out)?)
    }

    /// Overwrites a variable in a kernel on the stream.
    fn fill(&self, kernel: &str, bytes: &[u8]) -> Outcome {
        let kernel = self.module.kernel::<Fill<'_>>(&format!("fill_{kernel}"))?;
        let from = self.stream.clone_htod(bytes)?;
        // SAFETY: `from` has the size of the variable, and the kernel reads as many bytes.
        unsafe { launch!(kernel, 1, 1, Fill { from: &from }, stream = &self.stream) }?;
        Ok(())
    }
}

fn random_bytes(from: &mut Source, size: usize) -> Vec<u8> {
    (0..size).map(|_| kernel_args_tests::values::Draw::draw(from)).collect()
}

pub(crate) fn main() -> ExitCode {
    suite(
        "globals",
        |_| {
            let mut trials = values::trials();
            trials.extend(on_streams::trials());
            trials.extend(names::trials());
            trials.extend(types::trials());
            trials.extend(mistakes::trials());
            trials
        },
        |driver| tally::print("globals", driver),
    )
}

//! Echo at scale: hundreds of random signatures with their derived structs, in both forms, from PTX that the driver
//! compiles, from cubins, and in captured graphs.
//!
//! The build script of this package writes the structs, and the same generator writes the kernels. NVIDIA's compiler
//! compiles the corpus: `cargo run -p kernel-args-test-generator --bin echo_corpus`.

use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, DevicePtrMut,
    sys::{CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use kernel_args::{Kernel, KernelArgs, Module, args::Form, launch};
use kernel_args_stand_in::not_executed;
use kernel_args_test_generator::{Signature, echo};
use kernel_args_tests::{
    derived::{ENTRIES, visit},
    driver::{context, suite},
    echo_corpus::{self, check, folder, missing},
    tally,
    values::Visitor,
};
use libtest_mimic::{Completion, Trial};
use std::{error::Error, path::Path, process::ExitCode, sync::Arc};

const CUBINS: &str = "from_cubins";

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

pub(crate) fn main() -> ExitCode {
    suite(
        "scale",
        |_| {
            let trial = |name: &'static str, run: fn(&Path) -> Outcome| {
                Trial::ignorable_test(name, move || {
                    let Some(folder) = folder() else {
                        return Ok(Completion::ignored_with(missing()));
                    };
                    if check(&folder).is_err() {
                        return Ok(Completion::ignored_with("the corpus does not fit"));
                    }
                    run(&folder).map_err(|error| error.to_string())?;
                    if name == CUBINS && !not_executed().is_empty() {
                        return Ok(Completion::ignored_with(
                            "its kernels were launched, and not compared: the test driver executes no machine code",
                        ));
                    }
                    Ok(Completion::Completed)
                })
            };
            vec![
                Trial::ignorable_test("the_corpus_fits_the_derived_structs", || {
                    let Some(folder) = folder() else {
                        return Ok(Completion::ignored_with(missing()));
                    };
                    check(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                    Ok(Completion::Completed)
                }),
                trial("from_ptx_that_the_driver_compiles", |folder| echo_all(folder, "ptx", 3, Way::Launched)),
                trial(CUBINS, |folder| echo_all(folder, "sm_90.cubin", 4, Way::Launched)),
                trial("inside_a_captured_graph", |folder| echo_all(folder, "ptx", 5, Way::Captured)),
            ]
        },
        |driver| tally::print("scale", driver),
    )
}

/// The path of a launch to the GPU.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Launched,
    Captured,
}

fn echo_all(folder: &Path, kind: &'static str, seed: u64, way: Way) -> Outcome {
    let ctx = context()?;
    // SAFETY: all following work is on one stream.
    unsafe { ctx.disable_event_tracking() };
    let stream = ctx.new_stream()?;
    let kernels = echo::signatures(echo::SEED, ENTRIES.len());
    let largest = (0..kernels.len()).map(|i| echo::expected(&kernels[i], seed, i).concat().len()).max();
    let mut out = stream.alloc_zeros::<u8>(largest.unwrap_or(1))?;
    let address = {
        let (address, _guard) = out.device_ptr_mut(&stream);
        address
    };
    let mut echoes = Echoes {
        ctx: ctx.clone(),
        stream,
        out,
        kernels,
        folder,
        kind,
        seed,
        way,
        module: None,
        visited: 0,
        problem: None,
    };
    visit(seed, address, &mut echoes);
    // SAFETY: restores the previous state.
    unsafe { ctx.enable_event_tracking() };
    if let Some(problem) = echoes.problem {
        return Err(problem);
    }
    assert_eq!(echoes.visited, ENTRIES.len());
    Ok(())
}

struct Echoes<'f> {
    ctx: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    out: CudaSlice<u8>,
    kernels: Vec<Signature>,
    folder: &'f Path,
    kind: &'static str,
    seed: u64,
    way: Way,
    /// The file of the last kernel.
    module: Option<(usize, Arc<Module>)>,
    visited: usize,
    problem: Option<Box<dyn Error>>,
}

impl Echoes<'_> {
    fn module(&mut self, index: usize) -> Outcome<Arc<Module>> {
        let file = echo_corpus::file_of(index);
        match &self.module {
            Some((loaded, module)) if *loaded == file => Ok(module.clone()),
            _ => {
                let path = echo_corpus::path(self.folder, file, self.kind);
                let module = Module::load(&self.ctx, path.as_path())?;
                self.module = Some((file, module.clone()));
                Ok(module)
            }
        }
    }

    fn check<A: KernelArgs + Copy>(&mut self, index: usize, args: A, forms: &[Form]) -> Outcome {
        let kernel: Kernel<A> = self.module(index)?.kernel(ENTRIES[index])?.require_verified()?;
        let expected = echo::expected(&self.kernels[index], self.seed, index).concat();
        for &form in forms {
            let poison = vec![0xa5_u8; self.out.len()];
            self.stream.memcpy_htod(&poison, &mut self.out)?;
            if self.way == Way::Captured {
                self.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
            }
            // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
            unsafe { launch!(kernel, 1, 1, args, stream = &self.stream, form = form)? };
            if self.way == Way::Captured {
                let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
                let graph = self.stream.end_capture(flags)?.ok_or("nothing was captured")?;
                graph.launch()?;
                self.stream.synchronize()?;
            }
            let echo = self.stream.clone_dtoh(&self.out)?;
            if self.kind != "ptx" && !not_executed().is_empty() {
                continue;
            }
            tally::compare(ENTRIES[index], &format!("{form:?}"), &echo[..expected.len()], &expected)?;
            if echo[expected.len()..].iter().any(|&byte| byte != 0xa5) {
                return Err(format!("{}: bytes behind the echo were written", ENTRIES[index]).into());
            }
        }
        Ok(())
    }

    fn visit<A: KernelArgs + Copy>(&mut self, index: usize, args: A, forms: &[Form]) {
        self.visited += 1;
        if self.problem.is_none() {
            self.problem = self.check(index, args, forms).err();
        }
    }
}

impl Visitor for Echoes<'_> {
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        self.visit(index, args, &[Form::KernelParams, Form::Packed]);
    }

    fn over_aligned<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        self.visit(index, args, &[Form::KernelParams]);
    }
}

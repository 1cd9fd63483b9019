//! Random structs in nodes that are updated, in both forms, compared byte for byte.

use crate::graphs::saxpy::Outcome;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtrMut};
use kernel_args::{Kernel, KernelArgs, Launch, Module, args::Form, graph::Graph};
use kernel_args_test_generator::{Signature, echo};
use kernel_args_tests::{
    derived::{ENTRIES, visit},
    driver::context,
    echo_corpus::{self, check, folder, missing},
    tally,
    values::Visitor,
};
use libtest_mimic::{Completion, Trial};
use std::{error::Error, path::PathBuf, sync::Arc};

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::ignorable_test("random_structs", || {
        let Some(folder) = folder() else {
            return Ok(Completion::ignored_with(missing()));
        };
        if check(&folder).is_err() {
            return Ok(Completion::ignored_with("the corpus does not fit"));
        }
        every_struct(folder).map_err(|error| error.to_string())?;
        Ok(Completion::Completed)
    })]
}

const FIRST: u64 = 6;
const SECOND: u64 = 7;

fn every_struct(folder: PathBuf) -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernels = echo::signatures(echo::SEED, ENTRIES.len());
    let largest = (0..kernels.len()).map(|i| echo::expected(&kernels[i], FIRST, i).concat().len()).max();
    let mut out = stream.alloc_zeros::<u8>(largest.unwrap_or(1))?;
    ctx.synchronize()?;
    let address = {
        let (address, _guard) = out.device_ptr_mut(&stream);
        address
    };
    let mut nodes = Nodes { ctx, stream, out, kernels, folder, module: None, visited: 0, problem: None, seed: FIRST };
    visit(FIRST, address, &mut nodes);
    nodes.seed = SECOND;
    visit(SECOND, address, &mut nodes);
    if let Some(problem) = nodes.problem {
        return Err(problem);
    }
    assert_eq!(nodes.visited, 2 * ENTRIES.len());
    Ok(())
}

struct Nodes {
    ctx: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    out: CudaSlice<u8>,
    kernels: Vec<Signature>,
    folder: PathBuf,
    module: Option<(usize, Arc<Module>)>,
    visited: usize,
    problem: Option<Box<dyn Error>>,
    seed: u64,
}

impl Nodes {
    fn module(&mut self, index: usize) -> Outcome<Arc<Module>> {
        let file = echo_corpus::file_of(index);
        match &self.module {
            Some((loaded, module)) if *loaded == file => Ok(module.clone()),
            _ => {
                let path = echo_corpus::path(&self.folder, file, "ptx");
                let module = Module::load(&self.ctx, path.as_path())?;
                self.module = Some((file, module.clone()));
                Ok(module)
            }
        }
    }

    fn check<A: KernelArgs + Copy>(&mut self, index: usize, args: A, forms: &[Form]) -> Outcome {
        let kernel: Kernel<A> = self.module(index)?.kernel(ENTRIES[index])?.require_verified()?;
        let expected = echo::expected(&self.kernels[index], self.seed, index).concat();
        let launch = Launch::new(1, 1);
        let mut graph = Graph::new(&self.ctx)?;
        // SAFETY: `out` stays allocated.
        let node = unsafe { graph.add_kernel_unretained(&kernel, launch, args, &[]) }?;
        let mut exec = graph.instantiate()?;
        for &form in forms {
            let poison = vec![0xa5_u8; self.out.len()];
            self.stream.memcpy_htod(&poison, &mut self.out)?;
            // SAFETY: as above.
            unsafe { exec.update_unretained(&node, launch.form(form), args) }?;
            // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
            unsafe { exec.launch(&self.stream) }?;
            let echo = self.stream.clone_dtoh(&self.out)?;
            tally::compare(ENTRIES[index], &format!("{form:?}"), &echo[..expected.len()], &expected)?;
            if echo[expected.len()..].iter().any(|&byte| byte != 0xa5) {
                let entry = ENTRIES[index];
                return Err(format!("{entry}: bytes behind the echo were written").into());
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

impl Visitor for Nodes {
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        self.visit(index, args, &[Form::KernelParams, Form::Packed]);
    }

    fn over_aligned<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        self.visit(index, args, &[Form::KernelParams, Form::Packed]);
    }
}

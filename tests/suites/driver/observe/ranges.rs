//! Ranges of NVTX, as a tool sees them that NVTX loads.

use crate::observe::seen::Outcome;
use kernel_args::{
    Kernel, KernelArgs, Module,
    graph::Graph,
    launch,
    observe::{self, Nvtx},
    sequence::Sequence,
};
use kernel_args_test_generator::tools::{self as tools, GCC};
use kernel_args_tests::{driver::context, process, suites};
use libtest_mimic::Trial;
use std::{fs, process::ExitCode};

/// The variable of the program whose ranges are compared.
const VARIABLE: &str = "KERNEL_ARGS_RANGES";

const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry _ZN3sim4stepEj(.param .u32 n) { ret; }
.visible .entry plain(.param .u32 n) { ret; }
";

const RANGES: &str = "\
load an image
sim::step(unsigned int)
plain
plain
sequence of 2 steps
graph launch
after the observer
";

#[derive(Clone, Copy, KernelArgs)]
struct Args {
    n: u32,
}

/// The exit code of the program, if this process is it.
pub(super) fn child() -> Option<ExitCode> {
    std::env::var_os(VARIABLE).map(|_| process::exit_code(program().map_err(|error| error.to_string().into())))
}

pub(super) fn trials() -> Vec<Trial> {
    vec![tools::trial("a_tool_sees_the_ranges", &[GCC], a_tool_sees_the_ranges)]
}

fn a_tool_sees_the_ranges() -> Outcome {
    let folder = tempfile::tempdir()?;
    let [source, tool] = ["tool.c", "tool.so"].map(|name| folder.path().join(name));
    fs::write(&source, include_str!("tool.c"))?;
    let gcc =
        tools::command(GCC).args(["-Wall", "-Werror", "-shared", "-fPIC", "-o"]).args([&tool, &source]).status()?;
    assert!(gcc.success());
    let run = |tool: &str| suites::command("observe").env(VARIABLE, "1").env("NVTX_INJECTION64_PATH", tool).output();
    let output = run(tool.to_str().ok_or("not UTF-8")?)?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), RANGES);
    // Without a tool the ranges go nowhere.
    let without = run("")?;
    assert!(without.status.success() && without.stdout == b"after the observer\n");
    Ok(())
}

fn program() -> Outcome {
    let ctx = context()?;
    let observed = observe::install(Nvtx);
    let module = Module::load(&ctx, PTX)?;
    let step: Kernel<Args> = module.kernel("_ZN3sim4stepEj")?;
    let plain: Kernel<Args> = module.kernel("plain")?;
    // SAFETY: the kernels do nothing.
    unsafe { launch!(step, 1, 1, Args { n: 1 }) }?;
    let stream = ctx.new_stream()?;
    let mut sequence = Sequence::new(&stream);
    sequence.run(|s| {
        for n in 0..2 {
            // SAFETY: as before.
            unsafe { launch!(plain, 1, 1, Args { n }, stream = s) }?;
        }
        Ok(())
    })?;
    let mut graph = Graph::new(&ctx)?;
    // SAFETY: as before.
    graph.add_kernel(&step, 1, 1, Args { n: 2 }, &[])?;
    let mut exec = graph.instantiate()?;
    // SAFETY: as before.
    unsafe { exec.launch(&stream) }?;
    stream.synchronize()?;
    drop(observed);
    // SAFETY: as before.
    unsafe { launch!(plain, 1, 1, Args { n: 3 }) }?;
    println!("after the observer");
    Ok(())
}

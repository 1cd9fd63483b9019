//! What the analysis of kernels' code claims about random kernels, compared with the memory that they change on a GPU.
//!
//! | variable | meaning | default | with `KERNEL_ARGS_FULL=1` |
//! |---|---|---|---|
//! | `KERNEL_ARGS_CHANGES` | the number of kernels | 200 | 2,000 |

use cudarc::{
    driver::{CudaContext, CudaSlice, DevicePtr, result, sys},
    nvrtc::{CompileOptions, compile_ptx_with_opts},
};
use kernel_args_image::ptx::{Bodies, Module};
use kernel_args_test_generator::tools::{self as tools, Tool};
use kernel_args_test_generator::{
    known_uses::{Kernel, kernels},
    size,
};
use kernel_args_tests::{
    driver::{Driver, context, suite},
    nvrtc,
};
use libtest_mimic::Trial;
use std::{env, error::Error, ffi::CString, path::PathBuf, process::ExitCode, ptr, sync::Arc};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The number of kernels in a source.
const EACH: usize = 20;
/// The number of threads of a launch: the kernels' `n`. All of their accesses are within `BYTES`.
const THREADS: i32 = 32;
const BYTES: usize = 1 << 16;
/// The byte of the first pointer's memory; the next pointer has the next byte: a copy is a change. They are small
/// numbers as a `float`, a `double` and a `__half`: a sum with them is another number.
const PATTERN: u8 = 0x34;

pub(crate) fn main() -> ExitCode {
    if let Some(code) = nvrtc::reexec_with_nvrtc() {
        return code;
    }
    suite("memory_changes", trials, |_| {})
}

fn trials(_: &Driver) -> Vec<Trial> {
    vec![tools::trial("claims_are_what_happens", &[nvrtc::NVRTC, HEADERS], claims_are_what_happens)]
}

/// CUDA's headers in the toolkit of the machine.
const HEADERS: Tool = Tool::new("cuda_fp16.h", |name| {
    let header = PathBuf::from(toolkit()).join("include").join(name);
    if header.exists() { Ok(header) } else { Err("there are no headers of CUDA: set CUDA_HOME".to_owned()) }
});

fn toolkit() -> String {
    env::var("CUDA_HOME").unwrap_or_else(|_| "/usr/local/cuda".into())
}

/// Memory behind a pointer, with the claims about it.
struct Pointed {
    what: String,
    memory: CudaSlice<u8>,
    pattern: u8,
    is_only_read: bool,
    is_written: bool,
}

#[derive(Default)]
struct Tally {
    only_read: usize,
    written: usize,
    unchanged: usize,
    wrong: Vec<String>,
}

fn claims_are_what_happens() -> Outcome {
    let count = match env::var("KERNEL_ARGS_CHANGES") {
        Ok(text) => text.parse()?,
        Err(_) => size::choose(200, 2000),
    };
    let ctx = context()?;
    let (major, minor) = ctx.compute_capability()?;
    let toolkit = toolkit();
    let mut tally = Tally::default();
    for first in (0..count).step_by(EACH) {
        let mut options = CompileOptions {
            include_paths: vec![format!("{toolkit}/include")],
            options: vec![format!("--gpu-architecture=compute_{major}{minor}")],
            ..CompileOptions::default()
        };
        if first / EACH % 4 == 3 {
            options.options.push("--device-debug".into());
        }
        let (source, kernels) = kernels(2, first, EACH.min(count - first));
        let ptx = compile_ptx_with_opts(source, options)?.to_src();
        let module = Module::read(ptx.as_bytes())?;
        let mut bodies = Bodies::new(ptx.as_bytes());
        let loaded = CString::new(ptx.as_str())?;
        // SAFETY: PTX that ends with a zero byte.
        let loaded = unsafe { result::module::load_data(loaded.as_ptr().cast()) }?;
        for kernel in &kernels {
            let body = bodies.kernel(&module, &kernel.name).ok_or("not analysed")?;
            let (mut words, mut pointed) = (Vec::new(), Vec::new());
            for (index, declared) in kernel.declared.iter().enumerate() {
                let claims = body.parameter(index);
                let mut own = Vec::new();
                for (word, value) in words_of(declared).iter().enumerate() {
                    own.push(match value {
                        Word::Number(number) => *number,
                        Word::Pointer => {
                            let pattern = PATTERN + u8::try_from(pointed.len())?;
                            let memory = ctx.default_stream().clone_htod(&vec![pattern; BYTES])?;
                            let address = memory.device_ptr(memory.stream()).0;
                            let slot = claims.slots().find(|slot| slot.offset == 8 * word);
                            pointed.push(Pointed {
                                what: format!("{} {declared} + {}", kernel.name, 8 * word),
                                memory,
                                pattern,
                                is_only_read: slot.is_some_and(|slot| slot.is_only_read()),
                                is_written: slot.is_some_and(|slot| slot.written.is_certain()),
                            });
                            address
                        }
                    });
                }
                words.push(own);
            }
            launch(&ctx, loaded, kernel, &mut words)?;
            compare(kernel, &pointed, &mut tally)?;
        }
        // SAFETY: no launch of its kernels is running.
        unsafe { result::module::unload(loaded) }?;
    }
    let Tally { only_read, written, unchanged, wrong } = tally;
    println!(
        "memory_changes: {count} kernels: {only_read} pointers only read, {written} written, {unchanged} of them by a comparison that failed"
    );
    assert!(wrong.is_empty(), "{} claims are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(only_read > count / 2 && written > count, "few claims");
    Ok(())
}

/// 8 bytes of a parameter.
enum Word {
    Number(u64),
    Pointer,
}

fn words_of(declared: &str) -> Vec<Word> {
    let number = |number: u64| Word::Number(number);
    match declared {
        "int n" => vec![number(THREADS as u64)],
        "long long m" => vec![number(3)],
        // The data and the stride.
        _ if declared.starts_with("View<") => vec![Word::Pointer, number(2)],
        // The tag, and three pointers.
        _ if declared.starts_with('W') => {
            vec![number(1), Word::Pointer, Word::Pointer, Word::Pointer]
        }
        _ => vec![Word::Pointer],
    }
}

fn launch(ctx: &Arc<CudaContext>, module: sys::CUmodule, kernel: &Kernel, words: &mut [Vec<u64>]) -> Outcome {
    let mut parameters: Vec<_> = words.iter_mut().map(|own| own.as_mut_ptr().cast()).collect();
    // SAFETY: the module is loaded.
    let function = unsafe { result::module::get_function(module, CString::new(kernel.name.as_str())?) }?;
    // SAFETY: each parameter has the size and the offsets of its declaration, and each pointer has `BYTES` bytes.
    unsafe { result::launch_kernel(function, (1, 1, 1), (THREADS as u32, 1, 1), 0, ptr::null_mut(), &mut parameters) }?;
    Ok(ctx.synchronize()?)
}

fn compare(kernel: &Kernel, pointed: &[Pointed], tally: &mut Tally) -> Outcome {
    for one in pointed {
        let bytes = one.memory.stream().clone_dtoh(&one.memory)?;
        let is_changed = bytes.iter().any(|byte| *byte != one.pattern);
        tally.only_read += usize::from(one.is_only_read);
        tally.written += usize::from(one.is_written);
        if one.is_only_read && is_changed {
            tally.wrong.push(format!("{}: only read, but changed\n{}", one.what, kernel.source));
        }
        if one.is_written && !is_changed {
            tally.unchanged += 1;
            // It writes only if the memory contains the compared number.
            if !kernel.source.contains("atomicCAS") {
                tally.wrong.push(format!("{}: written, but not changed\n{}", one.what, kernel.source));
            }
        }
    }
    Ok(())
}

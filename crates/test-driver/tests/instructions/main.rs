//! What kernels compute: on the test driver, compared with what a GPU computed from the same kernels.
//!
//! `gpu.txt` has a line for each form of an instruction, and for each random kernel: the results of a GPU, whole if
//! they are approximate, otherwise their hash. On a GPU, `KERNEL_ARGS_RESULTS=PATH` writes the file to this path, and
//! all bytes to `PATH.bin`. With `KERNEL_ARGS_GPU_RESULTS=PATH` these are compared instead of `gpu.txt`, and the first
//! thread that differs is known. `KERNEL_ARGS_SEED=7` is for other operands and other random kernels, in both steps.

// Values are bits, and texts are short.
#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::format_collect,
    clippy::format_push_string
)]
#![allow(clippy::match_same_arms, clippy::too_many_lines, clippy::type_complexity)]

mod cases;
mod chains;
mod page;
mod programs;
mod ptxas;
mod system;

use cases::{Case, SEED, THREADS, Tolerance};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use kernel_args_test_driver::{Settings, interpret_without_gpu, is_active};
use kernel_args_test_generator::tools;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::{
    collections::BTreeMap,
    env, fs,
    process::ExitCode,
    sync::{Arc, Mutex},
};

/// What differs from the GPU, the hash of the test driver's results, and why.
const KNOWN: [(&str, &str, &str); 3] = [
    ("rcp.approx.ftz.f64", "cfe2a738fae77674", "the last bit of a table of the hardware"),
    ("rsqrt.approx.ftz.f64", "8401c5bd32943ef0", "the last bit of a table of the hardware"),
    ("rsqrt.approx.f64", "0829fc3de528753b", "the last bit of a result that is not rounded correctly"),
];

/// Another seed has other results.
const NO_RESULTS: &str =
    "with KERNEL_ARGS_SEED, set KERNEL_ARGS_RESULTS on a GPU, or KERNEL_ARGS_GPU_RESULTS to its results";

/// Random kernels.
const PROGRAMS: usize = 400;

fn main() -> ExitCode {
    if let Err(error) = interpret_without_gpu(&Settings::new().sm(90)) {
        eprintln!("instructions: there is neither a GPU nor the test driver: {error}");
        return ExitCode::FAILURE;
    }
    let arguments = Arguments::from_args();
    let expected = Arc::new(Expected::read());
    // Whoever names a file expects that it is written or compared; `gpu.txt` always is.
    let named = ["KERNEL_ARGS_RESULTS", "KERNEL_ARGS_GPU_RESULTS"];
    let is_named = SEED.is_empty() || named.iter().any(|name| env::var_os(name).is_some());
    if is_named && !expected.is_there() {
        eprintln!("instructions: {NO_RESULTS}");
        return ExitCode::FAILURE;
    }
    let cases = cases::all();
    let mut roots: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        roots.entry(case.root.clone()).or_default().push(case);
    }
    let mut trials = Vec::new();
    for (root, cases) in roots {
        trials
            .push(compared(format!("instructions::{root}"), &expected, move |expected| instructions(&cases, expected)));
    }
    for first in (0..PROGRAMS).step_by(20) {
        trials.push(compared(format!("random_kernels::from_{first}"), &expected, move |expected| {
            let all = (first..first + 20).map(|number| random_kernel(number, expected));
            together(all.collect())
        }));
    }
    for first in (0..chains::CHAINS).step_by(20) {
        trials.push(Trial::test(format!("chains::from_{first}"), move || chains::chains(first, 20)));
    }
    trials.push(Trial::test("chains::wide_integers", chains::wide_integers));
    if ptxas::extra().is_some() {
        trials.clear();
    } else if is_active() && SEED.is_empty() {
        let expected = Arc::clone(&expected);
        trials.push(Trial::test("page::is_current", move || page::is_current(&expected)));
        trials.push(Trial::test("page::the_rest_is_refused", page::the_rest_is_refused));
    }
    if is_active() {
        trials.push(tools::trial("ptxas::what_it_accepts_is_loaded", &[tools::NVCC], ptxas::what_it_accepts_is_loaded));
        trials.push(tools::trial("ptxas::mutants_are_refused_alike", &[tools::NVCC], ptxas::mutants_are_refused_alike));
    }
    let code = libtest_mimic::run(&arguments, trials).exit_code();
    expected.write();
    code
}

/// A trial whose kernels run, and whose results are compared with a GPU's. Without these it counts as ignored.
fn compared(
    name: String,
    expected: &Arc<Expected>,
    run: impl FnOnce(&Expected) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let expected = Arc::clone(expected);
    Trial::ignorable_test(name, move || {
        run(&expected)?;
        Ok(if expected.is_there() { Completion::Completed } else { Completion::ignored_with(NO_RESULTS) })
    })
}

/// All failures as one.
fn together(results: Vec<Result<(), String>>) -> Result<(), Failed> {
    let total = results.len();
    let failures: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    if failures.is_empty() {
        Ok(())
    } else {
        Err(format!("{} of {total} differ:\n{}", failures.len(), failures.join("\n")).into())
    }
}

/// The device and its stream. Each trial has its own context, because a fault ends it.
struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
}

impl Gpu {
    fn new() -> Result<Self, String> {
        let context = CudaContext::new(0).map_err(|error| error.to_string())?;
        let stream = context.default_stream();
        Ok(Self { context, stream })
    }

    fn load(&self, ptx: String) -> Result<Arc<CudaModule>, String> {
        self.context.load_module(Ptx::from_src(ptx)).map_err(|error| format!("the module is not loaded: {error}"))
    }

    /// Runs `function` over `input`, and returns `size` bytes of output, and 32 bytes of sums.
    fn run(
        &self,
        function: &CudaFunction,
        grid: usize,
        block: usize,
        input: &[u8],
        size: usize,
    ) -> Result<Vec<u8>, String> {
        let run = || {
            let input = self.stream.clone_htod(input)?;
            let mut output = self.stream.alloc_zeros::<u8>(size)?;
            let mut sums = self.stream.alloc_zeros::<u8>(32)?;
            let mut launch = self.stream.launch_builder(function);
            launch.arg(&input).arg(&mut output).arg(&mut sums);
            let config =
                LaunchConfig { grid_dim: (grid as u32, 1, 1), block_dim: (block as u32, 1, 1), shared_mem_bytes: 0 };
            // SAFETY: the kernels read and write the bytes of their threads in these allocations. A kernel of a case
            // has two parameters: the driver ignores the third.
            unsafe { launch.launch(config) }?;
            let mut bytes = self.stream.clone_dtoh(&output)?;
            bytes.extend(self.stream.clone_dtoh(&sums)?);
            Ok::<_, cudarc::driver::DriverError>(bytes)
        };
        run().map_err(|error| error.to_string())
    }
}

fn instructions(cases: &[Case], expected: &Expected) -> Result<(), Failed> {
    let gpu = Gpu::new()?;
    // A module for each case if the module of all is refused: one form that is not known then fails alone.
    let whole = gpu.load(cases::module(&cases.iter().collect::<Vec<_>>()));
    let results = cases.iter().map(|case| {
        let run = || {
            let module = match &whole {
                Ok(module) => Arc::clone(module),
                Err(_) => gpu.load(cases::module(&[case]))?,
            };
            let function = module.load_function(&case.entry()).map_err(|error| error.to_string())?;
            let mut bytes = Gpu::new()?.run(&function, 1, THREADS, &case.input(), THREADS * 8)?;
            bytes.truncate(THREADS * 8);
            expected.compare(&case.name, case.tolerance, case.result, &bytes, 8)
        };
        run().map_err(|error| {
            // The operands of the first thread that differs.
            let thread = error
                .split_once("thread ")
                .or(error.split_once("first is "))
                .and_then(|(_, rest)| rest.split_once(':'));
            let input = case.input();
            let operands = thread.and_then(|(thread, _)| input.get(thread.parse::<usize>().ok()? * 24..)?.get(..24));
            let shown: Vec<_> = operands
                .unwrap_or_default()
                .rchunks(8)
                .rev()
                .map(|bytes| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>())
                .collect();
            format!("{}: {error} {shown:?}", case.name)
        })
    });
    together(results.collect())
}

fn random_kernel(number: usize, expected: &Expected) -> Result<(), String> {
    let name = format!("random kernel {number}");
    let run = || {
        let gpu = Gpu::new()?;
        let program = programs::program(number);
        let module = gpu.load(program.text)?;
        let function = module.load_function("random").map_err(|error| error.to_string())?;
        let (grid, block) = (programs::GRID, programs::BLOCK);
        let bytes = gpu.run(&function, grid, block, &program.input, grid * block * programs::OUTPUT)?;
        expected.compare(&name, Tolerance::Exact, "b64", &bytes, programs::OUTPUT)
    };
    run().map_err(|error| format!("{name}: {error}"))
}

/// The results of a GPU.
struct Expected {
    /// The name of the GPU.
    gpu: String,
    /// The results in the file, by the name of the form or kernel.
    lines: BTreeMap<String, String>,
    /// All bytes, with `KERNEL_ARGS_GPU_RESULTS`.
    bytes: BTreeMap<String, Vec<u8>>,
    /// New lines and bytes, if a GPU's results are written.
    new: Option<Mutex<BTreeMap<String, (String, Vec<u8>)>>>,
}

impl Expected {
    fn read() -> Self {
        let path = env::var("KERNEL_ARGS_GPU_RESULTS").ok();
        let text = match &path {
            Some(path) => fs::read_to_string(path).expect("the results of a GPU"),
            None if SEED.is_empty() => include_str!("gpu.txt").to_owned(),
            None => String::new(),
        };
        let gpu = text.split_once(": ").map_or("", |(head, _)| head.trim_start_matches("# Results of ")).to_owned();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let lines = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let all = path.map(|path| fs::read(format!("{path}.bin")).expect("the bytes of a GPU")).unwrap_or_default();
        let mut bytes = BTreeMap::new();
        let mut rest = &all[..];
        let mut take = |count: usize| {
            let (taken, after) = rest.split_at_checked(count)?;
            rest = after;
            Some(taken)
        };
        while let Some(count) = take(4).and_then(|n| n.try_into().ok()).map(u32::from_le_bytes) {
            let Some(name) = take(count as usize) else { break };
            let Some(size) = take(4).and_then(|n| n.try_into().ok()).map(u32::from_le_bytes) else { break };
            let Some(value) = take(size as usize) else { break };
            bytes.insert(String::from_utf8_lossy(name).into_owned(), value.to_vec());
        }
        // The results of the test driver are never written instead of a GPU's.
        let new = env::var_os("KERNEL_ARGS_RESULTS").filter(|_| !is_active()).map(|_| Mutex::default());
        Self { gpu, lines, bytes, new }
    }

    /// Whether a GPU's results are compared, or written.
    fn is_there(&self) -> bool {
        !self.lines.is_empty() || self.new.is_some()
    }

    /// Compares the results of a kernel, each of `stride` bytes per thread.
    fn compare(&self, name: &str, tolerance: Tolerance, kind: &str, bytes: &[u8], stride: usize) -> Result<(), String> {
        let line = match tolerance {
            Tolerance::Exact => format!("{:016x}", hash(bytes)),
            Tolerance::Approximate { .. } => {
                bytes.chunks(8).flat_map(|slot| &slot[..4]).map(|byte| format!("{byte:02x}")).collect()
            }
        };
        if let Some(new) = &self.new {
            new.lock().expect("no thread panicked").insert(name.to_owned(), (line, bytes.to_vec()));
            return Ok(());
        }
        // Without a GPU's result, it only runs: the page counts it as not compared.
        let Some(expected) = self.lines.get(name) else { return Ok(()) };
        if let Some((_, ours, _)) = KNOWN.iter().find(|(known, ..)| *known == name && is_active()) {
            // The hash is of the empty seed.
            return if line == *ours || !SEED.is_empty() {
                Ok(())
            } else {
                Err(format!("another difference than the known one: {line}"))
            };
        }
        if *expected == line {
            return Ok(());
        }
        if let Tolerance::Approximate { ulps, absolute } = tolerance {
            let numbers = (0..expected.len() / 8)
                .filter_map(|at| u32::from_str_radix(&expected[at * 8..][..8], 16).ok())
                .map(u32::swap_bytes);
            let ours = bytes.chunks(8).map(|slot| u32::from_le_bytes([slot[0], slot[1], slot[2], slot[3]]));
            let far = numbers.zip(ours).enumerate().find(|(_, (gpu, ours))| !near(kind, *gpu, *ours, ulps, absolute));
            return match far {
                None => Ok(()),
                Some((thread, (gpu, ours))) => {
                    Err(format!("thread {thread}: the GPU has {gpu:#010x}, this driver {ours:#010x}"))
                }
            };
        }
        let Some(all) = self.bytes.get(name) else {
            return Err("another result than the GPU's".to_owned());
        };
        let thread = all.iter().zip(bytes).position(|(gpu, ours)| gpu != ours).unwrap_or_default() / stride;
        let count = all.chunks(stride).zip(bytes.chunks(stride)).filter(|(gpu, ours)| gpu != ours).count();
        let part = |bytes: &[u8]| {
            bytes[thread * stride..].iter().take(stride).map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        Err(format!("{count} threads, the first is {thread}: the GPU has {}, this driver {}", part(all), part(bytes)))
    }

    /// Writes what is new.
    fn write(&self) {
        let Some(new) = &self.new else { return };
        let path = env::var("KERNEL_ARGS_RESULTS").expect("the path of the results");
        let name = CudaContext::new(0).and_then(|context| context.name()).unwrap_or_default();
        let mut text = format!("# Results of {name}: see main.rs.\n");
        let mut all = Vec::new();
        for (name, (line, bytes)) in new.lock().expect("no thread panicked").iter() {
            text.push_str(&format!("{name}: {line}\n"));
            for part in [name.as_bytes(), bytes] {
                all.extend((part.len() as u32).to_le_bytes());
                all.extend(part);
            }
        }
        fs::write(&path, text).expect("the file of results is written");
        fs::write(format!("{path}.bin"), all).expect("the bytes of the results are written");
    }
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Whether two results of this type are near each other.
fn near(kind: &str, gpu: u32, ours: u32, ulps: u32, absolute: f32) -> bool {
    if gpu == ours {
        return true;
    }
    if kind.starts_with("f16") {
        let halves = |bits: u32| [bits & 0xffff, bits >> 16].map(|half| half as i32);
        return halves(gpu).iter().zip(halves(ours)).all(|(gpu, ours)| (gpu - ours).unsigned_abs() <= ulps.max(2));
    }
    let (a, b) = (f32::from_bits(gpu), f32::from_bits(ours));
    if a.is_nan() || b.is_nan() {
        return a.is_nan() && b.is_nan();
    }
    let order = |bits: u32| if bits >> 31 == 1 { -i64::from(bits & 0x7fff_ffff) } else { i64::from(bits) };
    (order(gpu) - order(ours)).unsigned_abs() <= u64::from(ulps) || (a - b).abs() <= absolute
}

//! Launches that are recorded in a file and launched again. Requests count the launches of the process, so each case is
//! a process of its own.

mod changed;
mod program;

use changed::{Parts, a_changed_file};
use cudarc::driver::DevicePtr;
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Function, Kernel, KernelArgs, Launch, Module,
    error::RecordingError,
    graph::Graph,
    launch,
    observe::{self, FileRecording},
    replay::{Recording, Replay, ReplayOptions, ReplayPromise},
    sequence::Sequence,
};
use kernel_args_test_generator::tools;
use kernel_args_tests::{
    command_line,
    driver::{context, suite, trial},
    process,
    saxpy::{Pointers, SAXPY, Saxpy},
    values::{Draw, Source},
};
use libtest_mimic::Trial;
use program::by_the_program;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const N: usize = 100;

/// A file of this process.
fn file(name: &str) -> PathBuf {
    let own = format!("kernel-args-{}-{name}.launch", std::process::id());
    env::temp_dir().join(own)
}

/// `y = alpha * x + y` for `alpha` 0, 1, …, `launches - 1`, with `x = 2` and `y = 1` at first.
fn saxpy(launches: u16) -> Outcome<Vec<f32>> {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel = Kernel::<Saxpy>::from_image(&ctx, SAXPY, "saxpy")?;
    let (x, mut y) = (stream.clone_htod(&[2.0; N])?, stream.clone_htod(&[1.0; N])?);
    for alpha in 0..launches {
        let args = Saxpy { n: N as u32, alpha: f32::from(alpha), x: &x, y: &mut y };
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, 4, 32, args)? };
    }
    Ok(stream.clone_dtoh(&y)?)
}

fn replayed(file: &Path, options: &ReplayOptions<'_>) -> Result<Replay, Error> {
    // SAFETY: the kernels of these tests stay within their memory.
    let promise = unsafe { ReplayPromise::new() };
    Recording::open(file)?.replay(&context()?, options, promise)
}

fn one_launch_of_several() -> Outcome {
    let file = file("several");
    let recording = observe::record_to_file("saxpy", 3, &file);
    assert_eq!(saxpy(6)?, [31.0; N]);
    assert!(recording.finish()?);
    let manifest = Recording::open(&file)?.manifest().clone();
    assert_eq!((&*manifest.kernel, manifest.name.as_deref()), ("saxpy", None));
    assert_eq!((manifest.grid, manifest.block, manifest.shared_memory), ([4, 1, 1], [32, 1, 1], 0));
    let shown = manifest.parameters.iter().map(|one| (&*one.name, &*one.ty)).collect::<Vec<_>>();
    let expected = [("n", "unsigned int"), ("alpha", "float"), ("x", "float const*"), ("y", "float*")];
    assert_eq!(shown, expected);
    assert_eq!((&*manifest.parameters[0].value, &*manifest.parameters[1].value), ("100", "3.0"));
    assert_eq!(manifest.memory.len(), 2);
    assert!(manifest.machine.sm.starts_with("sm_"), "{:?}", manifest.machine);
    let replay = replayed(&file, &ReplayOptions::new().repetitions(3))?;
    assert!(replay.is_same(), "{replay:?}");
    let written: Vec<_> = replay.memory.iter().map(|memory| memory.is_written).collect();
    assert_eq!((written, replay.times.len()), (vec![false, true], 3));
    assert!(replay.median().is_some());
    // The grid covers the elements with this block too.
    assert!(replayed(&file, &ReplayOptions::new().block(64).grid((2, 1)))?.is_same());
    // The last elements are not computed: they keep 7 instead of 13.
    let short = replayed(&file, &ReplayOptions::new().grid(3))?;
    let difference = short.memory[1].difference.ok_or("four elements differ")?;
    assert_eq!((difference.first, difference.largest), (96 * 4 + 2, Some(6.0)), "{short:?}");
    fs::remove_file(file)?;
    Ok(())
}

fn a_launch_that_does_not_come() -> Outcome {
    let file = file("absent");
    let recording = observe::record_to_file("saxpy", 3, &file);
    let other = observe::record_to_file("saxpy_of_others", 0, &file);
    saxpy(3)?;
    assert!(!recording.finish()?);
    saxpy(3)?;
    assert!(!other.finish()?);
    assert!(!file.exists());
    Ok(())
}

fn several_requests() -> Outcome {
    let files = [file("a"), file("b"), file("c")];
    let requests = [(0, &files[0]), (2, &files[1]), (2, &files[2])];
    let recordings = requests.map(|(nth, file)| observe::record_to_file("saxpy", nth, file));
    drop(observe::record_to_file("saxpy", 1, "withdrawn.launch"));
    saxpy(4)?;
    let done = recordings.map(FileRecording::finish);
    // Two requests for one launch: the second gets the next launch.
    for ((done, file), alpha) in done.into_iter().zip(&files).zip(["0.0", "2.0", "3.0"]) {
        assert!(done?, "{}", file.display());
        assert_eq!(Recording::open(file)?.manifest().parameters[1].value, alpha);
        assert!(replayed(file, &ReplayOptions::new())?.is_same());
        fs::remove_file(file)?;
    }
    assert!(!Path::new("withdrawn.launch").exists());
    Ok(())
}

/// Two pointers into one allocation keep their distance, and random values their bytes.
fn random_launches() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let from = &mut Source::new(1);
    let file = file("random");
    // Modules keep their images from the first request on.
    drop(observe::record_to_file("saxpy", 0, &file));
    let kernel = Kernel::<Pointers>::from_image(&ctx, SAXPY, "saxpy")?;
    let mut bytes = 0;
    for _ in 0..40 {
        let length = 2 * N + usize::from(u8::draw(from));
        let values: Vec<f32> = (0..length).map(|_| f32::from(i16::draw(from))).collect();
        let memory = stream.clone_htod(&values)?;
        let (base, _guard) = memory.device_ptr(&stream);
        let (x, y) = (usize::from(u8::draw(from)) % (length / 4), length / 2);
        let n = (length / 4).min(length - y);
        let args = Pointers {
            n: n as u32,
            alpha: f32::from(u8::draw(from)),
            x: DevicePointer::from_raw(base + 4 * x as u64),
            y: DevicePointerMut::from_raw(base + 4 * y as u64),
        };
        let recording = observe::record_to_file("saxpy", 0, &file);
        // SAFETY: both ranges are in the memory, and do not overlap.
        unsafe { launch!(kernel, 8, 32, args)? };
        assert!(recording.finish()?);
        let manifest = Recording::open(&file)?.manifest().clone();
        assert_eq!(manifest.memory.len(), 1);
        let offsets: Vec<_> = manifest.pointers.iter().map(|pointer| pointer.offset).collect();
        let start = base - manifest.memory[0].address;
        assert_eq!(offsets, [start + 4 * x as u64, start + 4 * y as u64]);
        bytes += manifest.memory[0].size;
        let replay = replayed(&file, &ReplayOptions::new())?;
        assert!(replay.is_same() && replay.memory[0].is_written, "{replay:?}");
    }
    fs::remove_file(file)?;
    println!("40 random launches replayed, {bytes} bytes compared, 0 differences");
    Ok(())
}

#[repr(C)]
#[derive(Clone, Copy, DeviceType)]
struct Vectors {
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

/// A pointer in a struct by value is found, with and without its type.
fn pointers_in_structs() -> Outcome {
    #[derive(KernelArgs)]
    struct Args {
        echo: DevicePointerMut<u8>,
        vectors: Vectors,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    let file = file("structs");
    let recording = observe::record_to_file("anything", 0, &file);
    let ptx = "
        .version 8.0
        .target sm_70
        .address_size 64
        .visible .entry anything(.param .u64 a, .param .align 8 .b8 b[16]) { ret; }";
    let kernel = Kernel::<Args>::from_image(&ctx, ptx, "anything")?;
    let memory = stream.clone_htod(&[5.0_f32; N])?;
    let (base, _guard) = memory.device_ptr(&stream);
    let args = Args {
        echo: DevicePointerMut::NULL,
        vectors: Vectors { x: DevicePointer::from_raw(base + 8), y: DevicePointerMut::from_raw(base + 16) },
    };
    // SAFETY: the kernel does nothing.
    unsafe { launch!(kernel, 1, 1, args)? };
    assert!(recording.finish()?);
    let manifest = Recording::open(&file)?.manifest().clone();
    let found = manifest.pointers.iter().map(|one| (one.parameter, one.at, one.memory)).collect::<Vec<_>>();
    assert_eq!(found, [(1, 0, 0), (1, 8, 0)]);
    assert!(replayed(&file, &ReplayOptions::new())?.is_same());
    fs::remove_file(file)?;
    Ok(())
}

/// A launch that is captured, or recorded by a sequence, is not counted: it does not run then.
fn launches_that_do_not_run() -> Outcome {
    let ctx = context()?;
    let (stream, file) = (ctx.new_stream()?, file("captured"));
    let recording = observe::record_to_file("saxpy", 0, &file);
    let kernel = Kernel::<Pointers>::from_image(&ctx, SAXPY, "saxpy")?;
    let memory = stream.clone_htod(&[1.0_f32; 2 * N])?;
    ctx.synchronize()?;
    let (base, _guard) = memory.device_ptr(&stream);
    let args = |alpha| Pointers {
        n: N as u32,
        alpha,
        x: DevicePointer::from_raw(base),
        y: DevicePointerMut::from_raw(base + 4 * N as u64),
    };
    let graph = Graph::capture(&stream, || -> Result<(), Error> {
        // SAFETY: both halves have `N` elements.
        unsafe { launch!(kernel, 4, 32, args(1.0), stream = &stream) }
    })?;
    let mut sequence = Sequence::new(&stream);
    sequence.run(|s| {
        // SAFETY: as above.
        unsafe { launch!(kernel, 4, 32, args(2.0), stream = s) }
    })?;
    // SAFETY: as above.
    unsafe { launch!(kernel, 4, 32, args(3.0), stream = &stream)? };
    assert!(recording.finish()?);
    assert_eq!(Recording::open(&file)?.manifest().parameters[1].value, "3.0");
    assert!(replayed(&file, &ReplayOptions::new())?.is_same());
    drop((graph, sequence));
    fs::remove_file(file)?;
    Ok(())
}

fn attributes() -> Outcome {
    let ctx = context()?;
    let (stream, file) = (ctx.default_stream(), file("attributes"));
    let recording = observe::record_to_file("saxpy", 0, &file);
    let kernel = Kernel::<Saxpy>::from_image(&ctx, SAXPY, "saxpy")?;
    let (x, mut y) = (stream.clone_htod(&[2.0; N])?, stream.clone_htod(&[1.0; N])?);
    let args = Saxpy { n: N as u32, alpha: 1.0, x: &x, y: &mut y };
    let launch = Launch::new(4, 32).priority(0).shared(64);
    // SAFETY: both slices have `N` elements.
    unsafe { kernel_args::launch(&kernel, launch, args)? };
    assert!(recording.finish()?);
    let manifest = Recording::open(&file)?.manifest().clone();
    assert_eq!((manifest.attributes.len(), manifest.shared_memory), (1, 64));
    assert_eq!(manifest.attributes[0].text, "priority = 0");
    assert!(replayed(&file, &ReplayOptions::new().shared_memory(0))?.is_same());
    fs::remove_file(file)?;
    Ok(())
}

/// Without its image, a recording is replayed with a named one.
fn without_an_image() -> Outcome {
    let ctx = context()?;
    let (stream, file) = (ctx.default_stream(), file("without"));
    let kernel: Function = Module::load(&ctx, SAXPY)?.function("saxpy")?;
    let (x, mut y) = (stream.clone_htod(&[2.0; N])?, stream.clone_htod(&[1.0; N])?);
    let recording = observe::record_to_file("saxpy", 0, &file);
    let args = Saxpy { n: N as u32, alpha: 1.0, x: &x, y: &mut y };
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, 4, 32, args)? };
    assert!(recording.finish()?);
    let error = replayed(&file, &ReplayOptions::new()).err().ok_or("an image")?;
    assert!(matches!(error, Error::Recording(RecordingError::NoImage)), "{error}");
    assert!(replayed(&file, &ReplayOptions::new().image(SAXPY))?.is_same());
    let other = "
        .version 8.0
        .target sm_70
        .address_size 64
        .visible .entry saxpy(.param .u32 a, .param .u32 b, .param .u64 c) { ret; }";
    let error = replayed(&file, &ReplayOptions::new().image(other)).err().ok_or("other parameters")?;
    let text = error.to_string();
    assert!(text.contains("[4, 4, 8, 8] bytes") && text.contains("[4, 4, 8] bytes"), "{text}");
    let error = replayed(&file, &ReplayOptions::new().image(SAXPY).block(4096)).err().ok_or("a limit")?;
    assert!(error.to_string().contains("1024"), "{error}");
    fs::remove_file(file)?;
    Ok(())
}

/// A recording that cannot be written does not disturb the launch.
fn a_file_that_cannot_be_written() -> Outcome {
    let folder = file("no-folder");
    let recording = observe::record_to_file("saxpy", 0, folder.join("saxpy.launch"));
    assert_eq!(saxpy(2)?, [3.0; N]);
    let error = recording.finish().err().ok_or("a file")?;
    assert!(matches!(error, Error::Recording(RecordingError::Write { .. })), "{error}");
    Ok(())
}

/// A device, a folder or a link is never replaced, and its target keeps its bytes.
#[cfg(unix)]
fn a_file_that_is_no_file() -> Outcome {
    let (folder, target, link) = (file("folder"), file("target"), file("link"));
    fs::create_dir(&folder)?;
    fs::write(&target, "old")?;
    std::os::unix::fs::symlink(&target, &link)?;
    for refused in [Path::new("/dev/null"), &folder, &link] {
        let recording = observe::record_to_file("saxpy", 0, refused);
        assert_eq!(saxpy(2)?, [3.0; N]);
        let error = recording.finish().err().ok_or("a file")?;
        assert!(error.to_string().contains("never replaced"), "{error}");
    }
    assert!(!fs::metadata("/dev/null")?.is_file());
    assert_eq!(fs::read(&target)?, b"old");
    fs::remove_dir(folder)?;
    fs::remove_file(target)?;
    Ok(fs::remove_file(link)?)
}

/// The launch that faults is in the file, and faults again.
fn a_fault() -> Outcome {
    let file = file("fault");
    let ctx = context()?;
    let recording = observe::record_to_file("saxpy", 0, &file);
    let kernel = Kernel::<Pointers>::from_image(&ctx, SAXPY, "saxpy")?;
    let bad = Pointers { n: 32, alpha: 1.0, x: DevicePointer::from_raw(0x20), y: DevicePointerMut::from_raw(0x20) };
    // SAFETY: it is not sound, which is the purpose of the test. The process ends after it.
    unsafe { launch!(kernel, 1, 32, bad)? };
    assert!(recording.finish()?);
    let parts = Parts::read(&file)?;
    assert_eq!((parts.status, parts.memory.len()), (700, 0));
    // The context is lost, so the replay is another process.
    let output = Command::new(env::current_exe()?)
        .env("KERNEL_ARGS_TRIAL", "replay_of_a_fault")
        .env("KERNEL_ARGS_REPLAYED", &file)
        .output()?;
    fs::remove_file(&file)?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::mem::forget((ctx, kernel));
    Ok(())
}

fn replay_of_a_fault() -> Outcome {
    let file = env::var_os("KERNEL_ARGS_REPLAYED").ok_or("no file")?;
    let recording = Recording::open(PathBuf::from(file))?;
    let ctx = context()?;
    // SAFETY: as for the recorded launch.
    let promise = unsafe { ReplayPromise::new() };
    let replay = recording.replay(&ctx, &ReplayOptions::new().repetitions(2), promise)?;
    assert_eq!((replay.recorded.0, replay.status.0), (700, 700), "{replay:?}");
    assert!(replay.is_same() && replay.memory.is_empty() && replay.times.is_empty());
    std::mem::forget(ctx);
    Ok(())
}

fn six_launches() -> Outcome {
    saxpy(6).map(drop)
}

/// The variables record a launch of a program that asks for nothing.
fn in_the_environment() -> Outcome {
    let file = file("environment");
    let run = |kernel: &str, file: &Path| {
        Command::new(env::current_exe()?)
            .env("KERNEL_ARGS_TRIAL", "six_launches")
            .env("KERNEL_ARGS_RECORD", kernel)
            .env("KERNEL_ARGS_RECORD_FILE", file)
            .output()
    };
    let output = run("saxpy#4", &file)?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("saxpy was recorded"), "{said}");
    assert_eq!(Recording::open(&file)?.manifest().parameters[1].value, "4.0");
    assert!(replayed(&file, &ReplayOptions::new())?.is_same());
    fs::remove_file(&file)?;
    let output = run("saxpy#x", &file)?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("is not the name of a kernel"), "{said}");
    let output = run("saxpy", &file.join("nowhere"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("saxpy was not recorded"), "{said}");
    assert!(!file.exists());
    Ok(())
}

const PROGRAM: &str = "by_the_program";

const CASES: &[(&str, process::Case)] = &[
    ("one_launch_of_several", one_launch_of_several),
    ("a_launch_that_does_not_come", a_launch_that_does_not_come),
    ("several_requests", several_requests),
    ("random_launches", random_launches),
    ("pointers_in_structs", pointers_in_structs),
    ("launches_that_do_not_run", launches_that_do_not_run),
    ("attributes", attributes),
    ("without_an_image", without_an_image),
    ("a_changed_file", a_changed_file),
    ("a_file_that_cannot_be_written", a_file_that_cannot_be_written),
    #[cfg(unix)]
    ("a_file_that_is_no_file", a_file_that_is_no_file),
    ("a_fault", a_fault),
];

/// What other processes run.
const PARTS: &[(&str, process::Case)] =
    &[("replay_of_a_fault", replay_of_a_fault), ("six_launches", six_launches), (PROGRAM, by_the_program)];

fn trials() -> Vec<Trial> {
    let mut trials = process::trials("recordings", CASES);
    trials.push(trial("recordings/in_the_environment", in_the_environment));
    trials.push(tools::trial(format!("recordings/{PROGRAM}"), &[command_line::PROGRAM], || process::run(PROGRAM)));
    trials
}

pub(crate) fn main() -> ExitCode {
    if let Some(code) = process::child(CASES).or_else(|| process::child(PARTS)) {
        return code;
    }
    suite("recordings", |_| trials(), |_| ())
}

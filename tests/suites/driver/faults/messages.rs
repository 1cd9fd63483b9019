//! The first message of a fault, wherever it is noticed, for each code: the kernel, the meaning and the help of the
//! code, the report of the test driver, and the flight recorder if it is on.
//!
//! On the test driver, all codes at all places are in one process, each in a context of its own. On a GPU a fault can
//! end other contexts, so each code that a kernel can cause is in a process of its own, at each place.
//! `tests/golden/faults.txt` has the texts of the test driver: of one code at each place, and of each code at one
//! place. At each place, the text of another code is the same, except for what belongs to the code.

use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, DevicePtr,
    sys::{CUfunction, CUstream, cuLaunchKernel},
};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Kernel, KernelArgs, Launch, Module,
    context::{ContextFlags, create_context},
    error::Status,
    graph::Graph,
    launch,
    observe::{context_fault, record_launches},
    sequence::{Pool, Sequence},
};
use kernel_args_stand_in::Control;
use kernel_args_tests::{
    driver::{Driver, context, device, trial},
    process::{Outcome, exit_code},
};
use libtest_mimic::Trial;
use std::{
    cell::RefCell,
    collections::BTreeMap,
    env,
    ffi::{c_uint, c_void},
    fmt::Write,
    fs, mem,
    process::{Command, ExitCode},
    ptr,
    sync::{
        Arc,
        atomic::{AtomicPtr, Ordering::Relaxed},
    },
};

const GOLDEN: &str = include_str!("../../../golden/faults.txt");
/// The variable with the case of a process: `all`, or the kernel, the place and the recorder.
const VARIABLE: &str = "KERNEL_ARGS_FAULT_MESSAGE";
/// The elements of a slice.
const LENGTH: usize = 64;

#[derive(KernelArgs)]
struct Args<'a> {
    n: u32,
    from: &'a CudaSlice<u32>,
    to: &'a mut CudaSlice<u32>,
}

/// Their memory is never freed.
#[derive(KernelArgs)]
struct Addresses {
    n: u32,
    from: DevicePointer<u32>,
    to: DevicePointerMut<u32>,
}

#[derive(KernelArgs)]
#[kernel_args(launcher = ffi::run)]
struct Run<'a> {
    n: u32,
    from: &'a CudaSlice<u32>,
    to: &'a mut CudaSlice<u32>,
}

/// The kernel of the launcher.
static LAUNCHED: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

mod ffi {
    use super::{CUfunction, CUstream, LAUNCHED, Relaxed, c_uint, c_void, cuLaunchKernel, ptr};

    pub(crate) unsafe extern "C" fn run(n: c_uint, from: *const u32, to: *mut u32, stream: CUstream) -> u32 {
        let function: CUfunction = LAUNCHED.load(Relaxed).cast();
        let mut params: [*mut c_void; 3] =
            [(&raw const n).cast_mut().cast(), (&raw const from).cast_mut().cast(), (&raw const to).cast_mut().cast()];
        // SAFETY: these are the parameters of the kernels of this file.
        unsafe { cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, params.as_mut_ptr(), ptr::null_mut()) as u32 }
    }
}

/// The kernels that fail: the name, the code, the line of the source, and the instructions.
#[rustfmt::skip]
const KERNELS: &[(&str, u32, u32, &str)] = &[
    ("behind", 700, 7, "mul.wide.u32 %w1, %n, 4; add.s64 %w1, %y, %w1; st.global.u32 [%w1], %n;"),
    ("endless", 702, 11, "AGAIN: ld.volatile.global.u32 %r1, [%x]; bra AGAIN;"),
    ("asserts", 710, 14, "mov.u64 %w1, text; cvta.global.u64 %w1, %w1;
     { .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
     st.param.b64 [p0], %w1; st.param.b64 [p1], %w1; st.param.b32 [p2], 14; st.param.b64 [p3], %w1; st.param.b64 [p4], 1;
     call.uni __assertfail, (p0, p1, p2, p3, p4); }"),
    ("jumps", 715, 18, "mov.u64 %w1, 1193040; mov.u64 %w2, %w1;
     { .param .b64 p0; st.param.b64 [p0], %x; prototype: .callprototype ()_ (.param .b64 _); call %w2, (p0), prototype; }"),
    ("misaligned", 716, 21, "ld.volatile.global.u32 %r1, [%x+2];"),
    ("traps", 719, 25, "trap;"),
];

fn image() -> String {
    let mut text = String::from(
        ".version 8.1\n.target sm_75\n.address_size 64\n.file 1 \"bad.cu\"\n.global .align 1 .b8 text[4] = {98, 97, 100, 0};\n\
         .extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n",
    );
    for (name, _, line, body) in
        KERNELS.iter().chain(&[("good", 0, 3, "ld.global.u32 %r1, [%x]; st.global.u32 [%y], %r1;")])
    {
        let _ = write!(
            text,
            ".visible .entry {name}(.param .u32 {name}_0, .param .u64 {name}_1, .param .u64 {name}_2)\n\
             {{ .reg .b32 %n, %r<2>; .reg .b64 %x, %y, %w<3>;\n\
             ld.param.u32 %n, [{name}_0]; ld.param.u64 %x, [{name}_1]; ld.param.u64 %y, [{name}_2];\n\
             cvta.to.global.u64 %x, %x; cvta.to.global.u64 %y, %y;\n.loc 1 {line} 3\n{body}\nret; }}\n"
        );
    }
    text
}

/// What loses the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// A kernel, with its code and line.
    Kernel(&'static str, u32, u32),
    /// The test driver, after the launch of a kernel that is right.
    Injected(u32),
}

impl Cause {
    fn code(self) -> u32 {
        match self {
            Self::Kernel(_, code, _) | Self::Injected(code) => code,
        }
    }

    fn kernel(self) -> &'static str {
        match self {
            Self::Kernel(name, ..) => name,
            Self::Injected(_) => "good",
        }
    }
}

/// On the test driver all codes; on a GPU what a kernel can do there.
fn causes(is_real: bool) -> Vec<Cause> {
    let kernels = KERNELS.iter().map(|(name, code, line, _)| Cause::Kernel(name, *code, *line));
    // A GPU without a display has no watchdog.
    let mut causes: Vec<_> = kernels.filter(|cause| !is_real || cause.code() != 702).collect();
    if !is_real {
        causes.extend([700, 702, 710, 714, 715, 716, 717, 718, 719, 721].map(Cause::Injected));
    }
    causes
}

/// A context with memory and kernels. It is never dropped: its context is lost.
struct World {
    ctx: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    from: CudaSlice<u32>,
    to: CudaSlice<u32>,
    other: Option<CudaSlice<u32>>,
    bad: Kernel<Args<'static>>,
    good: Kernel<Args<'static>>,
    /// `bad`, for nodes.
    node: Kernel<Addresses>,
    n: u32,
    cause: Cause,
}

type Caused<T = Error> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

impl World {
    /// With a second stream, cudarc tracks slices with events.
    fn new(cause: Cause, is_tracked: bool) -> Caused<Self> {
        let control = Control::attach();
        let ctx = match control {
            Some(_) => create_context(device(), ContextFlags::new())?,
            None => context()?,
        };
        let stream = if is_tracked { ctx.new_stream()? } else { ctx.default_stream() };
        let (from, to) = (stream.clone_htod(&[1_u32; LENGTH])?, stream.alloc_zeros(LENGTH)?);
        let other = Some(stream.alloc_zeros(LENGTH)?);
        let image = image();
        let (bad, good) =
            (Kernel::from_image(&ctx, &*image, cause.kernel())?, Kernel::from_image(&ctx, &*image, "good")?);
        let node = Kernel::from_image(&ctx, &*image, cause.kernel())?;
        LAUNCHED.store(bad.cu_function().cast(), Relaxed);
        // The end of the slice; on a GPU, far behind it.
        let n = if control.is_some() { LENGTH as u32 } else { u32::MAX - 15 };
        ctx.synchronize()?;
        Ok(Self { ctx, stream, from, to, other, bad, good, node, n, cause })
    }

    fn launch(&mut self, is_bad: bool) -> Result<(), Error> {
        let Self { from, to, bad, good, n, stream, .. } = self;
        let kernel = if is_bad { &*bad } else { &*good };
        // SAFETY: this is not sound, which is the purpose of the test, here and below. Its memory is never freed.
        unsafe { launch!(kernel, 1, 32, Args { n: *n, from, to }, stream = &*stream) }
    }

    fn run(&mut self) -> Result<(), Error> {
        let Self { from, to, n, stream, .. } = self;
        // SAFETY: see `launch`.
        unsafe { launch!(ffi::run, Run { n: *n, from, to }, stream = &*stream) }
    }

    fn node(&self, graph: &mut Graph) -> Result<(), Error> {
        let (from, to) = (self.from.device_ptr(&self.stream).0, self.to.device_ptr(&self.stream).0);
        let (from, to) = (DevicePointer::from_raw(from), DevicePointerMut::from_raw(to));
        // SAFETY: see `launch`.
        unsafe { graph.add_kernel_unretained(&self.node, Launch::new(1, 32), Addresses { n: self.n, from, to }, &[]) }?;
        Ok(())
    }

    /// After the launch: the error is in the context.
    fn lose(&self) -> Caused<()> {
        let _ = self.ctx.bind_to_thread();
        if let Cause::Injected(code) = self.cause {
            Control::attach().ok_or("this is not the test driver")?.lose_context(code);
        } else {
            // SAFETY: it waits for the current context. cudarc would store the error.
            let _ = unsafe { cudarc::driver::sys::cuCtxSynchronize() };
        }
        Ok(())
    }

    /// A launch loses the context, and returns no error.
    fn lost(cause: Cause) -> Caused<Self> {
        let mut world = Self::new(cause, false)?;
        world.launch(true)?;
        world.lose()?;
        Ok(world)
    }
}

/// The first error, after the work that loses the context, and then of the work that follows.
fn first_error(
    world: &mut World,
    mut lose: impl FnMut(&mut World) -> Result<(), Error>,
    mut next: impl FnMut(&mut World) -> Result<(), Error>,
) -> Caused {
    if let Err(first) = lose(world) {
        return Ok(first);
    }
    world.lose()?;
    Ok(next(world).err().ok_or("the context is not lost")?)
}

/// Where a fault is noticed first.
type Place = (&'static str, fn(Cause) -> Caused<(Error, World)>);

/// The error of a call after a launch that has lost the context.
fn noticed(cause: Cause, call: impl FnOnce(&mut World) -> Result<(), Error>) -> Caused<(Error, World)> {
    let mut world = World::lost(cause)?;
    Ok((call(&mut world).err().ok_or("the context is not lost")?, world))
}

#[rustfmt::skip]
const PLACES: &[Place] = &[
    ("default stream", |cause| noticed(cause, |world| world.launch(false))),
    ("second stream with tracking", |cause| {
        let mut world = World::new(cause, true)?;
        Ok((first_error(&mut world, |world| world.launch(true), |world| world.launch(false))?, world))
    }),
    ("sequence", |cause| {
        let mut world = World::new(cause, true)?;
        let sequence = RefCell::new(Sequence::new(&world.stream));
        let run = |world: &mut World, is_bad: bool| {
            let World { from, to, bad, good, n, .. } = world;
            let kernel = if is_bad { &*bad } else { &*good };
            sequence.borrow_mut().run(|s| {
                let (from, mut to) = (s.hold(&*from)?, s.hold(&mut *to)?);
                // SAFETY: see `launch`.
                unsafe { launch!(kernel, 1, 32, Args { n: *n, from, to: &mut to }, stream = s) }
            })
        };
        let error = first_error(&mut world, |world| run(world, true), |world| run(world, false))?;
        mem::forget(sequence);
        Ok((error, world))
    }),
    ("graph", |cause| {
        let mut world = World::new(cause, true)?;
        let mut graph = Graph::new(&world.ctx)?;
        world.node(&mut graph)?;
        let exec = RefCell::new(graph.instantiate()?);
        // SAFETY: see `launch`.
        let launch = |world: &mut World| unsafe { exec.borrow_mut().launch(&world.stream) };
        let error = first_error(&mut world, launch, launch)?;
        mem::forget(exec);
        Ok((error, world))
    }),
    ("node of a graph", |cause| noticed(cause, |world| world.node(&mut Graph::new(&world.ctx)?))),
    ("launcher", |cause| {
        let mut world = World::new(cause, true)?;
        Ok((first_error(&mut world, World::run, World::run)?, world))
    }),
    ("launcher on the default stream", |cause| noticed(cause, World::run)),
    ("load of a module", |cause| noticed(cause, |world| Module::load(&world.ctx, &*image()).map(drop))),
    ("synchronize", |cause| noticed(cause, |world| world.stream.synchronize().map_err(Error::from))),
    ("drop of a slice", |cause| noticed(cause, |world| {
        // cudarc stores the error, for the next call.
        drop(world.other.take());
        world.launch(false)
    })),
    ("a new stream", |cause| noticed(cause, |world| world.ctx.new_stream().map(drop).map_err(Error::from))),
    ("copy", |cause| noticed(cause, |world| world.stream.clone_dtoh(&world.to).map(drop).map_err(Error::from))),
    ("allocation", |cause| noticed(cause, |world| world.stream.alloc_zeros::<u32>(LENGTH).map(drop).map_err(Error::from))),
    ("pool", |cause| noticed(cause, |world| Pool::new(&world.stream).alloc_zeros::<u32>(LENGTH).map(drop))),
];

/// A case: what a launch of it says.
fn text_of(cause: Cause, (_, run): Place, recorder: bool) -> Caused<String> {
    record_launches(if recorder { 16 } else { 0 });
    let (error, world) = run(cause)?;
    let lost = error.lost_context().ok_or_else(|| format!("it does not know that the context is lost: {error}"))?;
    assert_eq!((lost.status(), lost.fault().is_some()), (Status(cause.code()), recorder), "{error}");
    if recorder {
        let fault = context_fault(&world.ctx)?.ok_or("no fault")?;
        assert!(fault.to_string().contains(&lost.fault().ok_or("none")?.to_string()), "{fault}\n{error}");
    }
    mem::forget(world);
    Ok(error.to_string())
}

/// What every text contains.
fn check(cause: Cause, recorder: bool, text: &str) -> Result<(), String> {
    let status = Status(cause.code());
    let what = status.meaning().unwrap_or_default().trim_start_matches("an EARLIER kernel");
    let (first, last) = (text.lines().next().unwrap_or_default(), text.lines().last().unwrap_or_default());
    let mut problems = Vec::new();
    let mut expect = |is: bool, problem: &str| {
        if !is {
            problems.push(problem.to_owned());
        }
    };
    expect(what.len() > 10 && first.ends_with(what), "the first line is not the meaning of the code");
    expect(first.contains("EARLIER kernel") || first.starts_with("kernel `"), "the first line names no kernel");
    expect(last.starts_with("help: "), "there is no help");
    expect(text.contains("\n  noticed: "), "it is not known where it was noticed");
    expect(text.contains(&format!("({})", status.0)), "there is no code");
    expect(text.contains(&format!("\nthe flight recorder: {status}: ")) == recorder, "the flight recorder");
    expect(text.matches("help: ").count() == 1, "two helps");
    if let (Cause::Kernel(name, _, line), Some(_)) = (cause, Control::attach()) {
        expect(first.contains(&format!("kernel `{name}` ")), "the first line does not name the kernel");
        for part in [&*format!("the driver reports: the kernel `{name}` "), &format!("bad.cu:{line}"), "thread ["] {
            expect(text.contains(part), part);
        }
        if matches!(name, "behind" | "misaligned") {
            let (field, at) =
                if name == "behind" { ("to", "0 bytes behind the end of") } else { ("from", "byte 2 of") };
            let parts = [
                &*format!("{at} allocation "),
                &format!(", {} bytes at ", LENGTH * 4),
                &format!("`{field}` points to it"),
            ];
            for part in parts {
                expect(text.contains(part), part);
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(format!("{}:\n{text}", problems.join("; "))) }
}

/// Addresses and numbers of allocations differ between runs.
fn without_numbers(text: &str) -> String {
    let mut out = text.to_owned();
    for (before, is_part) in
        [("0x", (|c| c.is_ascii_hexdigit()) as fn(char) -> bool), (" allocation ", |c| c.is_ascii_digit())]
    {
        let mut parts = out.split(before);
        let mut replaced = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(is_part);
            replaced.extend([before, if rest.len() < part.len() { "…" } else { "" }, rest]);
        }
        out = replaced;
    }
    // The bytes of addresses.
    let lines =
        out.lines().map(|line| line.split_once("…  [").map_or(line.to_owned(), |(value, _)| format!("{value}…")));
    lines.collect::<Vec<_>>().join("\n")
}

/// The text without what belongs to the code and its kernel: the same for each code.
fn without_the_code(cause: Cause, text: &str) -> String {
    let status = Status(cause.code());
    let what = status.meaning().unwrap_or_default().trim_start_matches("an EARLIER kernel");
    let mut lines: Vec<String> = Vec::new();
    let mut in_report = false;
    for line in text.lines() {
        let is_help = line.starts_with("help: ");
        in_report = line.starts_with("the driver reports: ") || in_report && line.starts_with("  at ");
        if is_help {
            lines.push("help: …".into());
        } else if !in_report {
            let line =
                line.replace(what, " …").replace(&status.to_string(), "…").replace(&format!("({})", status.0), "…");
            let words = line.split(' ').map(|word| if word.starts_with("cudaError") { "cudaError…" } else { word });
            lines.push(
                words
                    .collect::<Vec<_>>()
                    .join(" ")
                    .replace(&format!("`{}`", cause.kernel()), "`…`")
                    .replace(&format!(": {},", cause.kernel()), ": …,"),
            );
        }
    }
    lines.join("\n")
}

fn golden(name: &str) -> Option<&'static str> {
    GOLDEN.split("\n## ").find_map(|section| section.strip_prefix(name)?.strip_prefix('\n')).map(str::trim_end)
}

/// All cases of the test driver.
fn all() -> Outcome {
    let (mut problems, mut sections, mut forms) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let mut cases = 0;
    for cause in causes(false) {
        for place in PLACES {
            for recorder in [false, true] {
                let name = format!("{}, recorder {}", place.0, if recorder { "on" } else { "off" });
                let text = match text_of(cause, *place, recorder) {
                    Ok(text) => without_numbers(&text),
                    Err(error) => {
                        problems.push(format!("{cause:?}, {name}: {error}"));
                        continue;
                    }
                };
                cases += 1;
                if let Err(problem) = check(cause, recorder, &text) {
                    problems.push(format!("{cause:?}, {name}: {problem}"));
                }
                let by_kernel = matches!(cause, Cause::Kernel(..));
                let form = without_the_code(cause, &text);
                let first = forms.entry((by_kernel, name.clone())).or_insert_with(|| form.clone());
                if *first != form {
                    problems
                        .push(format!("{cause:?}, {name}:\n{form}\nis another text than of the first code\n{first}"));
                }
                let of = if by_kernel { cause.kernel().into() } else { format!("{} without a report", cause.code()) };
                if cause.code() == 700 || place.0 == PLACES[0].0 && !recorder {
                    sections.insert(format!("{of}: {name}"), text);
                }
            }
        }
    }
    if env::var_os("KERNEL_ARGS_BLESS").is_some_and(|value| value == "1") {
        let mut golden = String::from("# The test driver\n");
        for (name, text) in &sections {
            golden.extend(["\n## ", name, "\n", text, "\n"]);
        }
        let sources = kernel_args_tests::sources().ok_or("no sources")?;
        fs::write(sources.join("tests/golden/faults.txt"), golden)?;
    } else {
        for (name, text) in &sections {
            match golden(name) {
                Some(golden) if golden == text => {}
                golden => {
                    problems.push(format!("{name}:\n{text}\nis not the golden text\n{}", golden.unwrap_or("(none)")));
                }
            }
        }
    }
    println!("{cases} cases");
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n\n").into()) }
}

/// One case of a GPU: `kernel/place/recorder`, as numbers.
fn one(numbered: &str) -> Outcome {
    let mut numbers = numbered.split('/').map(|number| number.parse().unwrap_or(usize::MAX));
    let mut next = || numbers.next().unwrap_or(usize::MAX);
    let (cause, place, recorder) = (next(), next(), next() == 1);
    let (Some(cause), Some(place)) = (causes(true).get(cause).copied(), PLACES.get(place)) else {
        return Err(numbered.into());
    };
    let text = text_of(cause, *place, recorder)?;
    println!("{cause:?}, {}, recorder {recorder}:\n{text}\n", place.0);
    Ok(check(cause, recorder, &text)?)
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Lights {
    count: u32,
    at: [DevicePointer<u32>; 2],
}

#[derive(KernelArgs)]
struct Shade {
    n: u32,
    lights: Lights,
}

/// The report has a byte of a parameter, and the error has the member.
fn in_a_struct() -> Outcome {
    const PTX: &str = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry shade(.param .u32 n, .param .align 8 .b8 lights[24])\n\
                       { .reg .b64 %a; .reg .b32 %r; ld.param.u64 %a, [lights+16]; cvta.to.global.u64 %a, %a;\n\
                       ld.volatile.global.u32 %r, [%a+256]; ret; }";
    for (is_null, said) in [
        (false, "256 bytes at 0x…; `lights.at[1]` points to it"),
        (true, "where it has no memory; `lights.at[1]` is 0x…"),
    ] {
        let ctx = create_context(device(), ContextFlags::new())?;
        let stream = ctx.default_stream();
        let memory = stream.alloc_zeros::<u32>(LENGTH)?;
        let address = DevicePointer::from_raw(memory.device_ptr(&stream).0);
        let at = if is_null { [address, DevicePointer::from_raw(0x1000)] } else { [DevicePointer::NULL, address] };
        let kernel: Kernel<Shade> = Kernel::from_image(&ctx, PTX, "shade")?;
        // SAFETY: this is not sound, which is the purpose of the test.
        unsafe { launch!(kernel, 1, 1, Shade { n: 2, lights: Lights { count: 2, at } }) }?;
        let error = Error::from(ctx.synchronize().err().ok_or("the context is not lost")?);
        let text = without_numbers(&error.to_string());
        assert!(text.contains(said), "{text}");
        mem::forget((memory, kernel));
    }
    Ok(())
}

#[derive(KernelArgs)]
struct Put {
    to: DevicePointerMut<u32>,
}

/// An access behind a slice of a pool is an error, as behind an allocation.
fn behind_a_slice_of_a_pool() -> Outcome {
    const PTX: &str = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry put(.param .u64 to)\n\
                       { .reg .b64 %a; ld.param.u64 %a, [to]; cvta.to.global.u64 %a, %a; st.global.u32 [%a], 7; ret; }";
    // The last element, the next one, and elements of the next block and behind all blocks.
    for (index, is_inside) in [(99, true), (100, false), (128, false), (1000, false)] {
        let ctx = create_context(device(), ContextFlags::new())?;
        let stream = ctx.default_stream();
        let pool = Pool::new(&stream);
        let slices = [pool.alloc_zeros::<u32>(100)?, pool.alloc_zeros::<u32>(100)?];
        let kernel: Kernel<Put> = Kernel::from_image(&ctx, PTX, "put")?;
        let to = DevicePointerMut::from_raw(slices[0].device_ptr(&stream).0 + 4 * index);
        // The next slice is in the block behind this one, which has 512 bytes.
        let is_next = slices[1].device_ptr(&stream).0 == slices[0].device_ptr(&stream).0 + 512;
        // SAFETY: this is not sound, which is the purpose of the test.
        unsafe { launch!(kernel, 1, 1, Put { to }) }?;
        let outcome = ctx.synchronize();
        assert_eq!(outcome.is_ok(), is_inside || is_next && index == 128, "{index}: {outcome:?}");
        if let Err(error) = outcome {
            let text = without_numbers(&Error::from(error).to_string());
            assert!(text.contains("behind the end of allocation") && text.contains("400 bytes"), "{text}");
        }
        mem::forget((slices, pool, kernel));
    }
    Ok(())
}

pub(super) fn child() -> Option<ExitCode> {
    let case = env::var(VARIABLE).ok()?;
    Some(exit_code(if case == "all" { all() } else { one(&case) }))
}

fn in_a_process(case: &str) -> Outcome {
    let mut process = Command::new(env::current_exe()?);
    // Some instructions for the kernel that does not end.
    let output = process.env(VARIABLE, case).env("KERNEL_ARGS_TEST_DRIVER_BUDGET", "100000").output()?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
}

pub(super) fn trials(driver: &Driver) -> Vec<Trial> {
    if !driver.is_real() {
        return vec![
            trial("the_first_message_names_the_kernel", || in_a_process("all")),
            trial("a_pointer_in_a_struct_is_named_by_its_member", in_a_struct),
            trial("an_access_behind_a_slice_of_a_pool", behind_a_slice_of_a_pool),
        ];
    }
    let cases = (0..causes(true).len()).flat_map(|cause| (0..PLACES.len()).map(move |place| (cause, place)));
    let cases = cases.flat_map(|(cause, place)| [0, 1].map(|recorder| format!("{cause}/{place}/{recorder}")));
    cases.map(|case| trial(format!("the_first_message_names_the_fault/{case}"), move || in_a_process(&case))).collect()
}

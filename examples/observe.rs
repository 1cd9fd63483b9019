//! A profile of a program by an observer: for each kernel the number of launches, their time on the GPU between two
//! events of CUDA, and the bytes of their parameters, as a table and as a chart.
//!
//! Without a GPU it stops before the first launch.

use cudarc::driver::{
    CudaEvent, CudaSlice,
    sys::{CUevent_flags, CUstreamCaptureStatus},
};
use kernel_args::{
    Error, Kernel, KernelArgs, launch,
    observe::{self, Event, LaunchEvent, Observer},
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    fs,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, ThreadId},
};

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/vector_add.ptx", entry = "vector_add")]
struct VectorAdd<'a> {
    a: &'a CudaSlice<f32>,
    b: &'a CudaSlice<f32>,
    c: &'a mut CudaSlice<f32>,
    n: u32,
}

/// One launch: the events around it, and the bytes of its parameters.
struct Launched {
    kernel: String,
    bytes: usize,
    start: CudaEvent,
    end: CudaEvent,
}

#[derive(Default)]
struct Profile {
    /// The launch of each thread that is under way, with the event before it.
    open: Mutex<HashMap<ThreadId, CudaEvent>>,
    launches: Mutex<Vec<Launched>>,
}

/// Records an event on the stream of a launch. `None` if the launch is captured or recorded, so it does not run now.
fn event(launch: &LaunchEvent<'_>) -> Option<CudaEvent> {
    let stream = launch.stream()?;
    let captured = stream.capture_status().ok()?;
    if launch.is_recorded() || captured != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE {
        return None;
    }
    stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).ok()
}

/// An observer has no `&mut self`, because launches of several threads call it at the same time.
struct Profiler(Arc<Profile>);

impl Observer for Profiler {
    fn before(&self, observed: &Event<'_>) {
        if let Event::KernelLaunch(launch) = observed
            && let Some(start) = event(launch)
        {
            let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.insert(thread::current().id(), start);
        }
    }

    fn after(&self, observed: &Event<'_>, result: Result<(), &Error>) {
        let Event::KernelLaunch(launch) = observed else {
            return;
        };
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        let start = open.remove(&thread::current().id());
        drop(open);
        if let (Some(start), Ok(())) = (start, result)
            && let Some(end) = event(launch)
        {
            let mut launches = self.0.launches.lock().unwrap_or_else(PoisonError::into_inner);
            launches.push(Launched {
                kernel: launch.demangled().unwrap_or_else(|| launch.name()),
                bytes: launch.parameter_bytes(),
                start,
                end,
            });
        }
    }
}

/// The launches of one kernel.
struct Row {
    kernel: String,
    bytes: usize,
    /// In microseconds, sorted.
    times: Vec<f32>,
}

impl Row {
    fn total(&self) -> f32 {
        self.times.iter().sum()
    }
}

/// The rows, with the longest total time first. Waits for the launches.
fn rows(profile: &Profile) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let mut kernels: BTreeMap<String, Row> = BTreeMap::new();
    let mut launches = profile.launches.lock().unwrap_or_else(PoisonError::into_inner);
    for launched in launches.drain(..) {
        let time = launched.start.elapsed_ms(&launched.end)? * 1000.0;
        let row = kernels.entry(launched.kernel.clone()).or_insert_with(|| Row {
            kernel: launched.kernel,
            bytes: launched.bytes,
            times: Vec::new(),
        });
        row.times.push(time);
    }
    let mut rows: Vec<_> = kernels.into_values().collect();
    for row in &mut rows {
        row.times.sort_by(f32::total_cmp);
    }
    rows.sort_by(|a, b| b.total().total_cmp(&a.total()));
    Ok(rows)
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| kernel | launches | total µs | median µs | min µs | max µs | parameter bytes |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let Row { kernel, bytes, times } = row;
        let [first, .., last] = times.as_slice() else {
            continue;
        };
        let median = times[times.len() / 2];
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {kernel} | {} | {:.1} | {median:.1} | {first:.1} | {last:.1} | {bytes} |",
            times.len(),
            row.total(),
        );
    }
    text
}

/// A bar for each kernel, as long as its total time.
fn chart(rows: &[Row]) -> String {
    const HEIGHT: usize = 28;
    let longest = rows.iter().map(Row::total).fold(f32::MIN_POSITIVE, f32::max);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"{}\" font-family=\"sans-serif\" font-size=\"13\">\n",
        rows.len() * HEIGHT + 8
    );
    for (i, row) in rows.iter().enumerate() {
        let (y, width) = (i * HEIGHT + 8, 300.0 * row.total() / longest);
        let name = row.kernel.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<text x=\"4\" y=\"{}\">{name}</text><rect x=\"200\" y=\"{y}\" width=\"{width:.1}\" height=\"20\" fill=\"#76b900\"/>\
             <text x=\"{:.1}\" y=\"{}\">{:.1} µs</text>",
            y + 15,
            width + 206.0,
            y + 15,
            row.total(),
        );
    }
    svg + "</svg>\n"
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = kernel_args_examples::context()?;
    let profile = Arc::new(Profile::default());
    let installed = observe::install(Profiler(profile.clone()));

    // The program itself, which knows nothing of the profiler.
    let (saxpy, add) = (Kernel::<Saxpy>::load(&ctx)?, Kernel::<VectorAdd>::load(&ctx)?);
    let (n, stream) = (1 << 16, ctx.default_stream());
    let x = stream.alloc_zeros::<f32>(1 << 16)?;
    let mut y = stream.alloc_zeros::<f32>(1 << 16)?;
    let mut z = stream.alloc_zeros::<f32>(1 << 16)?;
    for step in 0..100_u16 {
        let alpha = f32::from(step);
        let args = Saxpy { n, alpha, x: &x, y: &mut y };
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(saxpy, n / 256, 256, args)? };
        if step % 4 == 0 {
            let args = VectorAdd { a: &x, b: &y, c: &mut z, n };
            // SAFETY: the slices have `n` elements.
            unsafe { launch!(add, n / 256, 256, args)? };
        }
    }
    drop(installed);
    stream.synchronize()?;

    let rows = rows(&profile)?;
    println!("On {}:\n\n{}", ctx.name()?, table(&rows));
    if rows.iter().map(|row| row.times.len()).sum::<usize>() != 125 {
        return Err("not every launch was observed".into());
    }
    if let Some(file) = std::env::args().nth(1) {
        fs::write(&file, chart(&rows))?;
        println!("The chart is in {file}.");
    }
    Ok(())
}

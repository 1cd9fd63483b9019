//! `kernel-args replay`: launches a recording again, and compares the result.

use crate::{
    error::Error,
    escape::terminal,
    options::Options,
    output::{Output, Status},
    style::Paint,
    trace::{extents, without_parameters},
};
use kernel_args::{
    error::{RecordingError, Status as Returned},
    replay::{Difference, ElementType, Manifest, Recording, Replay, ReplayOptions, ReplayPromise},
};
use serde_json::json;
use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

/// Returns the extents of a grid or a block: `8`, `8,2` or `8,2,1`.
pub(crate) fn parsed_extents(text: &str) -> Result<[u32; 3], String> {
    let mut extents = [1; 3];
    let parts: Vec<_> = text.split(',').collect();
    if parts.len() > extents.len() {
        return Err("it has more than three numbers".to_owned());
    }
    for (extent, part) in extents.iter_mut().zip(parts) {
        *extent = match part.trim().parse() {
            Ok(number @ 1..) => number,
            _ => return Err(format!("`{part}` is not a number above 0")),
        };
    }
    Ok(extents)
}

pub(crate) fn run(options: Options<'_>, output: &mut Output) -> io::Result<Status> {
    let (file, is_json) = (options.path("file"), options.is("json"));
    // The error names the file, if its text does not.
    let failed = |error: kernel_args::Error| {
        let what = match &error {
            kernel_args::Error::Recording(RecordingError::Read { error, .. }) => error.to_string(),
            error => error.to_string(),
        };
        io::Error::from(Error::new(file.display(), what))
    };
    let recording = Recording::open(file).map_err(failed)?;
    let manifest = recording.manifest();
    if !is_json {
        show(&mut output.to, manifest, output.paint)?;
        // What follows can take long.
        output.to.flush()?;
    }
    if options.is("show") {
        if is_json {
            writeln!(output.to, "{}", json!(manifest))?;
        }
        return Ok(Status::Success);
    }
    let mut changes = ReplayOptions::new().repetitions(options.value("repetitions").unwrap_or(0));
    if let Some(grid) = options.value::<[u32; 3]>("grid") {
        changes = changes.grid(grid);
    }
    if let Some(block) = options.value::<[u32; 3]>("block") {
        changes = changes.block(block);
    }
    if let Some(bytes) = options.value("shared-memory") {
        changes = changes.shared_memory(bytes);
    }
    if let Some(image) = options.value::<PathBuf>("image") {
        changes = changes.image(image);
    }
    let context = kernel_args::context(options.value::<u32>("device").unwrap_or(0) as usize).map_err(failed)?;
    #[expect(unsafe_code, reason = "the kernel is the user's, as a program that a shell starts")]
    // SAFETY: this cannot be known of a file. This process has nothing else that the kernel could overwrite: it ends
    // after the replay.
    let promise = unsafe { ReplayPromise::new() };
    let replay = recording.replay(&context, &changes, promise).map_err(failed)?;
    if replay.status.0 != 0 {
        // After a fault, each call of the driver fails, also in destructors.
        std::mem::forget(context);
    }
    if is_json {
        json(&mut output.to, manifest, &replay)?;
    } else {
        result(&mut output.to, manifest, &replay, output.paint)?;
    }
    Ok(if replay.is_same() { Status::Success } else { Status::Different })
}

fn show(to: &mut dyn Write, manifest: &Manifest, paint: Paint) -> io::Result<()> {
    let name = manifest.name.as_deref().unwrap_or(&manifest.kernel);
    let [grid, block] = [manifest.grid, manifest.block].map(extents);
    let shared = match manifest.shared_memory {
        0 => String::new(),
        bytes => format!(", {bytes}"),
    };
    let name = terminal(without_parameters(name));
    writeln!(to, "{}<<<{grid}, {block}{shared}>>>", paint.title(&name))?;
    let machine = &manifest.machine;
    let recorded =
        format!("recorded on {} ({}), CUDA {}, by {}", machine.gpu, machine.sm, machine.driver, machine.recorder);
    writeln!(to, "  {}", paint.faint(&terminal(&recorded)))?;
    for attribute in &manifest.attributes {
        writeln!(to, "  attribute {}", terminal(&attribute.text))?;
    }
    for lost in &manifest.lost_attributes {
        writeln!(to, "  attribute {} was set, and is not part of a recording", terminal(lost))?;
    }
    let names: Vec<_> = manifest.parameters.iter().map(|one| terminal(&one.name).into_owned()).collect();
    let types: Vec<_> = manifest.parameters.iter().map(|one| terminal(&one.ty).into_owned()).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let (name_width, type_width) = (widest(&names), widest(&types));
    for (index, parameter) in manifest.parameters.iter().enumerate() {
        let (name, ty) = (&names[index], &types[index]);
        let value = paint.parameter(index, &terminal(&parameter.value));
        write!(to, "  {name:name_width$}  {ty:type_width$}  = {value}")?;
        let pointers = manifest.pointers.iter().filter(|pointer| pointer.parameter == index);
        for pointer in pointers {
            let size = manifest.memory.get(pointer.memory).map_or(0, |memory| memory.size);
            write!(to, "  at byte {} of memory {} ({size} bytes)", pointer.offset, pointer.memory)?;
        }
        writeln!(to)?;
    }
    Ok(())
}

fn result(to: &mut dyn Write, manifest: &Manifest, replay: &Replay, paint: Paint) -> io::Result<()> {
    let (recorded, now) = (replay.recorded, replay.status);
    if recorded.0 != 0 || now.0 != 0 {
        let text = format!("the recorded launch returned {}, the replay {}", returned(recorded), returned(now));
        writeln!(to, "{}", if recorded == now { text } else { paint.bad(&text) })?;
    }
    for (index, memory) in replay.memory.iter().enumerate() {
        let written = if memory.is_written { "written" } else { "only read" };
        let verdict = match memory.difference {
            None => paint.good("same"),
            Some(difference) => paint.bad(&text(difference, manifest.memory[index].elements)),
        };
        writeln!(to, "memory {index}: {} bytes, {written}: {verdict}", memory.size)?;
    }
    if let (Some(median), Some(shortest), Some(longest)) =
        (replay.median(), replay.times.iter().min(), replay.times.iter().max())
    {
        let count = replay.times.len();
        writeln!(to, "time: median {} of {count}, from {} to {}", time(median), time(*shortest), time(*longest))?;
    }
    let verdict =
        if replay.is_same() { "the result is the recorded one" } else { "the result differs from the recorded one" };
    writeln!(to, "{verdict}")
}

fn returned(status: Returned) -> String {
    match status.0 {
        0 => "success".to_owned(),
        _ => status.to_string(),
    }
}

/// `3 of its bytes differ, first byte 12 (element 3), by at most 0.5`
fn text(difference: Difference, elements: Option<ElementType>) -> String {
    let size = elements.map(|elements| match elements {
        ElementType::F32 => 4,
        ElementType::F64 => 8,
    });
    let element = size.map_or(String::new(), |size| format!(" (element {})", difference.first / size));
    let largest = difference.largest.map_or(String::new(), |largest| format!(", by at most {largest:?}"));
    let bytes = crate::style::count(difference.bytes, "byte");
    let differ = if difference.bytes == 1 { "differs" } else { "differ" };
    format!("{bytes} {differ}, first byte {}{element}{largest}", difference.first)
}

/// Microseconds, as the events of the driver resolve them.
fn time(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}

fn json(to: &mut dyn Write, manifest: &Manifest, replay: &Replay) -> io::Result<()> {
    let memory = replay.memory.iter().map(|memory| {
        let difference =
            memory.difference.map(|one| json!({ "bytes": one.bytes, "first": one.first, "largest": one.largest }));
        json!({ "size": memory.size, "written": memory.is_written, "difference": difference })
    });
    let times: Vec<_> = replay.times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
    let replay = json!({
        "manifest": manifest,
        "recorded_status": replay.recorded.0,
        "status": replay.status.0,
        "same": replay.is_same(),
        "memory": memory.collect::<Vec<_>>(),
        "times_us": times,
        "median_us": replay.median().map(|time| time.as_secs_f64() * 1e6),
    });
    writeln!(to, "{replay}")
}

//! Observers, checked pointers and the flight recorder.

use super::{
    Outcome,
    functions::{Memory, N, Returns, Untracked, calls, ffi, load},
};
use cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut};
use kernel_args::{
    DevicePointer, DevicePointerMut, Error,
    context::{ContextFlags, create_context},
    error::LaunchError,
    launch,
    observe::{self, Event, Observer, check_pointers, context_fault, record_launches},
};
use kernel_args_tests::driver::{context, device, trial};
use libtest_mimic::Trial;
use std::{
    mem,
    sync::{Arc, Mutex},
};

#[derive(Clone, Default)]
struct Texts(Arc<Mutex<Vec<String>>>);

impl Texts {
    fn push(&self, text: String) {
        if let Ok(mut texts) = self.0.lock() {
            texts.push(text);
        }
    }
}

impl Observer for Texts {
    fn before(&self, event: &Event<'_>) {
        match event {
            Event::LauncherCall(launcher) => {
                let mut names = Vec::new();
                launcher
                    .for_each_argument(|argument| names.push(format!("{}: {}", argument.name(), argument.rust_type())));
                let (stream, context) = (launcher.stream().map(CudaStream::cu_stream), launcher.context().is_some());
                assert!(
                    stream.is_some_and(|stream| stream == launcher.cu_stream()) && context && !launcher.is_recorded()
                );
                self.push(format!("{} {} ({})", launcher.name(), launcher.arguments(), names.join(", ")));
            }
            other => panic!("{other:?}"),
        }
    }

    fn after(&self, _: &Event<'_>, result: Result<(), &Error>) {
        self.push(result.map_or_else(ToString::to_string, |()| "done".into()));
    }
}

fn observed() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    let addresses = (memory.x.device_ptr(&stream).0, memory.y.device_ptr(&stream).0);
    let texts = Texts::default();
    let installed = observe::install(texts.clone());
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(ffi::saxpy, memory.args(2.0), stream = &stream)? };
    // SAFETY: the function launches nothing.
    assert!(unsafe { launch!(ffi::returns, Returns { code: 9 }, stream = &stream) }.is_err());
    assert!(installed.take_panic().is_none());
    drop(installed);
    memory.is_added(2.0)?;
    let texts = mem::take(&mut *texts.0.lock().map_err(|error| error.to_string())?);
    assert_eq!(
        texts[0],
        format!(
            "saxpy n = 1000, alpha = 2.0, x = {:#x} [1000], y = {:#x} [1000] (n: u32, alpha: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32>)",
            addresses.0, addresses.1
        )
    );
    assert_eq!(texts[1], "done");
    assert_eq!(texts[2], "returns code = 9 (code: i32)");
    assert!(texts[3].starts_with("launcher `returns` returned cudaErrorInvalidConfiguration (9)\n"), "{}", texts[3]);
    assert!(texts[3].contains("\n  code  i32  @ 0    = 9  [09000000]\n"), "{}", texts[3]);
    assert_eq!(texts.len(), 4);
    Ok(())
}

/// Memory that is not allocated is found before the function is called.
fn checked_pointers() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    check_pointers(true);
    calls();
    let y = DevicePointerMut::from_raw(memory.y.device_ptr_mut(&stream).0);
    let args = Untracked { n: N, alpha: 1.0, x: DevicePointer::from_raw(0x20), y };
    // SAFETY: nothing is called.
    let refused = unsafe { launch!(ffi::saxpy, args, stream = &stream) };
    let is_found = matches!(&refused, Err(Error::Launch(LaunchError::Pointer(bad))) if bad.field == "x");
    // SAFETY: both slices have `N` elements.
    let right = unsafe { launch!(ffi::saxpy, memory.args(1.0), stream = &stream) };
    check_pointers(false);
    assert!(is_found, "{refused:?}");
    right?;
    assert_eq!(calls().0, 1);
    Ok(())
}

/// After a fault in a kernel of a launcher, the flight recorder names the launcher and its arguments.
fn recorded() -> Outcome {
    let ctx = create_context(device(), ContextFlags::new())?;
    let module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    record_launches(16);
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(ffi::saxpy, memory.args(1.0), stream = &stream)? };
    let args = Untracked { n: N, alpha: 3.0, x: DevicePointer::from_raw(0x20), y: DevicePointerMut::from_raw(0x40) };
    // SAFETY: this faults, which is the purpose. The context is not used afterwards.
    let launched = unsafe { launch!(ffi::saxpy, args, stream = &stream) };
    let fault = context_fault(&ctx)?.ok_or("no fault")?;
    // SAFETY: the same.
    let next = unsafe { launch!(ffi::saxpy, args, stream = &stream) };
    record_launches(0);
    launched?;
    let running = fault.running.first().ok_or("no launch")?;
    assert_eq!((running.kernel.as_str(), running.grid, running.number), ("saxpy", None, 1));
    let arguments: Vec<_> =
        running.arguments.iter().map(|argument| format!("{} = {}", argument.name, argument.value)).collect();
    assert_eq!(arguments, ["n = 1000", "alpha = 3.0", "x = 0x20", "y = 0x40"]);
    let text = next.map_or_else(|error| error.to_string(), |()| String::new());
    assert!(text.contains("the flight recorder: ") || text.contains("ILLEGAL_ADDRESS"), "{text}");
    // They cannot be dropped in a context that is lost.
    mem::forget((memory, module, stream, ctx));
    Ok(())
}

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("an_observer_sees_a_launcher", observed),
        trial("checked_pointers_of_a_launcher", checked_pointers),
        trial("the_flight_recorder_names_a_launcher", recorded),
    ]
}

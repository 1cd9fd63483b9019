//! Results, order on several streams, captures, and the default stream.

use super::{
    Outcome,
    functions::{AsNumbers, Between, Memory, N, OnDefault, Returns, Untracked, calls, ffi, load},
};
use cudarc::driver::{DevicePtr, DevicePtrMut, sys};
use kernel_args::{
    DevicePointer, DevicePointerMut, Error,
    context::{ContextFlags, create_context},
    error::{ContextError, LaunchError, RunError},
    graph::{Graph, run_now},
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, context, device, trial};
use libtest_mimic::Trial;
use std::{ffi::c_void, thread, time::Duration};

/// The stream is the last argument, between two arguments, the first one as a number; the default stream.
fn results() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    let handle = stream.cu_stream() as usize;
    // SAFETY: both slices have `N` elements, here and below.
    unsafe { launch!(ffi::saxpy, memory.args(2.0), stream = &stream)? };
    let mut args = memory.args(3.0);
    // SAFETY: the same.
    unsafe { launch!(ffi::saxpy, &mut args, stream = &*stream,)? };
    assert_eq!(calls(), (2, handle));
    memory.is_added(5.0)?;
    {
        use ffi::saxpy_between;
        let args = Between { n: N, alpha: 4.0, x: &memory.x, y: &mut memory.y };
        // SAFETY: the same.
        unsafe { launch!(saxpy_between, args, stream = &stream)? };
    }
    assert_eq!(calls(), (1, handle));
    memory.is_added(9.0)?;
    // SAFETY: the same.
    unsafe { launch!(ffi::saxpy_as_numbers, AsNumbers(&memory.x, &mut memory.y, N as usize, ""), stream = &stream)? };
    assert_eq!(calls(), (1, handle));
    memory.is_added(11.0)?;
    let args = OnDefault { n: N as usize, x: Some(&memory.x), y: Some(&mut memory.y) };
    // SAFETY: the same.
    unsafe { launch!(ffi::saxpy_default, args, default_stream = true)? };
    assert_eq!(calls(), (1, 0));
    ctx.synchronize()?;
    memory.is_added(13.0)
}

/// Delays what follows on the stream: a race is then certain.
fn delay(memory: &Memory) {
    extern "C" fn wait(_: *mut c_void) {
        thread::sleep(Duration::from_millis(30));
    }
    // SAFETY: the function accesses nothing.
    unsafe { sys::cuLaunchHostFunc(memory.x.stream().cu_stream(), Some(wait), std::ptr::null_mut()) };
}

/// A launcher on a second stream waits for the one on the first stream, and the copy of the result waits for it.
fn two_streams(is_real: bool) -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let [first, second] = [ctx.new_stream()?, ctx.new_stream()?];
    let mut memory = Memory::new(&first)?;
    let control = Control::attach();
    let counts =
        || control.as_ref().map(|driver| ["cuStreamWaitEvent", "cuEventRecord"].map(|call| driver.calls(call)));
    ctx.synchronize()?;
    for _ in 0..3 {
        delay(&memory);
        // SAFETY: both slices have `N` elements, here and below.
        unsafe { launch!(ffi::saxpy, memory.args(1.0), stream = &first)? };
        let before = counts();
        // SAFETY: the same.
        unsafe { launch!(ffi::saxpy, memory.args(2.0), stream = &second)? };
        // It reads `x` (one wait and one record), and writes `y` (two waits and one record).
        if let (Some(before), Some(after)) = (before, counts()) {
            assert_eq!([after[0] - before[0], after[1] - before[1]], [3, 2]);
        }
    }
    memory.is_added(9.0)?;
    ctx.synchronize()?;
    // The same launch with addresses, which nothing orders: the second stream does not wait.
    let untracked = {
        let ((x, _reads), (y, _writes)) = (memory.x.device_ptr(&first), memory.y.device_ptr_mut(&first));
        Untracked { n: N, alpha: 1.0, x: DevicePointer::from_raw(x), y: DevicePointerMut::from_raw(y) }
    };
    ctx.synchronize()?;
    delay(&memory);
    // SAFETY: the same.
    unsafe { launch!(ffi::saxpy, memory.args(1.0), stream = &first)? };
    let before = counts();
    // SAFETY: the launches race, which is the purpose: their result is not used.
    unsafe { launch!(ffi::saxpy, untracked, stream = &second)? };
    assert_eq!(before, counts());
    if is_real {
        second.synchronize()?;
        let is_first_done = first.context().synchronize();
        is_first_done?;
    }
    Ok(())
}

/// On the default stream, the slices are tracked, too.
fn default_stream_is_tracked() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    delay(&memory);
    // SAFETY: both slices have `N` elements, here and below.
    unsafe { launch!(ffi::saxpy, memory.args(1.0), stream = &stream)? };
    let control = Control::attach();
    let waits = || control.as_ref().map_or(0, |driver| driver.calls("cuStreamWaitEvent"));
    let before = waits();
    let args = OnDefault { n: N as usize, x: Some(&memory.x), y: Some(&mut memory.y) };
    // SAFETY: the same.
    unsafe { launch!(ffi::saxpy_default, args, default_stream = true)? };
    assert!(control.is_none() || waits() == before + 3);
    // SAFETY: the same.
    unsafe { launch!(ffi::saxpy, memory.args(4.0), stream = &stream)? };
    memory.is_added(7.0)
}

/// The launch makes the context of its stream current, or the context of its arguments.
fn contexts() -> Outcome {
    let (primary, own) = (context()?, create_context(device(), ContextFlags::new())?);
    let stream = own.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    let _module = load(&own)?;
    primary.bind_to_thread()?;
    // SAFETY: both slices have `N` elements, here and below.
    unsafe { launch!(ffi::saxpy, memory.args(2.0), stream = &stream)? };
    primary.bind_to_thread()?;
    let args = OnDefault { n: N as usize, x: Some(&memory.x), y: Some(&mut memory.y) };
    // SAFETY: the same.
    unsafe { launch!(ffi::saxpy_default, args, default_stream = true)? };
    own.synchronize()?;
    memory.is_added(4.0)?;
    calls();
    // Without an argument that has a context, the current context is used. This thread has none.
    let outcome = thread::spawn(|| {
        // SAFETY: nothing is launched.
        let launched =
            unsafe { launch!(ffi::saxpy_default, OnDefault { n: 0, x: None, y: None }, default_stream = true) };
        (matches!(launched, Err(Error::Context(ContextError::NoCurrent { .. }))), calls().0)
    });
    assert_eq!(outcome.join().map_err(|_| "a panic")?, (true, 0));
    Ok(())
}

/// On a stream that is captured, the work of the launcher becomes part of the graph.
fn captured() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let (stream, other) = (ctx.new_stream()?, ctx.new_stream()?);
    let mut memory = Memory::new(&stream)?;
    let untracked = {
        let ((x, _reads), (y, _writes)) = (memory.x.device_ptr(&stream), memory.y.device_ptr_mut(&stream));
        Untracked { n: N, alpha: 2.0, x: DevicePointer::from_raw(x), y: DevicePointerMut::from_raw(y) }
    };
    ctx.synchronize()?;
    let graph = Graph::capture(&stream, || {
        // The graph would not keep the slices.
        // SAFETY: nothing is launched.
        let borrowed = unsafe { launch!(ffi::saxpy, memory.args(2.0), stream = &stream) };
        let text = borrowed.as_ref().map_or_else(ToString::to_string, |()| String::new());
        assert!(matches!(borrowed, Err(Error::Launch(LaunchError::NotKept { .. }))), "{text}");
        assert!(
            text.starts_with("launcher `saxpy` was not captured: the graph does not keep the memory of `x`"),
            "{text}"
        );
        assert!(text.contains("help: promise that"), "{text}");
        // SAFETY: both slices have `N` elements, and exist until the graph has run.
        unsafe { launch!(ffi::saxpy, untracked, stream = &stream)? };
        // SAFETY: nothing is launched.
        let outside = unsafe { launch!(ffi::saxpy, untracked, stream = &other) };
        let text = outside.as_ref().map_or_else(ToString::to_string, |()| String::new());
        assert!(matches!(outside, Err(Error::Run(RunError::Outside { .. }))), "{text}");
        assert!(text.starts_with("launcher `saxpy` was not launched: it is in the closure of a capture"), "{text}");
        // SAFETY: the same memory, which nothing else uses now.
        run_now(|| unsafe { launch!(ffi::saxpy, untracked, stream = &other) })
    })?;
    ctx.synchronize()?;
    memory.is_added(2.0)?;
    assert_eq!(graph.nodes()?.len(), 1);
    let mut exec = graph.instantiate()?;
    for _ in 0..3 {
        // SAFETY: the memory exists, and nothing else uses it.
        unsafe { exec.launch(&stream)? };
    }
    stream.synchronize()?;
    memory.is_added(8.0)
}

/// A launcher that fails has not used its arguments; the next one works.
fn after_an_error() -> Outcome {
    let ctx = context()?;
    let _module = load(&ctx)?;
    let stream = ctx.new_stream()?;
    let mut memory = Memory::new(&stream)?;
    // SAFETY: the function launches nothing.
    assert!(unsafe { launch!(ffi::returns, Returns { code: 9 }, stream = &stream) }.is_err());
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(ffi::saxpy, memory.args(2.0), stream = &stream)? };
    memory.is_added(2.0)
}

pub(super) fn trials(driver: &Driver) -> Vec<Trial> {
    let is_real = driver.is_real();
    vec![
        trial("a_launcher_gets_its_stream_where_the_struct_says", results),
        trial("two_streams_wait_for_each_other", move || two_streams(is_real)),
        trial("slices_are_tracked_on_the_default_stream", default_stream_is_tracked),
        trial("the_context_of_the_stream_or_of_the_arguments_is_current", contexts),
        trial("a_captured_launcher_runs_with_the_graph", captured),
        trial("a_launch_after_an_error_works", after_an_error),
    ]
}

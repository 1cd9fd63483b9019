//! Calls of threads: without a current context, at the end of a thread, and on the default stream of a thread.

use std::{cell::RefCell, ptr::null_mut, thread};

use crate::raw::*;
use cudarc::driver::{CudaContext, sys};
use kernel_args_test_driver::{Settings, within};

/// `CU_STREAM_PER_THREAD`
fn per_thread() -> sys::CUstream {
    std::ptr::without_provenance_mut(2)
}

/// Seen on an H100 with driver 580: threads without a context look up functions of a module.
#[test]
fn a_function_is_found_without_a_current_context() {
    within(&Settings::new(), |_| {
        let _context = CudaContext::new(0).expect("a device");
        let module = load(&ptx(&[("k", "")])).expect("right") as usize;
        thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(move || {
                    let module = std::ptr::with_exposed_provenance_mut(module);
                    assert!(function(module, "k").is_ok());
                    assert_eq!(function(module, "missing").err(), Some(500));
                    assert_eq!(launch(function(module, "k").expect("found"), ONE, &[]), INVALID_CONTEXT);
                });
            }
        });
    });
}

struct FreesAtTheEnd(u64);

impl Drop for FreesAtTheEnd {
    fn drop(&mut self) {
        if self.0 != 0 {
            assert_eq!(call!(sys::cuMemFree_v2(self.0)), Ok(()));
        }
    }
}

thread_local! {
    static MEMORY: RefCell<FreesAtTheEnd> = const { RefCell::new(FreesAtTheEnd(0)) };
}

#[test]
fn destructors_of_thread_locals_call_the_driver() {
    within(&Settings::new(), |driver| {
        let context = CudaContext::new(0).expect("a device");
        let context = &context;
        thread::scope(|scope| {
            let thread = scope.spawn(move || {
                // Its destructor is registered before the thread uses the driver, so it runs last.
                MEMORY.with_borrow(|memory| assert_eq!(memory.0, 0));
                context.bind_to_thread().expect("a context");
                let mut address = 0;
                assert_eq!(call!(sys::cuMemAlloc_v2(&raw mut address, 16)), Ok(()));
                MEMORY.set(FreesAtTheEnd(address));
            });
            // The end of the scope alone does not wait for destructors.
            thread.join().expect("no panic");
        });
        assert_eq!(driver.live_allocations(), (0, 0));
    });
}

#[test]
fn the_default_stream_of_a_thread_is_captured() {
    within(&Settings::new(), |driver| {
        let echo = Echo::new(".u32");
        let stream = per_thread();
        let begin = || {
            call!(sys::cuStreamBeginCapture_v2(stream, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
        };
        let mut graph = null_mut();
        for round in 0..2u32 {
            assert_eq!((begin(), begin()), (Ok(()), Err(401)), "it captures already");
            let values: [&[u8]; 2] = [&echo.address.to_le_bytes(), &(7 + round).to_le_bytes()];
            assert_eq!(launch_on(stream, echo.function, ONE, Some(&mut pointers(&values)), None), Ok(()));
            assert_eq!(driver.launches(), u64::from(round), "captured, not launched");
            // The stream of a different thread is a different one.
            let context = &echo.context;
            thread::scope(|scope| {
                scope.spawn(move || {
                    context.bind_to_thread().expect("a context");
                    assert_eq!(call!(sys::cuStreamSynchronize(per_thread())), Ok(()));
                    let mut none = null_mut();
                    assert_eq!(call!(sys::cuStreamEndCapture(per_thread(), &raw mut none)), Err(401));
                });
            });
            assert_eq!(call!(sys::cuStreamEndCapture(stream, &raw mut graph)), Ok(()));
            let mut exec = null_mut();
            assert_eq!(call!(sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)), Ok(()));
            assert_eq!(call!(sys::cuGraphLaunch(exec, stream)), Ok(()));
            assert_eq!(echo.echoed(4), (7 + round).to_le_bytes());
        }
        assert_eq!(driver.live().streams, 0, "default streams do not count");
    });
}

//! Runs of sequences whose calls of the driver fail: no value is returned that was not read.
#![forbid(unsafe_code)]

use cudarc::driver::{
    CudaStream,
    sys::{CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use kernel_args::{
    observe::{Event, Observer, install},
    sequence::{HostCopy, Pool, RunMode, Sequence, WhyPlain},
};
use kernel_args_stand_in::{Settings, within};
use std::{ops::Deref, sync::Arc};

/// cudarc stores the error of a wait, and copies without it.
#[test]
fn a_copy_for_the_host_whose_wait_fails_is_an_error() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver has this device");
        let stream = ctx.new_stream().expect("a stream");
        let mut sequence = Sequence::new(&stream);
        let mut copy = || -> HostCopy<u8> { sequence.run(|s| s.clone_dtoh(&s.alloc_zeros::<u8>(8)?)).expect("a run") };
        for call in ["cuStreamWaitEvent", "cuMemcpyDtoHAsync_v2", "cuStreamIsCapturing"] {
            let before = copy();
            driver.fail_once(call, 999);
            let error = before.wait().expect_err("no copy").to_string();
            assert!(error.contains(call.trim_end_matches("_v2")) || error.contains("(999)"), "{call}: {error}");
            assert_eq!(copy().wait().expect("a copy"), [0; 8], "{call}");
        }
    });
}

#[test]
fn zeros_of_a_pool_whose_memset_fails_are_an_error() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver has this device");
        let pool = Pool::new(&ctx.new_stream().expect("a stream"));
        drop(pool.alloc_zeros::<u8>(8).expect("memory"));
        for call in ["cuMemsetD8Async", "cuStreamIsCapturing"] {
            driver.fail_once(call, 999);
            assert!(pool.alloc_zeros::<u8>(8).is_err(), "{call}");
            assert_eq!(pool.memory_use().used, 0, "{call}");
        }
        assert!(pool.alloc_zeros::<u8>(8).is_ok());
    });
}

/// While cudarc tracks streams, an access to memory of a sequence waits for its last run, until a wait has succeeded.
#[test]
fn an_access_waits_for_the_run_until_a_wait_succeeds() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver has this device");
        let stream = ctx.new_stream().expect("a stream");
        let mut sequence = Sequence::new(&stream);
        let slice = sequence.run(|s| s.alloc_zeros::<u8>(8)).expect("a run");
        let waits = || {
            let before = driver.calls("cuStreamSynchronize");
            assert_eq!(slice.deref().len(), 8);
            driver.calls("cuStreamSynchronize") - before
        };
        driver.fail_once("cuStreamSynchronize", 999);
        assert_eq!(waits(), 1);
        assert!(ctx.check_err().is_err());
        assert_eq!([waits(), waits()], [1, 0]);
        sequence.run(|s| s.alloc_zeros::<u8>(8).map(drop)).expect("a run");
        assert_eq!([waits(), waits()], [1, 0]);
    });
}

/// Captures the stream of a run from then on.
struct Begins(Arc<CudaStream>);

impl Observer for Begins {
    fn before(&self, event: &Event<'_>) {
        if let Event::SequenceRun(_) = event {
            self.0.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).expect("a capture");
        }
    }
}

/// The run has found out that its stream is not being captured, and is enqueued launch by launch.
#[test]
fn a_copy_for_the_host_in_a_capture_that_begins_meanwhile_is_an_error() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver has this device");
        let stream = ctx.new_stream().expect("a stream");
        for is_captured in [false, true] {
            let mut sequence = Sequence::new(&stream);
            let mut copy = None;
            let observer = is_captured.then(|| install(Begins(stream.clone())));
            driver.fail_once("cuGraphCreate", 801);
            let run = sequence.run(|s| {
                copy = Some(s.clone_dtoh(&s.alloc_zeros::<u8>(8)?)?);
                Ok(())
            });
            drop(observer);
            let copy = copy.expect("a copy");
            if !is_captured {
                run.expect("a run");
                assert!(matches!(sequence.mode(), RunMode::Plain(WhyPlain::Refused(_))));
                assert_eq!(copy.wait().expect("a copy"), [0; 8]);
                continue;
            }
            let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
            drop(stream.end_capture(flags).expect("an unbroken capture"));
            let error = run.expect_err("it was captured").to_string();
            assert!(error.contains("copies for the host"), "{error}");
            assert!(copy.wait().is_err());
        }
    });
}

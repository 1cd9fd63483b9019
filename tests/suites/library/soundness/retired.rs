//! When memory is freed that a framework retires, counted by the test driver.

use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::sequence::{Sequence, retire};
use kernel_args_stand_in::{Settings, within};
use std::{sync::Arc, thread};

fn slice(stream: &Arc<CudaStream>) -> CudaSlice<f32> {
    stream.clone_htod(&[1.0; 8]).expect("memory")
}

fn retire_elsewhere(slice: CudaSlice<f32>) {
    thread::scope(|scope| scope.spawn(|| retire(slice)).join()).expect("no panic");
}

#[test]
fn retired_memory_is_freed_when_no_run_can_use_it() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver has this device");
        let (stream, other) = (ctx.new_stream().expect("a stream"), ctx.new_stream().expect("a stream"));
        let (mut first, mut second) = (Sequence::new(&stream), Sequence::new(&stream));
        let before = driver.live().allocations;
        let live = || driver.live().allocations - before;
        let retires = |stream: &Arc<CudaStream>| {
            let more = live();
            [0, 1].map(|elsewhere| {
                if elsewhere == 1 {
                    retire_elsewhere(slice(stream));
                } else {
                    retire(slice(stream));
                }
                live() - more
            })
        };

        // A run that holds and owns its memory needs no other.
        let run = first.begin().expect("a run");
        assert_eq!(retires(&stream), [0, 0]);
        // SAFETY: nothing is launched.
        unsafe { run.assume_all_held() }.expect("it records");
        assert_eq!(retires(&stream), [1, 2]);
        assert_eq!(retires(&other), [0, 0]);
        run.finish().expect("a run");
        assert_eq!(live(), 0);
        assert_eq!(retires(&stream), [0, 0]);

        // SAFETY: nothing is launched.
        unsafe { second.assume_held(0..8) }.expect("no run records");
        assert_eq!(retires(&stream), [0, 0], "no run records");
        let runs = [first.begin().expect("a run"), kernel_args::graph::run_now(|| second.begin()).expect("a run")];
        assert_eq!(retires(&stream), [1, 2]);
        let [run, last] = runs;
        drop(run);
        assert_eq!(live(), 2, "the second run can use it");
        assert_eq!(retires(&stream), [1, 2]);
        drop((first, second));
        assert_eq!(live(), 4);
        thread::scope(|scope| scope.spawn(|| drop(last)).join()).expect("no panic");
        assert_eq!(live(), 0);

        // A sequence that is gone delays nothing.
        assert_eq!(retires(&stream), [0, 0]);
        let mut third = Sequence::new(&stream);
        // SAFETY: nothing is launched.
        unsafe { third.assume_all_held() }.expect("no run records");
        let run = third.begin().expect("a run");
        assert_eq!(retires(&stream), [1, 2]);
        let inside = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _run = run;
            panic!("on purpose");
        }));
        assert!(inside.is_err());
        assert_eq!(live(), 0, "a panic gives the run up");
        ctx.check_err().expect("no error is left");
    });
}

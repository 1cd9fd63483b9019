//! What observers may do: several of them, panics, launches of their own, other threads.

use crate::observe::seen::{self, Outcome, taken};
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs, Launch, Module,
    args::{LaunchArgs, Launchable},
    launch,
    observe::{self, Event, Installed, Observer},
};
use kernel_args_tests::{
    driver::{context, trial},
    saxpy::Pointers,
};
use libtest_mimic::Trial;
use std::{
    mem,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

const NOTHING: Pointers = Pointers { n: 0, alpha: 0.0, x: DevicePointer::NULL, y: DevicePointerMut::NULL };

fn kernel() -> Result<Kernel<Pointers>, Error> {
    let saxpy = include_str!("../../../../ptx/saxpy.ptx");
    Kernel::from_image(&context()?, saxpy, "saxpy")
}

fn launch_once(kernel: &Kernel<Pointers>) -> Result<(), Error> {
    // SAFETY: `n` is 0, so the kernel accesses nothing.
    unsafe { launch!(kernel, 1, 32, NOTHING) }
}

type Words = Arc<Mutex<Vec<String>>>;

fn said(words: &Words) -> Vec<String> {
    mem::take(&mut *words.lock().unwrap_or_else(PoisonError::into_inner))
}

/// An observer that writes its name.
struct Named(&'static str, Words);

impl Named {
    fn say(&self, moment: &str) {
        let mut words = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        words.push(format!("{} {moment}", self.0));
    }
}

impl Observer for Named {
    fn before(&self, _: &Event<'_>) {
        self.say("before");
    }

    fn after(&self, _: &Event<'_>, _: Result<(), &Error>) {
        self.say("after");
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        self.say("dropped");
    }
}

fn observers_are_nested_and_end_when_they_are_dropped() -> Outcome {
    let (kernel, words) = (kernel()?, Words::default());
    launch_once(&kernel)?;
    let first = observe::install(Named("a", words.clone()));
    let second = observe::install(Named("b", words.clone()));
    launch_once(&kernel)?;
    assert_eq!(said(&words), ["a before", "b before", "b after", "a after"]);
    drop(first);
    assert_eq!(said(&words), ["a dropped"]);
    launch_once(&kernel)?;
    assert_eq!(said(&words), ["b before", "b after"]);
    drop(second);
    assert_eq!(said(&words), ["b dropped"]);
    launch_once(&kernel)?;
    assert_eq!(said(&words), [""; 0]);
    Ok(())
}

/// An observer that panics at this moment.
struct Panics(&'static str, Arc<AtomicUsize>);

impl Observer for Panics {
    fn before(&self, _: &Event<'_>) {
        self.1.fetch_add(1, Relaxed);
        assert!(self.0 != "before", "in before");
    }

    fn after(&self, _: &Event<'_>, _: Result<(), &Error>) {
        self.1.fetch_add(1, Relaxed);
        assert!(self.0 != "after", "in after");
    }
}

fn a_panic_does_not_reach_the_launch() -> Outcome {
    let kernel = kernel()?;
    for (moment, calls) in [("before", 1), ("after", 2)] {
        let (words, count) = (Words::default(), Arc::default());
        let outer = observe::install(Named("a", words.clone()));
        let panics = observe::install(Panics(moment, Arc::clone(&count)));
        let inner = observe::install(Named("c", words.clone()));
        assert!(panics.take_panic().is_none());
        for _ in 0..2 {
            launch_once(&kernel)?;
            let all = ["a before", "c before", "c after", "a after"];
            assert_eq!(said(&words), all);
            // It is not called for the second launch.
            assert_eq!(count.load(Relaxed), calls);
        }
        let panic = panics.take_panic().ok_or("no panic")?;
        let text = panic.downcast_ref::<&str>().copied();
        assert_eq!(text, Some(&*format!("in {moment}")));
        launch_once(&kernel)?;
        assert_eq!(count.load(Relaxed), 2 * calls);
        drop((outer, panics, inner));
    }
    Ok(())
}

/// An observer that launches, installs another observer, and drops what is in its slot.
struct Busy {
    kernel: Kernel<Pointers>,
    words: Words,
    slot: Arc<Mutex<Option<Installed>>>,
    calls: Arc<AtomicUsize>,
}

impl Observer for Busy {
    fn before(&self, _: &Event<'_>) {
        self.calls.fetch_add(1, Relaxed);
        launch_once(&self.kernel).expect("the launch of an observer");
        let inner = observe::install(Named("inner", self.words.clone()));
        launch_once(&self.kernel).expect("the launch of an observer");
        drop(inner);
    }

    fn after(&self, _: &Event<'_>, _: Result<(), &Error>) {
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        drop(slot.take());
    }
}

fn an_observer_may_launch_install_and_drop_itself() -> Outcome {
    let kernel = kernel()?;
    let (words, slot, calls) = (Words::default(), Arc::default(), Arc::default());
    let busy =
        Busy { kernel: kernel.clone(), words: words.clone(), slot: Arc::clone(&slot), calls: Arc::clone(&calls) };
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(observe::install(busy));
    launch_once(&kernel)?;
    launch_once(&kernel)?;
    assert_eq!(calls.load(Relaxed), 1);
    assert_eq!(said(&words), ["inner dropped"]);
    Ok(())
}

fn threads_are_observed_while_observers_come_and_go() -> Outcome {
    const THREADS: usize = 4;
    const LAUNCHES: usize = 200;
    let kernel = kernel()?;
    let (_installed, log) = seen::install();
    thread::scope(|scope| -> Result<(), Error> {
        let launches = || (0..LAUNCHES).try_for_each(|_| launch_once(&kernel));
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(launches)).collect();
        for _ in 0..LAUNCHES {
            let (other, _) = seen::install();
            drop(other);
        }
        let mut all = threads.into_iter();
        all.try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    let count = log.lock().unwrap_or_else(PoisonError::into_inner).len();
    assert_eq!(count, 2 * THREADS * LAUNCHES);
    mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
    assert_eq!(taken(&log)?, []);
    Ok(())
}

/// A kernel with at most 64 threads, one with a fixed block, one with dynamic shared memory.
const LIMITED: &str = "
.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 pool[];
.visible .entry at_most() .maxntid 64, 1, 1 { ret; }
.visible .entry exactly() .reqntid 8, 4, 1 { ret; }
.visible .entry dynamic() { .reg .b32 %r<2>; mov.u32 %r1, pool; ret; }
";

#[derive(Clone, Copy, KernelArgs)]
struct Nothing;

#[derive(Clone, Copy, KernelArgs)]
#[kernel_args(shared = "block.x * 4")]
struct Computed;

fn start<A: LaunchArgs>(target: &impl Launchable<A>, launch: Launch<'_>, args: A) -> Result<(), Error> {
    // SAFETY: these kernels access no memory.
    unsafe { kernel_args::launch(target, launch, args) }
}

/// The comparison with the limits also decides whether a launch is observed, so both are right with and without an
/// observer.
fn limits_are_checked_and_launches_observed_in_any_order() -> Outcome {
    let (ctx, words) = (context()?, Words::default());
    let check = |module: &Arc<Module>, calls: usize| -> Outcome {
        let (at_most, exactly) = (module.kernel::<Nothing>("at_most")?, module.function("exactly")?);
        let (dynamic, computed) = (module.kernel::<Nothing>("dynamic")?, module.kernel::<Computed>("dynamic")?);
        for _ in 0..2 {
            start(&at_most, Launch::new(1, 64), Nothing)?;
            start(&exactly, Launch::new(1, (8, 4)), Nothing)?;
            start(&exactly, Launch::new(1, (8, 4)), ArgList::new())?;
            start(&exactly.cu_function(), Launch::new(1, (8, 4)), Nothing)?;
            start(&dynamic, Launch::new(1, 64).shared(256), Nothing)?;
            start(&computed, Launch::new(1, 64), Computed)?;
            let expected = ["a before", "a after"].repeat(6 * calls);
            assert_eq!(said(&words), expected);
            let large = Launch::new(1, 65);
            let empty = Launch::new(1, 0);
            let rejected = [
                (start(&at_most, large, Nothing), "at most 64 threads"),
                (start(&at_most, empty, Nothing), "at least one thread"),
                (start(&exactly, large, Nothing), "exactly (8, 4, 1)"),
                (start(&exactly, empty, ArgList::new()), "at least one thread"),
                (start(&dynamic, Launch::new(1, 64), Nothing), "uses dynamic shared memory"),
            ];
            for (result, text) in rejected {
                let error = result.expect_err(text).to_string();
                assert!(error.contains(text), "{error}");
            }
            assert_eq!(said(&words), [""; 0]);
        }
        Ok(())
    };
    let before = Module::load(&ctx, LIMITED)?;
    check(&before, 0)?;
    let observer = observe::install(Named("a", words.clone()));
    let while_observed = Module::load(&ctx, LIMITED)?;
    said(&words);
    check(&before, 1)?;
    check(&while_observed, 1)?;
    drop(observer);
    assert_eq!(said(&words), ["a dropped"]);
    check(&before, 0)?;
    check(&while_observed, 0)?;
    drop((before, while_observed));
    check(&Module::load(&ctx, LIMITED)?, 0)
}

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("observers_are_nested_and_end_when_they_are_dropped", observers_are_nested_and_end_when_they_are_dropped),
        trial("a_panic_does_not_reach_the_launch", a_panic_does_not_reach_the_launch),
        trial("an_observer_may_launch_install_and_drop_itself", an_observer_may_launch_install_and_drop_itself),
        trial("threads_are_observed_while_observers_come_and_go", threads_are_observed_while_observers_come_and_go),
        trial(
            "limits_are_checked_and_launches_observed_in_any_order",
            limits_are_checked_and_launches_observed_in_any_order,
        ),
    ]
}

//! The arguments are alive and borrowed until the launch returns or panics.
//!
//! The guards come from cudarc and need a driver: the launch suite tests them.

use kernel_args::{
    DevicePointer, KernelArg, KernelArgs,
    args::{Guard, LaunchStream},
};
use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The events, in order.
#[derive(Default)]
struct Log(RefCell<Vec<String>>);

impl Log {
    fn add(&self, what: impl Into<String>) {
        self.0.borrow_mut().push(what.into());
    }

    fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

/// Memory that records when it is borrowed and when it is released.
struct Lent<'l> {
    name: &'static str,
    address: u64,
    log: &'l Log,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.log.add(format!("{} is back", self.name));
    }
}

impl KernelArg for Lent<'_> {
    type Device = DevicePointer<u8>;

    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (DevicePointer<u8>, Guard<'s>) {
        self.log.add(format!("{} is lent", self.name));
        (DevicePointer::from_raw(self.address), Guard::NONE)
    }
}

/// An argument whose conversion fails.
struct Broken;

impl KernelArg for Broken {
    type Device = u32;

    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (u32, Guard<'s>) {
        panic!("this argument is broken")
    }
}

#[derive(KernelArgs)]
struct Args<'l> {
    a: Lent<'l>,
    n: u32,
    b: Lent<'l>,
}

fn args(log: &Log) -> Args<'_> {
    let lent = |name, address| Lent { name, address, log };
    Args { a: lent("a", 1), n: 2, b: lent("b", 3) }
}

fn sorted(mut events: Vec<String>) -> Vec<String> {
    events.sort();
    events
}

/// Checks that both are borrowed, then `launch` runs, then both are released. The order within each pair does not
/// matter.
fn assert_around(events: &[String], launch: &str) {
    assert_eq!(events[..2], ["a is lent", "b is lent"]);
    assert_eq!(events[2], launch);
    assert_eq!(sorted(events[3..].to_vec()), ["a is back", "b is back"]);
}

#[test]
fn arguments_live_until_the_launch_has_returned() {
    let log = Log::default();
    let result = args(&log).with_kernel_params(|params| {
        log.add("launch");
        params.len()
    });
    assert_eq!(result, 3);
    assert_around(&log.take(), "launch");
    args(&log).with_packed(|buffer| {
        log.add("launch");
        assert_eq!(buffer[..12], [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(buffer[16..], [3, 0, 0, 0, 0, 0, 0, 0]);
    });
    assert_around(&log.take(), "launch");
}

#[test]
fn each_argument_is_lowered_once_a_launch() {
    let log = Log::default();
    let mut args = args(&log);
    let lent = ["a is lent", "b is lent"];
    (&mut args).with_packed(|_| assert_eq!(log.take(), lent));
    (&mut args).with_kernel_params(|_| assert_eq!(log.take(), lent));
    (&mut args).with_arguments(|_| assert_eq!(log.take(), lent));
    assert!(log.take().is_empty(), "what is only borrowed stays");
    drop(args);
    assert_eq!(sorted(log.take()), ["a is back", "b is back"]);
}

#[test]
fn a_panic_of_the_launch_lets_the_arguments_go() {
    let log = Log::default();
    let panicked = |launch: &dyn Fn()| catch_unwind(AssertUnwindSafe(launch)).is_err();
    assert!(panicked(&|| args(&log).with_kernel_params(|_| {
        log.add("launch");
        panic!("the launch went wrong")
    })));
    assert_around(&log.take(), "launch");
    assert!(panicked(&|| args(&log).with_packed(|_| {
        log.add("launch");
        panic!("the launch went wrong")
    })));
    assert_around(&log.take(), "launch");
}

#[derive(KernelArgs)]
struct Half<'l> {
    a: Lent<'l>,
    broken: Broken,
    b: Lent<'l>,
}

#[test]
fn a_panic_in_one_argument_releases_the_remaining_arguments() {
    let log = Log::default();
    let half = || {
        let lent = |name| Lent { name, address: 1, log: &log };
        Half { a: lent("a"), broken: Broken, b: lent("b") }
    };
    let never = "the launch ran";
    let packed = catch_unwind(AssertUnwindSafe(|| half().with_packed(|_| log.add(never))));
    let params = catch_unwind(AssertUnwindSafe(|| {
        half().with_kernel_params(|_| log.add(never));
    }));
    assert!(packed.is_err() && params.is_err());
    let events = log.take();
    assert_eq!(events.len(), 6);
    for once in events.chunks(3) {
        assert_eq!(once[0], "a is lent");
        assert_eq!(sorted(once[1..].to_vec()), ["a is back", "b is back"]);
    }
}

#[test]
fn an_error_of_the_launch_is_returned() {
    let log = Log::default();
    let result: Result<(), &str> = args(&log).with_kernel_params(|_| Err("busy"));
    assert_eq!(result, Err("busy"));
    assert_eq!(log.take().len(), 4);
}

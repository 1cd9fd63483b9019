//! All interleavings of the thread that drops what graphs release, with the threads that use it. loom replaces the
//! locks, and reports a deadlock as a panic.

/// The locks of the file below.
mod sync {
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
}

#[path = "../../kernel-args/src/driver/graph/release_queue.rs"]
mod release_queue;

use core::{cell::Cell, time::Duration};
use loom::{
    model::Builder,
    sync::{
        Condvar, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
};
use release_queue::{ReleaseQueue, State, caught};
use std::{
    panic::resume_unwind,
    sync::{Arc, atomic::AtomicU64},
};

/// loom does not model time.
const LONGEST: Duration = Duration::from_secs(3600);

/// The queue, and what its thread has done. Only accesses to loom's types are interleaved; the other fields are notes.
struct World {
    queue: ReleaseQueue<usize>,
    in_driver: AtomicBool,
    dropped: std::sync::Mutex<Vec<usize>>,
    ended: std::sync::atomic::AtomicBool,
}

/// The drop of object 0 waits, the drop of object 9 ends the process, and the drop of object 7 panics with a payload
/// whose drop panics.
const WAITS: usize = 0;
const PANICS: usize = 7;
const EXITS: usize = 9;

struct Payload;

impl Drop for Payload {
    fn drop(&mut self) {
        resume_unwind(Box::new(()));
    }
}

impl World {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            queue: ReleaseQueue { state: Mutex::new(State::EMPTY), changed: Condvar::new() },
            in_driver: AtomicBool::new(false),
            dropped: Vec::new().into(),
            ended: false.into(),
        })
    }

    /// The thread, for this number of objects.
    fn thread(self: &Arc<Self>, objects: usize) -> thread::JoinHandle<()> {
        let world = self.clone();
        thread::spawn(move || {
            for _ in 0..objects {
                world.queue.take(|object| world.drop_one(object));
            }
        })
    }

    fn drop_one(&self, object: usize) {
        self.in_driver.store(true, SeqCst);
        assert!(!self.ended.load(SeqCst), "a drop after the end");
        self.dropped.lock().expect("no panic").push(object);
        match object {
            WAITS => self.queue.wait(true),
            EXITS => self.queue.end(true, LONGEST),
            _ => {}
        }
        self.in_driver.store(false, SeqCst);
        if object == PANICS {
            resume_unwind(Box::new(Payload));
        }
    }

    fn dropped(&self) -> Vec<usize> {
        self.dropped.lock().expect("no panic").clone()
    }

    /// The end of the process on a thread of the program.
    fn end(&self) {
        self.queue.end(false, LONGEST);
        assert!(self.queue.process_ends());
        assert!(!self.in_driver.load(SeqCst), "a drop at the end");
        self.ended.store(true, SeqCst);
    }
}

/// Runs all interleavings with at most three preemptions; prints how many there are.
fn all(name: &str, run: impl Fn() + Sync + Send + 'static) {
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        counted.fetch_add(1, SeqCst);
        run();
    });
    let count = count.load(SeqCst);
    println!("{name}: {count} interleavings");
    assert!(count > 1, "{name}: a single interleaving");
}

#[test]
fn objects_of_one_sender_are_dropped_once_and_in_order() {
    all("one sender", || {
        let world = World::new();
        let thread = world.thread(3);
        for object in [1, 2, 3] {
            world.queue.send(object);
        }
        world.queue.wait(false);
        assert_eq!(world.dropped(), [1, 2, 3]);
        thread.join().expect("no panic");
    });
}

#[test]
fn a_wait_is_for_all_earlier_objects_of_any_sender() {
    all("two senders", || {
        let world = World::new();
        let thread = world.thread(2);
        let other = world.clone();
        let sender = thread::spawn(move || {
            other.queue.send(2);
            other.queue.wait(false);
            assert!(other.dropped().contains(&2));
        });
        world.queue.send(1);
        world.queue.wait(false);
        assert!(world.dropped().contains(&1));
        sender.join().expect("no panic");
        thread.join().expect("no panic");
        let mut dropped = world.dropped();
        dropped.sort_unstable();
        assert_eq!(dropped, [1, 2]);
    });
}

#[test]
fn a_wait_without_objects_returns() {
    let world = World::new;
    loom::model(move || world().queue.wait(false));
}

#[test]
fn a_drop_can_wait_and_does_not_wait_for_itself() {
    all("a drop that waits", || {
        let world = World::new();
        let thread = world.thread(2);
        world.queue.send(WAITS);
        world.queue.send(1);
        world.queue.wait(false);
        assert_eq!(world.dropped(), [WAITS, 1]);
        thread.join().expect("no panic");
    });
}

#[test]
fn the_thread_survives_a_panic_whose_payload_panics() {
    all("a panic", || {
        let world = World::new();
        let thread = world.thread(2);
        world.queue.send(PANICS);
        world.queue.send(1);
        world.queue.wait(false);
        assert_eq!(world.dropped(), [PANICS, 1]);
        thread.join().expect("the thread has not ended");
    });
}

#[test]
fn no_drop_runs_after_the_end_of_the_process() {
    all("the end", || {
        let world = World::new();
        let thread = world.thread(2);
        let other = world.clone();
        let ends = thread::spawn(move || other.end());
        world.queue.send(1);
        world.queue.send(2);
        // Returns, whether the objects are dropped or forgotten.
        world.queue.wait(false);
        ends.join().expect("no panic");
        thread.join().expect("no panic");
        let dropped = world.dropped();
        assert!([1, 2].starts_with(&dropped), "{dropped:?}");
    });
}

#[test]
fn the_end_waits_for_a_drop_that_panics() {
    all("the end and a panic", || {
        let world = World::new();
        let thread = world.thread(1);
        let other = world.clone();
        let ends = thread::spawn(move || other.end());
        world.queue.send(PANICS);
        ends.join().expect("no panic");
        thread.join().expect("no panic");
    });
}

#[test]
fn a_drop_that_ends_the_process_is_not_waited_for() {
    all("a drop that exits", || {
        let world = World::new();
        let thread = world.thread(2);
        world.queue.send(EXITS);
        world.queue.send(1);
        world.queue.wait(false);
        assert_eq!(world.dropped(), [EXITS, 1]);
        thread.join().expect("no panic");
    });
}

/// With std's clock, and a drop that never ends: a state of the queue in which `calls_cuda` stays set.
#[test]
fn the_end_does_not_wait_longer_than_its_limit() {
    loom::model(|| {
        let world = World::new();
        world.queue.send(1);
        world.queue.take(|_| world.queue.end(false, Duration::ZERO));
    });
}

#[test]
fn an_object_after_the_end_is_neither_released_nor_dropped() {
    loom::model(|| {
        let queue = ReleaseQueue { state: Mutex::new(State::EMPTY), changed: Condvar::new() };
        let (object, is_released) = (Arc::new(()), Cell::new(false));
        queue.end(false, LONGEST);
        queue.send(object.clone());
        queue.take(|_| is_released.set(true));
        queue.wait(false);
        assert!(!is_released.get());
        assert_eq!(Arc::strong_count(&object), 2, "it is dropped");
    });
}

#[test]
fn work_that_panics_is_caught() {
    caught(|| resume_unwind(Box::new(())));
    caught(|| resume_unwind(Box::new(Payload)));
}

//! Counts the heap allocations of a thread.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

struct Counting;

std::thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all calls are forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller guarantees the requirements of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees the requirements of `GlobalAlloc`.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of heap allocations of `run`, and its result.
pub(crate) fn allocations<R>(run: impl FnOnce() -> R) -> (u64, R) {
    let before = ALLOCATIONS.get();
    let result = run();
    (ALLOCATIONS.get() - before, result)
}

#[test]
fn allocations_are_counted() {
    let (count, _boxed) = allocations(|| Box::new([0_u8; 100]));
    assert_eq!(count, 1);
    assert_eq!(allocations(|| [0_u8; 100]).0, 0);
}

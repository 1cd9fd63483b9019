//! How often a program takes memory from the heap.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicU64, Ordering},
};

/// The system's allocator, which counts; the programs that ask for [`allocations`] declare it:
///
/// ```ignore
/// #[global_allocator]
/// static ALLOCATOR: Counting = Counting;
/// ```
pub struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is the same one.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same one.
        unsafe { System.dealloc(pointer, layout) };
    }
}

/// How often `run` takes memory from the heap. A vector that grows counts once for each time it grows.
pub fn allocations(run: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    run();
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

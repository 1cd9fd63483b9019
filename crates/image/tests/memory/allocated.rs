//! Measures the memory that a thread has allocated at the same time. The readers start no thread.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    // Negative where a thread frees what another thread allocated.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

fn grown(by: usize) {
    NOW.set(NOW.get().wrapping_add_unsigned(by));
    PEAK.set(PEAK.get().max(NOW.get()));
}

fn shrunk(by: usize) {
    NOW.set(NOW.get().wrapping_sub_unsigned(by));
}

// SAFETY: every call is forwarded to the system's allocator with the same arguments, and counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller guarantees the conditions of this call.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller guarantees the conditions of this call.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrunk(layout.size());
        // SAFETY: the caller guarantees the conditions of this call.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both blocks may exist while the contents move.
        grown(size);
        // SAFETY: the caller guarantees the conditions of this call.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        shrunk(layout.size());
        moved
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The result of `read`, and the most memory that was allocated at the same time.
pub(crate) fn peak<T>(read: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.get();
    PEAK.set(before);
    let read = read();
    (read, PEAK.get().wrapping_sub(before).cast_unsigned())
}

//! Limits the bytes that are decompressed at one time.

use super::lock;
use std::sync::{Condvar, Mutex, PoisonError};

/// The limit in bytes. A member that is larger uses the whole limit.
const LIMIT: u64 = 64 << 20;

#[derive(Default)]
pub(super) struct Gate {
    used: Mutex<u64>,
    freed: Condvar,
}

/// The share of one job. Dropping it releases the memory.
pub(super) struct Pass<'g> {
    gate: &'g Gate,
    size: u64,
}

impl Gate {
    pub(super) fn enter(&self, size: u64) -> Pass<'_> {
        let size = size.min(LIMIT);
        let used = self.freed.wait_while(lock(&self.used), |used| *used + size > LIMIT);
        *used.unwrap_or_else(PoisonError::into_inner) += size;
        Pass { gate: self, size }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *lock(&self.gate.used) -= self.size;
        self.gate.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicU64, Ordering},
        thread,
    };

    #[test]
    fn no_more_enter_than_there_is_memory_for() {
        let (gate, inside, most) = (Gate::default(), AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let pass = gate.enter(LIMIT / 3);
                        let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(pass);
                    }
                });
            }
        });
        assert!((1..=3).contains(&most.into_inner()));
        drop(gate.enter(u64::MAX));
    }
}

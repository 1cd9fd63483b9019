use crate::driver::api::Status;
use core::time::Duration;

/// The result of a replay.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replay {
    /// What the driver returned when the launch was recorded.
    pub recorded: Status,
    /// What the driver returned for the replay. After a fault of the kernel, nothing was compared, and the context
    /// cannot be used any more.
    pub status: Status,
    /// The allocations, compared with the recorded memory after the launch. Empty if one of the launches failed.
    pub memory: Vec<ReplayedMemory>,
    /// The times of the repetitions on the GPU, in their order.
    pub times: Vec<Duration>,
}

/// An allocation after the replay.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReplayedMemory {
    /// Its size in bytes.
    pub size: u64,
    /// Whether the recorded launch has changed it.
    pub is_written: bool,
    /// How it differs from the recorded memory; `None` if it is the same.
    pub difference: Option<Difference>,
}

/// The difference of two copies of an allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The number of bytes that differ.
    pub bytes: u64,
    /// The offset of the first of them.
    pub first: u64,
    /// The largest difference of two elements, if they are known to be `float` or `double`. NaN if only one of the two
    /// is NaN.
    pub largest: Option<f64>,
}

impl Replay {
    /// Returns whether the replay had the same result as the recorded launch, bit for bit.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.recorded == self.status && self.memory.iter().all(|memory| memory.difference.is_none())
    }

    /// Returns the median of the repetitions; `None` without repetitions.
    #[must_use]
    pub fn median(&self) -> Option<Duration> {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    }
}

//! Argument lists whose length and types are known only at run time: both forms, launches, mistakes, heap allocations.

mod forms;
pub(crate) mod heap;
// Miri cannot load a driver.
#[cfg(not(miri))]
mod launches;
mod lists;
#[cfg(not(miri))]
mod mistakes;

//! Lists of arguments whose length and types are known at run time: both forms, launches, mistakes, the heap.

mod forms;
pub(crate) mod heap;
// Miri loads no driver.
#[cfg(not(miri))]
mod launches;
mod lists;
#[cfg(not(miri))]
mod mistakes;

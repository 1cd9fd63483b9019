//! Lists of arguments whose length and types are known at run time: both forms, launches, mistakes, the heap.

mod forms;
mod heap;
mod launches;
mod lists;
mod mistakes;

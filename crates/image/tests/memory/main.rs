//! Images with too large sizes in their headers and hostile bodies: the memory allocated for them. This program's
//! allocator counts.

mod allocated;
#[cfg(feature = "bodies")]
mod bodies_hostile;
mod debug_info_broken;
#[path = "../image/dwarf_writer.rs"]
mod dwarf_writer;
mod images_large;
#[path = "../image/launchers.rs"]
mod launchers;
mod launchers_broken;

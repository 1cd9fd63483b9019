//! Images that claim more than they hold: how much memory is allocated for them. The allocator of this program counts.

mod allocated;
mod debug_info_broken;
#[path = "../image/dwarf_writer.rs"]
mod dwarf_writer;
mod images_large;

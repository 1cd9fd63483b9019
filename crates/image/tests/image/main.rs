//! Reading images: PTX, cubins, fat binaries, debug information, and mangled names.

mod compiled;
mod contents;
#[cfg(feature = "debug-info")]
mod debug_info;
#[cfg(feature = "debug-info")]
mod debug_info_fits;
#[cfg(feature = "debug-info")]
mod debug_info_forms;
#[cfg(feature = "debug-info")]
mod debug_info_reduced;
#[cfg(feature = "debug-info")]
mod dwarf_writer;
mod fatbin_stream;
mod foreign_symbols;
mod images;
mod images_broken;
mod images_validated;
#[cfg(feature = "debug-info")]
mod launchers;
mod mangled;
mod mangled_names;
mod parsing;
mod ptx;
mod ptx_alignments;
mod ptx_bodies;
mod ptx_dynamic_shared;
mod ptx_parameters;
mod ptx_spellings;
mod spelling;
mod summary;
mod variables;
mod variants;

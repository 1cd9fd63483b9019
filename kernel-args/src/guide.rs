//! The guide: a chapter for each topic. Each chapter can be read alone.
//!
//! # Start
//!
//! - [`cudarc`]: coming from cudarc: each line of its launch builder
//! - [`build`]: kernels that a build script compiles
//! - [`contexts`]: the life of a program; contexts, the CUDA runtime, several GPUs
//! - [`testing`]: tests and programs on machines without a GPU
//! - [`features`]: features of this crate
//! - [`versions`]: which versions are needed, and what runs where
//! - [`glossary`]: words of this documentation
//!
//! # Arguments
//!
//! - [`fields`]: what a field can be; attributes of fields
//! - [`pointers`]: slices and pointers
//! - [`structs`]: structs and enums by value; device memory
#![cfg_attr(feature = "textures", doc = "- [`textures`]: textures and surfaces")]
//! - [`parts`]: arrays and structs whose elements and fields are separate parameters; lengths and strides of tensors
//! - [`lists`]: arguments whose types are known at run time only; kernels selected by name
//! - [`bindings`]: other driver bindings, and `no_std`
//!
//! # Kernels
//!
//! - [`checks`]: what is checked, and when
//! - [`kernels`]: the kernels of an image as items; generated structs; debug information from a second file
//! - [`launchers`]: host functions that launch kernels, compared with their library, generated, and launched
#![cfg_attr(feature = "nvrtc", doc = "- [`compile`]: CUDA C++ compiled at run time")]
//! - [`dtypes`]: a framework with element types of its own: families of kernels, types that an image may lack, coverage
//! - [`globals`]: `__device__`, `__constant__` and `__managed__` variables
#![cfg_attr(feature = "header", doc = "- [`headers`]: C++ headers that are written from Rust types")]
//!
//! # Launch
//!
//! - [`launches`]: launch options and launch attributes; what a launch costs
//! - [`contracts`]: lengths, ranges, blocks: what a kernel requires, checked at each launch
#![cfg_attr(
    feature = "graphs",
    doc = "
# Repeat

- [`sequences`]: launch code that is repeated, and runs as a graph
- [`graphs`]: CUDA graphs"
)]
//!
//! # Debug
//!
#![cfg_attr(
    feature = "observe",
    doc = "- [`observe`]: launches, loads and compilations as events: for logs, profiles and traces; the launch that faulted"
)]
//! - [`real_bugs`]: thirty mistakes in the arguments of kernels, and what becomes of them

/// A module for each chapter: its condition, its name, its title if the files contain no title, and its files. docs.rs
/// serves no files of the package, so pictures are part of the text. An empty line ends each file: a table would
/// continue.
macro_rules! chapters {
    ($($(#[$condition:meta])* $name:ident $($title:literal)?: $($file:literal),+;)+) => {
        $(
            $(#[$condition])*
            $(#[doc = $title]#[doc = ""])?
            $(#[doc = include_str!(concat!("../guide/", $file))]#[doc = ""])+
            #[doc = include_str!("../guide/style.html")]
            pub mod $name {}
        )+
    };
}

chapters! {
    cudarc: "cudarc.md";
    build: "build.md";
    contexts: "contexts.md";
    testing: "testing.md";
    features "Features of this crate.": "tables/features.md", "features.md";
    versions: "versions.md";
    glossary: "glossary.md";

    fields "What a field can be.": "tables/fields.md", "fields.md";
    pointers: "pointers.md";
    structs: "structs.md";
    #[cfg(feature = "textures")] textures: "textures.md";
    parts: "parts.md";
    lists: "lists.md";
    bindings: "bindings.md";

    checks "What is checked, and when.": "pictures/comparison.svg", "tables/checks.md", "checks.md";
    kernels: "kernels.md";
    launchers: "launchers.md";
    #[cfg(feature = "nvrtc")] compile: "compile.md";
    dtypes: "dtypes.md";
    globals: "globals.md";
    #[cfg(feature = "header")] headers: "headers.md";

    launches: "launches.md", "pictures/forms.svg";
    contracts: "contracts.md";

    #[cfg(feature = "graphs")]
    sequences "Launch code that is repeated, and runs as a graph. Needs the feature `graphs`.": "pictures/runs.svg", "sequences.md";
    #[cfg(feature = "graphs")] graphs: "graphs.md", "pictures/graph.md";

    #[cfg(feature = "observe")] observe: "observe.md";
    real_bugs: "real_bugs.md";
}

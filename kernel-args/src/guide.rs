//! The guide: one chapter for each topic.
//!
//! | chapter | topic |
//! |---|---|
//! | [`fields`] | what a field can be; attributes of fields |
//! | [`parts`] | arrays and structs whose elements and fields are separate parameters; lengths and strides of tensors |
//! | [`structs`] | structs and enums by value; device memory |
//! | [`pointers`] | slices and pointers |
//! | [`build`] | kernels that a build script compiles |
//! | [`kernels`] | the kernels of an image as items; generated structs; debug information from a second file |
#![cfg_attr(feature = "nvrtc", doc = "| [`compile`] | CUDA C++ compiled at run time |")]
#![cfg_attr(feature = "header", doc = "| [`headers`] | C++ headers that are written from Rust types |")]
//! | [`checks`] | what is checked, and when |
//! | [`contracts`] | lengths, ranges, blocks: what a kernel requires, checked at each launch |
//! | [`real_bugs`] | thirty mistakes in the arguments of kernels, and what becomes of them |
//! | [`launches`] | launch options and launch attributes; what a launch costs |
//! | [`lists`] | arguments whose types are known at run time only; kernels selected by name |
//! | [`dtypes`] | a framework with element types of its own: families of kernels, types that an image may lack, coverage |
//! | [`globals`] | `__device__`, `__constant__` and `__managed__` variables |
#![cfg_attr(feature = "textures", doc = "| [`textures`] | textures and surfaces |")]
#![cfg_attr(
    feature = "graphs",
    doc = "| [`graphs`] | CUDA graphs |
| [`sequences`] | launch code that is repeated, and runs as a graph |"
)]
//! | [`contexts`] | contexts, the CUDA runtime, several GPUs; the life of a program |
//! | [`cudarc`] | coming from cudarc: each line of its launch builder |
#![cfg_attr(
    feature = "observe",
    doc = "| [`observe`] | launches, loads and compilations as events: for logs, profiles and traces |"
)]
//! | [`bindings`] | other driver bindings, and `no_std` |
//! | [`features`] | features of this crate |
//! | [`testing`] | tests and programs on machines without a GPU |
//! | [`versions`] | which versions are needed, and what runs where |
//! | [`glossary`] | words of this documentation |

/// A module for each chapter: its condition, its name, its title if the files contain no title, and its files.
macro_rules! chapters {
    ($($(#[$condition:meta])* $name:ident $($title:literal)?: $($file:literal),+;)+) => {
        $(
            $(#[$condition])*
            $(#[doc = concat!($title, "\n")])?
            $(#[doc = include_str!(concat!("../guide/", $file, ".md"))])+
            pub mod $name {}
        )+
    };
}

chapters! {
    fields "What a field can be.": "tables/fields", "fields";
    parts: "parts";
    structs: "structs";
    pointers: "pointers";
    build: "build";
    kernels: "kernels";
    #[cfg(feature = "nvrtc")] compile: "compile";
    #[cfg(feature = "header")] headers: "headers";
    checks "What is checked, and when.": "tables/checks", "checks";
    contracts: "contracts";
    real_bugs: "real_bugs";
    launches: "launches";
    lists: "lists";
    dtypes: "dtypes";
    globals: "globals";
    #[cfg(feature = "textures")] textures: "textures";
    #[cfg(feature = "graphs")] graphs: "graphs", "pictures/graph";
    #[cfg(feature = "graphs")] sequences: "sequences";
    contexts: "contexts";
    cudarc: "cudarc";
    #[cfg(feature = "observe")] observe: "observe";
    bindings: "bindings";
    features "Features of this crate.": "tables/features", "features";
    testing: "testing";
    versions: "versions";
    glossary: "glossary";
}

//! The guide: a chapter for each topic. Each chapter can be read alone. [The front page](crate#guide) has them in an
//! order to read.

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

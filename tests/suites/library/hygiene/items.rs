//! Every kernel in the repository's images is an item, with the parameters that the reader finds.

use kernel_args::{
    abi::{Members, Parameter},
    image::{CompiledImage, CompiledKernels},
};
use kernel_args_image::Image;
use std::{fs, path::Path};

macro_rules! images {
    ($($name:ident = $path:literal,)*) => {
        kernel_args::kernels! { $(mod $name = $path;)* }

        const IMAGES: &[(&str, &CompiledImage, CompiledKernels)] =
            &[$(($path, $name::IMAGE, $name::KERNELS)),*];
    };
}

images! {
    alignments = "../ptx/alignments.ptx",
    attributes = "../ptx/attributes.ptx",
    attributes_sm90 = "../ptx/attributes_sm90.ptx",
    code = "../ptx/code.ptx",
    conditions = "../ptx/conditions.ptx",
    confused = "../ptx/confused.ptx",
    confused_c = "../ptx/confused_c.ptx",
    confused_c_debug = "../ptx/confused_c.debug.ptx",
    decoder = "../ptx/decoder.ptx",
    echo_counts = "../ptx/echo_counts.ptx",
    echo_interop = "../ptx/echo_interop.ptx",
    echo_pointers = "../ptx/echo_pointers.ptx",
    echo_scalars = "../ptx/echo_scalars.ptx",
    echo_spread = "../ptx/echo_spread.ptx",
    echo_spread_debug = "../ptx/echo_spread.debug.ptx",
    echo_structs = "../ptx/echo_structs.ptx",
    echo_vectors = "../ptx/echo_vectors.ptx",
    faulty = "../ptx/faulty.ptx",
    generated = "../ptx/generated.ptx",
    generated_debug = "../ptx/generated.debug.ptx",
    globals = "../ptx/globals.ptx",
    globals_debug = "../ptx/globals.debug.ptx",
    graph_update = "../ptx/graph_update.ptx",
    hungry = "../ptx/hungry.ptx",
    image_filter = "../ptx/image_filter.ptx",
    launch_cost = "../ptx/launch_cost.ptx",
    long_double = "../ptx/long_double.ptx",
    long_double_debug = "../ptx/long_double.debug.ptx",
    matrix = "../ptx/matrix.ptx",
    matrix_debug = "../ptx/matrix.debug.ptx",
    matrix_c = "../ptx/matrix_c.ptx",
    matrix_c_debug = "../ptx/matrix_c.debug.ptx",
    nbody = "../ptx/nbody.ptx",
    packed = "../ptx/packed.ptx",
    packed_debug = "../ptx/packed.debug.ptx",
    real_bugs = "../ptx/real_bugs.ptx",
    real_bugs_debug = "../ptx/real_bugs.debug.ptx",
    reduce = "../ptx/reduce.ptx",
    saxpy = "../ptx/saxpy.ptx",
    saxpy_typed = "../ptx/saxpy_typed.ptx",
    mean = "../ptx/mean.ptx",
    mirrors = "../ptx/mirrors.ptx",
    mirrors_debug = "../ptx/mirrors.debug.ptx",
    shade = "../ptx/shade.ptx",
    shade_debug = "../ptx/shade.debug.ptx",
    strided = "../ptx/strided.ptx",
    textures = "../ptx/textures.ptx",
    vector_add = "../ptx/vector_add.ptx",
    wide_integers = "../ptx/wide_integers.ptx",
    mutants = "golden/mutants.ptx",
    debug = "golden/debug.ptx",
    debug_ptx = "../crates/image/tests/data/debug.ptx",
    debug_cubin = "../crates/image/tests/data/debug.sm_90.cubin",
    cubin_75 = "../crates/image/tests/data/kernels.sm_75.cubin",
    cubin_90 = "../crates/image/tests/data/large.sm_90.cubin",
    cubin_100 = "../crates/image/tests/data/kernels.sm_100.cubin",
    fatbin = "../crates/image/tests/data/one.none.fatbin",
    lz4 = "../crates/image/tests/data/one.speed.fatbin",
    zstd = "../crates/image/tests/data/one.size.fatbin",
}

/// An item has no enum variants, because they are not compared.
fn same(item: &Parameter<'_>, read: &Parameter<'_>) -> bool {
    let members = item.members.iter().zip(read.members.iter());
    item.members.len() == read.members.len()
        && item.members.why_opaque() == read.members.why_opaque()
        && members.into_iter().all(|(item, read)| same(&item, &read))
        && item.with_members(Members::UNKNOWN) == read.with_members(Members::UNKNOWN)
}

#[test]
#[cfg_attr(miri, ignore = "it reads files and analyses code")]
fn items_have_the_parameters_that_are_read() {
    for (path, image, kernels) in IMAGES {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        assert_eq!(fs::read(file).expect("the image is there"), image.bytes());
        let file = Image::read(image.bytes()).expect("it was read before");
        let typed = file.kernels().expect("they were read before");
        let mut read = typed.clone();
        let is_untyped = |symbol: &str| {
            let kernel = typed.kernel(symbol, None);
            kernel.is_some_and(|kernel| kernel.has_untyped_parameters())
        };
        file.add_bodies(&mut read, is_untyped).expect("it was decompressed before");
        assert_eq!(read.symbols().count(), kernels.len(), "{path}");
        for kernel in kernels {
            let found = read.kernel(kernel.symbol(), None).expect("it has this kernel");
            let found = found.parameters();
            assert_eq!(kernel.parameter_count(), found.len());
            for (item, parameter) in kernel.parameters().zip(found) {
                assert!(same(&item, &parameter), "{path}: {kernel:?}: {item:?} {parameter:?}");
            }
        }
    }
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx"));
    let ptx = files.expect("the folder is there").filter(|file| {
        let path = file.as_ref().map(fs::DirEntry::path);
        path.is_ok_and(|path| path.extension().is_some_and(|extension| extension == "ptx"))
    });
    let listed = IMAGES.iter().filter(|(path, ..)| path.starts_with("../ptx"));
    assert_eq!(ptx.count(), listed.count(), "each of the folder is listed");
}

//! Every kernel of the repository's images is an item, with the parameters that the reader finds.

use kernel_args::{CompiledKernels, abi::image::Image};
use std::{fs, path::Path};

macro_rules! images {
    ($($name:ident = $path:literal,)*) => {
        kernel_args::kernels! { $(mod $name = $path;)* }

        const IMAGES: &[(&str, &[u8], CompiledKernels)] =
            &[$(($path, $name::IMAGE, $name::KERNELS)),*];
    };
}

images! {
    attributes = "../ptx/attributes.ptx",
    attributes_sm90 = "../ptx/attributes_sm90.ptx",
    echo_counts = "../ptx/echo_counts.ptx",
    echo_interop = "../ptx/echo_interop.ptx",
    echo_pointers = "../ptx/echo_pointers.ptx",
    echo_scalars = "../ptx/echo_scalars.ptx",
    echo_structs = "../ptx/echo_structs.ptx",
    echo_vectors = "../ptx/echo_vectors.ptx",
    graph_update = "../ptx/graph_update.ptx",
    hungry = "../ptx/hungry.ptx",
    launch_cost = "../ptx/launch_cost.ptx",
    nbody = "../ptx/nbody.ptx",
    reduce = "../ptx/reduce.ptx",
    saxpy = "../ptx/saxpy.ptx",
    saxpy_typed = "../ptx/saxpy_typed.ptx",
    vector_add = "../ptx/vector_add.ptx",
    mutants = "golden/mutants.ptx",
    cubin_75 = "../kernel-args-abi/tests/data/kernels.sm_75.cubin",
    cubin_90 = "../kernel-args-abi/tests/data/large.sm_90.cubin",
    cubin_100 = "../kernel-args-abi/tests/data/kernels.sm_100.cubin",
    fatbin = "../kernel-args-abi/tests/data/one.none.fatbin",
    lz4 = "../kernel-args-abi/tests/data/one.speed.fatbin",
    zstd = "../kernel-args-abi/tests/data/one.size.fatbin",
}

#[test]
fn items_have_the_parameters_that_are_read() {
    for (path, image, kernels) in IMAGES {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        assert_eq!(fs::read(file).expect("the image is there"), *image);
        let read = Image::read(image).expect("it was read before");
        let read = read.kernels().expect("they were read before");
        assert_eq!(read.symbols().count(), kernels.len(), "{path}");
        for kernel in kernels {
            let found = read
                .kernel(kernel.symbol(), None)
                .expect("it has this kernel");
            assert_eq!(
                kernel.parameters().collect::<Vec<_>>(),
                found.parameters(),
                "{path}: {kernel:?}"
            );
        }
    }
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx"));
    let ptx = files.expect("the folder is there").filter(|file| {
        let path = file.as_ref().map(fs::DirEntry::path);
        path.is_ok_and(|path| path.extension().is_some_and(|extension| extension == "ptx"))
    });
    let listed = IMAGES
        .iter()
        .filter(|(path, ..)| path.starts_with("../ptx"));
    assert_eq!(ptx.count(), listed.count(), "each of the folder is listed");
}

//! Tests of nvcc only.

use super::{DESCRIBED, Package, parameters, saxpy};
use kernel_args_image::Launchers;
use std::{fs, path::Path};

pub(super) fn a_fat_binary_contains_every_generation(home: &Path) {
    let package = saxpy("nvcc-fatbin");
    let ran = package.run("saxpy_fatbin", &[("CUDA_HOME", home)]).succeeded();
    assert_eq!(ran.directives("warning"), [] as [&str; 0]);
    let fatbin = fs::read(package.out.join("saxpy.fatbin")).unwrap();
    assert_eq!(parameters(&fatbin).len(), 2);
    assert_eq!(parameters(package.written("saxpy.debug.ptx").as_bytes()), DESCRIBED);
}

pub(super) fn a_missing_host_compiler_is_reported(home: &Path) {
    let package = saxpy("nvcc-alone");
    let said = package.run("saxpy", &[("CUDA_HOME", home), ("PATH", Path::new("/nowhere"))]).failed();
    assert!(said.contains("Failed to preprocess host compiler properties"), "nvcc's own message: {said}");
    assert!(said.contains("nvcc needs a C++ compiler") && said.contains("`NVCC_CCBIN`"), "{said}");
}

pub(super) fn both_compilers_describe_a_kernel_alike(home: &Path, nvrtc: &Path) {
    let descriptions = [("a", home), ("b", nvrtc)].map(|(name, home)| {
        let package = saxpy(&format!("alike-{name}"));
        package.run("saxpy", &[("CUDA_HOME", home)]).succeeded();
        parameters(package.written("saxpy.debug.ptx").as_bytes())
    });
    assert_eq!(descriptions[0], descriptions[1]);
}

pub(super) fn a_library_is_compiled_described_and_committed(home: &Path) {
    let package = Package::new("nvcc-library");
    let source = "__device__ float twice(float x);\n\
        __global__ void k(float* y) { y[0] = twice(y[0]); }\n\
        extern \"C\" cudaError_t run(float* y, cudaStream_t stream) { k<<<1, 1, 0, stream>>>(y); return cudaGetLastError(); }\n";
    package.write_old("src/one/a.cu", source);
    package.write_old("src/one/b.cu", "__device__ float twice(float x) { return 2 * x; }\n");
    for file in ["src/two/c.cu", "src/two/d.cu"] {
        package.write_old(file, "extern \"C\" int run(int x) { return x; }\n");
    }
    let update = ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1"));
    let check = |name: &str, variables: &[(&str, &Path)]| {
        let ran = package.run("library", variables).succeeded();
        assert!(
            ran.directives("rustc-link-lib").starts_with(&["static:+whole-archive=one", "static=cudadevrt"]),
            "{name}: {ran:?}"
        );
        for file in ["libone.a", "one.debug.a"] {
            let library = fs::read(package.out.join("launchers-one").join(file)).unwrap();
            let launchers = Launchers::read(&library).unwrap();
            let found = launchers.get("run").map(|run| run.prototype());
            assert_eq!(found.is_ok(), file == "one.debug.a", "{name}: {found:?}");
            if let Ok(prototype) = found {
                assert_eq!(prototype, "cudaError_t run(float* y, cudaStream_t stream)");
            }
            // Device code of both sources, linked.
            assert_eq!(library.windows(11).any(|part| part == b"one.link.o/"), file == "libone.a", "{name}: {file}");
        }
        let written = package.written("kernels.rs");
        assert!(written.contains("pub mod one = concat!(env!(") && written.contains("/one.debug.a"), "{written}");
        fs::remove_dir_all(package.out.join("launchers-one")).unwrap();
        ran
    };
    let made = check("compiled", &[("CUDA_HOME", home), update]);
    assert_eq!(made.directives("warning"), [] as [&str; 0]);
    let taken = check("committed", &[("NVCC", Path::new("/nowhere/nvcc"))]);
    assert!(taken.directives("warning").concat().contains("using the committed images"), "{taken:?}");
    let said = package.run("two_libraries", &[("CUDA_HOME", home)]).failed();
    assert!(said.contains("the libraries `one` and `two` both export `run`"), "{said}");
}

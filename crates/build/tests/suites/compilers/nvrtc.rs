//! Tests of NVRTC only.

use super::{Package, parameters, saxpy};
use crate::support::{nvrtc, repository};
use std::{fs, path::Path};

/// This compiler reproduces the committed files of the example `build-script`.
pub(super) fn the_example_is_up_to_date(home: &Path) {
    let mut package = Package::new("example");
    package.root = repository().join("examples/build_script");
    let ran = package.run("example", &[("CUDA_HOME", home)]).succeeded();
    assert_eq!(ran.directives("warning"), [] as [&str; 0]);
    for file in ["heat.ptx", "heat.debug.ptx"] {
        let committed = fs::read_to_string(package.root.join("ptx").join(file)).unwrap();
        assert_eq!(package.written(file), committed, "run `KERNEL_ARGS_BUILD_UPDATE=1 cargo build -p build-script`");
    }
}

pub(super) fn settings_of_the_modules_are_written(home: &Path) {
    let package = saxpy("modules");
    package.run("generate", &[("CUDA_HOME", home)]).succeeded();
    let text = package.written("gpu.rs");
    assert!(text.contains("crate = crate::gpu::kernel_args;"), "{text}");
    assert!(text.contains("\n    pub struct Saxpy<'a> {\n") && text.contains("pub x: &'a CudaSlice<f32>,"), "{text}");
}

pub(super) fn fat_binaries_are_refused(home: &Path) {
    let package = saxpy("nvrtc-fatbin");
    let said = package.run("saxpy_fatbin", &[("NVCC", &nvrtc(home))]).failed();
    assert!(said.contains("NVCC: ") && said.contains("writes neither fat binaries nor libraries"), "{said}");
}

pub(super) fn a_header_of_c_is_said_to_be_missing(home: &Path) {
    let package = Package::new("nvrtc-header");
    package.write_old("src/k.cu", "#include <stdio.h>\n__global__ void k() {}\n");
    let said = package.run("all", &[("CUDA_HOME", home)]).failed();
    assert!(said.contains("stdio.h") && said.contains("NVRTC has no C and C++ headers"), "{said}");
}

pub(super) fn headers_of_cuda_are_found(home: &Path, nvcc: &Path) {
    let package = Package::new("nvrtc-cuda-headers");
    package.write_old("src/k.cu", "#include <cuda_fp16.h>\n__global__ void k(__half x, __half* y) { *y = x; }\n");
    // NVRTC and the headers are in different folders, as in Python's packages.
    let library = nvrtc(home);
    package.run("all", &[("NVCC", &library), ("CUDA_HOME", nvcc)]).succeeded();
    assert_eq!(
        parameters(package.written("k.debug.ptx").as_bytes()),
        ["_Z1k6__halfPS_(2 x: __half [\"__x\"], 8 y: __half* [])"]
    );
}

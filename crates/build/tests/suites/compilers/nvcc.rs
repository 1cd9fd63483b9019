//! Tests of nvcc only.

use super::{DESCRIBED, parameters, saxpy};
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

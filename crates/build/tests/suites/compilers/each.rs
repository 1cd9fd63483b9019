//! Tests that run with both compilers.

use super::{DESCRIBED, Package, parameters, saxpy};
use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

pub(super) fn writes_the_image_its_description_and_the_modules(home: &Path, name: &str) {
    let package = saxpy(&format!("{name}-writes"));
    let ran = package.run("saxpy", &[("CUDA_HOME", home)]).succeeded();
    assert_eq!(ran.directives("warning"), [] as [&str; 0]);
    assert_eq!(parameters(package.written("saxpy.debug.ptx").as_bytes()), DESCRIBED);
    let image = package.written("saxpy.ptx");
    assert!(image.contains(".target sm_75\n") && image.contains("+16]"), "{image}");
    assert!(!image.contains(".debug_info"));
    assert_eq!(
        package.written("kernels.rs"),
        "// Written by kernel-args-build.\n::kernel_args::kernels! {\n    pub mod saxpy = concat!(env!(\"OUT_DIR\"), \
         \"/saxpy.ptx\"), debug_info = concat!(env!(\"OUT_DIR\"), \"/saxpy.debug.ptx\");\n}\n"
    );
    for variable in ["NVCC", "CUDA_HOME"] {
        assert!(ran.directives("rerun-if-env-changed").contains(&variable));
    }
    assert!(!ran.directives("rerun-if-env-changed").contains(&"PATH"));
    let files = ran.directives("rerun-if-changed");
    let own: Vec<&&str> = files.iter().filter(|path| Path::new(path).is_relative()).collect();
    assert_eq!(own, [&"inc lude", &"inc lude/far.cuh", &"src/near.cuh", &"src/saxpy.cu"]);
    for file in &files {
        assert!(package.root.join(file).exists(), "cargo runs the script each time because of {file}");
    }
    assert!(files.iter().any(|path| Path::new(path).starts_with(home)), "the compiler");
}

/// The committed files do not depend on the place where they were compiled.
pub(super) fn a_description_names_no_folder(home: &Path, name: &str) {
    let (one, other) = (saxpy(&format!("{name}-folder")), saxpy(&format!("{name}-another-folder")));
    for package in [&one, &other] {
        package.run("saxpy", &[("CUDA_HOME", home)]).succeeded();
    }
    assert_eq!(one.written("saxpy.debug.ptx"), other.written("saxpy.debug.ptx"));
}

pub(super) fn a_changed_header_is_compiled_again(home: &Path, name: &str) {
    let package = saxpy(&format!("{name}-changed"));
    let home = [("CUDA_HOME", home)];
    package.run("saxpy", &home).succeeded();
    let time = |file: &str| fs::metadata(package.out.join(file)).unwrap().modified().unwrap();
    let (before, image) = (time("saxpy.ptx"), package.written("saxpy.ptx"));
    package.run("saxpy", &home).succeeded();
    assert_eq!(time("saxpy.ptx"), before);
    package.write_old("inc lude/far.cuh", "#define FACTOR 3\n");
    package.run("saxpy", &home).succeeded();
    assert_ne!(package.written("saxpy.ptx"), image);
}

/// A new header hides an existing one, because its folder is searched first.
pub(super) fn a_new_header_is_compiled(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-appears"));
    package.write_old(
        "src/a.cu",
        "#include <which.cuh>\n\
         #if __has_include(\"near.cuh\")\n#include \"near.cuh\"\n#endif\n\
         extern \"C\" __global__ void k(Taken* out) {}\n",
    );
    package.write_old("one/readme", "");
    package.write_old("two/which.cuh", "typedef int Taken;\n");
    let home = [("CUDA_HOME", home)];
    let described = || {
        let ran = package.run("two_folders", &home).succeeded();
        assert!(ran.directives("rerun-if-changed").contains(&"one"), "cargo watches for the new header: {ran:?}");
        parameters(package.written("a.debug.ptx").as_bytes())
    };
    assert_eq!(described(), ["k(8 out: int* [])"]);
    package.write_old("one/which.cuh", "typedef float Taken;\n");
    assert_eq!(described(), ["k(8 out: float* [])"]);
    package.write_old("src/near.cuh", "#define Taken double\n");
    assert_eq!(described(), ["k(8 out: double* [])"]);
    fs::remove_file(package.root.join("src/near.cuh")).unwrap();
    fs::remove_file(package.root.join("one/which.cuh")).unwrap();
    assert_eq!(described(), ["k(8 out: int* [])"]);
    fs::remove_file(package.root.join("two/which.cuh")).unwrap();
    let said = package.run("two_folders", &home).failed();
    assert!(said.contains("which.cuh"), "{said}");
}

pub(super) fn the_variable_sets_the_generation(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-variable"));
    package.write_old("src/k.cu", "extern \"C\" __global__ void k(int a) {}\n");
    let target = |script: &str, value: &str| {
        let variables = [("CUDA_HOME", home), ("CUDA_COMPUTE_CAP", Path::new(value))];
        let ran = package.run(script, &variables).succeeded();
        let text = package.written("k.ptx");
        let line = text.lines().find(|line| line.starts_with(".target"));
        (line.unwrap().to_owned(), ran.directives("rerun-if-env-changed").contains(&"CUDA_COMPUTE_CAP"))
    };
    assert_eq!(target("all", "80"), (".target sm_80".to_owned(), true));
    assert_eq!(target("all", "8.9"), (".target sm_89".to_owned(), true));
    // Committed files are the same on each machine.
    let variables =
        [("CUDA_HOME", home), ("CUDA_COMPUTE_CAP", Path::new("89")), ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1"))];
    package.run("all_fallback", &variables).succeeded();
    assert!(package.written("../package/committed/k.ptx").contains(".target sm_75"));
    let wrong = [("CUDA_HOME", home), ("CUDA_COMPUTE_CAP", Path::new("new"))];
    let said = package.run("all", &wrong).failed();
    assert!(said.contains("`new`, the value of `CUDA_COMPUTE_CAP`, is not a GPU generation"), "{said}");
}

pub(super) fn a_generation_that_the_compiler_does_not_know_is_its_error(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-generation"));
    package.write_old("src/k.cu", "__global__ void k() {}\n");
    let variables = [("CUDA_HOME", home), ("CUDA_COMPUTE_CAP", Path::new("30"))];
    let said = package.run("all", &variables).failed();
    assert!(said.contains("`src/k.cu` does not compile with ") && said.contains("compute_30"), "{said}");
}

pub(super) fn kernels_of_one_name_are_in_modules_of_their_own(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-same-name"));
    for (file, ty) in [("one", "int"), ("other", "float")] {
        let text = format!("extern \"C\" __global__ void k({ty}* out) {{}}\n");
        package.write_old(&format!("src/{file}.cu"), &text);
    }
    package.run("all", &[("CUDA_HOME", home)]).succeeded();
    for (file, ty) in [("one", "int"), ("other", "float")] {
        assert_eq!(
            parameters(package.written(&format!("{file}.debug.ptx")).as_bytes()),
            [format!("k(8 out: {ty}* [])")]
        );
    }
}

pub(super) fn errors_are_the_compilers_own(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-errors"));
    package.write_old("src/one.cu", "__global__ void k(int* p) { *p = undeclared; }\n");
    package.write_old("src/two.cu", "#include \"missing.cuh\"\n__global__ void k() {}\n");
    package.write_old("src/right.cu", "__global__ void k() {}\n");
    let said = package.run("all", &[("CUDA_HOME", home)]).failed();
    for part in [
        "`src/one.cu` does not compile with ",
        "src/one.cu(1): error: identifier \"undeclared\" is undefined",
        "`src/two.cu` does not compile with ",
        "missing.cuh",
    ] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
    assert!(!said.contains("right.cu") && !package.has("kernels.rs"), "{said}");
    assert_eq!(said.matches("undeclared").count(), 2, "a source is reported only once:\n{said}");
}

pub(super) fn warnings_and_sources_without_kernels_are_shown(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-warnings"));
    package.write_old("src/empty.cu", "");
    package.write_old("src/template.cu", "template<class T> __global__ void k(T) {}\n");
    package.write_old("src/warns.cu", "__global__ void k() { int unused; }\n");
    for _ in ["compiled", "kept"] {
        let ran = package.run("all", &[("CUDA_HOME", home)]).succeeded();
        let warnings = ran.directives("warning").join("\n");
        assert!(warnings.contains("\"unused\" was declared but never referenced"), "{warnings}");
        for source in ["empty", "template"] {
            assert!(warnings.contains(&format!("`src/{source}.cu` has no kernel")), "{warnings}");
        }
        let text = package.written("kernels.rs");
        assert!(text.matches("pub mod").count() == 1 && text.contains("pub mod warns"), "{text}");
    }
}

pub(super) fn a_cubin_is_machine_code(home: &Path, name: &str) {
    let package = saxpy(&format!("{name}-cubin"));
    package.run("saxpy_cubin", &[("CUDA_HOME", home)]).succeeded();
    let cubin = fs::read(package.out.join("saxpy.cubin")).unwrap();
    assert!(cubin.starts_with(b"\x7fELF"));
    assert_eq!(parameters(&cubin).len(), 2);
    assert!(package.written("kernels.rs").contains("/saxpy.cubin"));
}

pub(super) fn committed_images_are_written_and_compared(home: &Path, name: &str) {
    let package = saxpy(&format!("{name}-fallback"));
    let ran = package.run("saxpy_fallback", &[("CUDA_HOME", home)]).succeeded();
    let warnings = ran.directives("warning").join("\n");
    assert!(warnings.contains("committed/saxpy") && warnings.contains("KERNEL_ARGS_BUILD_UPDATE=1"), "{warnings}");
    let update = [("CUDA_HOME", home), ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1"))];
    package.run("saxpy_fallback", &update).succeeded();
    let ran = package.run("saxpy_fallback", &[("CUDA_HOME", home)]).succeeded();
    assert_eq!(ran.directives("warning"), [] as [&str; 0]);
    assert!(ran.directives("rerun-if-changed").contains(&"committed/saxpy.ptx"));
    let record = fs::read_to_string(package.root.join("committed/saxpy.sources")).unwrap();
    let folder = package.root.parent().unwrap().to_string_lossy();
    assert!(!record.contains(&*folder) && !record.contains("outside"), "{record}");
    for header in ["inc lude/far.cuh", "src/near.cuh", "src/saxpy.cu"] {
        assert!(record.contains(header), "{record}");
    }
    package.write_old("src/near.cuh", "#include <far.cuh>\n// changed\n");
    let ran = package.run("saxpy_fallback", &[("CUDA_HOME", home)]).succeeded();
    let warnings = ran.directives("warning").join("\n");
    assert!(warnings.contains("`src/near.cuh` has changed since"), "{warnings}");
}

pub(super) fn images_of_another_crate_are_described(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-described"));
    package.write_old(
        "src/k.cu",
        "extern \"C\" __global__ void always(int a) {}\n\
         #if __CUDA_ARCH__ >= 860\n\
         extern \"C\" __global__ void newer(int b) {}\n\
         #endif\n",
    );
    let home = [("CUDA_HOME", home)];
    let said = package.run("described", &home).failed();
    assert!(said.contains("the image `") && said.contains("help: call `debug_info` after"), "{said}");
    // Other crates write the image for the GPU of the machine.
    for (target, described) in
        [("sm_80", &["always(4 a: int [])"][..]), ("sm_86", &["always(4 a: int [])", "newer(4 b: int [])"])]
    {
        let image = format!(".version 8.0\n.target {target}\n.address_size 64\n");
        fs::write(package.out.join("k.ptx"), &image).unwrap();
        package.run("described", &home).succeeded();
        assert_eq!(package.written("k.ptx"), image);
        assert_eq!(parameters(package.written("k.debug.ptx").as_bytes()), described);
    }
    assert!(package.written("kernels.rs").contains("/k.debug.ptx"));
}

/// `bindgen_cuda` compiles a source again if it is newer than its image, and does not check headers.
pub(super) fn an_image_that_is_older_than_a_header_is_refused(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-stale"));
    package.write_old("src/k.cu", "#include \"params.cuh\"\nextern \"C\" __global__ void k(Params p) {}\n");
    package.write_old("src/params.cuh", "struct Params { int a, b; };\n");
    let image = package.out.join("k.ptx");
    fs::write(
        &image,
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .align 4 .b8 p[8]) { ret; }\n",
    )
    .unwrap();
    let home = [("CUDA_HOME", home)];
    package.run("described", &home).succeeded();
    let later = |path: &Path, seconds| {
        let time = SystemTime::now() + Duration::from_secs(seconds);
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    };
    package.write("src/params.cuh", "struct Params { int b, a; };\n");
    later(&package.root.join("src/params.cuh"), 10);
    for _ in ["compiled", "again"] {
        let said = package.run("described", &home).failed();
        assert!(
            said.contains("k.ptx` is older than `src/params.cuh`, which `src/k.cu` includes")
                && said.contains("save `src/k.cu` again")
                && said.contains("`.watch([\"src/params.cuh\"])`"),
            "{said}"
        );
    }
    later(&image, 20);
    package.run("described", &home).succeeded();
    // A crate that compares contents does not compile again if only the time of a header changes.
    later(&package.root.join("src/params.cuh"), 30);
    package.run("described", &home).succeeded();
    package.write("src/params.cuh", "struct Params { int b, c; };\n");
    later(&package.root.join("src/params.cuh"), 40);
    let said = package.run("described", &home).failed();
    assert!(said.contains("is older than"), "{said}");
    package.write("src/params.cuh", "struct Params { int b, a; };\n");
    later(&package.root.join("src/params.cuh"), 50);
    package.run("described", &home).succeeded();
    assert_eq!(parameters(package.written("k.debug.ptx").as_bytes()), ["k(8 p: Params [\"b\", \"a\"])"]);
}

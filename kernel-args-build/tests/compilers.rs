//! Build scripts with NVRTC, nvcc, programs in the place of nvcc, and without a compiler.
//!
//! A build script is this program, started again with the variables that cargo sets.

mod support;

use kernel_args_abi::image::Image;
use kernel_args_build::{Error, Kernels, Output};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::{env, path::PathBuf, process::ExitCode};
use support::{Package, toolkit};

/// The build scripts.
fn script(name: &str) -> Result<(), Error> {
    let kernels = Kernels::new();
    let saxpy = || {
        Kernels::new()
            .file("src/saxpy.cu")
            .include("inc lude")
            .define("N", "4")
            .arch("sm_75")
    };
    match name {
        "saxpy" => saxpy().build(),
        // As in its own build script.
        "example" => kernels
            .file("src/heat.cu")
            .arch("sm_75")
            .fallback("ptx")
            .generate()
            .build(),
        "written_header" => {
            let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
            let text = env::var("TEXT").unwrap();
            std::fs::write(out.join("written.cuh"), text).unwrap();
            kernels.glob("src/*.cu").include(out).build()
        }
        "described" => kernels.glob("src/*.cu").debug_info(),
        "saxpy_fallback" => saxpy().fallback("committed").build(),
        "saxpy_fallback_8" => saxpy().define("N", "8").fallback("committed").build(),
        "saxpy_cubin" => saxpy().output(Output::Cubin).build(),
        "saxpy_fatbin" => saxpy().arch("sm_90").flag("-lineinfo").build(),
        "generate" => saxpy()
            .generate()
            .crate_path("crate::gpu::kernel_args")
            .rust_file("gpu.rs")
            .build(),
        "all" => kernels.glob("src/*.cu").build(),
        "serial" => kernels.glob("src/*.cu").jobs(1).build(),
        "parallel" => kernels.glob("src/*.cu").jobs(4).build(),
        "compiler" => kernels.glob("src/*.cu").compiler("tools/nvcc").build(),
        "twice" => kernels
            .file("src/a.cu")
            .build()
            .and_then(|()| Kernels::new().file("src/b.cu").build()),
        "two_sets" => {
            kernels.file("src/a.cu").build()?;
            Kernels::new()
                .file("src/b.cu")
                .rust_file("other.rs")
                .build()
        }
        _ => unreachable!("there is no build script {name}"),
    }
}

/// A header beside the source, one that it includes in a folder, and one that is not included.
fn saxpy(name: &str) -> Package {
    let package = Package::new(name);
    package.write_old(
        "src/saxpy.cu",
        "#include \"near.cuh\"\n\
         struct Params { float alpha; int count; };\n\
         extern \"C\" __global__ void saxpy(Params params, const float* x, float* y) { y[0] = FACTOR * params.alpha * x[N]; }\n\
         template<class T> __global__ void fill(T value, T* out) { *out = value; }\n\
         template __global__ void fill<double>(double, double*);\n",
    );
    package.write_old("src/near.cuh", "#include <far.cuh>\n");
    package.write_old("inc lude/far.cuh", "#define FACTOR 2\n");
    package.write_old("inc lude/other.cuh", "");
    package
}

fn parameters(image: &[u8]) -> Vec<String> {
    let kernels = Image::read(image).unwrap().kernels().unwrap();
    let described = |symbol: &str| {
        let kernel = kernels.kernel(symbol, None).unwrap();
        let parameters = kernel.parameters().into_iter().map(|parameter| {
            let members: Vec<&str> = parameter.members.iter().map(|member| member.name).collect();
            format!(
                "{} {}: {} {members:?}",
                parameter.size, parameter.name, parameter.cpp
            )
        });
        format!("{symbol}({})", parameters.collect::<Vec<_>>().join(", "))
    };
    kernels.symbols().map(described).collect()
}

const DESCRIBED: [&str; 2] = [
    "_Z4fillIdEvT_PS0_(8 value: double [], 8 out: double* [])",
    "saxpy(8 params: Params [\"alpha\", \"count\"], 8 x: float const* [], 8 y: float* [])",
];

/// What both compilers do.
mod each {
    use super::{DESCRIBED, Package, parameters, saxpy};
    use std::{fs, path::Path};

    pub(super) fn writes_the_image_its_description_and_the_modules(home: &Path, name: &str) {
        let package = saxpy(&format!("{name}-writes"));
        let ran = package.run("saxpy", &[("CUDA_HOME", home)]).succeeded();
        assert_eq!(ran.told("warning"), [] as [&str; 0]);
        assert_eq!(
            parameters(package.written("saxpy.debug.ptx").as_bytes()),
            DESCRIBED
        );
        let image = package.written("saxpy.ptx");
        assert!(
            image.contains(".target sm_75\n") && image.contains("+16]"),
            "{image}"
        );
        assert!(!image.contains(".debug_info"));
        assert_eq!(
            package.written("kernels.rs"),
            "// Written by kernel-args-build.\n::kernel_args::kernels! {\n    pub mod saxpy = concat!(env!(\"OUT_DIR\"), \
             \"/saxpy.ptx\"), debug_info = concat!(env!(\"OUT_DIR\"), \"/saxpy.debug.ptx\");\n}\n"
        );
        for variable in ["NVCC", "CUDA_HOME"] {
            assert!(ran.told("rerun-if-env-changed").contains(&variable));
        }
        assert!(!ran.told("rerun-if-env-changed").contains(&"PATH"));
        let files = ran.told("rerun-if-changed");
        let own: Vec<&&str> = files
            .iter()
            .filter(|path| Path::new(path).is_relative())
            .collect();
        assert_eq!(own, [&"inc lude/far.cuh", &"src/near.cuh", &"src/saxpy.cu"]);
        for file in &files {
            assert!(
                package.root.join(file).exists(),
                "cargo would run the script each time: {file}"
            );
        }
        assert!(
            files.iter().any(|path| Path::new(path).starts_with(home)),
            "the compiler"
        );
    }

    /// Also the committed files do not tell where they were compiled.
    pub(super) fn a_description_names_no_folder(home: &Path, name: &str) {
        let (one, other) = (
            saxpy(&format!("{name}-folder")),
            saxpy(&format!("{name}-another-folder")),
        );
        for package in [&one, &other] {
            package.run("saxpy", &[("CUDA_HOME", home)]).succeeded();
        }
        assert_eq!(
            one.written("saxpy.debug.ptx"),
            other.written("saxpy.debug.ptx")
        );
    }

    pub(super) fn a_changed_header_is_compiled_again(home: &Path, name: &str) {
        let package = saxpy(&format!("{name}-changed"));
        let home = [("CUDA_HOME", home)];
        package.run("saxpy", &home).succeeded();
        let time = |file: &str| {
            fs::metadata(package.out.join(file))
                .unwrap()
                .modified()
                .unwrap()
        };
        let (before, image) = (time("saxpy.ptx"), package.written("saxpy.ptx"));
        package.run("saxpy", &home).succeeded();
        assert_eq!(time("saxpy.ptx"), before);
        package.write_old("inc lude/far.cuh", "#define FACTOR 3\n");
        package.run("saxpy", &home).succeeded();
        assert_ne!(package.written("saxpy.ptx"), image);
    }

    pub(super) fn errors_are_the_compilers_own(home: &Path, name: &str) {
        let package = Package::new(&format!("{name}-errors"));
        package.write_old(
            "src/one.cu",
            "__global__ void k(int* p) { *p = undeclared; }\n",
        );
        package.write_old(
            "src/two.cu",
            "#include \"missing.cuh\"\n__global__ void k() {}\n",
        );
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
        assert!(
            !said.contains("right.cu") && !package.has("kernels.rs"),
            "{said}"
        );
        assert_eq!(
            said.matches("undeclared").count(),
            2,
            "a source is reported once:\n{said}"
        );
    }

    pub(super) fn warnings_and_sources_without_kernels_are_shown(home: &Path, name: &str) {
        let package = Package::new(&format!("{name}-warnings"));
        package.write_old("src/empty.cu", "");
        package.write_old(
            "src/template.cu",
            "template<class T> __global__ void k(T) {}\n",
        );
        package.write_old("src/warns.cu", "__global__ void k() { int unused; }\n");
        for _ in ["compiled", "kept"] {
            let ran = package.run("all", &[("CUDA_HOME", home)]).succeeded();
            let warnings = ran.told("warning").join("\n");
            assert!(
                warnings.contains("\"unused\" was declared but never referenced"),
                "{warnings}"
            );
            for source in ["empty", "template"] {
                assert!(
                    warnings.contains(&format!("`src/{source}.cu` has no kernel")),
                    "{warnings}"
                );
            }
            let text = package.written("kernels.rs");
            assert!(
                text.matches("pub mod").count() == 1 && text.contains("pub mod warns"),
                "{text}"
            );
        }
    }

    pub(super) fn a_cubin_is_machine_code(home: &Path, name: &str) {
        let package = saxpy(&format!("{name}-cubin"));
        package
            .run("saxpy_cubin", &[("CUDA_HOME", home)])
            .succeeded();
        let cubin = fs::read(package.out.join("saxpy.cubin")).unwrap();
        assert!(cubin.starts_with(b"\x7fELF"));
        assert_eq!(parameters(&cubin).len(), 2);
        assert!(package.written("kernels.rs").contains("/saxpy.cubin"));
    }

    pub(super) fn committed_images_are_written_and_compared(home: &Path, name: &str) {
        let package = saxpy(&format!("{name}-fallback"));
        let ran = package
            .run("saxpy_fallback", &[("CUDA_HOME", home)])
            .succeeded();
        let warnings = ran.told("warning").join("\n");
        assert!(
            warnings.contains("committed/saxpy") && warnings.contains("KERNEL_ARGS_BUILD_UPDATE=1"),
            "{warnings}"
        );
        let update = [
            ("CUDA_HOME", home),
            ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1")),
        ];
        package.run("saxpy_fallback", &update).succeeded();
        let ran = package
            .run("saxpy_fallback", &[("CUDA_HOME", home)])
            .succeeded();
        assert_eq!(ran.told("warning"), [] as [&str; 0]);
        assert!(
            ran.told("rerun-if-changed")
                .contains(&"committed/saxpy.ptx")
        );
        let record = fs::read_to_string(package.root.join("committed/saxpy.sources")).unwrap();
        let folder = package.root.parent().unwrap().to_string_lossy();
        assert!(
            !record.contains(&*folder) && !record.contains("outside"),
            "{record}"
        );
        for header in ["inc lude/far.cuh", "src/near.cuh", "src/saxpy.cu"] {
            assert!(record.contains(header), "{record}");
        }
        package.write_old("src/near.cuh", "#include <far.cuh>\n// changed\n");
        let ran = package
            .run("saxpy_fallback", &[("CUDA_HOME", home)])
            .succeeded();
        let warnings = ran.told("warning").join("\n");
        assert!(
            warnings.contains("`src/near.cuh` was changed since"),
            "{warnings}"
        );
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
        assert!(
            said.contains("there is no image `") && said.contains("help: call `debug_info` after"),
            "{said}"
        );
        // As other crates write it: for the GPU of the machine.
        for (target, described) in [
            ("sm_80", &["always(4 a: int [])"][..]),
            ("sm_86", &["always(4 a: int [])", "newer(4 b: int [])"]),
        ] {
            let image = format!(".version 8.0\n.target {target}\n.address_size 64\n");
            fs::write(package.out.join("k.ptx"), &image).unwrap();
            package.run("described", &home).succeeded();
            assert_eq!(package.written("k.ptx"), image);
            assert_eq!(
                parameters(package.written("k.debug.ptx").as_bytes()),
                described
            );
        }
        assert!(package.written("kernels.rs").contains("/k.debug.ptx"));
    }
}

mod nvcc {
    use super::{DESCRIBED, parameters, saxpy};
    use std::{fs, path::Path};

    pub(super) fn a_fat_binary_holds_every_generation(home: &Path) {
        let package = saxpy("nvcc-fatbin");
        let ran = package
            .run("saxpy_fatbin", &[("CUDA_HOME", home)])
            .succeeded();
        assert_eq!(ran.told("warning"), [] as [&str; 0]);
        let fatbin = fs::read(package.out.join("saxpy.fatbin")).unwrap();
        assert_eq!(parameters(&fatbin).len(), 2);
        assert_eq!(
            parameters(package.written("saxpy.debug.ptx").as_bytes()),
            DESCRIBED
        );
    }

    pub(super) fn without_a_host_compiler_the_error_says_so(home: &Path) {
        let package = saxpy("nvcc-alone");
        let said = package
            .run(
                "saxpy",
                &[("CUDA_HOME", home), ("PATH", Path::new("/nowhere"))],
            )
            .failed();
        assert!(
            said.contains("Failed to preprocess host compiler properties"),
            "nvcc's own words: {said}"
        );
        assert!(
            said.contains("nvcc needs a C++ compiler") && said.contains("`NVCC_CCBIN`"),
            "{said}"
        );
    }

    pub(super) fn both_compilers_describe_a_kernel_alike(home: &Path, nvrtc: &Path) {
        let descriptions = [("a", home), ("b", nvrtc)].map(|(name, home)| {
            let package = saxpy(&format!("alike-{name}"));
            package.run("saxpy", &[("CUDA_HOME", home)]).succeeded();
            parameters(package.written("saxpy.debug.ptx").as_bytes())
        });
        assert_eq!(descriptions[0], descriptions[1]);
    }
}

mod nvrtc {
    use super::{Package, parameters, saxpy};
    use crate::support::repository;
    use std::{fs, path::Path};

    /// The committed files of the example `build-script` are what this compiler makes.
    pub(super) fn the_example_is_up_to_date(home: &Path) {
        let mut package = Package::new("example");
        package.root = repository().join("examples/build_script");
        let ran = package.run("example", &[("CUDA_HOME", home)]).succeeded();
        assert_eq!(ran.told("warning"), [] as [&str; 0]);
        for file in ["heat.ptx", "heat.debug.ptx"] {
            let committed = fs::read_to_string(package.root.join("ptx").join(file)).unwrap();
            assert_eq!(
                package.written(file),
                committed,
                "run `KERNEL_ARGS_BUILD_UPDATE=1 cargo build -p build-script`"
            );
        }
    }

    pub(super) fn settings_of_the_modules_are_written(home: &Path) {
        let package = saxpy("modules");
        package.run("generate", &[("CUDA_HOME", home)]).succeeded();
        let text = package.written("gpu.rs");
        assert!(
            text.contains("crate = crate::gpu::kernel_args;") && text.contains(", generate;"),
            "{text}"
        );
    }

    pub(super) fn fat_binaries_are_refused(home: &Path) {
        let package = saxpy("nvrtc-fatbin");
        let said = package
            .run(
                "saxpy_fatbin",
                &[("NVCC", &home.join("lib/libnvrtc.so.13"))],
            )
            .failed();
        assert!(
            said.contains("NVCC: ") && said.contains("does not write fat binaries"),
            "{said}"
        );
    }

    pub(super) fn a_header_of_c_is_said_to_be_missing(home: &Path) {
        let package = Package::new("nvrtc-header");
        package.write_old("src/k.cu", "#include <stdio.h>\n__global__ void k() {}\n");
        let said = package.run("all", &[("CUDA_HOME", home)]).failed();
        assert!(
            said.contains("stdio.h") && said.contains("NVRTC has no headers of C and C++"),
            "{said}"
        );
    }

    pub(super) fn headers_of_cuda_are_found(home: &Path, nvcc: &Path) {
        let package = Package::new("nvrtc-cuda-headers");
        package.write_old(
            "src/k.cu",
            "#include <cuda_fp16.h>\n__global__ void k(__half x, __half* y) { *y = x; }\n",
        );
        // NVRTC beside the headers of another folder, as Python's packages have them.
        let library = home.join("lib/libnvrtc.so.13");
        package
            .run("all", &[("NVCC", &library), ("CUDA_HOME", nvcc)])
            .succeeded();
        assert_eq!(
            parameters(package.written("k.debug.ptx").as_bytes()),
            ["_Z1k6__halfPS_(2 x: __half [\"__x\"], 8 y: __half* [])"]
        );
    }
}

/// With programs in the place of nvcc, or nothing.
#[cfg(unix)]
mod without {
    use super::{Package, saxpy};
    use libtest_mimic::Trial;
    use std::os::unix::fs::PermissionsExt;
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    /// A program that writes what nvcc would write, and each of its starts and ends into `log`. It waits until as many have started
    /// as `TOGETHER` says.
    const FAKE: &str = r#"#!/bin/sh
echo start >> "$LOG"
while [ $# -gt 0 ]; do
    case "$1" in -o) out=$2; shift;; -MF) list=$2; shift;; *.cu) source=$1;; esac
    shift
done
sleep 0.2
laps=0
while [ "$(grep -c start "$LOG")" -lt "${TOGETHER:-1}" ] && [ $laps -lt 100 ]; do
    sleep 0.1
    laps=$((laps + 1))
done
printf '.version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 n) { ret; }\n' > "$out"
printf 'out : %s\n' "$source" > "$list"
echo end >> "$LOG"
"#;

    fn program(package: &Package, path: &str, text: &str) -> PathBuf {
        package.write_old(path, text);
        let path = package.root.join(path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn sources(package: &Package, names: &[&str]) {
        for name in names {
            package.write_old(&format!("src/{name}.cu"), "");
        }
    }

    /// How many ran at once at most, and how many in all.
    fn runs(log: &Path) -> (i32, usize) {
        let text = fs::read_to_string(log).unwrap_or_default();
        let mut now = 0;
        let most = text.lines().map(|line| {
            now += if line == "start" { 1 } else { -1 };
            now
        });
        (most.max().unwrap_or(0), text.matches("start").count())
    }

    pub(super) fn as_many_compilations_run_at_once_as_were_asked_for() {
        for (script, most, together) in [("serial", 1, "1"), ("parallel", 4, "4")] {
            let package = Package::new(script);
            sources(&package, &["a", "b", "c"]);
            let nvcc = program(&package, "fake/nvcc", FAKE);
            let log = package.root.join("log");
            let variables = [
                ("NVCC", &*nvcc),
                ("LOG", &*log),
                ("TOGETHER", Path::new(together)),
            ];
            package.run(script, &variables).succeeded();
            assert_eq!(runs(&log), (most, 6), "{script}");
        }
    }

    pub(super) fn only_what_changed_is_compiled_again() {
        let package = Package::new("kept");
        sources(&package, &["a", "b"]);
        let (nvcc, log) = (
            program(&package, "fake/nvcc", FAKE),
            package.root.join("log"),
        );
        let variables = [("NVCC", &*nvcc), ("LOG", &*log)];
        let count = || {
            package.run("all", &variables).succeeded();
            runs(&log).1
        };
        assert_eq!(count(), 4);
        assert_eq!(count(), 4, "nothing changed");
        package.write_old("src/a.cu", "// changed");
        assert_eq!(count(), 6, "one source");
        fs::write(package.out.join("b.ptx"), "").unwrap();
        assert_eq!(count(), 8, "what was written was changed");
        program(&package, "fake/nvcc", &FAKE.replace("0.2", "0"));
        assert_eq!(count(), 12, "another compiler");
        let text = package.written("a.sources");
        fs::write(
            package.out.join("a.sources"),
            text.replace("output ptx", "output cubin"),
        )
        .unwrap();
        assert_eq!(count(), 14, "other settings");
        fs::rename(package.root.join("src/b.cu"), package.root.join("src/c.cu")).unwrap();
        assert_eq!(count(), 16, "a new name");
        assert!(
            package.has("c.ptx")
                && !package.has("b.ptx")
                && !package.has("b.debug.ptx")
                && !package.has("b.sources")
        );
        assert!(!package.written("kernels.rs").contains("mod b"));
    }

    pub(super) fn a_source_that_changes_while_it_is_compiled_is_compiled_again() {
        let package = Package::new("racing");
        sources(&package, &["a"]);
        let touch = FAKE.replace("sleep 0.2", "echo '// later' >> \"$source\"");
        let (nvcc, log) = (
            program(&package, "fake/nvcc", &touch),
            package.root.join("log"),
        );
        let variables = [("NVCC", &*nvcc), ("LOG", &*log)];
        for count in [2, 4] {
            package.run("all", &variables).succeeded();
            assert_eq!(runs(&log).1, count);
        }
    }

    pub(super) fn a_header_that_the_build_script_writes_counts_by_its_text() {
        let package = Package::new("written-header");
        sources(&package, &["a"]);
        let fake = FAKE.replace(
            "out : %s\\n' \"$source\"",
            "out : %s %s/written.cuh\\n' \"$source\" \"$(echo \"$OUT_DIR\" | sed 's/ /\\\\ /g')\"",
        );
        let nvcc = program(&package, "fake/nvcc", &fake);
        let log = package.root.join("log");
        for (text, count) in [("one", 2), ("one", 2), ("two", 4)] {
            let variables = [("NVCC", &*nvcc), ("LOG", &*log), ("TEXT", Path::new(text))];
            let ran = package.run("written_header", &variables).succeeded();
            assert_eq!(runs(&log).1, count, "{text}");
            let watched = ran.told("rerun-if-changed");
            assert!(
                watched.contains(&"src/a.cu")
                    && !watched.iter().any(|path| path.contains("written.cuh")),
                "cargo would run the script each time: {watched:?}"
            );
        }
        assert!(package.written("a.sources").contains("written.cuh"));
    }

    pub(super) fn a_compiler_that_is_asked_for_is_taken() {
        let package = Package::new("asked");
        sources(&package, &["a"]);
        let log = package.root.join("log");
        let said = package.run("compiler", &[("LOG", &log)]).failed();
        assert!(
            said.contains(".compiler(…): ") && said.contains("tools/nvcc is neither"),
            "{said}"
        );
        program(&package, "tools/nvcc", FAKE);
        package
            .run(
                "compiler",
                &[("LOG", &log), ("NVCC", Path::new("/nowhere/nvcc"))],
            )
            .succeeded();
    }

    pub(super) fn a_compiler_that_writes_nothing_is_an_error() {
        let package = Package::new("silent");
        sources(&package, &["a"]);
        let nvcc = program(&package, "fake/nvcc", "#!/bin/sh\nexit 3\n");
        let said = package.run("all", &[("NVCC", &nvcc)]).failed();
        assert!(
            said.contains("said nothing, and ended with exit status: 3"),
            "{said}"
        );
        program(&package, "fake/nvcc", "#!/bin/sh\nexit 0\n");
        let said = package.run("all", &[("NVCC", &nvcc)]).failed();
        assert!(
            said.contains("reports success, but `") && said.contains("a.ptx.d`"),
            "{said}"
        );
        package.write_old("fake/nvcc", "");
        fs::set_permissions(&nvcc, fs::Permissions::from_mode(0o644)).unwrap();
        let said = package.run("all", &[("NVCC", &nvcc)]).failed();
        assert!(said.contains("cannot be started"), "{said}");
        assert!(!package.has("kernels.rs"));
    }

    pub(super) fn without_a_compiler_the_error_lists_what_was_tried() {
        let package = Package::new("none");
        sources(&package, &["a"]);
        let said = package
            .run(
                "all",
                &[
                    ("CUDA_PATH", Path::new("/nowhere")),
                    ("PATH", Path::new("/nowhere")),
                ],
            )
            .failed();
        // The machine's own compiler may be in a usual folder.
        for part in [
            "no CUDA compiler was found",
            "NVCC: is not set",
            "CUDA_PATH: there is no folder /nowhere",
            "PATH: has no `nvcc`",
            "/usr/local/cuda",
            "libnvrtc.so",
            "help: install the CUDA Toolkit",
            "`Kernels::fallback`",
        ] {
            assert!(said.contains(part), "{part} is missing in\n{said}");
        }
    }

    pub(super) fn committed_images_stand_in_for_a_compiler() {
        let package = saxpy("committed");
        let fake = FAKE.replace(
            "out : %s\\n' \"$source\"",
            "out : src/saxpy.cu src/near.cuh inc\\\\ lude/far.cuh\\n'",
        );
        let (nvcc, log) = (
            program(&package, "fake/nvcc", &fake),
            package.root.join("log"),
        );
        let none = [("NVCC", Path::new("/nowhere/nvcc"))];
        let update = [
            ("NVCC", &*nvcc),
            ("LOG", &*log),
            ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1")),
        ];
        let said = package.run("saxpy_fallback", &none).failed();
        assert!(
            said.contains("the committed `committed/saxpy.sources` cannot be read"),
            "{said}"
        );
        assert!(said.contains("NVCC: /nowhere/nvcc is neither"), "{said}");

        package.run("saxpy_fallback", &update).succeeded();
        let image = package.written("saxpy.ptx");
        fs::remove_dir_all(&package.out).unwrap();
        fs::create_dir_all(&package.out).unwrap();
        let ran = package.run("saxpy_fallback", &none).succeeded();
        assert_eq!(
            ran.told("warning"),
            ["no CUDA compiler was found: the committed images in `committed` are used"]
        );
        assert_eq!(package.written("saxpy.ptx"), image);
        assert!(
            package.has("saxpy.debug.ptx")
                && package.written("kernels.rs").contains("pub mod saxpy")
        );
        let files = ran.told("rerun-if-changed");
        assert!(
            files.contains(&"inc lude/far.cuh") && files.contains(&"committed/saxpy.sources"),
            "{files:?}"
        );
        let said = package
            .run("saxpy_fallback", &[none[0], update[2]])
            .failed();
        assert!(
            said.contains("no CUDA compiler was found"),
            "to update needs one: {said}"
        );

        let said = package.run("saxpy_fallback_8", &none).failed();
        assert!(
            said.contains("the settings were nothing, and are now `define N=8`"),
            "{said}"
        );
        package.write_old("inc lude/far.cuh", "#define FACTOR 7\n");
        let said = package.run("saxpy_fallback", &none).failed();
        assert!(said.contains("out of date: `inc lude/far.cuh` was changed since\nhelp: run `KERNEL_ARGS_BUILD_UPDATE=1"), "{said}");
        fs::remove_file(package.root.join("inc lude/far.cuh")).unwrap();
        let said = package.run("saxpy_fallback", &none).failed();
        assert!(said.contains("`inc lude/far.cuh` is not there"), "{said}");
        package.write_old("inc lude/far.cuh", "#define FACTOR 2\r\n");
        package.run("saxpy_fallback", &none).succeeded();
        package.write_old("committed/saxpy.ptx", &format!("{image}// by hand"));
        let said = package.run("saxpy_fallback", &none).failed();
        assert!(
            said.contains("`committed/saxpy.ptx` is not what the compiler wrote"),
            "{said}"
        );
    }

    pub(super) fn two_sets_of_kernels_have_files_of_their_own() {
        let package = Package::new("sets");
        sources(&package, &["a", "b"]);
        let (nvcc, log) = (
            program(&package, "fake/nvcc", FAKE),
            package.root.join("log"),
        );
        let variables = [("NVCC", &*nvcc), ("LOG", &*log)];
        let ran = package.run("twice", &variables);
        assert!(
            !ran.success && ran.stderr.contains("kernels.rs` is written by two sets"),
            "{ran:?}"
        );
        for _ in 0..2 {
            package.run("two_sets", &variables).succeeded();
            assert!(
                package.written("kernels.rs").contains("pub mod a")
                    && package.written("other.rs").contains("pub mod b")
            );
            assert!(package.has("a.ptx") && package.has("b.ptx"));
        }
    }

    pub(super) fn trials() -> Vec<Trial> {
        macro_rules! trials {
            ($($name:ident)*) => { vec![$(Trial::test(stringify!($name), || { $name(); Ok(()) })),*] };
        }
        trials![
            as_many_compilations_run_at_once_as_were_asked_for
            only_what_changed_is_compiled_again
            a_source_that_changes_while_it_is_compiled_is_compiled_again
            a_header_that_the_build_script_writes_counts_by_its_text
            a_compiler_that_is_asked_for_is_taken
            a_compiler_that_writes_nothing_is_an_error
            without_a_compiler_the_error_lists_what_was_tried
            committed_images_stand_in_for_a_compiler
            two_sets_of_kernels_have_files_of_their_own
        ]
    }
}

#[cfg(not(unix))]
mod without {
    pub(super) fn trials() -> Vec<libtest_mimic::Trial> {
        Vec::new()
    }
}

/// A trial that is ignored where a compiler is not installed.
fn with(
    parts: &'static [&'static str],
    name: String,
    run: impl FnOnce(&[PathBuf]) + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
        match parts
            .iter()
            .map(|part| toolkit(part))
            .collect::<Result<Vec<_>, _>>()
        {
            Ok(folders) => run(&folders),
            Err(why) => return Ok(Completion::ignored_with(why)),
        }
        Ok(Completion::Completed)
    })
}

fn main() -> ExitCode {
    if let Ok(name) = env::var("BUILD_SCRIPT") {
        return match script(&name) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // As `main` of a build script shows it.
                eprintln!("Error: {error:?}");
                ExitCode::FAILURE
            }
        };
    }
    let mut trials = without::trials();
    macro_rules! each {
        ($($name:ident)*) => {$(
            for parts in [&["nvrtc"], &["nvcc"]] {
                let name = format!("{}_{}", parts[0], stringify!($name));
                trials.push(with(parts, name, |homes| each::$name(&homes[0], parts[0])));
            }
        )*};
    }
    each![
        writes_the_image_its_description_and_the_modules
        a_description_names_no_folder
        a_changed_header_is_compiled_again
        errors_are_the_compilers_own
        warnings_and_sources_without_kernels_are_shown
        a_cubin_is_machine_code
        committed_images_are_written_and_compared
        images_of_another_crate_are_described
    ];
    macro_rules! more {
        ($parts:expr, $($module:ident::$name:ident($($at:literal),*))*) => {$(
            let name = format!("{}_{}", stringify!($module), stringify!($name));
            trials.push(with($parts, name, |homes| $module::$name($(&homes[$at]),*)));
        )*};
    }
    more![&["nvcc"], nvcc::a_fat_binary_holds_every_generation(0) nvcc::without_a_host_compiler_the_error_says_so(0)];
    more![
        &["nvcc", "nvrtc"],
        nvcc::both_compilers_describe_a_kernel_alike(0, 1)
    ];
    more![&["nvrtc"], nvrtc::settings_of_the_modules_are_written(0) nvrtc::the_example_is_up_to_date(0) nvrtc::fat_binaries_are_refused(0) nvrtc::a_header_of_c_is_said_to_be_missing(0)];
    more![&["nvrtc", "nvcc"], nvrtc::headers_of_cuda_are_found(0, 1)];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

//! Build scripts with NVRTC, nvcc, programs that replace nvcc, and without a compiler.
//!
//! A build script is this program, started again with the variables that cargo sets.

mod constants;
mod each;
mod headers;
mod nvcc;
mod nvrtc;
#[path = "../../../../nvrtc/tests/trees/tree.rs"]
#[allow(dead_code, reason = "each suite uses a part")]
mod tree;
mod trees;
#[cfg(unix)]
mod without;

use crate::support::{self, Package};
use kernel_args_build::{Error, Kernels, Output};
use kernel_args_image::Image;
use kernel_args_test_generator::tools::{self as tools, GCC, NVCC, NVRTC, Tool};
use libtest_mimic::Trial;
use std::{env, path::PathBuf};

/// The variable that names the build script for the started program.
pub(crate) const SCRIPT: &str = "BUILD_SCRIPT";

/// The build scripts.
pub(crate) fn script(name: &str) -> Result<(), Error> {
    let kernels = Kernels::new();
    let saxpy = || Kernels::new().file("src/saxpy.cu").include("inc lude").define("N", "4").arch("sm_75");
    let all = || Kernels::new().glob("src/*.cu");
    match name {
        "saxpy" => saxpy().build(),
        // The same variables as for its own build script.
        "example" => kernels.file("src/heat.cu").constants(["BLOCK"]).arch("sm_75").fallback("ptx").generate().build(),
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
        "generate" => saxpy().generate().crate_path("crate::gpu::kernel_args").rust_file("gpu.rs").build(),
        "library" => {
            let kernels = kernels.launchers("one", ["src/one/*.cu"]).archs(["sm_75", "sm_90"]);
            kernels.relocatable_device_code().fallback("committed").build()
        }
        "two_libraries" => kernels.launchers("one", ["src/two/c.cu"]).launchers("two", ["src/two/d.cu"]).build(),
        "all" => kernels.glob("src/*.cu").build(),
        "all_fallback" => kernels.glob("src/*.cu").fallback("committed").build(),
        "sm_90" => all().arch("sm_90").build(),
        "sm_90_registers" => all().arch("sm_90").flag("-maxrregcount=64").build(),
        "sm_90_cubin" => all().arch("sm_90").output(Output::Cubin).build(),
        "sm_75_sm_90" => all().archs(["sm_75", "sm_90"]).build(),
        "sm_86" => all().arch("sm_86").build(),
        "sm_86_define" => all().arch("sm_86").define("N", None).build(),
        "two_folders" => kernels.file("src/a.cu").include("one").include("two").build(),
        "computed" => kernels.file("top.cu").define("KIND", "\"kind.cuh\"").build(),
        "flags" => kernels.file("src/a.cu").flag("-Ione").flags(["-I", "two"]).build(),
        "constants" => constants::script(),
        "tree" => trees::kernels().build(),
        "serial" => kernels.glob("src/*.cu").jobs(1).build(),
        "parallel" => kernels.glob("src/*.cu").jobs(4).build(),
        "compiler" => kernels.glob("src/*.cu").compiler("tools/nvcc").build(),
        "twice" => kernels.file("src/a.cu").build().and_then(|()| Kernels::new().file("src/b.cu").build()),
        "two_sets" => {
            kernels.file("src/a.cu").build()?;
            Kernels::new().file("src/b.cu").rust_file("other.rs").build()
        }
        _ => unreachable!("there is no build script {name}"),
    }
}

/// A header next to the source, an included header in a folder, and a header that is not included.
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
            format!("{} {}: {} {members:?}", parameter.size, parameter.name, parameter.cpp)
        });
        format!("{symbol}({})", parameters.collect::<Vec<_>>().join(", "))
    };
    kernels.symbols().map(described).collect()
}

const DESCRIBED: [&str; 2] = [
    "_Z4fillIdEvT_PS0_(8 value: double [], 8 out: double* [])",
    "saxpy(8 params: Params [\"alpha\", \"count\"], 8 x: float const* [], 8 y: float* [])",
];

#[cfg(not(unix))]
mod without {
    pub(super) fn trials() -> Vec<libtest_mimic::Trial> {
        Vec::new()
    }
}

/// A trial that needs compilers, with their folders.
fn with(compilers: &'static [Tool], name: String, run: impl FnOnce(&[PathBuf]) + Send + 'static) -> Trial {
    tools::trial(name, compilers, move || run(&compilers.iter().map(|tool| tools::path(*tool)).collect::<Vec<_>>()))
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = without::trials();
    #[cfg(windows)]
    trials.push(Trial::test("host_functions_are_for_linux", || {
        let package = Package::new("host-functions");
        package.write_old("src/one/a.cu", "");
        let said = package.run("library", &[]).failed();
        assert!(said.contains("works on Linux only") && said.contains("(PDB) is not read"), "{said}");
        Ok(())
    }));
    macro_rules! each {
        ($module:ident: $($name:ident)*) => {$(
            for (name, compilers) in [("nvrtc", &[NVRTC]), ("nvcc", &[NVCC])] {
                let trial = format!("{name}_{}", stringify!($name));
                trials.push(with(compilers, trial, move |homes| $module::$name(&homes[0], name)));
            }
        )*};
    }
    each![headers:
        a_header_that_a_macro_names_is_compiled_again
        a_header_of_another_folder_that_a_macro_names_is_watched
        a_header_that_appears_under_a_name_of_a_macro_is_compiled
        a_new_header_that_a_macro_tests_is_compiled
        a_header_that_appears_next_to_the_source_is_compiled
        a_header_in_the_folder_of_a_flag_is_compiled_again
    ];
    each![constants:
        random_constants_are_as_in_the_source
        expressions_and_enumerators_have_types
        what_is_no_constant_is_named
        constants_of_one_source
        constants_follow_headers_and_settings
        constants_without_a_compiler
    ];
    // The compilers that they compare with gcc.
    for (name, compilers) in [("nvrtc", &[NVRTC, GCC]), ("nvcc", &[NVCC, GCC])] {
        let trial = format!("{name}_what_the_compiler_reads_is_watched");
        trials.push(with(compilers, trial, move |homes| trees::what_the_compiler_reads_is_watched(&homes[0], name)));
    }
    each![each:
        writes_the_image_its_description_and_the_modules
        a_description_names_no_folder
        a_changed_header_is_compiled_again
        a_new_header_is_compiled
        the_variable_sets_the_generation
        a_generation_that_the_compiler_does_not_know_is_its_error
        kernels_of_one_name_are_in_modules_of_their_own
        errors_are_the_compilers_own
        warnings_and_sources_without_kernels_are_shown
        a_cubin_is_machine_code
        committed_images_are_written_and_compared
        images_of_another_crate_are_described
        an_image_that_is_older_than_a_header_is_refused
    ];
    macro_rules! more {
        ($parts:expr, $($module:ident::$name:ident($($at:literal),*))*) => {$(
            let name = format!("{}_{}", stringify!($module), stringify!($name));
            trials.push(with($parts, name, |homes| $module::$name($(&homes[$at]),*)));
        )*};
    }
    more![&[NVCC], nvcc::a_fat_binary_contains_every_generation(0) nvcc::a_missing_host_compiler_is_reported(0) nvcc::a_library_is_compiled_described_and_committed(0)];
    more![&[NVCC, NVRTC], nvcc::both_compilers_describe_a_kernel_alike(0, 1)];
    more![&[NVRTC], nvrtc::settings_of_the_modules_are_written(0) nvrtc::the_example_is_up_to_date(0) nvrtc::fat_binaries_are_refused(0) nvrtc::a_header_of_c_is_said_to_be_missing(0)];
    more![&[NVRTC, NVCC], nvrtc::headers_of_cuda_are_found(0, 1)];
    trials
}

/// Removes what all trials share.
pub(crate) fn clean() {
    let _ = std::fs::remove_dir_all(tree::home());
}

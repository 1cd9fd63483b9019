//! Compiles the functions. With `HOST_FUNCTIONS_RUNTIME=test` they use `src/runtime.cpp`, for the test driver.

use kernel_args_build::{Cudart, Error, Kernels};

fn main() -> Result<(), Error> {
    println!("cargo::rerun-if-env-changed=HOST_FUNCTIONS_RUNTIME");
    let runtime = std::env::var("HOST_FUNCTIONS_RUNTIME").unwrap_or_default();
    println!("cargo::rustc-env=HOST_FUNCTIONS_RUNTIME={runtime}");
    let kernels = Kernels::new().archs(["sm_80", "sm_90"]).std("c++17");
    if runtime == "test" {
        return kernels.cudart(Cudart::None).launchers("functions", ["src/functions/*.cu", "src/runtime.cpp"]).build();
    }
    kernels.relocatable_device_code().launchers("functions", ["src/functions/*.cu"]).build()
}

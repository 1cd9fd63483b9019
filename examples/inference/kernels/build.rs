//! Writes the PTX of `src/mlp.cu` into `OUT_DIR`.
//!
//! If the variable `NVCC` names a compiler, this script compiles the PTX. Otherwise it copies the committed PTX, to
//! build the example on a machine without CUDA.

use std::{env, error::Error, fs, path::Path, process::Command};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=src/mlp.cu");
    println!("cargo:rerun-if-changed=src/mlp.ptx");
    println!("cargo:rerun-if-env-changed=NVCC");
    let ptx = Path::new(&env::var("OUT_DIR")?).join("mlp.ptx");
    let Some(nvcc) = env::var_os("NVCC") else {
        fs::copy("src/mlp.ptx", &ptx)?;
        return Ok(());
    };
    let mut compile = Command::new(&nvcc);
    compile.args(["-ptx", "-std=c++17", "-arch=compute_75", "-o"]).arg(&ptx).arg("src/mlp.cu");
    let status =
        compile.status().map_err(|error| format!("cannot run `{}`, which NVCC names: {error}", nvcc.display()))?;
    if !status.success() {
        return Err(format!("{compile:?} failed").into());
    }
    Ok(())
}

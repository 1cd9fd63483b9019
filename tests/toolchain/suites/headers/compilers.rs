//! g++ and NVRTC.

use crate::headers::stand_ins;
use kernel_args_test_generator::tools::{self as tools, GXX};
use kernel_args_toolchain_tests::{
    folder,
    nvrtc::{self, HEADERS},
    write,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder of the CUDA headers if they are installed, otherwise of stand-ins with the same types.
fn cuda(folder: &Path) -> Result<PathBuf, String> {
    if tools::has(HEADERS) { Ok(tools::path(HEADERS)) } else { stand_ins::write_all(&folder.join("stand_ins")) }
}

/// g++.
pub(crate) struct Gxx {
    folder: PathBuf,
    cuda: PathBuf,
}

impl Gxx {
    pub(crate) fn new() -> Result<Self, String> {
        let folder = folder("headers/gxx")?;
        let cuda = cuda(&folder)?;
        Ok(Self { folder, cuda })
    }

    /// Compiles a header, as C++11.
    pub(crate) fn compile(&self, name: &str, text: &str) -> Result<(), String> {
        let place = self.folder.join(format!("{name}.h"));
        write(&place, text)?;
        let output = tools::command(GXX)
            .args(["-std=c++11", "-fsyntax-only", "-w", "-x", "c++", "-isystem"])
            .args([&self.cuda, &place])
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Compiles sources that include these headers by name, with debug information. Returns the PTX of each source.
pub(crate) fn nvrtc(name: &str, headers: &[(String, String)], sources: &[String]) -> Result<Vec<Vec<u8>>, String> {
    let folder = folder(&format!("headers/{name}"))?;
    for (file, text) in headers {
        write(&folder.join(file), text)?;
    }
    let mut places = Vec::new();
    for (i, source) in sources.iter().enumerate() {
        let place = folder.join(format!("source_{i}.cu"));
        write(&place, source)?;
        places.push(place);
    }
    let includes = [folder.clone(), cuda(&folder)?];
    let options = ["--device-debug"];
    nvrtc::compile_with(&folder, "compute_90", &includes, &options, &places)?;
    let read = |place: &PathBuf| {
        let ptx = place.with_extension("ptx");
        fs::read(&ptx).map_err(|error| format!("{}: {error}", ptx.display()))
    };
    places.iter().map(read).collect()
}

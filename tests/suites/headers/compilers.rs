//! g++ and NVRTC.

use kernel_args_compiler_tests::{folder, nvrtc, write};
use kernel_args_test_generator::cpp::PRELUDE;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// g++, with CUDA's headers where they are installed.
pub(crate) struct Gxx {
    folder: PathBuf,
    cuda: Option<PathBuf>,
}

impl Gxx {
    pub(crate) fn new() -> Result<Self, String> {
        let status = Command::new("g++")
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        status.map_err(|error| format!("g++ cannot be started: {error}"))?;
        Ok(Self {
            folder: folder("headers/gxx")?,
            cuda: nvrtc::headers().ok(),
        })
    }

    pub(crate) fn has_cuda(&self) -> bool {
        self.cuda.is_some()
    }

    /// Whether all that a header includes is there.
    pub(crate) fn takes(&self, text: &str) -> bool {
        self.has_cuda() || !text.contains(".h>")
    }

    /// Compiles a header, as C++11.
    pub(crate) fn compile(&self, name: &str, text: &str) -> Result<(), String> {
        let place = self.folder.join(format!("{name}.h"));
        write(&place, text)?;
        let mut command = Command::new("g++");
        command.args(["-std=c++11", "-fsyntax-only", "-w", "-x", "c++"]);
        if let Some(cuda) = &self.cuda {
            command.arg("-isystem").arg(cuda);
        }
        let output = command
            .arg(&place)
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The folders in which NVRTC looks for headers: CUDA's where they are installed, else stand-ins with the same types.
fn includes(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut includes = vec![folder.to_owned()];
    if let Ok(cuda) = nvrtc::headers() {
        includes.push(cuda);
        return Ok(includes);
    }
    let stand_ins = folder.join("stand_ins");
    fs::create_dir_all(&stand_ins).map_err(|error| error.to_string())?;
    for (file, types) in [
        ("cuda_fp16.h", ["__half ", "__half2 "]),
        ("cuda_bf16.h", ["__nv_bfloat16 ", "__nv_bfloat162 "]),
        ("cuda_fp8.h", ["__nv_fp8_e4m3 ", "__nv_fp8_e5m2 "]),
        (
            "cuComplex.h",
            ["using cuFloatComplex ", "using cuDoubleComplex "],
        ),
    ] {
        let lines = PRELUDE
            .lines()
            .filter(|line| types.iter().any(|ty| line.contains(ty)));
        let text = lines.fold("#pragma once\n".to_owned(), |text, line| text + line + "\n");
        write(&stand_ins.join(file), &text)?;
    }
    includes.push(stand_ins);
    Ok(includes)
}

/// Compiles sources that include these headers, all by their names, with debug information: the PTX of each source.
pub(crate) fn nvrtc(
    name: &str,
    headers: &[(String, String)],
    sources: &[String],
) -> Result<Vec<Vec<u8>>, String> {
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
    let includes = includes(&folder)?;
    nvrtc::compile_with(
        &folder,
        "compute_90",
        &includes,
        &["--device-debug"],
        &places,
    )?;
    let read = |place: &PathBuf| {
        let ptx = place.with_extension("ptx");
        fs::read(&ptx).map_err(|error| format!("{}: {error}", ptx.display()))
    };
    places.iter().map(read).collect()
}

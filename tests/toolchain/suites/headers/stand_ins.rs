//! Stand-ins for CUDA's headers, with types of the same size and alignment, from the tests' own table.

use kernel_args_test_generator::{cpp::PRELUDE, leaf::LEAVES};
use kernel_args_toolchain_tests::write;
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// The lines of the generator's prelude that define one of these types.
fn of_prelude(types: &[&str]) -> String {
    let lines = PRELUDE.lines().filter(|line| types.iter().any(|ty| line.contains(ty)));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// CUDA's vectors, with only their sizes and alignments.
fn vectors() -> String {
    let is_of_prelude = |name: &str| ["__", "cu", "TensorMap"].iter().any(|begin| name.starts_with(begin));
    let mut text = String::new();
    for leaf in LEAVES.iter().filter(|leaf| leaf.aggregate) {
        let (name, align, size) = (leaf.cpp, leaf.align, leaf.size());
        if !is_of_prelude(name) {
            let _ = writeln!(text, "struct alignas({align}) {name} {{ unsigned char bytes[{size}]; }};");
        }
    }
    text
}

/// Writes all stand-ins into `folder`.
pub(crate) fn write_all(folder: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // NVRTC has the vectors without a header.
    let vectors_first = "#ifndef __CUDACC_RTC__\n#include <vector_types.h>\n#endif\n";
    let tensor_map = "struct alignas(128) CUtensorMap_st { unsigned long long opaque[16]; };\n\
                      typedef CUtensorMap_st CUtensorMap;\n";
    for (file, text) in [
        ("vector_types.h", vectors()),
        ("cuda.h", tensor_map.to_owned()),
        ("cuda_fp16.h", of_prelude(&["__half ", "__half2 "])),
        ("cuda_bf16.h", of_prelude(&["__nv_bfloat16 ", "__nv_bfloat162 "])),
        ("cuda_fp8.h", of_prelude(&["__nv_fp8_e4m3 ", "__nv_fp8_e5m2 "])),
        ("cuComplex.h", vectors_first.to_owned() + &of_prelude(&["cuFloatComplex ", "cuDoubleComplex "])),
    ] {
        write(&folder.join(file), format!("#pragma once\n{text}"))?;
    }
    Ok(folder.to_owned())
}

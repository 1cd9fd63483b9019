//! The header in the documentation of `kernel_args::cpp`.

use crate::headers::{
    compilers::{self, Gxx},
    round_trip,
};
use kernel_args_toolchain_tests::{read, root};
use std::slice;

/// The header and its kernel compile. A kernel with different parameters does not compile, nor a struct with a
/// different layout.
pub(crate) fn by_nvrtc() -> Result<String, String> {
    let text = read(&root().join("kernel-args/tests/data/shade.h"))?;
    let header = ("shade.h".to_owned(), text.clone());
    let kernel = round_trip::source(slice::from_ref(&header))?;
    compilers::nvrtc("example", slice::from_ref(&header), slice::from_ref(&kernel))?;
    Gxx::new()?.compile("example", &text)?;

    let wrong = [
        (&text, kernel.replace("unsigned int n", "int n"), "\"C\" linkage"),
        (&text, kernel.replace("float4* out", "float* out"), "\"C\" linkage"),
        (&text.replace("float intensity", "double intensity"), kernel.clone(), "static assertion failed"),
        (&text.replace("Falloff : unsigned int", "Falloff : unsigned char"), kernel.clone(), "static assertion failed"),
    ];
    for (header, source, says) in &wrong {
        if (*header, source) == (&text, &kernel) {
            return Err(format!("nothing was changed: {says}"));
        }
        let header = ("shade.h".to_owned(), (*header).clone());
        match compilers::nvrtc("example_wrong", slice::from_ref(&header), slice::from_ref(source)) {
            Err(message) if message.contains(says) => {}
            Err(message) => return Err(message),
            Ok(_) => return Err(format!("it compiles:\n{source}")),
        }
    }
    Ok(format!("1 header, {} wrong kernels refused", wrong.len()))
}

//! Headers from the debug information of kernels that were written in C++.

use crate::headers::{compilers, round_trip};
use kernel_args_image::Image;
use kernel_args_image::header::{Header, Item};
use kernel_args_test_generator::{Shape, cpp, signatures, size};
use kernel_args_toolchain_tests::{folder, nvrtc, write};
use std::{fs, slice};

/// The headers of random kernels compile. Their structs contain unions with alignments that debug information does not
/// record. Template instances cannot be declared.
pub(crate) fn by_nvrtc() -> Result<String, String> {
    let kernels = signatures(7, Shape::Plain, size::choose(60, 1000));
    let folder = folder("headers/images")?;
    let mut headers = Vec::new();
    let mut left_out = 0;
    for (i, batch) in kernels.chunks(60).enumerate() {
        let place = folder.join(format!("images_{i}.cu"));
        write(&place, cpp::source(batch, false))?;
        let options = ["--device-debug"];
        nvrtc::compile_with(&folder, "compute_90", &[], &options, slice::from_ref(&place))?;
        let ptx = fs::read(place.with_extension("ptx")).map_err(|error| error.to_string())?;
        let image = Image::read(&ptx).and_then(|image| image.kernels());
        let image = image.map_err(|error| error.to_string())?;
        for signature in batch {
            let name = &signature.name;
            let Some(kernel) = image.kernel(name, None) else {
                return Err(format!("{name}: no kernel"));
            };
            let parameters = kernel.parameters();
            let namespace = format!("header_of_{name}");
            let header =
                Header::new().item(Item::kernel(name, &parameters)).namespace(&namespace).forward_declare_pointees();
            match header.write() {
                Ok(text) => headers.push((format!("{name}.h"), text)),
                Err(error) if error.to_string().contains("an instance of a template") => {
                    left_out += 1;
                }
                Err(error) => return Err(format!("{error}\n{}", signature.cpp_alone())),
            }
        }
    }
    let groups = round_trip::batches(headers.clone());
    let sources: Result<Vec<String>, _> = groups.iter().map(|group| round_trip::source(group)).collect();
    compilers::nvrtc("image_headers", &headers, &sources?)?;
    if headers.len() < kernels.len() / 4 {
        return Err(format!("only {} headers of {} kernels", headers.len(), kernels.len()));
    }
    Ok(format!("{} headers of kernels, {left_out} with instances of templates", headers.len()))
}

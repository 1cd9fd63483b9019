//! From Rust to C++, to debug information, and back.

use crate::headers::{
    compilers,
    random::{self, Written},
};
use kernel_args::abi::{Members, Parameter, Signature};
use kernel_args_abi::check::{fits, report};
use kernel_args_image::header::{Header, Item};
use kernel_args_image::{Image, Kernels};
use std::fmt::Write as _;

/// The number of headers in one source.
const BATCH: usize = 40;

/// The kernel that a header declares, with an empty body.
pub(crate) fn definition(header: &str) -> Result<String, String> {
    let begin = header.find("extern \"C\" __global__").ok_or("no prototype")?;
    let end = begin + header[begin..].find(");").ok_or("no end of a prototype")?;
    Ok(format!("{}) {{}}\n", &header[begin..end]))
}

/// A source that includes headers and defines their kernels.
pub(crate) fn source(headers: &[(String, String)]) -> Result<String, String> {
    let mut text = String::new();
    for (file, _) in headers {
        let _ = writeln!(text, "#include \"{file}\"");
    }
    for (_, header) in headers {
        text += &definition(header)?;
    }
    Ok(text)
}

/// Groups of headers that one source can include: each group has one alignment of tensor maps.
pub(crate) fn batches(mut headers: Vec<(String, String)>) -> Vec<Vec<(String, String)>> {
    let is_of_cuda_12 = |text: &str| text.contains("alignas(64) CUtensorMap_st");
    headers.sort_by_key(|(_, text)| is_of_cuda_12(text));
    let groups = headers.chunk_by(|(_, a), (_, b)| is_of_cuda_12(a) == is_of_cuda_12(b));
    groups.flat_map(|group| group.chunks(BATCH)).map(<[_]>::to_vec).collect()
}

fn kernels(ptx: &[u8]) -> Result<Kernels<'_>, String> {
    let kernels = Image::read(ptx).and_then(|image| image.kernels());
    let kernels = kernels.map_err(|error| error.to_string())?;
    if let Some(error) = kernels.debug_errors().next() {
        return Err(error.to_string());
    }
    Ok(kernels)
}

/// The host struct's members for which the kernel's struct has no member with the same name, offset and size.
fn members(place: &str, host: Members<'_>, kernel: Members<'_>, found: &mut Vec<String>, count: &mut usize) {
    if !host.is_known() || !kernel.is_known() {
        return;
    }
    let host: Vec<Parameter<'_>> = host.iter().filter(|member| member.size > 0).collect();
    let kernel: Vec<Parameter<'_>> = kernel.iter().collect();
    if host.len() != kernel.len() {
        found.push(format!("{place}: {} members, in C++ {}", host.len(), kernel.len()));
        return;
    }
    for (host, kernel) in host.iter().zip(&kernel) {
        *count += 1;
        let place = format!("{place}.{}", host.name);
        let name = match host.cpp_name() {
            number if number.starts_with(|c: char| c.is_ascii_digit()) => format!("_{number}"),
            name => name.to_owned(),
        };
        if (&*name, host.offset, host.size) != (kernel.name, kernel.offset, kernel.size) {
            found.push(format!("{place}: {host:?}, in C++ {kernel:?}"));
        }
        if host.cpp.elements() == kernel.cpp.elements() {
            members(&place, host.members, kernel.members, found, count);
        }
    }
}

/// The differences between a Rust struct and the kernel that its header declares.
fn differences(host: &Signature<'_>, kernel: &Signature<'_>, count: &mut usize) -> Vec<String> {
    let mut found = Vec::new();
    if !fits(host.parameters, kernel.parameters, None) {
        found.push(report::<16>(host, kernel).whole_message().as_str().to_owned());
    }
    for (host, kernel) in host.parameters.iter().zip(kernel.parameters) {
        if host.cpp_name() != kernel.name {
            found.push(format!("`{}` is called `{}` in C++", host.name, kernel.name));
        }
        // An array is wrapped in a struct with one member.
        let value = match kernel.members.get(0) {
            Some(elements) if host.cpp.is_array() && elements.name == "elements" => elements,
            _ => *kernel,
        };
        if host.cpp.elements() == value.cpp.elements() {
            members(host.name, host.members, value.members, &mut found, count);
        } else {
            found.push(format!("{host:?}, in C++ {kernel:?}"));
        }
    }
    found
}

/// The headers of the random structs compile, their kernels have the parameters of the structs, and headers that are
/// written from these kernels compile too.
pub(crate) fn random() -> Result<String, String> {
    let written = random::all();
    let headers = written.iter().map(|Written { name, text, .. }| (format!("{name}.h"), text.clone()));
    let headers: Vec<(String, String)> = headers.collect();
    let groups = batches(headers.clone());
    let sources: Vec<String> = groups.iter().map(|group| source(group)).collect::<Result<_, _>>()?;
    let images = compilers::nvrtc("random", &headers, &sources)?;
    let images: Vec<Kernels<'_>> = images.iter().map(|ptx| kernels(ptx)).collect::<Result<_, _>>()?;

    let (mut members, mut parameters) = (0, 0);
    let mut again = Vec::new();
    for Written { name, text, signature, .. } in &written {
        let Some(kernel) = images.iter().find_map(|kernels| kernels.kernel(name, None)) else {
            return Err(format!("{name}: no kernel"));
        };
        let actual = kernel.parameters();
        let in_cpp = Signature { name, parameters: &actual };
        let found = differences(signature, &in_cpp, &mut members);
        if !found.is_empty() {
            return Err(format!("{name}: {}\n{text}", found.join("\n")));
        }
        parameters += actual.len();
        let header = Header::new().item(Item::kernel(name, &actual)).forward_declare_pointees();
        let namespace = format!("again_{name}");
        let header = header.namespace(&namespace).write();
        again.push((format!("again_{name}.h"), header.map_err(|error| format!("{name}: {error}\n{text}"))?));
    }
    let groups = batches(again.clone());
    let sources: Vec<String> = groups.iter().map(|group| source(group)).collect::<Result<_, _>>()?;
    compilers::nvrtc("again", &again, &sources)?;
    if parameters < written.len() || members < written.len() {
        return Err(format!("only {parameters} parameters and {members} members"));
    }
    Ok(format!("{} structs, {parameters} parameters, {members} members, 0 differences", written.len()))
}

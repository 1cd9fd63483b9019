//! Writes kernels as JSON, each on its own line, so a reader need not load the whole file. The README of this crate
//! has the schema.

use super::{globals, inferred, types};
use crate::{
    escape,
    kernel::{Host, InImage, Kernel, block_size},
    place::Kind,
    read::Files,
};
use kernel_args_abi::{Alignment, Parameter, signature::Variant};
use kernel_args_image::mangled::Demangled;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Incremented when a field is removed or changes its meaning.
pub(crate) const SCHEMA: u32 = 1;

pub(super) fn write(files: &Files, to: &mut dyn Write) -> io::Result<()> {
    write!(to, "{{\"schema\":{SCHEMA},\"kernels\":[")?;
    for (index, kernel) in files.kernels.iter().enumerate() {
        to.write_all(if index > 0 { b",\n" } else { b"\n" })?;
        to.write_all(escape::json(&self::kernel(kernel)).as_bytes())?;
    }
    let skipped = json!({
        "foreign_files": files.skipped.foreign,
        "unreadable_files": files.skipped.unreadable,
        "members": files.skipped.members,
    });
    let errors = files.errors.iter();
    let errors = errors.map(|error| json!({"file": error.file, "offset": error.at, "message": error.what}));
    let errors = escape::json(&errors.collect());
    let globals = escape::json(&globals::json(&files.globals));
    writeln!(to, "\n],\"globals\":{globals},\"skipped\":{skipped},\"errors\":{errors}}}")
}

pub(crate) fn kernel(kernel: &Kernel) -> Value {
    let parameters = kernel.parameters();
    let list: Vec<Value> = parameters.iter().map(parameter).collect();
    let mut json = json!({
        "symbol": kernel.symbol,
        "name": kernel.demangled.as_ref().map(Demangled::text),
        "size": block_size(&parameters),
        "parameters": list,
        "limits": kernel.limits.json(),
        "images": kernel.images.iter().map(image).collect::<Vec<_>>(),
    });
    if let Some(Host { file, prototype, result }) = &kernel.host {
        json["host"] = json!({ "file": &**file, "prototype": prototype, "result": result });
    }
    json
}

pub(crate) fn parameter(parameter: &Parameter<'_>) -> Value {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let members = parameter.members;
    let each_member = || members.iter().map(|member| self::parameter(&member)).collect::<Value>();
    let each_variant = || members.variants().map(|variant| enumerator(&variant)).collect::<Value>();
    let mut json = json!({
        "name": text(parameter.name),
        "type": (!parameter.cpp.is_unknown()).then(|| parameter.cpp.to_string()),
        "ptx": text(parameter.spelling),
        "class": parameter.class.name(),
        "offset": parameter.offset,
        "size": parameter.size,
        "align": parameter.align.map(Alignment::bytes),
        "members": members.is_known().then(each_member),
        "enumerators": members.is_enum().then(each_variant),
        "opaque": members.why_opaque().map(types::opaque),
    });
    if let Some(inferred) = inferred::json(parameter) {
        json["inferred"] = inferred;
    }
    json
}

/// Returns a value that does not fit a JSON number is written as a string.
pub(crate) fn enumerator(variant: &Variant<'_>) -> Value {
    let value = variant.value;
    let number = i64::try_from(value).map(Value::from);
    let number = number.or_else(|_| u64::try_from(value).map(Value::from));
    json!({
        "name": variant.name,
        "value": number.unwrap_or_else(|_| value.to_string().into()),
    })
}

fn image(image: &InImage) -> Value {
    let place = &image.place;
    json!({
        "file": &*place.unit.file,
        "member": place.unit.member.as_deref(),
        "kind": match place.kind {
            Kind::Ptx => "ptx",
            Kind::Cubin => "cubin",
        },
        "gpu": place.sm.map(|sm| sm.to_string()),
        "offset": place.at,
        "registers": image.resources.and_then(|taken| taken.registers),
        "static_shared": image.resources.map(|taken| taken.static_shared),
    })
}

//! The documentation of an item: the table of a kernel's parameters.

use kernel_args_abi::{Class, ParamLayout, Parameter, image::Kernel, mangled::Demangled};
use std::fmt::Write;

/// The documentation of one kernel.
pub(crate) fn kernel(kernel: &Kernel<'_>, varies: bool) -> String {
    let parameters = kernel.parameters();
    let name = kernel
        .demangled
        .as_ref()
        .map_or(kernel.name, Demangled::text);
    let mut text = format!("`{name}`");
    if parameters.is_empty() {
        text += ", which takes no parameters.";
    } else {
        text += &table(&parameters);
    }
    if name != kernel.name {
        let _ = write!(text, "\n\nSymbol: `{}`.", kernel.name);
    }
    if varies {
        text += "\n\nThe image has it with other parameters for other GPUs: no struct fits it everywhere.";
    }
    text
}

/// The documentation of several kernels: `items` are their names in the module.
pub(crate) fn kernels(name: &str, items: &[&str]) -> String {
    let mut text = format!(
        "The overloads and template instances of `{name}`. A struct that names it is compared with the one that it fits.\n"
    );
    for item in items {
        let _ = write!(text, "\n- `{item}`");
    }
    text
}

fn table(parameters: &[Parameter<'_>]) -> String {
    let mut text = String::from(".\n\n| | offset | size | align | class |");
    let known = parameters
        .iter()
        .any(|parameter| !parameter.cpp.is_unknown());
    text += if known {
        " C++ |\n|-|-|-|-|-|-|"
    } else {
        "\n|-|-|-|-|-|"
    };
    let mut layout = Some(ParamLayout::EMPTY);
    for (i, parameter) in parameters.iter().enumerate() {
        let placed = place(&mut layout, parameter).or(parameter.offset);
        let _ = write!(text, "\n|{i}|");
        match placed {
            Some(offset) => _ = write!(text, "{offset}|"),
            None => text += "by GPU|",
        }
        let _ = write!(text, "{}|", parameter.size);
        match parameter.align {
            Some(align) => _ = write!(text, "{}|", align.bytes()),
            None => text += "|",
        }
        text += class(parameter.class);
        text += "|";
        if known && parameter.cpp.is_unknown() {
            text += "|";
        } else if known {
            let _ = write!(text, "`{}`|", parameter.cpp);
        }
    }
    text
}

/// Where C's rule puts a parameter: nowhere behind one of which only the GPU is known to decide.
fn place(layout: &mut Option<ParamLayout>, parameter: &Parameter<'_>) -> Option<usize> {
    let (longer, offset) = layout.take()?.push(parameter.layout()?).ok()?;
    *layout = Some(longer);
    (!longer.depends_on_gpu()).then_some(offset)
}

const fn class(class: Class) -> &'static str {
    match class {
        Class::Bits => "bits",
        Class::Integer => "integer",
        Class::Float => "float",
        Class::Pointer => "pointer",
        Class::Bytes => "bytes",
        _ => "",
    }
}

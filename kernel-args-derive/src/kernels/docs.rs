//! The documentation of an item: a table of the kernel's parameters.

use kernel_args_abi::{Class, ParamLayout, Parameter};
use kernel_args_image::{Kernel, mangled::Demangled};
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
        text += &table(&parameters, !kernel.debug_info.is_empty());
    }
    if name != kernel.name {
        let _ = write!(text, "\n\nSymbol: `{}`.", kernel.name);
    }
    if varies {
        text += "\n\nThe image has different parameters for this kernel on different GPUs: no struct fits it on every GPU.";
    }
    text
}

/// The documentation of several kernels. `items` are their names in the module.
pub(crate) fn kernels(name: &str, items: &[&str]) -> String {
    let mut text = format!(
        "The overloads and template instances of `{name}`. A struct that names it is compared with the one that it fits.\n"
    );
    for item in items {
        let _ = write!(text, "\n- `{item}`");
    }
    text
}

/// `named` is true if debug information provides the names.
fn table(parameters: &[Parameter<'_>], named: bool) -> String {
    let mut text = String::from(".\n\n| |");
    let known = parameters
        .iter()
        .any(|parameter| !parameter.cpp.is_unknown());
    let mut columns = vec!["offset", "size", "align", "class"];
    if named {
        columns.insert(0, "name");
    }
    if known {
        columns.push("C++");
    }
    for column in &columns {
        let _ = write!(text, " {column} |");
    }
    text += "\n|-|";
    text += &"-|".repeat(columns.len());
    let mut layout = Some(ParamLayout::EMPTY);
    for (i, parameter) in parameters.iter().enumerate() {
        let placed = place(&mut layout, parameter).or(parameter.offset);
        let _ = write!(text, "\n|{i}|");
        match parameter.name {
            _ if !named => {}
            "" => text += "|",
            name => _ = write!(text, "`{name}`|"),
        }
        match placed {
            Some(offset) => _ = write!(text, "{offset}|"),
            None => text += "by GPU|",
        }
        let _ = write!(text, "{}|", parameter.size);
        match parameter.align {
            Some(align) => _ = write!(text, "{}|", align.bytes()),
            None => text += "|",
        }
        if parameter.class != Class::Unknown {
            text += parameter.class.name();
        }
        text += "|";
        if known && parameter.cpp.is_unknown() {
            text += "|";
        } else if known {
            let _ = write!(text, "`{}`|", parameter.cpp);
        }
    }
    text
}

/// The offset of a parameter by C's rule. `None` after a parameter whose offset depends on the GPU.
fn place(layout: &mut Option<ParamLayout>, parameter: &Parameter<'_>) -> Option<usize> {
    let (longer, offset) = layout.take()?.push(parameter.layout()?).ok()?;
    *layout = Some(longer);
    (!longer.depends_on_gpu()).then_some(offset)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use kernel_args_image::Image;

    fn of(image: &[u8]) -> String {
        let kernels = Image::read(image).unwrap().kernels().unwrap();
        super::kernel(&kernels.kernel("shade", None).unwrap(), false)
    }

    #[test]
    fn names_from_debug_information_are_shown() {
        let text = of(include_bytes!("../../ptx/shade.debug.ptx"));
        assert!(
            text.starts_with("`shade`.\n\n| | name | offset | size | align | class | C++ |\n|-|-|-|-|-|-|-|\n|0|`in`|0|8|8|"),
            "{text}"
        );
        assert!(
            text.contains("\n|3|`light`|32|48|16|bytes|`Light`|"),
            "{text}"
        );
        let text = of(include_bytes!("../../ptx/shade.ptx"));
        assert!(
            text.starts_with(
                "`shade`.\n\n| | offset | size | align | class |\n|-|-|-|-|-|\n|0|0|8|8|"
            ),
            "{text}"
        );
    }
}

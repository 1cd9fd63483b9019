//! The documentation of an item: a table of the kernel's parameters.

use kernel_args_abi::{Class, ParamLayout, Parameter};
use kernel_args_image::{Kernel, Variable, VariableSpace, mangled::Demangled, quoted};
use std::fmt::Write;

pub(crate) fn kernel(kernel: &Kernel<'_>, varies: bool) -> String {
    let parameters = kernel.parameters();
    let name = kernel.demangled.as_ref().map_or(kernel.name, Demangled::text);
    let mut text = quoted(name);
    if parameters.is_empty() {
        text += ", which takes no parameters.";
    } else {
        text += &table(&parameters, !kernel.debug_info.is_empty());
        text += &shown_by_code(&parameters);
    }
    if name != kernel.name {
        let _ = write!(text, "\n\nSymbol: {}.", quoted(kernel.name));
    }
    if varies {
        text +=
            "\n\nThe image has different parameters for this kernel on different GPUs: no struct fits it on every GPU.";
    }
    text
}

/// Returns what the code shows, if it was analysed: through which pointers to mutable memory it only reads, and which
/// parameters it does not use.
fn shown_by_code(parameters: &[Parameter<'_>]) -> String {
    let is_read = |parameter: &Parameter<'_>| {
        let slot = parameter.body.at(0).filter(|_| parameter.size == 8 && !parameter.cpp.is_shared());
        slot.is_some_and(|slot| slot.is_only_read())
    };
    let numbers = |is_listed: &dyn Fn(&Parameter<'_>) -> bool| {
        let numbers: Vec<String> = (0..)
            .zip(parameters)
            .filter(|(_, parameter)| is_listed(parameter))
            .map(|(number, _): (u32, _)| number.to_string())
            .collect();
        match numbers.as_slice() {
            [] => None,
            [one] => Some(format!("parameter {one}")),
            several => Some(format!("parameters {}", several.join(", "))),
        }
    };
    let mut text = String::new();
    if let Some(read) = numbers(&is_read) {
        let _ = write!(text, "\n\nIts code only reads through {read}: a shared borrow is enough.");
    }
    if let Some(unused) = numbers(&|parameter| parameter.body.is_unused()) {
        let _ = write!(text, "\n\nIts code does not use {unused}.");
    }
    text
}

/// Returns the documentation of several kernels. `items` are their names in the module.
pub(crate) fn kernels(name: &str, items: &[&str]) -> String {
    let mut text = format!(
        "The overloads and template instances of `{name}`. A struct that names it is compared with the one that it fits.\n"
    );
    for item in items {
        let _ = write!(text, "\n- `{item}`");
    }
    text
}

pub(crate) fn variable(variable: &Variable<'_>, varies: bool) -> String {
    let name = variable.demangled().map_or(variable.symbol(), Demangled::text);
    let Some(value) = variable.value() else {
        return String::new();
    };
    let space = variable.space.specifier();
    let mut text;
    if value.cpp.is_unknown() {
        text = quoted(&format!("{space} {name}")) + ": ";
        if value.class != Class::Unknown {
            let _ = write!(text, "{}, ", value.class.name());
        }
    } else {
        let ty = value.cpp.element().to_string();
        let whole = value.cpp.to_string();
        let lengths = whole.strip_prefix(&ty).unwrap_or_default();
        text = quoted(&format!("{space} {ty} {name}{lengths}")) + ": ";
    }
    let _ = write!(text, "{} bytes", value.size);
    if let Some(align) = value.align {
        let _ = write!(text, ", aligned to {}", align.bytes());
    }
    text += ".";
    if variable.space == VariableSpace::Constant {
        text += " All constant variables of a module have at most 64 KiB.";
    }
    if name != variable.symbol() {
        let _ = write!(text, "\n\nSymbol: {}.", quoted(variable.symbol()));
    }
    if varies {
        text += "\n\nThe image has this variable with different sizes on different GPUs: no type fits it on every GPU.";
    }
    text
}

/// `named` is true if debug information provides the names.
fn table(parameters: &[Parameter<'_>], named: bool) -> String {
    let mut text = String::from(".\n\n| |");
    let known = parameters.iter().any(|parameter| !parameter.cpp.is_unknown());
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
            name => text += &cell(name),
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
            text += &cell(&parameter.cpp.to_string());
        }
    }
    text
}

/// A `|` ends a cell, even in code, except after a backslash.
fn cell(name: &str) -> String {
    quoted(&name.replace('\\', "\u{fffd}")).replace('|', "\\|") + "|"
}

/// Returns the offset of a parameter by C's rule. `None` after a parameter whose offset depends on the GPU.
fn place(layout: &mut Option<ParamLayout>, parameter: &Parameter<'_>) -> Option<usize> {
    let (longer, offset) = layout.take()?.push(parameter.layout()?).ok()?;
    *layout = Some(longer);
    (!longer.depends_on_gpu()).then_some(offset)
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use kernel_args_image::Image;

    /// rustdoc would compile and run a block of code, and show HTML.
    #[test]
    fn a_name_stays_in_its_code() {
        let name = "x\n```\nevil();\n```\n<script>`|<b>\\";
        let image =
            Image::read(b".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n").unwrap();
        let kernels = image.kernels().unwrap();
        let mut kernel = kernels.kernel("k", None).unwrap();
        kernel.name = name;
        let parameter = kernel_args_abi::Parameter {
            name,
            cpp: kernel_args_abi::CppType::named(name),
            ..kernel_args_abi::Parameter::record(0, 8)
        };
        for text in [super::kernel(&kernel, false), super::table(&[parameter], true)] {
            assert!(!text.contains("```"), "{text}");
            assert!(text.split('`').step_by(2).all(|plain| !plain.contains('<')), "{text}");
        }
        let table = super::table(&[parameter], true);
        assert_eq!(table.lines().last().unwrap().replace("\\|", "").matches('|').count(), 8, "{table}");
    }

    #[cfg(feature = "debug-info")]
    fn of(image: &[u8]) -> String {
        let kernels = Image::read(image).unwrap().kernels().unwrap();
        super::kernel(&kernels.kernel("shade", None).unwrap(), false)
    }

    #[cfg(feature = "bodies")]
    #[test]
    fn what_the_code_shows_is_documented() {
        let text = b".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry _Z1kPfPKfS_i(.param .u64 a, .param .u64 b, \
            .param .u64 c, .param .u32 n)\n{\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [c];\n\
            ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd2];\nst.global.f32 [%rd3], %f1;\nret;\n}\n";
        let image = Image::read(text).unwrap();
        let mut kernels = image.kernels().unwrap();
        let of = |kernels: &kernel_args_image::Kernels<'_>| {
            super::kernel(&kernels.kernel("_Z1kPfPKfS_i", None).unwrap(), false)
        };
        assert!(!of(&kernels).contains("code"), "{}", of(&kernels));
        image.add_bodies(&mut kernels, |_| true).unwrap();
        let expected = "|\n\nIts code only reads through parameter 0: a shared borrow is enough.\n\nIts code does not use parameter 3.\n\n\
            Symbol: `_Z1kPfPKfS_i`.";
        assert!(of(&kernels).ends_with(expected), "{}", of(&kernels));
    }

    #[cfg(feature = "debug-info")]
    #[test]
    fn names_from_debug_information_are_shown() {
        let text = of(include_bytes!("../../ptx/shade.debug.ptx"));
        assert!(
            text.starts_with(
                "`shade`.\n\n| | name | offset | size | align | class | C++ |\n|-|-|-|-|-|-|-|\n|0|`in`|0|8|8|"
            ),
            "{text}"
        );
        assert!(text.contains("\n|3|`light`|32|48|16|bytes|`Light`|"), "{text}");
        let text = of(include_bytes!("../../ptx/shade.ptx"));
        assert!(text.starts_with("`shade`.\n\n| | offset | size | align | class |\n|-|-|-|-|-|\n|0|0|8|8|"), "{text}");
    }
}

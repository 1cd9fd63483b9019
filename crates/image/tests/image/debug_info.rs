//! Debug information about kernels, from each compiler and in each version of DWARF.

use kernel_args_abi::{Class, Parameter};
use kernel_args_image::{Image, dwarf::DebugInfo};
use std::fmt::Write as _;

const PTX: &[u8] = include_bytes!("../data/debug.ptx");
const CUBIN: &[u8] = include_bytes!("../data/debug.sm_90.cubin");
const ELFS: [(&str, &[u8]); 4] = [
    ("DWARF 2", include_bytes!("../data/debug.dwarf-2.elf")),
    ("DWARF 3", include_bytes!("../data/debug.dwarf-3.elf")),
    ("DWARF 4", include_bytes!("../data/debug.dwarf-4.elf")),
    ("DWARF 5", include_bytes!("../data/debug.dwarf-5.elf")),
];
const KERNELS: [&str; 8] = [
    "_Z4axpyIdEviT_PKS0_PS0_",
    "_Z4axpyIfEviT_PKS0_PS0_",
    "_ZN3sim4stepENS_6ParamsENS_5ColorENS_6EitherEP6float4PKS0_",
    "by_value",
    "nothing",
    "plain",
    "scaled",
    "unnamed",
];

/// The data about `data/debug.cu`: name, C++ type, class, size, the offset of members, the variants of enums, and
/// what pointers point to.
const EXPECTED: &str = include_str!("../data/debug.txt");

fn write(text: &mut String, parameter: &Parameter<'_>, depth: usize) {
    let Parameter { name, cpp, size, class, members, .. } = *parameter;
    let class = match class {
        Class::Integer => 'i',
        Class::Float => 'f',
        Class::Pointer => 'p',
        Class::Bytes => 'b',
        _ => '?',
    };
    let _ = write!(text, "{:1$}{name}: {cpp}, {class}{size}", "", 2 * depth);
    if let Some(offset) = parameter.offset {
        let _ = write!(text, " @ {offset}");
    }
    if let Some(why) = members.why_opaque() {
        let _ = write!(text, ", {why:?}");
    } else if members.is_known() {
        let _ = write!(text, ", {} members", members.len());
    }
    if members.is_enum() {
        let variants = members.variants();
        let variants: Vec<_> = variants.map(|v| format!("{} {}", v.name, v.value)).collect();
        let _ = write!(text, ", {}", variants.join(" "));
    }
    match parameter.pointee.get() {
        Some(to) => {
            let _ = write!(text, ", to {} bytes, {} members", to.size, to.members.len());
        }
        None if parameter.pointee.is_declared() => text.push_str(", to a declared struct"),
        None => {}
    }
    text.push('\n');
    for member in members.iter() {
        write(text, &member, depth + 1);
    }
}

fn spelled(info: &DebugInfo) -> String {
    assert_eq!(info.errors(), []);
    let mut text = String::new();
    for symbol in info.symbols() {
        let _ = writeln!(text, "{symbol}");
        for parameter in info.parameters(symbol).unwrap().iter() {
            write(&mut text, &parameter, 1);
        }
    }
    text
}

#[test]
fn ptx_and_a_cubin_contain_names_types_and_members() {
    let of_ptx = spelled(&DebugInfo::of_ptx(PTX, KERNELS).unwrap());
    assert_eq!(of_ptx, EXPECTED, "{of_ptx}");
    let of_cubin = spelled(&DebugInfo::of_cubin(CUBIN, KERNELS).unwrap());
    assert_eq!(of_cubin, EXPECTED, "{of_cubin}");
}

/// Except for g++'s differences: it writes a space after a comma, and the name of an enum without its namespace.
#[test]
fn every_version_of_dwarf_contains_the_same() {
    for (version, elf) in ELFS {
        let found = spelled(&DebugInfo::of_cubin(elf, KERNELS).unwrap());
        let found = found.replace("<float, 3>", "<float,3>").replace("<int, 2>", "<int,2>");
        assert_eq!(found, EXPECTED.replace("sim::", ""), "{version}:\n{found}");
    }
}

/// `enum Mode` has a negative value, `enum class Color` is an `unsigned char`. DWARF 2 has no integer types of enums.
#[test]
fn enums_have_an_integer_type_if_dwarf_contains_it() {
    for (version, elf) in ELFS {
        let info = DebugInfo::of_cubin(elf, ["by_value"]).unwrap();
        let parameters = info.parameters("by_value").unwrap();
        let is_signed = |index| parameters.get(index).unwrap().members.is_signed();
        let expected = match version {
            "DWARF 2" => [None; 2],
            _ => [Some(true), Some(false)],
        };
        assert_eq!([is_signed(1), is_signed(2)], expected, "{version}");
    }
}

/// Host compilers have their own entries for these types: their sizes follow the C++ ABI.
#[test]
fn pointers_to_members_have_their_sizes() {
    let elf = include_bytes!("../data/pointers.dwarf-5.elf");
    let expected = "pointers\n  member: ?, i8\n  method: ?, b16\n  null: void*, p8\n  holder: Holder, b40, 4 members\n    \
                    member: ?, i8 @ 0\n    method: ?, b16 @ 8\n    null: void*, p8 @ 24\n    last: int, i4 @ 32\n  n: int, i4\n";
    assert_eq!(spelled(&DebugInfo::of_cubin(elf, ["pointers"]).unwrap()), expected);
}

#[test]
fn only_the_requested_kernels_are_read() {
    let info = DebugInfo::of_cubin(CUBIN, ["plain", "other"]).unwrap();
    assert_eq!(info.symbols().collect::<Vec<_>>(), ["plain"]);
    assert_eq!(info.parameters("by_value"), None);
    assert_eq!(info.parameters("other"), None);
}

#[test]
fn an_image_without_debug_information_has_none() {
    let text = b".version 9.0\n.target sm_90\n.entry plain(){}\n// .debug_info\n";
    assert_eq!(DebugInfo::of_ptx(text, ["plain"]), Ok(DebugInfo::default()));
    let cubin = include_bytes!("../data/kernels.sm_75.cubin");
    assert_eq!(DebugInfo::of_cubin(cubin, KERNELS), Ok(DebugInfo::default()));
}

/// The parameters of an image's kernel, spelled as above, and why its debug information is missing.
fn of_image(image: &[u8], symbol: &str) -> (String, String) {
    let kernels = Image::read(image).unwrap().kernels().unwrap();
    let kernel = kernels.kernel(symbol, None).unwrap();
    let error = kernels.debug_error(&kernel);
    let mut text = String::new();
    for parameter in kernel.parameters() {
        write(&mut text, &parameter, 0);
    }
    (text, error.map_or_else(String::new, |error| error.to_string()))
}

/// Names, types and members come from debug information, offsets from the records, and qualified names from the
/// symbol.
#[test]
fn an_image_completes_its_kernels_by_debug_information() {
    let (step, error) = of_image(CUBIN, KERNELS[2]);
    assert_eq!(error, "");
    let first = "params: sim::Params, b864 @ 0, 17 members\n  named: ?, b2 @ 0, 1 members\n";
    assert!(step.starts_with(first), "{step}");
    assert!(
        step.contains(
            "\nout: float4*, p8 @ 872, to 16 bytes, 4 members\n\
             all: sim::Params const*, p8 @ 880, to 864 bytes, 17 members\n"
        ),
        "{step}"
    );
    let (plain, _) = of_image(PTX, "plain");
    assert!(plain.starts_with("in: int, i4\nout: unsigned int, i4\nalpha: float, f4\n"), "{plain}");
    // If PTX declares the parameter, its class stays.
    assert!(plain.contains("\nx: float const*, i8\n"), "{plain}");
    let (unnamed, _) = of_image(PTX, "unnamed");
    assert_eq!(unnamed, "unnamed_param_0: int, i4\nunnamed_param_1: Pair*, i8, to 8 bytes, 2 members\n");
}

/// A parameter that debug information contradicts has no type. The next one keeps its type.
#[test]
fn a_parameter_of_another_size_or_class_loses_its_type() {
    let text = std::str::from_utf8(PTX).unwrap();
    let wider = text.replace(".param .u32 unnamed_param_0", ".param .u64 unnamed_param_0");
    let (parameters, error) = of_image(wider.as_bytes(), "unnamed");
    assert_eq!(parameters, "unnamed_param_0: ?, i8\nunnamed_param_1: Pair*, i8, to 8 bytes, 2 members\n");
    assert_eq!(error, "");
    let float = text.replace(".param .u32 unnamed_param_0", ".param .f32 unnamed_param_0");
    assert!(of_image(float.as_bytes(), "unnamed").0.starts_with("unnamed_param_0: ?, f4\nunnamed_param_1: Pair*, i8"));

    let long_double = include_bytes!("../../../../ptx/long_double.debug.ptx");
    let (scaled, error) = of_image(long_double, "scaled");
    assert_eq!(error, "");
    let span = scaled.split_once("span: Span, b8, 2 members\n").expect("the struct has its members");
    assert_eq!(span.0, "x: float*, i8\nby: ?, f8\n");
    assert!(span.1.ends_with("n: unsigned int, i4\n"), "{scaled}");
}

/// Debug information with different parameters is ignored, and errors of reading it are reported.
#[test]
fn different_debug_information_is_ignored() {
    let text = std::str::from_utf8(PTX).unwrap();
    let one_less = text.replace(".param .u32 unnamed_param_0,", "");
    let others = "debug information that does not contain the parameters of kernel `unnamed`: it contains different parameters \
                  than the image";
    assert_eq!(of_image(one_less.as_bytes(), "unnamed"), ("unnamed_param_1: ?, i8\n".into(), others.into()));
    let broken = text.replace(".b32 .debug_abbrev", ".b32 77777777");
    let (parameters, error) = of_image(broken.as_bytes(), "unnamed");
    assert!(parameters.starts_with("unnamed_param_0: ?, i4\n"), "{parameters}");
    assert!(error.starts_with("debug information that cannot be read as DWARF 2 to 5: "), "{error}");
    let broken = text.replace(".section\t.debug_abbrev\n\t{", ".section\t.debug_abbrev\n\t{ .b7 1");
    let (_, error) = of_image(broken.as_bytes(), "unnamed");
    assert!(error.contains("expected `.b8`, `.b16`, `.b32`, `.b64`"), "{error}");
    // Debug information about other kernels does not describe this one, but is not an error.
    let renamed = text.replace("unnamed", "renamed");
    let (_, error) = of_image(renamed.as_bytes(), "renamed");
    assert_eq!(error, "");
}

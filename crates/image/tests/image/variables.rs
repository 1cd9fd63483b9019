//! Global variables of images, from PTX, cubins and debug information.

use kernel_args_abi::Alignment;
use kernel_args_image::{Image, Kernels};
use kernel_args_test_generator::size;
use std::fmt::Write as _;

const PTX: &[u8] = include_bytes!("../data/variables.ptx");
const CUBIN: &[u8] = include_bytes!("../data/variables.sm_90.cubin");
const DEBUG_PTX: &[u8] = include_bytes!("../data/variables.debug.ptx");
const DEBUG_CUBIN: &[u8] = include_bytes!("../data/variables.debug.sm_90.cubin");

/// Specifier, C++ name or symbol, size, alignment, class, C++ type of `data/variables.cu`, and the number of members.
const EXPECTED: &str = include_str!("../data/variables.txt");

fn kernels(image: &[u8]) -> Kernels<'_> {
    Image::read(image).unwrap().kernels().unwrap()
}

/// One line for each variable. `parts` is the number of parts of each line.
fn listed(kernels: &Kernels<'_>, parts: &[usize]) -> String {
    let mut text = String::new();
    for symbol in kernels.variable_symbols() {
        let variable = kernels.variable(symbol, None).unwrap();
        assert_eq!(variable.symbol(), symbol);
        let value = variable.value().unwrap();
        let name = variable.demangled().map_or(symbol, |name| name.text());
        let all = [
            format!("{} {name}", variable.space.specifier()),
            value.size.to_string(),
            value.align.map_or(0, Alignment::bytes).to_string(),
            value.class.name().into(),
            value.cpp.to_string(),
            value.members.len().to_string(),
        ];
        let line: Vec<&str> = parts.iter().map(|&part| all[part].as_str()).collect();
        let _ = writeln!(text, "{}", line.join(" | "));
    }
    text
}

fn expected(parts: &[usize]) -> String {
    let of = |line: &str| {
        let all: Vec<&str> = line.split(" | ").collect();
        let line: Vec<&str> = parts.iter().map(|&part| all[part]).collect();
        line.join(" | ") + "\n"
    };
    EXPECTED.lines().map(of).collect()
}

#[test]
fn ptx_declares_space_size_alignment_and_class() {
    const PARTS: [usize; 4] = [0, 1, 2, 3];
    assert_eq!(listed(&kernels(PTX), &PARTS), expected(&PARTS));
}

#[test]
fn a_cubin_records_space_and_size() {
    assert_eq!(listed(&kernels(CUBIN), &[0, 1]), expected(&[0, 1]));
}

#[cfg(feature = "debug-info")]
#[test]
fn debug_information_has_types_and_members() {
    const ALL: [usize; 6] = [0, 1, 2, 3, 4, 5];
    const PARTS: [usize; 4] = [0, 1, 4, 5];
    assert_eq!(listed(&kernels(DEBUG_PTX), &ALL), expected(&ALL));
    assert_eq!(listed(&kernels(DEBUG_CUBIN), &PARTS), expected(&PARTS));
    let reduced = kernel_args_image::dwarf::reduce(DEBUG_PTX).unwrap();
    assert_eq!(listed(&kernels(reduced.as_bytes()), &ALL), expected(&ALL));
}

#[test]
fn an_owned_copy_has_the_same_variables() {
    for image in [PTX, CUBIN, DEBUG_PTX, DEBUG_CUBIN] {
        let borrowed = listed(&kernels(image), &[0, 1, 2, 3, 4]);
        assert_eq!(listed(&kernels(image).into_owned(), &[0, 1, 2, 3, 4]), borrowed);
    }
}

/// The sizes and alignments of declarations, or that nothing is known about them.
#[test]
fn declarations_of_every_form_are_read() {
    for (declaration, read) in [
        (".global .u32 v;", "__device__ v | 4 | 4 | integer"),
        (".visible .const .align 16 .b8 v[5];", "__constant__ v | 5 | 16 | bytes"),
        (".global .v4 .f32 v = {0f00000000, 0f00000000};", "__device__ v | 16 | 16 | bytes"),
        (".global .align 4 .f32 v[3][4];", "__device__ v | 48 | 4 | bytes"),
        (".global .attribute(.managed) .f64 v;", "__managed__ v | 8 | 8 | float"),
        (".global .attribute(.unified(19, 95)) .f64 v;", "__device__ v | 8 | 8 | float"),
        (".weak .global /* a comment */ .b16\n v;", "__device__ v | 2 | 2 | bits"),
        (".global .b8 b8[2];", "__device__ b8 | 2 | 1 | bytes"),
        (".extern .global .u32 v;", ""),
        (".global .texref v;", ""),
        (".global .u32 v, w;", ""),
        (".global .u8 v[] = {1, 2};", ""),
        (".global .u8 v[0];", ""),
        (".global .u8 v[18446744073709551615][2];", ""),
        (".global .u64 v[18446744073709551615];", ""),
        (".global .align 3 .u8 v;", ""),
        (".global .align 4 v;", ""),
        (".global .pred v;", ""),
        (".shared .u32 v;", ""),
        (".const[2] .u32 v;", ""),
    ] {
        let text =
            format!(".version 9.0\n.target sm_90\n.address_size 64\n{declaration}\n.visible .entry k(){{ret;}}\n");
        let kernels = kernels(text.as_bytes());
        assert_eq!(listed(&kernels, &[0, 1, 2, 3]).trim_end(), read, "{declaration}");
        assert_eq!(kernels.symbols().collect::<Vec<_>>(), ["k"]);
    }
}

#[test]
fn a_variable_that_differs_between_codes_varies() {
    let text = |declaration: &str| format!(".version 9.0\n.target sm_90\n{declaration}\n");
    let (one, other) = (text(".global .u32 v; .global .u32 w;"), text(".global .u64 v; .global .u32 w;"));
    let both = Image::read(one.as_bytes()).unwrap().with(Image::read(other.as_bytes()).unwrap());
    let kernels = both.kernels().unwrap();
    assert!(kernels.variable_varies("v") && !kernels.variable_varies("w"));
}

/// Wherever an image is damaged, its variables are read or an error is returned. Every 23rd byte by default, each with
/// `KERNEL_ARGS_FULL=1`.
#[test]
fn damaged_images_are_no_panic() {
    let step = size::choose(23, 1);
    let mut read = 0;
    for image in [PTX, CUBIN, DEBUG_PTX, DEBUG_CUBIN] {
        let mut damaged = image.to_vec();
        for at in (0..image.len()).step_by(step) {
            for value in [0, 0xff, image[at] ^ 1] {
                damaged[at] = value;
                let Ok(kernels) = Image::read(&damaged).and_then(|image| image.kernels()) else {
                    continue;
                };
                for symbol in kernels.variable_symbols() {
                    let variable = kernels.variable(symbol, None).unwrap();
                    let value = variable.value().unwrap();
                    assert!(value.size > 0);
                    read += value.members.len();
                }
            }
            damaged[at] = image[at];
        }
    }
    assert!(read > 0 || !cfg!(feature = "debug-info"));
}

//! A reduced debug build contains the same data as the full one.

use kernel_args_image::{
    Image,
    dwarf::{DebugInfo, reduce},
};
use proptest::prelude::*;

const PTX: &[u8] = include_bytes!("../data/debug.ptx");

fn parameters(image: &[u8]) -> Vec<String> {
    let kernels = Image::read(image).unwrap().kernels().unwrap();
    assert_eq!(kernels.debug_errors().next(), None);
    let kernels = kernels.symbols().map(|symbol| {
        let kernel = kernels.kernel(symbol, None).unwrap();
        format!("{symbol} {:?}", kernel.parameters())
    });
    kernels.collect()
}

#[test]
fn a_reduced_text_contains_the_same_data() {
    let text = reduce(PTX).unwrap();
    assert_eq!(parameters(text.as_bytes()), parameters(PTX));
    assert!(text.len() < PTX.len());
    let again = reduce(text.as_bytes()).unwrap();
    assert_eq!(again, text, "a reduced text does not change");
    let whole = Image::read(PTX).unwrap().kernels().unwrap();
    let symbols: Vec<&str> = whole.symbols().collect();
    let info = DebugInfo::of_ptx(text.as_bytes(), symbols.iter().copied()).unwrap();
    assert_eq!(info.symbols().len(), symbols.len());
}

/// The file and the folder. Their lengths shift every entry.
#[test]
fn a_reduced_text_does_not_depend_on_the_folder() {
    // In `debug.ptx` the file name is followed by the reference to its lines, and by the folder `/`.
    let text = core::str::from_utf8(PTX).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let folder = lines.iter().position(|line| line.trim() == ".b32 .debug_line").unwrap();
    let name = lines[folder - 2];
    assert!(name.starts_with(".b8 ") && lines[folder - 1] == ".b8 0");
    let text = reduce(PTX).unwrap();
    let bytes = name.trim_start_matches(".b8 ");
    assert!(!text.replace('\n', "").replace(".b8 ", ",").contains(bytes), "{bytes}");
}

#[test]
fn without_debug_information_the_declarations_are_left() {
    let text =
        b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 n) { add.u32 a, b, c; ret; }";
    let reduced = reduce(text).unwrap();
    assert_eq!(parameters(reduced.as_bytes()), parameters(text));
    assert!(!reduced.contains("add.u32"));
    assert!(reduce(b"nonsense").is_err());
}

proptest! {
    #[test]
    fn nothing_panics(place in 0..PTX.len(), byte: u8) {
        let mut text = PTX.to_vec();
        text[place] = byte;
        if let Ok(reduced) = reduce(&text) {
            let _ = Image::read(reduced.as_bytes()).map(|image| image.kernels());
        }
    }
}

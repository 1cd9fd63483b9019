//! The output of `kernels!` for an image contains the same data as the reader's result.

use kernel_args_abi::{
    Class, CppType, Layout, Opaque, Parameter, Signature, check,
    compiled::{CompiledImage, CompiledKernel, CompiledKernels, fingerprint},
};
use kernel_args_image::{Declaration, Encoder, Image, Kernels};
use proptest::prelude::*;
use std::{fmt::Write, fs, path::Path};

/// The kernels of an image as a macro embeds them, with their texts in the image or in the table.
fn compiled(bytes: &[u8], kernels: &Kernels<'_>, in_table: bool) -> CompiledKernels {
    let bytes: &'static [u8] = bytes.to_vec().leak();
    let mut encoder = Encoder::new();
    for symbol in kernels.symbols() {
        let place = kernels.declaration(symbol).filter(|_| !in_table);
        encoder.push(
            &kernels.kernel(symbol, None).unwrap(),
            place.map(|(at, text)| Declaration { at, text }),
            kernels.varies(symbol),
        );
    }
    let (table, names) = encoder.finish();
    let image = CompiledImage::new(bytes, fingerprint(bytes), table.leak(), names.leak());
    CompiledKernels::all(Box::leak(Box::new(image)))
}

/// The number of compared kernels.
fn compare(bytes: &[u8]) -> usize {
    let image = Image::read(bytes).unwrap();
    let mut kernels = image.kernels().unwrap();
    image.add_bodies(&mut kernels, |symbol| symbol.len() % 4 > 0).unwrap();
    for in_table in [false, true] {
        let compiled = compiled(bytes, &kernels, in_table);
        assert_eq!(compiled.len(), kernels.symbols().count());
        for (symbol, compiled) in kernels.symbols().zip(compiled) {
            let kernel = kernels.kernel(symbol, None).unwrap();
            assert_eq!(compiled.symbol(), symbol);
            assert_eq!(compiled.varies(), kernels.varies(symbol));
            assert!(compiled.is_unchanged());
            let name = kernel.demangled.as_ref().map_or(symbol, |name| name.text());
            assert_eq!(compiled.name(), name);
            let parameters = kernel.parameters();
            assert_eq!(compiled.has_debug_info(), kernel.debug_info.is_known());
            assert_eq!(compiled.parameters().collect::<Vec<_>>(), parameters, "{name}");
            for (i, parameter) in parameters.iter().enumerate() {
                assert_eq!(compiled.parameter(i), *parameter);
            }
            assert_eq!(compiled.parameter_count(), parameters.len());
        }
    }
    kernels.symbols().count()
}

fn repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn every_kernel_of_the_repository_is_the_one_that_is_read() {
    let mut count = 0;
    for entry in fs::read_dir(repository("ptx")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "ptx") {
            count += compare(&fs::read(&path).unwrap());
        }
    }
    assert!(count > 100, "{count} kernels");
}

#[test]
fn every_kernel_of_a_cubin_or_a_fat_binary_is_the_one_that_is_read() {
    for entry in fs::read_dir(repository("crates/image/tests/data")).unwrap() {
        let path = entry.unwrap().path();
        if ["ptx", "cubin", "fatbin"].iter().any(|image| path.extension().is_some_and(|extension| extension == *image))
        {
            assert!(compare(&fs::read(&path).unwrap()) > 0, "{}", path.display());
        }
    }
}

#[test]
#[cfg(feature = "debug-info")]
fn debug_information_is_in_a_table() {
    let bytes = fs::read(repository("crates/image/tests/data/debug.ptx")).unwrap();
    let kernels = Image::read(&bytes).unwrap().kernels().unwrap();
    let kernel = kernels.kernel("scaled", None).unwrap();
    let compiled = compiled(&bytes, &kernels, false);
    let find = |symbol| compiled.iter().find(|k| k.symbol() == symbol).unwrap();
    let scaled = find("scaled").parameter(0);
    assert_eq!((scaled.name, scaled.cpp.depth), ("in", 1));
    assert_eq!(kernel.parameters()[0], scaled);
    assert_eq!(scaled.spelling, ".param .u64 scaled_param_0");
    let by_value: Vec<_> = find("by_value").parameters().collect();
    let cell = by_value[3].members.get(1).unwrap();
    assert_eq!((cell.name, cell.offset, cell.cpp.extents), ("values", Some(8), [2, 3, 0]));
    let low = by_value[4].members.get(0).unwrap();
    assert_eq!((low.name, low.size), ("low", 4));
    assert_eq!(low.members.why_opaque(), Some(Opaque::BitFields));
    assert!(by_value[8].pointee.is_declared());
    assert_eq!(by_value[3].members.get(2), None);
    // `sim::step` takes a struct with an array of `Cell`.
    let step = find("_ZN3sim4stepENS_6ParamsENS_5ColorENS_6EitherEP6float4PKS0_");
    let cells = step.parameter(0).members.get(2).unwrap();
    assert_eq!((cells.name, cells.cpp.extents[0]), ("cells", 4));
    assert_eq!(cells.members, by_value[3].members);
    // Its last parameter points to the struct that the first one contains.
    let all = step.parameter(4).pointee.get().unwrap();
    let params = step.parameter(0);
    assert_eq!((all.size, all.members), (params.size, params.members));
}

/// Names from the source of PTX parameters are compared, as when a kernel is loaded.
#[test]
fn a_struct_fits_by_the_names_that_a_program_gave() {
    let text =
        ".version 9.0\n.target sm_90\n.visible .entry copy(.param .u64 in, .param .u64 out, .param .u32 in2)\n{ ret; }";
    let kernels = Image::read(text.as_bytes()).unwrap().kernels().unwrap();
    let copy = compiled(text.as_bytes(), &kernels, false).get(0).unwrap();
    let parameters: Vec<_> = copy.parameters().collect();
    for (names, fits) in [
        (["in", "out", "n"], true),
        (["r#in", "y", "in"], true),
        (["x", "y", "out"], true),
        (["out", "in", "n"], false),
        (["x", "r#in", "n"], false),
        (["in2", "out", "n"], true),
    ] {
        let mut fields = parameters.clone();
        for (field, name) in fields.iter_mut().zip(names) {
            field.name = name;
        }
        assert_eq!(copy.fits(&fields), fits, "{names:?}");
        assert_eq!(check::fits(&fields, &parameters, None), fits, "{names:?}");
        // The names, specified explicitly by the fields.
        for (i, (field, name)) in fields.iter_mut().zip(names).enumerate() {
            (field.name, field.kernel_name) = (["a", "b", "c"][i], name);
        }
        assert!(!copy.fits(&fields) && !check::fits(&fields, &parameters, None));
        for (field, parameter) in fields.iter_mut().zip(&parameters) {
            field.kernel_name = parameter.name;
        }
        assert!(copy.fits(&fields) && check::fits(&fields, &parameters, None));
    }
}

/// An uncompressed fat binary of these cubins (2) and PTX texts (1).
pub(crate) fn fatbin(members: &[(u16, u32, &[u8])]) -> Vec<u8> {
    let mut payload = Vec::new();
    for (kind, sm, bytes) in members {
        let padded = bytes.len().next_multiple_of(8);
        let mut header = [0; 64];
        header[..2].copy_from_slice(&kind.to_le_bytes());
        header[4..8].copy_from_slice(&64_u32.to_le_bytes());
        header[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        header[28..32].copy_from_slice(&sm.to_le_bytes());
        payload.extend(header);
        payload.extend(*bytes);
        payload.resize(payload.len() + padded - bytes.len(), 0);
    }
    let mut file = 0xba55_ed50_u32.to_le_bytes().to_vec();
    file.extend([1, 0, 16, 0]);
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(payload);
    file
}

pub(crate) const SM_75: &[u8] = include_bytes!("../data/kernels.sm_75.cubin");
pub(crate) const SM_100: &[u8] = include_bytes!("../data/kernels.sm_100.cubin");
pub(crate) const PTX: &[u8] = include_bytes!("../data/kernels.ptx");

/// `sim::Line` is aligned to 64, so its offset on sm_100 differs from its offset on sm_75.
#[test]
fn another_offset_of_an_over_aligned_parameter_is_no_difference() {
    for members in [
        &[(2, 75, SM_75), (2, 100, SM_100)][..],
        &[(2, 100, SM_100), (2, 75, SM_75)],
        &[(1, 75, PTX), (2, 100, SM_100), (2, 75, SM_75)],
    ] {
        let file = fatbin(members);
        assert_eq!(compare(&file), 5);
        let kernels = Image::read(&file).unwrap().kernels().unwrap();
        for kernel in compiled(&file, &kernels, false) {
            assert!(!kernel.varies(), "{kernel:?}");
        }
    }
}

/// A kernel that depends on `__CUDA_ARCH__`.
#[test]
fn different_parameters_on_another_gpu_are_reported() {
    let text = String::from_utf8(PTX.to_vec()).unwrap();
    let other = text.replace(".param .f32 _Z5saxpyifPKfPf", ".param .f64 _Z5saxpyifPKfPf");
    assert_ne!(text, other);
    for members in [[(1, 75, PTX), (1, 90, other.as_bytes())], [(1, 90, other.as_bytes()), (2, 75, SM_75)]] {
        let file = fatbin(&members);
        let kernels = Image::read(&file).unwrap().kernels().unwrap();
        let varying = compiled(&file, &kernels, false).into_iter().filter(CompiledKernel::varies);
        let names: Vec<_> = varying.map(|kernel| kernel.symbol()).collect();
        assert_eq!(names, ["_Z5saxpyifPKfPf"]);
    }
    // An integer for a float of the same size: texts show the difference, cubins do not.
    let other = text.replace(".param .f32 _Z5saxpyifPKfPf", ".param .u32 _Z5saxpyifPKfPf");
    let file = fatbin(&[(1, 75, PTX), (1, 90, other.as_bytes())]);
    assert!(Image::read(&file).unwrap().kernels().unwrap().varies("_Z5saxpyifPKfPf"));
}

fn text() -> impl Strategy<Value = String> {
    let parameter = prop_oneof![
        prop_oneof![
            Just(".param .u8"),
            Just(".param .s32"),
            Just(".param .f64"),
            Just(".param .b16"),
            Just(".param .u64 .ptr .global .align 4"),
            Just(".param\n .u64 // a comment\n"),
        ]
        .prop_map(|ty| (ty.to_owned(), String::new())),
        (0u32..6, 1usize..300)
            .prop_map(|(power, size)| { (format!(".param .align {} .b8", 1 << power), format!("[{size}]"),) }),
    ];
    let name = prop_oneof![
        "[a-z_$]{1,9}",
        prop_oneof![
            Just("_Z5saxpyifPKfPf"),
            Just("_Z5saxpyIfEviT_PKS0_PS0_"),
            Just("_ZN8geometry4growENS_3BoxIfLi3EEEfPS1_"),
            Just("_ZN12_GLOBAL__N_11kEv"),
            Just("_Z1kILi3EEvi"),
            Just("_Z1kIfEvT_"),
            Just("_Zbroken"),
        ]
        .prop_map(String::from),
    ];
    let kernel = (name, proptest::collection::vec(parameter, 0..7), any::<bool>());
    proptest::collection::vec(kernel, 1..9).prop_map(|kernels| {
        let mut text = String::from(".version 9.0\n.target sm_90\n");
        let mut seen = std::collections::BTreeSet::new();
        for (name, parameters, named) in kernels {
            // Names from a compiler, or from a program.
            let prefix = if named { "p" } else { &format!("{name}_param_") };
            if !seen.insert(name.clone()) {
                continue;
            }
            let declared: Vec<String> =
                parameters.iter().enumerate().map(|(i, (ty, length))| format!("{ty} {prefix}{i}{length}")).collect();
            writeln!(text, ".visible .entry {name}({})\n{{ ret; }}", declared.join(",\n")).unwrap();
        }
        text
    })
}

/// Signatures that are similar to a kernel's, and often different.
fn fields(parameters: &[Parameter<'static>], change: usize) -> Vec<Parameter<'static>> {
    let mut fields: Vec<_> = parameters.iter().map(|parameter| Parameter { offset: None, ..*parameter }).collect();
    if let Some(count) = fields.len().checked_sub(1) {
        match change % 5 {
            0 => fields.swap(0, count),
            1 => drop(fields.pop()),
            2 => fields[count].cpp = CppType::integer(false, 32).pointer(true),
            3 => {
                fields[0] =
                    Parameter::field("f", "u64", 0, Layout::of::<u64>(), Class::Integer, CppType::integer(false, 64));
            }
            _ => {}
        }
    }
    fields
}

proptest! {
    #[test]
    fn any_kernel_is_the_one_that_is_read(text in text()) {
        prop_assert!(compare(text.as_bytes()) > 0, "{text}");
    }

    /// The fast check returns the same as the full comparison.
    #[test]
    fn a_struct_fits_as_the_comparison_says(text in text(), change in 0usize..5) {
        let kernels = Image::read(text.as_bytes()).unwrap().kernels().unwrap();
        for kernel in compiled(text.as_bytes(), &kernels, false) {
            let parameters: Vec<_> = kernel.parameters().collect();
            let fields = fields(&parameters, change);
            prop_assert_eq!(kernel.fits(&fields), check::fits(&fields, &parameters, None));
            let one = kernel.kernels();
            prop_assert_eq!(
                one.only_fitting(&fields),
                check::fits(&fields, &parameters, None).then_some(kernel.symbol())
            );
            let signature = Signature { name: kernel.name(), parameters: &parameters };
            let leaked = parameters.clone().leak();
            prop_assert_eq!(one.signatures::<1>(leaked), [signature]);
        }
    }

    /// The embedded bytes differ from the bytes that were read.
    #[test]
    fn another_declaration_is_noticed(text in text(), at in any::<prop::sample::Index>()) {
        let kernels = Image::read(text.as_bytes()).unwrap().kernels().unwrap();
        let symbols: Vec<_> = kernels.symbols().collect();
        let symbol = symbols[at.index(symbols.len())];
        let (start, declaration) = kernels.declaration(symbol).unwrap();
        let mut changed = text.clone().into_bytes();
        changed[start + at.index(declaration.len())] ^= 1;
        for kernel in compiled(&changed, &kernels, false) {
            prop_assert_eq!(kernel.is_unchanged(), kernel.symbol() != symbol);
        }
    }
}

#[test]
fn patterns_are_compared_with_each_name_of_a_kernel() {
    let bytes = fs::read(repository("ptx/saxpy_typed.ptx")).unwrap();
    let kernels = Image::read(&bytes).unwrap().kernels().unwrap();
    let compiled = compiled(&bytes, &kernels, false);
    let matching =
        |pattern: &str, suffix: &str| compiled.iter().filter(|kernel| kernel.matches(pattern, suffix)).count();
    for (pattern, suffix, count) in [
        ("*", "", 7),
        ("saxpy", "", 4),
        ("s*y", "", 4),
        ("saxpy<*>", "", 2),
        ("saxpy*", "<float>", 1),
        ("saxp?*", "<double>", 1),
        ("geometry::*", "", 2),
        ("grow", "", 1),
        ("_Z5saxpyif*", "", 1),
        ("saxpy(*", "", 0),
        ("Saxpy", "", 0),
        ("axpy", "", 0),
        ("*", "_f32", 0),
    ] {
        assert_eq!(matching(pattern, suffix), count, "{pattern} {suffix}");
        assert_eq!(compiled.position(0, pattern, suffix).is_some(), count > 0);
    }
    let nearest = compiled.nearest("grow_*", "");
    assert_eq!(compiled.get(nearest[0].unwrap()).unwrap().symbol(), "_ZN8geometry4growENS_3BoxIfLi3EEEfPS1_");
    // Only the beginning is missing.
    let names = compiled
        .nearest("axpy<*>", "")
        .map(|index| compiled.get(index.expect("three kernels")).expect("a kernel").name());
    assert!(names[0].contains("saxpy<") && names[1].contains("saxpy<") && names[2].starts_with("saxpy("), "{names:?}");
    let nearest = compiled.nearest("saxpy*", "<flaot>");
    assert!(compiled.get(nearest[0].unwrap()).unwrap().name().contains("saxpy"));
}

#[test]
#[should_panic(expected = "the image changed while this crate was compiled")]
fn another_image_is_refused() {
    let _ = CompiledImage::new(b"other", fingerprint(b"image"), &[0; 4], "");
}

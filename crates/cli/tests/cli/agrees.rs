//! The program's output agrees with the library.

use super::common::{Folder, bytes, data, run};
use kernel_args_abi::{Alignment, Class, Parameter, Sm, signature::Variant};
use kernel_args_image::{DirectiveValue, Image, Kernels, mangled::Demangled};
use kernel_args_test_generator::{Shape, Signature, Type, layout::Extent, signatures};
use serde_json::{Value, json};
use std::{fmt::Write as _, fs};

/// The kernels in the program's JSON.
fn shown(file: &str) -> Vec<Value> {
    let ran = run(&["show", "--json", file]);
    assert_eq!(ran.code, 0, "{file}: {}", ran.stderr);
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    value["kernels"].as_array().unwrap().clone()
}

/// The program's form of a library parameter. The program leaves out numbered compiler names, and shortens
/// declarations.
fn expected(parameter: &Parameter<'_>, is_member: bool) -> Value {
    let class = match parameter.class {
        Class::Bits => "bits",
        Class::Integer => "integer",
        Class::Float => "float",
        Class::Pointer => "pointer",
        Class::Bytes => "bytes",
        _ => "unknown",
    };
    let members = parameter
        .members
        .is_known()
        .then(|| parameter.members.iter().map(|member| expected(&member, true)).collect::<Vec<_>>());
    let enumerators = parameter.members.is_enum().then(|| {
        let variants = parameter.members.variants();
        let expected = |v: Variant<'_>| json!({"name": v.name, "value": i64::try_from(v.value).unwrap()});
        variants.map(expected).collect::<Vec<_>>()
    });
    let is_numbered = !is_member && parameter.name.contains("_param_");
    let name = (!parameter.name.is_empty() && !is_numbered).then_some(parameter.name);
    json!({
        "name": name,
        "type": (!parameter.cpp.is_unknown()).then(|| parameter.cpp.to_string()),
        "class": class,
        "size": parameter.size,
        "align": parameter.align.map(Alignment::bytes),
        "members": members,
        "enumerators": enumerators,
    })
}

fn agree(file: &str, kernels: &Kernels<'_>) {
    let shown = shown(file);
    let symbols: Vec<&str> = kernels.symbols().collect();
    let mut seen: Vec<&str> = shown.iter().map(|kernel| kernel["symbol"].as_str().unwrap()).collect();
    // A kernel whose parameters differ between GPUs appears once per variant.
    seen.dedup_by(|next, before| next == before && kernels.varies(before));
    assert_eq!(seen, symbols, "{file}");
    for shown in &shown {
        let symbol = shown["symbol"].as_str().unwrap();
        if kernels.varies(symbol) {
            continue;
        }
        let kernel = kernels.kernel(symbol, None).unwrap();
        assert_eq!(shown["name"].as_str(), kernel.demangled.as_ref().map(Demangled::text));
        let parameters = kernel.parameters();
        let list = shown["parameters"].as_array().unwrap();
        assert_eq!(list.len(), parameters.len(), "{file}: {symbol}");
        for (shown, parameter) in list.iter().zip(&parameters) {
            same(shown, &expected(parameter, false), &format!("{file}: {symbol}"));
            if let Some(offset) = parameter.offset {
                assert_eq!(shown["offset"], offset, "{file}: {symbol}");
            }
        }
        for (name, value) in kernel.directives().values() {
            let value = match value {
                DirectiveValue::Dimensions(numbers) => json!(numbers),
                DirectiveValue::Count(number) => json!(number),
                DirectiveValue::Flag(is_set) => json!(is_set),
            };
            assert_eq!(shown["limits"][name], value, "{file}: {symbol}: {name}");
        }
        assert_eq!(shown["limits"]["dynamic_shared"], json!(kernel.dynamic_shared()), "{file}: {symbol}");
    }
}

/// Whether the program shows the expected fields. Fields that `expected` lacks are not compared.
fn same(shown: &Value, expected: &Value, at: &str) {
    for (field, value) in expected.as_object().unwrap() {
        match (field.as_str(), value) {
            ("members", Value::Array(members)) => {
                let shown = shown["members"].as_array().unwrap();
                assert_eq!(shown.len(), members.len(), "{at}");
                shown.iter().zip(members).for_each(|(shown, expected)| same(shown, expected, at));
            }
            _ => assert_eq!(&shown[field], value, "{at}: {field} of {shown}"),
        }
    }
}

#[test]
fn json_agrees_with_the_library_for_every_image_of_the_tests() {
    let mut count = 0;
    for folder in ["../../ptx", "../image/tests/data"] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|name| name.to_str());
            if !matches!(extension, Some("ptx" | "cubin" | "fatbin")) {
                continue;
            }
            let path = path.to_str().unwrap();
            let image = bytes(path);
            let image = Image::read(&image).unwrap();
            let mut kernels = image.kernels().unwrap();
            image.add_bodies(&mut kernels, |_| true).unwrap();
            agree(path, &kernels);
            count += 1;
        }
    }
    assert!(count >= 25, "{count}");
}

/// PTX of random signatures, with the generator's own sizes and alignments.
fn ptx(signatures: &[Signature]) -> String {
    let mut text = ".version 9.0\n.target sm_75\n.address_size 64\n".to_owned();
    for signature in signatures {
        let name = &signature.name;
        let parameter = |(index, ty): (usize, &Type)| {
            let Extent { size, align } = ty.extent();
            format!("\t.param .align {align} .b8 {name}_param_{index}[{size}]")
        };
        let list: Vec<String> = signature.parameters.iter().enumerate().map(parameter).collect();
        _ = write!(text, ".visible .entry {name}(\n{}\n)\n{{ ret; }}\n", list.join(",\n"));
    }
    text
}

#[test]
fn json_agrees_with_the_library_for_random_images() {
    let folder = Folder::new();
    let mut placed = 0;
    for seed in 0..4 {
        let signatures = signatures(seed, Shape::Plain, 50);
        let text = ptx(&signatures);
        let path = folder.write(&format!("{seed}.ptx"), &text);
        let image = Image::read(text.as_bytes()).unwrap();
        agree(&path, &image.kernels().unwrap());
        // Offsets, computed by the generator.
        for kernel in shown(&path) {
            let of = |signature: &&Signature| kernel["symbol"] == signature.name.as_str();
            let signature = signatures.iter().find(of).unwrap();
            let offsets: Vec<&Value> = kernel["parameters"].as_array().unwrap().iter().map(|p| &p["offset"]).collect();
            if signature.is_over_aligned() {
                assert!(offsets.iter().all(|offset| offset.is_null()));
                assert!(kernel["size"].is_null());
            } else {
                let expected: Vec<usize> = signature.offsets().iter().map(|(at, _)| *at).collect();
                assert_eq!(json!(offsets), json!(expected));
                placed += 1;
            }
        }
    }
    assert!(placed > 100, "{placed}");
}

#[test]
fn registers_and_shared_memory_are_shown_by_image() {
    let shown = shown(&data("shared.sm_90.cubin"));
    let image = &shown[0]["images"][0];
    assert_eq!((&image["registers"], &image["static_shared"]), (&json!(10), &json!(1280)));
    assert_eq!(image["gpu"], Sm(90).to_string());
}

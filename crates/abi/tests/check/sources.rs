//! The hints for mistakes, for each source of information about the kernel: more information makes no hint worse.
//!
//! `KERNEL_ARGS_BLESS=1` writes the table, `sources.txt`.

use super::{
    members::{array, at, leak},
    sides::*,
};
use kernel_args_abi::{
    Body, Class, CppBase, CppType, Meaning, Members, Opaque, Parameter,
    check::{compare, report},
    cpp::BUILTINS,
    signature::{Certainty, ElementClass, Elements, Evidence, Slot, SlotKind},
};
use std::{env, fmt::Write as _, fs, path::Path};

/// The sources. Each index in `LESS` contains less than its counterpart.
const SOURCES: [&str; 5] = ["cubin", "PTX", "C++ name", "debug information", "host function"];
const LESS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (4, 3)];

/// Types of the programs, which their sources define.
const OWN: [&str; 5] = ["Params", "Pair", "Light", "S", "T"];

struct Mistake {
    name: &'static str,
    host: Vec<Parameter<'static>>,
    /// As debug information describes them, with the code of PTX.
    kernel: Vec<Parameter<'static>>,
}

fn with_slot(parameter: Parameter<'static>, slot: Slot<'static>) -> Parameter<'static> {
    Parameter { body: Body::of(vec![slot].leak()), ..parameter }
}

#[allow(clippy::unnecessary_wraps, reason = "a field of `Slot`")]
const fn evidence(opcode: &'static str) -> Option<Evidence<'static>> {
    Some(Evidence { opcode, file: "", line: 0 })
}

fn object(name: &'static str, meaning: Meaning) -> Parameter<'static> {
    let (kind, opcode) = match meaning {
        Meaning::Surface => (SlotKind::Surface, "sust.b.1d.b32.trap"),
        _ => (SlotKind::Texture, "tex.1d.v4.f32.s32"),
    };
    let handle = field(name, "", 8, 8, Class::Integer, ULONGLONG).with_members(Members::meaning(meaning));
    with_slot(handle, Slot { kind, access: evidence(opcode), ..Slot::at(0) })
}

/// A pointer to floats, which the code reads or writes.
fn memory(name: &'static str, is_written: bool) -> Parameter<'static> {
    let pointer = field(name, "", 8, 8, Class::Integer, FLOAT.pointer(!is_written));
    let elements = Elements { class: ElementClass::F32, size: 4, step: 4, is_computed: true };
    let opcode = if is_written { "st.global.f32" } else { "ld.global.f32" };
    let used = if is_written { (Certainty::Never, Certainty::Certain) } else { (Certainty::Certain, Certainty::Never) };
    let slot = Slot {
        kind: SlotKind::Pointer,
        read: used.0,
        written: used.1,
        elements: Some(elements),
        access: evidence(opcode),
        write: if is_written { evidence(opcode) } else { None },
        ..Slot::at(0)
    };
    with_slot(pointer, slot)
}

fn number(name: &'static str, class: Class, cpp: CppType<'static>, size: usize) -> Parameter<'static> {
    field(name, "", size, size, class, cpp)
}

fn int(name: &'static str) -> Parameter<'static> {
    number(name, Class::Integer, INT, 4)
}

fn float(name: &'static str) -> Parameter<'static> {
    number(name, Class::Float, FLOAT, 4)
}

fn pointer_to(name: &'static str, base: &'static str) -> Parameter<'static> {
    field(name, "", 8, 8, Class::Integer, CppType::named(base).pointer(false))
}

fn function(name: &'static str, depth: usize) -> Parameter<'static> {
    let cpp = (0..depth).fold(CppType::of(CppBase::FunctionType), |cpp, _| cpp.pointer(false));
    field(name, "", 8, 8, Class::Integer, cpp)
}

fn by_value(name: &'static str, cpp: &'static str, size: usize, align: usize) -> Parameter<'static> {
    field(name, "", size, align, Class::Bytes, CppType::named(cpp))
}

fn spelled(spelling: &'static str, field: Parameter<'static>) -> Parameter<'static> {
    Parameter { spelling, ..field }
}

fn read(name: &'static str, of: CppType<'static>, spelling: &'static str) -> Parameter<'static> {
    spelled(spelling, slice(name, of))
}

fn handle(name: &'static str, meaning: Meaning) -> Parameter<'static> {
    let spelling = if meaning == Meaning::Surface { "SurfaceObject" } else { "TextureObject" };
    field(name, spelling, 8, 8, Class::Integer, ULONGLONG).with_members(Members::meaning(meaning))
}

fn tensor_maps(length: u32, spelling: &'static str) -> Parameter<'static> {
    let map = field("maps", spelling, 128, 64, Class::Bytes, CppType::named("CUtensorMap"));
    Parameter { align: map.align, ..array(map, length) }
}

fn mistakes() -> Vec<Mistake> {
    let one = |name, host: Parameter<'static>, kernel| Mistake { name, host: vec![host], kernel: vec![kernel] };
    let floats = |name| read(name, FLOAT, "&'a CudaSlice<f32>");
    let writes = |name| spelled("&'a mut CudaSlice<f32>", slice_mut(name, FLOAT));
    let own = |name, spelling, members: Vec<Parameter<'static>>, size| {
        field(name, spelling, size, 4, Class::Bytes, CppType::named(spelling)).with_members(leak(members))
    };
    let union = Parameter { name: "data", ..by_value("", "Data", 4, 4) }.with_members(Members::opaque(Opaque::Union));
    vec![
        one("a surface for a texture", handle("image", Meaning::Surface), object("image", Meaning::Texture)),
        one("a texture for a surface", handle("image", Meaning::Texture), object("image", Meaning::Surface)),
        one("a slice for a texture", floats("image"), object("image", Meaning::Texture)),
        one("a slice for a surface", writes("image"), object("image", Meaning::Surface)),
        one("a number for a texture", f32("image"), object("image", Meaning::Texture)),
        Mistake {
            name: "a texture and a surface exchanged",
            host: vec![handle("from", Meaning::Texture), handle("to", Meaning::Surface)],
            kernel: vec![object("to", Meaning::Surface), object("from", Meaning::Texture)],
        },
        one("a texture for memory", handle("x", Meaning::Texture), memory("x", false)),
        one("a forgotten `mut`", floats("y"), memory("y", true)),
        one("doubles for floats", read("x", DOUBLE, "&'a CudaSlice<f64>"), memory("x", false)),
        one("a value for a slice", f32("x"), memory("x", false)),
        one("`f64` for `float`", f64("alpha"), float("alpha")),
        one("`usize` for `int`", usize("n"), int("n")),
        one("`f32` for `int`", f32("n"), int("n")),
        one("`i32` for `unsigned`", i32("n"), number("n", Class::Integer, UINT, 4)),
        Mistake { name: "no field", host: vec![f32("alpha")], kernel: vec![float("alpha"), int("n")] },
        Mistake { name: "an extra field", host: vec![f32("alpha"), u32("n")], kernel: vec![float("alpha")] },
        Mistake {
            name: "shifted by one",
            host: vec![floats("from"), writes("to"), spelled("u64", usize("stream")), u32("n")],
            kernel: vec![
                memory("state", true),
                memory("from", false),
                memory("to", true),
                number("n", Class::Integer, UINT, 4),
            ],
        },
        one(
            "a tagged union",
            own("data", "S", vec![at(0, f32("scale")), at(4, i32("tag"))], 8),
            by_value("data", "S", 8, 4).with_members(leak(vec![at(0, int("tag")), at(4, union)])),
        ),
        one("floats for atomics", floats("counts"), pointer_to("counts", "cuda::std::__4::atomic<unsigned int>")),
        one(
            "floats for atomics of a scope",
            floats("counts"),
            pointer_to("counts", "cuda::__4::atomic<int, (cuda::__4::thread_scope)1>"),
        ),
        one(
            "a number for a functor",
            u32("plus"),
            by_value("plus", "thrust::THRUST_300001_SM_900_NS::plus<float>", 1, 1),
        ),
        one("a number for a fancy pointer", f32("x"), by_value("x", "thrust::device_ptr<float>", 8, 8)),
        one("a slice for a function", writes("op"), function("op", 1)),
        one("a number for a function", f32("op"), function("op", 1)),
        one("floats for functions", floats("ops"), function("ops", 2)),
        Mistake {
            name: "a spread array for a struct",
            host: vec![f32("d[0]"), f32("d[1]"), f32("d[2]")],
            kernel: vec![by_value("d", "Params", 12, 4)],
        },
        Mistake {
            name: "a struct for parameters",
            host: vec![own("pair", "Pair", vec![at(0, f32("a")), at(4, i32("b"))], 8), u32("n")],
            kernel: vec![float("a"), int("b"), number("n", Class::Integer, UINT, 4)],
        },
        one("two tensor maps for three", tensor_maps(2, "[TensorMapA64; 2]"), by_value("maps", "Params", 384, 64)),
        one(
            "an array of `usize` for `int`",
            Parameter { name: "d", spelling: "[usize; 4]", ..array(usize(""), 4) },
            by_value("d", "Params", 16, 4),
        ),
    ]
}

/// The kernel as a source describes it.
fn seen(kernel: &[Parameter<'static>], source: usize) -> Vec<Parameter<'static>> {
    let records = records(kernel);
    let names = ["k_param_0", "k_param_1", "k_param_2", "k_param_3"];
    let types = [".param .u64 k_param", ".param .f32 k_param", ".param .b8 k_param[_]", ".param .u32 k_param"];
    let one = |(i, parameter): (usize, &Parameter<'static>)| {
        let spelling = match (parameter.class, parameter.size) {
            (Class::Float, _) => types[1],
            (Class::Bytes, _) => types[2],
            (_, 8) => types[0],
            _ => types[3],
        };
        let in_ptx =
            Parameter { name: names[i], spelling, cpp: CppType::UNKNOWN, members: Members::UNKNOWN, ..*parameter };
        match SOURCES[source] {
            "cubin" => records[i],
            "PTX" => in_ptx,
            "C++ name" => Parameter { cpp: parameter.cpp, ..in_ptx },
            "debug information" => Parameter { spelling, ..*parameter },
            _ => Parameter { body: Body::UNKNOWN, spelling: "", ..*parameter },
        }
    };
    kernel.iter().enumerate().map(one).collect()
}

/// The first line of each error with its hint. Empty if the struct is accepted.
fn hints(mistake: &Mistake, source: usize) -> Vec<String> {
    let kernel = seen(&mistake.kernel, source);
    let (host, kernel) = (signature("Host", mistake.host.clone().leak()), signature("k", kernel.leak()));
    let found: kernel_args_abi::check::Report<'_> = report(&host, &kernel);
    let one = |mismatch| {
        let message = found.message(mismatch);
        let text = message.as_str();
        let (_, hint) = text.rsplit_once("\n  help: ").expect("a hint");
        format!("{}\n      {hint}", text.lines().next().expect("a line"))
    };
    found.mismatches().iter().map(|mismatch| one(*mismatch)).collect()
}

fn table() -> String {
    let mut table = String::from("Mistakes, and what is said of them with each source of information.\n");
    for mistake in mistakes() {
        let _ = writeln!(table, "\n## {}", mistake.name);
        for (source, name) in SOURCES.into_iter().enumerate() {
            let hints = hints(&mistake, source);
            let text = if hints.is_empty() { "accepted".to_owned() } else { hints.join("\n    ") };
            let _ = writeln!(table, "{name}\n    {text}");
        }
    }
    table
}

#[test]
fn every_hint_is_the_one_in_the_table() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/sources.txt");
    if env::var_os("KERNEL_ARGS_BLESS").is_some_and(|value| value == "1") {
        fs::write(&place, table()).expect("the folder exists");
    }
    let golden = fs::read_to_string(&place).expect("KERNEL_ARGS_BLESS=1 writes it");
    let table = table();
    let differs = table.lines().zip(golden.lines()).find(|(new, old)| new != old);
    assert!(golden == table, "KERNEL_ARGS_BLESS=1 writes the table: {differs:?}");
}

/// The instructions that a text names.
fn instructions(texts: &[String]) -> Vec<String> {
    let quoted = texts.iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    quoted
        .filter(|part| part.contains(".global.") || part.starts_with("tex.") || part.starts_with("sust."))
        .map(String::from)
        .collect()
}

#[test]
fn more_information_makes_no_hint_worse() {
    let mut wrong = Vec::new();
    for mistake in mistakes() {
        let all: Vec<_> = (0..SOURCES.len()).map(|source| hints(&mistake, source)).collect();
        for (less, more) in LESS {
            let (before, after) = (&all[less], &all[more]);
            let (old, new) = (before.join("\n"), after.join("\n"));
            // Names show a different mistake.
            let is_other = |texts: &[String]| texts.iter().any(|text| text.starts_with("no field"));
            let names_less = |text: &str| text.contains('…') || text.contains(": u64`");
            if after.is_empty() && !before.is_empty()
                || !is_other(after) && !instructions(before).iter().all(|shown| new.contains(shown.as_str()))
                || less > 0 && !old.is_empty() && !names_less(&old) && names_less(&new)
            {
                wrong.push(format!("{}: {}\n{old}\n{}\n{new}\n", mistake.name, SOURCES[less], SOURCES[more]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words of the Rust types that the hints name.
#[test]
fn every_type_in_a_hint_exists() {
    const TYPES: [&str; 26] = [
        "u8",
        "i8",
        "u16",
        "i16",
        "u32",
        "i32",
        "u64",
        "i64",
        "u128",
        "i128",
        "usize",
        "f32",
        "f64",
        "bool",
        "mut",
        "a",
        "CudaSlice",
        "DevicePointer",
        "DevicePointerMut",
        "Texture",
        "Surface",
        "TextureObject",
        "SurfaceObject",
        "half",
        "core",
        "ffi",
    ];
    let exists = |word: &str| {
        TYPES.contains(&word)
            || word == "c_void"
            || OWN.contains(&word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
            || BUILTINS.iter().any(|row| row.rust == word || row.rust.ends_with(&format!("::{word}")))
    };
    for mistake in mistakes() {
        for (source, origin) in SOURCES.into_iter().enumerate() {
            for text in hints(&mistake, source) {
                let hint = text.split_once("\n      ").expect("a hint").1;
                let declared = hint.split('`').skip(1).step_by(2).filter_map(|part| part.split_once(": "));
                for (_, ty) in declared {
                    let words = ty.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
                    for word in words {
                        assert!(exists(word), "{}: {origin}: {word} in {hint}", mistake.name);
                    }
                }
            }
        }
    }
}

#[test]
fn a_declaration_that_the_code_contradicts_is_no_reason_to_refuse() {
    let half = CppType::named("__half");
    let elements = Elements { class: ElementClass::F16, size: 2, step: 2, is_computed: true };
    let declared = memory("y", true);
    let slot = Slot { elements: Some(elements), ..declared.body.at(0).expect("a slot") };
    let kernel = with_slot(declared, slot);
    for (host, is_right) in [
        (slice_mut("y", half), true),
        (slice_mut("y", FLOAT), true),
        (slice("y", half), false),
        (slice_mut("y", CppType::named("__nv_bfloat16")), false),
        (slice_mut("y", DOUBLE), false),
    ] {
        let differences = compare(&host, &kernel);
        assert_eq!(differences.is_empty(), is_right, "{:?}: {differences:?}", host.cpp);
    }
}

#[test]
fn hints_name_the_right_thing() {
    for (name, source, expected) in [
        ("a tagged union", 3, ": move `tag` before `scale`"),
        ("shifted by one", 3, "remove it: no parameter of the kernel has this name"),
        ("shifted by one", 3, "add a field for it before `from`: `state: &mut CudaSlice<f32>`"),
        ("floats for atomics", 2, "declare `counts: &'a mut CudaSlice<u32>`"),
        ("floats for atomics of a scope", 3, "declare `counts: &'a mut CudaSlice<i32>`"),
        ("a number for a functor", 2, "#[device_type(cpp = \"plus<float>\")]"),
        ("a number for a fancy pointer", 3, "#[device_type(cpp = \"thrust::device_ptr<float>\")]"),
        ("a slice for a function", 2, "the kernel takes a function: declare `op: u64`"),
        ("a number for a function", 3, "the kernel takes a function: declare `op: u64`"),
        ("floats for functions", 3, "declare `ops: &mut CudaSlice<u64>`"),
        ("a spread array for a struct", 1, "remove `spread` from its `#[kernel_args(…)]`"),
        ("a struct for parameters", 1, "write `#[kernel_args(flatten)]` on it"),
        ("two tensor maps for three", 1, "declare `maps: [TensorMapA64; 3]`"),
        ("an array of `usize` for `int`", 1, "or `d: [i32; 4]`"),
        ("a surface for a texture", 3, "declare `image: &'a Texture` or `image: TextureObject`"),
        ("a slice for a surface", 2, "declare `image: &'a Surface`"),
    ] {
        let mistake = mistakes().into_iter().find(|mistake| mistake.name == name).expect(name);
        let hints = hints(&mistake, source).join("\n");
        assert!(hints.contains(expected), "{name}: {hints}");
        assert!(!hints.contains("would fit here"), "{name}: {hints}");
    }
}

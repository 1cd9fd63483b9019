//! Host functions from the debug information of objects and archives: `data/launchers.cpp`.

use kernel_args_image::Launchers;

pub(crate) const OBJECTS: [&[u8]; 2] =
    [include_bytes!("../data/launchers.dwarf-4.o"), include_bytes!("../data/launchers.dwarf-5.o")];

/// An archive in the format of GNU's `ar`, with an index that is empty. Long names are in their own member.
pub(crate) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    let mut names = String::new();
    let mut push = |name: &str, data: &[u8]| {
        bytes.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, data.len()).as_bytes());
        bytes.extend(data);
        if data.len() % 2 == 1 {
            bytes.push(b'\n');
        }
    };
    push("/", &[0; 4]);
    let mut short = Vec::new();
    for (name, _) in members {
        short.push(if name.len() < 16 { format!("{name}/") } else { format!("/{}", names.len()) });
        if name.len() >= 16 {
            names.extend([name, "/\n"]);
        }
    }
    push("//", names.as_bytes());
    for (name, (_, data)) in short.iter().zip(members) {
        push(name, data);
    }
    bytes
}

fn refused(launchers: &Launchers, symbol: &str, parts: &[&str]) {
    let error = launchers.get(symbol).map(|found| found.prototype()).unwrap_err().to_string();
    for part in parts {
        assert!(error.contains(part), "{symbol}: {error}");
    }
    assert!(error.contains("\nhelp: "), "{symbol}: {error}");
}

#[test]
fn functions_are_read_from_each_version_of_dwarf() {
    for object in OBJECTS {
        let launchers = Launchers::read(object).unwrap();
        let scale = launchers.get("scale").unwrap();
        assert_eq!(
            scale.prototype(),
            "cudaError_t scale(float const* x, float* y, unsigned long n, Params p, Mode mode, cudaStream_t stream)"
        );
        assert_eq!(scale.stream(), Some(5));
        let params = scale.parameters().get(3).unwrap();
        assert_eq!((params.size, params.members.len(), params.members.get(1).unwrap().members.len()), (40, 2, 2));
        assert_eq!(scale.parameters().get(4).unwrap().members.variants().count(), 2);
        let middle = launchers.get("middle").unwrap();
        assert_eq!((middle.stream(), middle.result().is_none()), (Some(1), true));
        assert_eq!(launchers.get("two_streams").unwrap().stream(), None);
    }
}

#[test]
fn functions_that_rust_cannot_call_have_a_reason() {
    for object in OBJECTS {
        let launchers = Launchers::read(object).unwrap();
        for (symbol, part) in [
            ("variadic", "it ends in `...`"),
            ("returns_struct", "it returns a struct"),
            (
                "long_double",
                "its parameter 0, `x`, is a floating-point number that Rust does not have, such as `long double`",
            ),
            ("reference", "its parameter 0, `x`, is a reference"),
            ("copied", "its parameter 0, `c`, is a class that C++ passes by its address"),
            ("empty", "its parameter 0, `e`, is a class without members"),
            ("vector", "its parameter 0, `v`, is a vector of the processor"),
            ("cpp_only", "only a C++ function of this name, `cpp_only(int)`"),
            ("hidden", "the library does not export it"),
            ("scal", "the nearest are `scale`"),
        ] {
            refused(&launchers, symbol, &[part]);
        }
    }
}

#[test]
fn members_of_an_archive_are_read_on_their_own() {
    let [first, second] = OBJECTS;
    let bitcode = b"BC\xc0\xde and more";
    let archived = archive(&[("bitcode.o", bitcode), ("an_object_with_a_long_name.o", first), ("empty.o", b"")]);
    let library = Launchers::read(&archive(&[("cl.obj", b"\0\0\xff\xff")])).unwrap();
    refused(
        &library,
        "scale",
        &["member `cl.obj`: it is no object in the ELF format: it is for Windows", "`long` has 8 bytes"],
    );
    let launchers = Launchers::read(&archived).unwrap();
    assert!(launchers.get("scale").is_ok());
    refused(&launchers, "missing", &["member `bitcode.o`: ", "it is LLVM bitcode", "-fno-lto"]);
    // Two members of one name, which define the same functions.
    let twice = Launchers::read(&archive(&[("a.o", first), ("a.o", second)])).unwrap();
    refused(&twice, "scale", &["member `a.o` and member `a.o` both define it"]);
    let stripped = without_sections(first, b".debug_info\0");
    let launchers = Launchers::read(&archive(&[("stripped.o", &stripped)])).unwrap();
    refused(&launchers, "scale", &["member `stripped.o`: it has no debug information", "`-g`"]);
    let unrelocated = without_sections(first, b".rela.debug_info\0");
    refused(&Launchers::read(&unrelocated).unwrap(), "scale", &["relocations (`.rela.debug_info`) are missing"]);
    for (bytes, part) in [
        (&b"!<thin>\n"[..], "thin archive"),
        (b"hello", "neither an object"),
        (bitcode, "LLVM bitcode"),
        (b"\x64\x86\x03\0", "it is for Windows, whose debug information (PDB) is not read"),
        (&archived[..archived.len() - 100], "the archive is invalid"),
    ] {
        let error = Launchers::read(bytes).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// The object with this section as a section of notes, which nothing reads.
fn without_sections(object: &[u8], name: &[u8]) -> Vec<u8> {
    let mut bytes = object.to_vec();
    let number = |at: usize, length: usize| {
        object[at..at + length].iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
    };
    let (table, count, names) = (number(40, 8), number(60, 2), number(62, 2));
    let names = number(table + 64 * names + 24, 8);
    let mut found = false;
    for header in (0..count).map(|index| table + 64 * index) {
        if object[names + number(header, 4)..].starts_with(name) {
            // Its name is empty, and its kind is `SHT_NOTE`.
            bytes[header..header + 8].copy_from_slice(&[0, 0, 0, 0, 7, 0, 0, 0]);
            found = true;
        }
    }
    assert!(found);
    bytes
}

/// The same object with the machine and the relocations of AArch64.
#[test]
fn relocations_of_aarch64_are_applied() {
    for object in OBJECTS {
        let mut bytes = object.to_vec();
        bytes[18] = 183;
        let number = |at: usize, length: usize| {
            object[at..at + length].iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
        };
        let (table, count) = (number(40, 8), number(60, 2));
        let mut changed = 0;
        for header in (0..count).map(|index| table + 64 * index).filter(|header| number(header + 4, 4) == 4) {
            let (start, size) = (number(header + 24, 8), number(header + 32, 8));
            for entry in (start..start + size).step_by(24) {
                let kind: u32 = match number(entry + 8, 4) {
                    1 => 257,
                    10 => 258,
                    _ => continue,
                };
                bytes[entry + 8..entry + 12].copy_from_slice(&kind.to_le_bytes());
                changed += 1;
            }
        }
        assert!(changed > 10);
        let [expected, found] = [object, &bytes].map(|bytes| Launchers::read(bytes).unwrap());
        let [expected, found] = [&expected, &found].map(|all| all.get("scale").unwrap().prototype());
        assert_eq!(expected, found);
        // A type that this processor does not have.
        bytes[18] = 62;
        refused(&Launchers::read(&bytes).unwrap(), "scale", &["relocations of type 25"]);
    }
}

//! Debug information in forms that no available compiler writes.

use super::dwarf_writer::{Sections, dw};
use kernel_args_abi::{Alignment, Class, CppBase, CppType, Opaque, Parameter};
use kernel_args_image::dwarf::DebugInfo;

const INT: CppType<'static> = CppType::integer(true, 32);
/// `DW_ATE_signed`.
const SIGNED: u8 = 5;

/// The data about kernel `k`, the same from an ELF file and from PTX.
fn read<T>(sections: &Sections, visit: impl Fn(&[Parameter<'_>]) -> T) -> T
where
    T: PartialEq + std::fmt::Debug,
{
    let of_elf = DebugInfo::of_cubin(&sections.elf(), ["k"]).unwrap();
    let of_ptx = DebugInfo::of_ptx(sections.ptx(".entry k() {}").as_bytes(), ["k"]).unwrap();
    let [of_elf, of_ptx] = [of_elf, of_ptx].map(|info| {
        assert_eq!(info.errors(), []);
        let parameters: Vec<Parameter<'_>> = info.parameters("k").expect("`k` is found").iter().collect();
        visit(&parameters)
    });
    assert_eq!(of_elf, of_ptx);
    of_elf
}

/// Appends a reference to an entry of this unit.
fn refer(entries: &mut Vec<u8>, version: u8, entry: usize) {
    let offset = u32::try_from(Sections::header(version) + entry).unwrap();
    entries.extend(offset.to_le_bytes());
}

/// Abbreviations with forms of DWARF 5.
fn abbreviated() -> Sections {
    let mut sections = Sections::default();
    sections.abbreviate(1, dw::COMPILE_UNIT, true, &[(dw::AT_STR_OFFSETS_BASE, dw::SEC_OFFSET)]);
    sections.abbreviate(
        2,
        dw::BASE,
        false,
        &[(dw::AT_NAME, dw::STRX1), (dw::AT_BYTE_SIZE, dw::DATA1), (dw::AT_ENCODING, dw::DATA1)],
    );
    sections.abbreviate(
        3,
        dw::STRUCTURE,
        true,
        &[(dw::AT_NAME, dw::LINE_STRP), (dw::AT_BYTE_SIZE, dw::DATA2), (dw::AT_ALIGNMENT, dw::UDATA)],
    );
    sections.abbreviate(
        4,
        dw::MEMBER,
        false,
        &[(dw::AT_NAME, dw::STRING), (dw::AT_TYPE, dw::REF4), (dw::AT_DATA_MEMBER_LOCATION, dw::UDATA)],
    );
    sections.abbreviate(
        5,
        dw::MEMBER,
        false,
        &[(dw::AT_NAME, dw::STRING), (dw::AT_TYPE, dw::REF4), (dw::AT_DATA_BIT_OFFSET, dw::DATA1)],
    );
    sections.abbreviate(
        6,
        dw::SUBPROGRAM,
        true,
        &[(dw::AT_LINKAGE_NAME, dw::STRP), (dw::AT_EXTERNAL, dw::FLAG_PRESENT)],
    );
    sections.abbreviate(7, dw::FORMAL_PARAMETER, false, &[(dw::AT_NAME, dw::STRING), (dw::AT_TYPE, dw::REF4)]);
    sections.abbreviate(8, dw::ARRAY, true, &[(dw::AT_TYPE, dw::REF4)]);
    sections.abbreviate(9, dw::SUBRANGE, false, &[(dw::AT_UPPER_BOUND, dw::DATA1)]);
    sections.end_table();
    sections
}

/// Names by index and by offset into two sections; offsets of members as numbers; lengths by their upper bound;
/// alignments; bit fields with `DW_AT_data_bit_offset`.
#[test]
fn the_forms_of_dwarf_5_are_read() {
    let mut sections = abbreviated();
    sections.strings = b"unused\0k\0int\0".to_vec();
    sections.line_strings = b"\0Wide\0Packed\0".to_vec();
    // A header of 8 bytes; then `unused`, `int`.
    sections.string_offsets = [&[12, 0, 0, 0, 5, 0, 0, 0][..], &[0; 4], &[9, 0, 0, 0]].concat();

    let mut entries = vec![1, 8, 0, 0, 0];
    let int = entries.len();
    entries.extend([2, 1, 4, SIGNED]);
    let array = entries.len();
    entries.push(8);
    refer(&mut entries, 5, int);
    entries.extend([9, 199, 9, 1, 0]);
    let wide = entries.len();
    // 0x680 bytes, aligned to 64.
    entries.extend([3, 1, 0, 0, 0, 0x80, 0x06, 64]);
    for (name, ty, offset) in [(b'a', int, &[0][..]), (b'b', array, &[8]), (b'c', int, &[0xc8, 0x0c])] {
        entries.extend([4, name, 0]);
        refer(&mut entries, 5, ty);
        entries.extend(offset);
    }
    entries.push(0);
    let packed = entries.len();
    entries.extend([3, 6, 0, 0, 0, 4, 0, 4, 5, b'x', 0]);
    refer(&mut entries, 5, int);
    entries.extend([3, 0]);
    entries.extend([6, 7, 0, 0, 0]);
    for (name, ty) in [(b'p', wide), (b'q', packed), (b'n', int)] {
        entries.extend([7, name, 0]);
        refer(&mut entries, 5, ty);
    }
    entries.extend([0, 0]);
    sections.unit(5, 0, &entries);

    read(&sections, |parameters| {
        let [p, q, n] = parameters else { panic!("{parameters:?}") };
        assert_eq!((p.name, p.cpp, p.size, p.class), ("p", CppType::named("Wide"), 0x680, Class::Bytes));
        assert_eq!(p.align, Alignment::new(64));
        let members: Vec<_> = p.members.iter().map(|m| (m.name, m.cpp, m.offset, m.size)).collect();
        assert_eq!(
            members,
            [("a", INT, Some(0), 4), ("b", INT.array(2).array(200), Some(8), 1600), ("c", INT, Some(0x648), 4),]
        );
        assert_eq!((q.cpp, q.members.why_opaque()), (CppType::named("Packed"), Some(Opaque::BitFields)));
        assert_eq!((n.name, n.cpp, n.align), ("n", INT, None));
    });
}

/// A type unit that another unit refers to; a declaration followed by its definition; an instance of a function with
/// only the used parameter.
#[test]
fn references_are_followed() {
    let mut sections = Sections::default();
    sections.abbreviate(1, dw::COMPILE_UNIT, true, &[]);
    sections.abbreviate(
        2,
        dw::BASE,
        false,
        &[(dw::AT_NAME, dw::STRING), (dw::AT_BYTE_SIZE, dw::DATA1), (dw::AT_ENCODING, dw::DATA1)],
    );
    sections.abbreviate(
        3,
        dw::SUBPROGRAM,
        true,
        &[(dw::AT_LINKAGE_NAME, dw::STRING), (dw::AT_DECLARATION, dw::FLAG_PRESENT)],
    );
    sections.abbreviate(4, dw::SUBPROGRAM, true, &[(dw::AT_SPECIFICATION, dw::REF4)]);
    sections.abbreviate(5, dw::SUBPROGRAM, true, &[(dw::AT_ABSTRACT_ORIGIN, dw::REF4)]);
    sections.abbreviate(6, dw::FORMAL_PARAMETER, false, &[(dw::AT_NAME, dw::STRING), (dw::AT_TYPE, dw::REF_ADDR)]);
    sections.abbreviate(7, dw::FORMAL_PARAMETER, false, &[(dw::AT_ABSTRACT_ORIGIN, dw::REF4)]);
    sections.end_table();

    let header = Sections::header(4);
    let mut types = vec![1];
    let int = types.len();
    types.extend([&[2][..], b"int\0", &[4, SIGNED]].concat());
    let float = types.len();
    types.extend([&[2][..], b"float\0", &[4, 4], &[0]].concat());
    let first = sections.unit(4, 0, &types);
    let global = |entry: usize| u32::try_from(first + header + entry).unwrap().to_le_bytes();

    // The instance is first, because the first entry of a kernel counts.
    let build = |with_instance: bool| {
        let mut entries = vec![1];
        let mut instance = Vec::new();
        let start = if with_instance { 1 + 11 } else { 1 };
        let declaration = start;
        let mut rest = [&[3][..], b"k\0", &[6, 0], &global(float), &[0]].concat();
        // `float` is the declaration's unnamed parameter; `a` and `b` are the definition's parameters.
        let definition = start + rest.len();
        rest.push(4);
        refer(&mut rest, 4, declaration);
        let a = start + rest.len();
        rest.extend([&[6, b'a', 0][..], &global(float)].concat());
        rest.extend([&[6, b'b', 0][..], &global(int), &[0, 0]].concat());
        if with_instance {
            instance.push(5);
            refer(&mut instance, 4, definition);
            instance.push(7);
            refer(&mut instance, 4, a);
            instance.push(0);
        }
        entries.extend(instance);
        entries.extend(rest);
        let mut sections = sections.clone();
        sections.unit(4, 0, &entries);
        sections
    };
    let names = |parameters: &[Parameter<'_>]| {
        let fields = parameters.iter().map(|p| (p.name.to_owned(), p.cpp.to_string()));
        fields.collect::<Vec<_>>()
    };
    let expected = [("a", "float"), ("b", "int")].map(|(name, cpp)| (name.to_owned(), cpp.to_owned()));
    for with_instance in [false, true] {
        assert_eq!(read(&build(with_instance), names), expected);
    }
}

/// Invalid in C++: a kernel above the size limit, or of unknown size, is an error of this kernel only.
#[test]
fn an_invalid_kernel_is_reported_and_other_kernels_are_read() {
    let mut sections = Sections::default();
    sections.abbreviate(1, dw::COMPILE_UNIT, true, &[]);
    sections.abbreviate(2, dw::BASE, false, &[(dw::AT_BYTE_SIZE, dw::DATA4), (dw::AT_ENCODING, dw::DATA1)]);
    sections.abbreviate(3, dw::SUBPROGRAM, true, &[(dw::AT_NAME, dw::STRING)]);
    sections.abbreviate(4, dw::FORMAL_PARAMETER, false, &[(dw::AT_TYPE, dw::REF4)]);
    sections.abbreviate(5, dw::FORMAL_PARAMETER, false, &[]);
    // `DW_TAG_unspecified_parameters`.
    sections.abbreviate(6, 0x18, false, &[]);
    sections.end_table();
    let mut entries = vec![1];
    let large = entries.len();
    entries.extend([2, 0xfd, 0x7f, 0, 0, SIGNED]);
    let limit = entries.len();
    entries.extend([2, 0xfc, 0x7f, 0, 0, SIGNED]);
    for (name, ty) in [(b'a', large), (b'b', limit)] {
        entries.extend([3, name, 0, 4]);
        refer(&mut entries, 4, ty);
        entries.push(0);
    }
    entries.extend([3, b'c', 0, 5, 0, 3, b'd', 0, 6, 0, 0]);
    sections.unit(4, 0, &entries);
    let info = DebugInfo::of_cubin(&sections.elf(), ["a", "b", "c", "d"]).unwrap();
    // The size of the parameter of `c` is unknown: only its type is missing.
    assert_eq!(info.symbols().collect::<Vec<_>>(), ["b", "c"]);
    assert!(info.parameters("c").unwrap().get(0).unwrap().cpp.is_unknown());
    let b = info.parameters("b").unwrap().get(0).unwrap();
    assert_eq!((b.size, b.cpp.base), (32_764, CppBase::Integer { signed: true, bits: 0 }));
    let errors: Vec<String> = info.errors().iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 2);
    for (error, text) in errors
        .iter()
        .zip(["kernel `a`: its parameters exceed the size limit of a kernel", "kernel `d`: it ends in `...`"])
    {
        assert!(error.ends_with(text), "{error}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_reason() {
    let elf = |change: fn(&mut Vec<u8>)| {
        let mut bytes = include_bytes!("../data/debug.dwarf-5.elf").to_vec();
        change(&mut bytes);
        DebugInfo::of_cubin(&bytes, ["plain"]).unwrap_err().to_string()
    };
    let find = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).position(|window| window == text);
    assert_eq!(find(b"abc", b"bc"), Some(1));
    let message = elf(|bytes| bytes.truncate(100));
    assert!(message.contains("not a cubin"), "{message}");
    // The header of the first unit, after its length.
    let message = elf(|bytes| {
        let start = 0x25c;
        assert_eq!(bytes[start + 4..start + 8], [5, 0, 1, 8]);
        bytes[start + 4] = 6;
    });
    assert!(message.contains("cannot be read as DWARF 2 to 5"), "{message}");
}

#[test]
fn compressed_sections_are_refused_with_their_name() {
    let sections = Sections { info: vec![0; 16], ..Sections::default() };
    let mut elf = sections.elf();
    let table = u64::from_le_bytes(elf[40..48].try_into().unwrap()) as usize;
    // `SHF_COMPRESSED` in the flags of section 1.
    elf[table + 64 + 8 + 1] = 8;
    let message = DebugInfo::of_cubin(&elf, ["k"]).unwrap_err().to_string();
    assert!(message.contains("section `.debug_info` is compressed"), "{message}");
    assert!(message.contains("objcopy --decompress-debug-sections"), "{message}");
}

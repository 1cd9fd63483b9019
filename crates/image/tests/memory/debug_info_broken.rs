//! Broken debug information: an error or a consistent result, with little time and memory.

use super::allocated::peak;
use super::dwarf_writer::{Sections, dw};
use kernel_args_abi::Members;
use kernel_args_image::{Image, dwarf::DebugInfo};
use kernel_args_test_generator::size;
use proptest::prelude::*;
use std::time::{Duration, Instant};

const KERNELS: [&str; 4] = ["k", "plain", "by_value", "_Z4axpyIfEviT_PKS0_PS0_"];

/// Asserts that members are inside their struct, in order, at every depth. Returns their number.
fn check(members: Members<'_>, size: usize, depth: usize) -> usize {
    assert!(depth <= 40, "structs lie in each other without end");
    let mut end = 0;
    let mut count = members.len();
    for member in members.iter() {
        let offset = member.offset.expect("a member has an offset");
        assert!(offset >= end && member.size > 0 && offset + member.size <= size);
        end = offset + member.size;
        let elements = member.cpp.elements();
        assert!(elements > 0 && member.size.is_multiple_of(elements));
        count += check(member.members, member.size / elements, depth + 1);
    }
    count
}

/// Reads all debug information. Returns the number of parameters and members.
fn read(info: Result<DebugInfo, kernel_args_image::dwarf::Error>) -> Option<usize> {
    match info {
        Ok(info) => {
            let mut count = 0;
            for symbol in info.symbols() {
                let parameters = info.parameters(symbol).unwrap();
                assert!(parameters.iter().map(|p| p.size).sum::<usize>() <= 32_764);
                count += parameters.len();
                for parameter in parameters.iter() {
                    count += check(parameter.members, parameter.size, 1);
                }
            }
            for error in info.errors() {
                assert!(!error.to_string().is_empty());
            }
            Some(count)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// Reads within the memory limit of `dwarf::DebugInfo`, and within one second per megabyte.
fn within_limits(sections: &Sections) -> Option<usize> {
    let elf = sections.elf();
    let begin = Instant::now();
    let (count, allocated) = peak(|| read(DebugInfo::of_cubin(&elf, KERNELS)));
    let elapsed = begin.elapsed();
    // Three times the storage limit: while a list grows it exists twice, and may have spare capacity.
    let limit = 3 * (16 * sections.size() + (1 << 20));
    println!("{} bytes: {count:?}, {allocated} allocated, {elapsed:?}", sections.size());
    assert!(allocated <= limit, "{allocated} of {limit}");
    // Tests are compiled without optimisation, and the machine may be busy.
    let megabytes = u32::try_from(1 + (sections.size() >> 20)).unwrap();
    assert!(elapsed < Duration::from_secs(20) * megabytes, "{elapsed:?}");
    count
}

/// Each byte of the sections replaced by several values, and truncated sections. Every 29th byte by default, all with
/// `KERNEL_ARGS_FULL=1`.
#[test]
fn broken_bytes_do_not_panic() {
    let step = size::choose(29, 1);
    let (mut accepted, mut rejected) = (0, 0);
    let mut look = |bytes: &[u8]| match read(DebugInfo::of_cubin(bytes, KERNELS)) {
        Some(_) => accepted += 1,
        None => rejected += 1,
    };
    for elf in [&include_bytes!("../data/debug.dwarf-2.elf")[..], include_bytes!("../data/debug.dwarf-5.elf")] {
        let mut broken = elf.to_vec();
        // From the first section of debug information to the table of sections.
        for at in (0x25c..0x11d0).step_by(step) {
            for value in [0, 1, 0x7f, 0xff, elf[at] ^ 1, elf[at] ^ 0x10] {
                broken[at] = value;
                look(&broken);
            }
            broken[at] = elf[at];
        }
        for end in (0x25c..elf.len()).step_by(step) {
            look(&elf[..end]);
        }
    }
    println!("{accepted} accepted, {rejected} rejected");
    assert!(accepted > 500 && rejected > 500);
}

/// PTX with broken debug information is always readable, with the data from its declarations.
#[test]
fn an_image_with_broken_debug_information_is_read_all_the_same() {
    let text = std::str::from_utf8(include_bytes!("../data/debug.ptx")).unwrap();
    let numbers: Vec<usize> = text.match_indices("\n.b8 ").map(|(at, _)| at + 5).collect();
    let (mut accepted, mut errors) = (0, 0);
    for &at in numbers.iter().step_by(size::choose(61, 1)) {
        let end = at + text[at..].find([',', '\n']).unwrap();
        for value in ["0", "1", "255", "-3", "label", ".debug_str"] {
            let broken = [&text[..at], value, &text[end..]].concat();
            let kernels = Image::read(broken.as_bytes()).unwrap().kernels().unwrap();
            assert_eq!(kernels.symbols().count(), 8);
            for symbol in kernels.symbols() {
                let kernel = kernels.kernel(symbol, None).unwrap();
                assert_eq!(kernel.parameters().len(), kernel.entry.as_ref().unwrap().parameters.len());
                for parameter in kernel.parameters() {
                    check(parameter.members, parameter.size, 1);
                }
                accepted += usize::from(kernel.debug_info.is_known());
            }
            errors += kernels.debug_errors().count();
        }
    }
    println!("{accepted} kernels read, {errors} errors");
    assert!(accepted > 500 && errors > 20);
}

/// The abbreviations of the bombs below.
fn abbreviated() -> Sections {
    let mut sections = Sections::default();
    sections.abbreviate(1, dw::COMPILE_UNIT, true, &[]);
    sections.abbreviate(2, dw::BASE, false, &[(dw::AT_BYTE_SIZE, dw::DATA1), (dw::AT_ENCODING, dw::DATA1)]);
    sections.abbreviate(3, dw::STRUCTURE, true, &[(dw::AT_NAME, dw::STRP), (dw::AT_BYTE_SIZE, dw::DATA2)]);
    sections.abbreviate(4, dw::MEMBER, false, &[(dw::AT_TYPE, dw::REF4), (dw::AT_DATA_MEMBER_LOCATION, dw::DATA2)]);
    sections.abbreviate(5, dw::SUBPROGRAM, true, &[(dw::AT_NAME, dw::STRING)]);
    sections.abbreviate(6, dw::FORMAL_PARAMETER, false, &[(dw::AT_TYPE, dw::REF4)]);
    sections.abbreviate(7, dw::TYPEDEF, false, &[(dw::AT_TYPE, dw::REF4)]);
    sections.abbreviate(8, dw::SUBPROGRAM, true, &[(dw::AT_SPECIFICATION, dw::REF4)]);
    sections.abbreviate(9, dw::FORMAL_PARAMETER, false, &[(dw::AT_ABSTRACT_ORIGIN, dw::REF4)]);
    sections.abbreviate(
        10,
        dw::MEMBER,
        false,
        &[(dw::AT_NAME, dw::STRP), (dw::AT_TYPE, dw::REF4), (dw::AT_DATA_MEMBER_LOCATION, dw::DATA2)],
    );
    sections.abbreviate(11, dw::FORMAL_PARAMETER, false, &[(dw::AT_NAME, dw::STRP), (dw::AT_TYPE, dw::REF4)]);
    sections
}

/// A position in a unit of DWARF 4, as a reference.
fn place(entry: usize) -> [u8; 4] {
    u32::try_from(Sections::header(4) + entry).unwrap().to_le_bytes()
}

/// Kernel `k` with one parameter of the type at a position.
fn kernel(entries: &mut Vec<u8>, ty: usize) {
    entries.extend([&[5, b'k', 0, 6][..], &place(ty), &[0, 0]].concat());
}

#[test]
fn a_type_that_refers_to_itself_ends() {
    let mut sections = abbreviated();
    sections.end_table();
    sections.strings = b"S\0".to_vec();
    // A typedef of itself.
    let mut entries = vec![1];
    entries.extend([&[7][..], &place(1)].concat());
    kernel(&mut entries, 1);
    let mut typedef = sections.clone();
    typedef.unit(4, 0, &entries);
    // Only its name is known.
    assert_eq!(within_limits(&typedef), Some(1));

    // A struct of 8 bytes with itself as its only member.
    let mut entries = vec![1];
    entries.extend([&[3, 0, 0, 0, 0, 8, 0, 4][..], &place(1), &[0, 0, 0]].concat());
    kernel(&mut entries, 1);
    let mut structure = sections.clone();
    structure.unit(4, 0, &entries);
    assert_eq!(within_limits(&structure), Some(2));

    // A function and a parameter that complete themselves.
    let mut entries = vec![1];
    entries.extend([&[8][..], &place(1), &[9], &place(6), &[0, 5, b'k', 0, 9], &place(15), &[0, 0]].concat());
    sections.unit(4, 0, &entries);
    assert_eq!(within_limits(&sections), Some(1));
}

/// A struct of two structs of two structs… with 2^14 bytes is read; one with 2^15 bytes cannot be a parameter.
#[test]
fn structs_that_double_are_bounded_by_their_size() {
    for (size_of_innermost, expected) in [(1u16, (1 << 15) - 1), (2, 0)] {
        let mut sections = abbreviated();
        sections.end_table();
        sections.strings = b"S\0".to_vec();
        let mut entries = vec![1];
        let mut of = entries.len();
        entries.extend([&[3, 0, 0, 0, 0][..], &size_of_innermost.to_le_bytes(), &[0]].concat());
        for level in 1..15 {
            let size = size_of_innermost << level;
            let ty = place(of);
            of = entries.len();
            entries.extend([&[3, 0, 0, 0, 0][..], &size.to_le_bytes()].concat());
            for offset in [0, size / 2] {
                entries.extend([&[4][..], &ty, &offset.to_le_bytes()].concat());
            }
            entries.push(0);
        }
        kernel(&mut entries, of);
        sections.unit(4, 0, &entries);
        assert_eq!(within_limits(&sections), Some(expected));
    }
}

/// A megabyte of entries, each of which refers to expensive data.
#[test]
fn entries_that_refer_over_and_over_are_refused() {
    let count = size::choose(10_000, 60_000);

    // Each parameter has a name of 30 KiB.
    let mut sections = abbreviated();
    sections.end_table();
    sections.strings = [vec![b'n'; 30 << 10], vec![0]].concat();
    let mut entries = vec![1, 2, 1, 5, 5, b'k', 0];
    for _ in 0..count {
        entries.extend([&[11, 0, 0, 0, 0][..], &place(1)].concat());
    }
    entries.extend([0, 0]);
    sections.unit(4, 0, &entries);
    assert_eq!(within_limits(&sections), None);

    // Each function has the parameters of one function with all parameters, which are more than a kernel can have.
    let mut sections = abbreviated();
    sections.end_table();
    let mut entries = vec![1, 5, b'k', 0];
    for _ in 0..count.max(33_000) {
        entries.extend([&[9][..], &place(4)].concat());
    }
    entries.push(0);
    for _ in 0..count {
        entries.extend([&[8][..], &place(1), &[0]].concat());
    }
    entries.push(0);
    sections.unit(4, 0, &entries);
    assert_eq!(within_limits(&sections), None);

    // Each entry has thousands of attributes without bytes.
    let mut sections = abbreviated();
    let nothing = vec![(dw::AT_EXTERNAL, dw::FLAG_PRESENT); count / 10];
    sections.abbreviate(12, dw::TYPEDEF, false, &nothing);
    sections.end_table();
    let mut entries = vec![1];
    entries.extend(vec![12; count]);
    sections.unit(4, 0, &entries);
    assert_eq!(within_limits(&sections), None);

    // Each unit has its own table of abbreviations, which extends to the end.
    let mut sections = Sections { abbrev: [1, dw::TYPEDEF, 0, 0, 0].repeat(count / 5), ..Sections::default() };
    for unit in 0..count / 5 {
        sections.unit(4, u32::try_from(unit * 5).unwrap(), &[1]);
    }
    assert_eq!(within_limits(&sections), None);

    // Only units.
    let mut sections = abbreviated();
    sections.end_table();
    for _ in 0..count {
        sections.unit(4, 0, &[]);
    }
    within_limits(&sections);

    // Each struct begins with the next one and extends to the end.
    let mut sections = abbreviated();
    sections.end_table();
    sections.strings = b"S\0".to_vec();
    let mut entries = vec![1];
    for i in 0..count / 10 {
        let next = place(1 + (i + 1) * 14);
        entries.extend([&[3, 0, 0, 0, 0, 8, 0, 4][..], &next, &[0, 0]].concat());
    }
    kernel(&mut entries, 1);
    sections.unit(4, 0, &entries);
    within_limits(&sections);
}

/// nvcc's output for many kernels with members is within the limits, for any names.
#[test]
fn many_kernels_are_read() {
    let mut sections = abbreviated();
    sections.end_table();
    let mut entries = vec![1];
    let int = entries.len();
    entries.extend([2, 4, 5]);
    sections.strings = b"S\0x\0".to_vec();
    let kernels = size::choose(1_000, 30_000);
    let names: Vec<String> = (0..kernels).map(|i| format!("k{i}")).collect();
    for name in &names {
        // A separate struct with 8 members, and 4 parameters: an entry of 11 bytes per member.
        let structure = entries.len();
        entries.extend([3, 0, 0, 0, 0, 32, 0]);
        for i in 0..8 {
            entries.extend([&[10, 2, 0, 0, 0][..], &place(int), &[4 * i, 0]].concat());
        }
        entries.push(0);
        entries.extend([&[5][..], name.as_bytes(), &[0]].concat());
        for ty in [int, structure, int, int] {
            entries.extend([&[11, 2, 0, 0, 0][..], &place(ty)].concat());
        }
        entries.push(0);
    }
    entries.push(0);
    sections.unit(4, 0, &entries);
    let elf = sections.elf();
    let begin = Instant::now();
    let (info, allocated) = peak(|| DebugInfo::of_cubin(&elf, names.iter().map(String::as_str)));
    println!("{} bytes, {allocated} allocated, {:?}", sections.size(), begin.elapsed());
    assert!(allocated <= 32 * sections.size() + (1 << 20));
    assert_eq!(info.as_ref().unwrap().symbols().len(), kernels);
    assert_eq!(read(info), Some(kernels * 12));
}

proptest! {
    /// Arbitrary entries with matching abbreviations, so they are read and not only rejected.
    #[test]
    fn any_entries_are_read_or_rejected(
        entries in proptest::collection::vec(
            prop_oneof![4 => 0u8..12, 2 => 0u8..64, 1 => any::<u8>()],
            0..400,
        ),
        version in 2u8..=5,
    ) {
        let mut sections = abbreviated();
        sections.end_table();
        sections.strings = b"S\0k\0_ZN1a1bE\0__b_B\0\xff\0".to_vec();
        let entries = [&[1][..], &entries].concat();
        sections.unit(version, 0, &entries);
        read(DebugInfo::of_cubin(&sections.elf(), KERNELS));
        let text = sections.ptx(".entry k() {}");
        let (elf, ptx) = (
            DebugInfo::of_cubin(&sections.elf(), KERNELS),
            DebugInfo::of_ptx(text.as_bytes(), KERNELS),
        );
        prop_assert_eq!(elf, ptx);
    }
}

//! Broken objects and archives of a host: an error or a consistent result, with little time and memory.

use super::allocated::peak;
use super::launchers::{OBJECTS, archive};
use kernel_args_abi::Members;
use kernel_args_image::Launchers;
use kernel_args_test_generator::size;

fn check(members: Members<'_>, size: usize, depth: usize) {
    assert!(depth <= 40, "structs lie in each other without end");
    let mut end = 0;
    for member in members.iter() {
        let offset = member.offset.expect("a member has an offset");
        assert!(offset >= end && member.size > 0 && offset + member.size <= size);
        end = offset + member.size;
        check(member.members, member.size / member.cpp.elements(), depth + 1);
    }
}

/// Reads all functions. Returns their number.
fn read(bytes: &[u8]) -> usize {
    let launchers = match Launchers::read(bytes) {
        Ok(launchers) => launchers,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return 0;
        }
    };
    let mut count = 0;
    for (symbol, launcher) in launchers.functions() {
        match launcher {
            Ok(launcher) => {
                assert!(launcher.prototype().contains(symbol));
                for parameter in launcher.parameters().iter() {
                    check(parameter.members, parameter.size, 1);
                }
                count += 1;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let _ = launchers.get("none");
    count
}

/// Each byte replaced by several values, and truncated files. Every 37th byte by default, all with
/// `KERNEL_ARGS_FULL=1`.
#[test]
fn broken_objects_do_not_panic() {
    let step = size::choose(37, 1);
    let [first, second] = OBJECTS;
    let (mut accepted, mut most) = (0, 0);
    for bytes in [first.to_vec(), second.to_vec(), archive(&[("a.o", first), ("an_object_with_a_long_name.o", second)])]
    {
        let mut broken = bytes.clone();
        for at in (0..bytes.len()).step_by(step) {
            for value in [0, 0x7f, 0xff, bytes[at] ^ 1] {
                broken[at] = value;
                let (count, allocated) = peak(|| read(&broken));
                accepted += usize::from(count > 0);
                most = most.max(allocated);
            }
            broken[at] = bytes[at];
            read(&bytes[..at]);
        }
    }
    println!("{accepted} accepted, at most {most} bytes allocated");
    assert!(accepted > 200 && most < 4 << 20);
}

/// All symbols have the same long text from different places of it: the stored names would be larger than the file.
#[test]
fn symbols_that_share_a_text_are_limited() {
    const SYMBOLS: usize = 60_000;
    let text = 64 + 24 * SYMBOLS;
    let mut elf = vec![0; text];
    elf[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\0");
    elf[16..20].copy_from_slice(&[1, 0, 62, 0]);
    elf[58..64].copy_from_slice(&[64, 0, 3, 0, 0, 0]);
    for index in 0..SYMBOLS {
        let at = 64 + 24 * index;
        elf[at..at + 4].copy_from_slice(&u32::try_from(index).unwrap().to_le_bytes());
        elf[at + 4..at + 8].copy_from_slice(&[0x12, 0, 1, 0]);
    }
    elf.extend(vec![b'x'; SYMBOLS + 4000]);
    elf.push(0);
    let table = elf.len();
    elf[40..48].copy_from_slice(&(table as u64).to_le_bytes());
    let section = |kind: u32, offset: usize, size: usize, link: u32| {
        let mut header = [0; 64];
        header[4..8].copy_from_slice(&kind.to_le_bytes());
        header[24..32].copy_from_slice(&(offset as u64).to_le_bytes());
        header[32..40].copy_from_slice(&(size as u64).to_le_bytes());
        header[40..44].copy_from_slice(&link.to_le_bytes());
        header
    };
    elf.extend([0; 64]);
    elf.extend(section(2, 64, 24 * SYMBOLS, 2));
    elf.extend(section(3, text, table - text, 0));
    let (error, allocated) = peak(|| Launchers::read(&elf).err());
    let limit = 20 * elf.len();
    assert!(allocated < limit, "{allocated} of {limit}: {error:?}");
}

//! The files `libcudart.so.12` and `.13` of a session. They have no functions, but need the test driver, which has
//! them, and define the version with which programs are linked: otherwise the loader writes a warning.

/// Returns a library with the version `name`, which needs `needed`.
pub(crate) fn library(name: &str, needed: &str) -> Vec<u8> {
    const HEADERS: usize = 64 + 2 * 56;
    let machine: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let mut texts = vec![0];
    let mut text = |text: &str| {
        let at = texts.len() as u32;
        texts.extend(text.bytes().chain([0]));
        at
    };
    let (name_at, needed_at) = (text(name), text(needed));
    // The null symbol, and a table of hashes with it.
    let symbols = [0; 24];
    let hashes = words(&[1, 1, 0, 0]);
    // Which version the symbol has; two versions, of which the first is the file's name.
    let versions_of_symbols = [0; 8];
    let version = |flags: u32, number: u32, next: u32| {
        words(&[1 | flags << 16, number | 1 << 16, hash(name), 20, next, name_at, 0])
    };
    let versions = [version(1, 1, 28), version(0, 2, 0)].concat();
    let parts = [&symbols[..], &hashes, &versions_of_symbols, &versions, &texts];
    let mut places = Vec::new();
    let mut end = HEADERS;
    for part in parts {
        end = end.next_multiple_of(8);
        places.push(end as u64);
        end += part.len();
    }
    let dynamic_at = end.next_multiple_of(8) as u64;
    // DT_NEEDED, DT_SONAME, DT_SYMTAB, DT_SYMENT, DT_HASH, DT_VERSYM, DT_VERDEF, DT_VERDEFNUM, DT_STRTAB, DT_STRSZ
    let dynamic: [(u64, u64); 11] = [
        (1, needed_at.into()),
        (14, name_at.into()),
        (6, places[0]),
        (11, 24),
        (4, places[1]),
        (0x6fff_fff0, places[2]),
        (0x6fff_fffc, places[3]),
        (0x6fff_fffd, 2),
        (5, places[4]),
        (10, texts.len() as u64),
        (0, 0),
    ];
    let dynamic: Vec<u8> = dynamic.iter().flat_map(|(tag, value)| [*tag, *value]).flat_map(u64::to_le_bytes).collect();
    let size = dynamic_at + dynamic.len() as u64;
    // ELF of 64 bits, little-endian; ET_DYN, and the sizes of headers.
    let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend(words(&[3 | u32::from(machine) << 16, 1]));
    file.extend([0u64, 64, 0].iter().flat_map(|value| value.to_le_bytes()));
    file.extend(words(&[0, 64 | 56 << 16, 2 | 64 << 16, 0]));
    // PT_LOAD and PT_DYNAMIC, readable and writable: the loader adds the address to the places.
    for (kind, at, length) in [(1, 0, size), (2, dynamic_at, dynamic.len() as u64)] {
        file.extend(words(&[kind, 6]));
        file.extend([at, at, at, length, length, 1 << 12].iter().flat_map(|value| value.to_le_bytes()));
    }
    for (part, at) in parts.into_iter().zip(&places).chain([(&dynamic[..], &dynamic_at)]) {
        file.resize(*at as usize, 0);
        file.extend(part);
    }
    file
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the hash of a name (System V ABI, "Hash Table").
fn hash(name: &str) -> u32 {
    name.bytes().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add(byte.into());
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

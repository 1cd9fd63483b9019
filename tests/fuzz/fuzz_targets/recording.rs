//! A recording of a launch: an error, or entries in their order, with as many bytes as the manifest says.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_image::recording::{Entry, Machine, Manifest, Memory, Moment, Reader};
use libfuzzer_sys::fuzz_target;
use std::io::{self, Read as _};

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&archive(bytes));
});

fn read(file: &[u8]) {
    let mut reader = Reader::new(file);
    let Ok(mut entries) = reader.entries() else { return };
    let manifest = entries.manifest().clone();
    for pointer in &manifest.pointers {
        let parameter = &manifest.parameters[pointer.parameter];
        assert!(parameter.bytes[pointer.at..].len() >= 8);
        assert!(pointer.offset <= manifest.memory[pointer.memory].size);
    }
    let mut found = Vec::new();
    loop {
        match entries.next_entry() {
            Ok(Some(Entry::Image(_))) => found.push("image".to_owned()),
            Ok(Some(Entry::Memory { moment, index, mut content })) => {
                // A file can end early, which is an error.
                if let Ok(size) = io::copy(&mut content.by_ref(), &mut io::sink()) {
                    assert_eq!(size, manifest.memory[index].size);
                }
                found.push(memory(moment, index));
            }
            Ok(Some(Entry::Status(_))) => found.push("result.json".to_owned()),
            Ok(None) => break,
            Err(_) => return,
        }
    }
    let all = |moment| (0..manifest.memory.len()).map(move |index| memory(moment, index));
    let start = usize::from(found.first().is_some_and(|name| name == "image"));
    let mut expected: Vec<String> = all(Moment::Before).collect();
    if found.len() > start + expected.len() + 1 {
        expected.extend(all(Moment::After));
    }
    expected.push("result.json".to_owned());
    assert_eq!(found[start..], expected);
}

fn memory(moment: Moment, index: usize) -> String {
    format!("memory/{index}.{}", if moment == Moment::Before { "before" } else { "after" })
}

/// An archive with right checksums, which no mutation of one has: each byte is an entry, in any order.
fn archive(bytes: &[u8]) -> Vec<u8> {
    let names = [
        "image",
        "memory/0.before",
        "memory/1.before",
        "memory/0.after",
        "memory/1.after",
        "result.json",
        "manifest.json",
        "other",
    ];
    let Some((first, rest)) = bytes.split_first() else { return Vec::new() };
    let machine = Machine { recorder: "fuzz".into(), gpu: String::new(), sm: String::new(), driver: String::new() };
    let mut manifest = Manifest::new("k", machine);
    let one = |index: u8| Memory { address: 4096, size: 10 + u64::from(index), elements: None };
    manifest.memory = (0..first % 3).map(one).collect();
    let manifest = serde_json::to_vec(&manifest).expect("JSON");
    let mut file = Vec::new();
    entry(&mut file, "manifest.json", b'0', &manifest);
    for byte in rest.iter().take(32) {
        let name = names[usize::from(byte % 8)];
        let wrong = usize::from(byte & 0x40 != 0);
        let content = match name {
            "result.json" => br#"{"status":0}"#.to_vec(),
            "manifest.json" => manifest.clone(),
            name if name.contains('1') => vec![*byte; 11 + wrong],
            _ => vec![*byte; 10 + wrong],
        };
        let kind = if byte & 0x80 == 0 { b'0' } else { byte >> 3 };
        entry(&mut file, name, kind, &content);
    }
    file
}

fn entry(file: &mut Vec<u8>, name: &str, kind: u8, content: &[u8]) {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
    header[148..157].copy_from_slice(b"         ");
    header[156] = kind;
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    file.extend(header);
    file.extend(content);
    file.resize(file.len().next_multiple_of(512), 0);
}

#[cfg(not(fuzzing))]
fn main() {}

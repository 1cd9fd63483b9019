//! Recordings are read as they were written, and a damaged or hostile file is an error.

use kernel_args_image::recording::{
    Attribute, ElementType, Entry, Error, MAX_PARAMETER_BYTES, Machine, Manifest, Memory, Moment, Parameter, Pointer,
    Reader, Writer,
};
use std::io::{Cursor, Read};

/// A recording as it is read.
#[derive(Debug, PartialEq)]
struct Recorded {
    manifest: Manifest,
    image: Option<Vec<u8>>,
    before: Vec<Vec<u8>>,
    after: Vec<Vec<u8>>,
    status: u32,
}

fn written(recording: &Recorded) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &recording.manifest, recording.image.as_deref()).expect("memory");
    for (moment, all) in [(Moment::Before, &recording.before), (Moment::After, &recording.after)] {
        for (index, bytes) in all.iter().enumerate() {
            writer.memory(moment, index, Cursor::new(bytes)).expect("all bytes");
        }
    }
    writer.finish(recording.status).expect("memory")
}

fn read(file: &[u8]) -> Result<Recorded, Error> {
    let mut reader = Reader::new(file);
    let mut entries = reader.entries()?;
    let mut recording = Recorded {
        manifest: entries.manifest().clone(),
        image: None,
        before: Vec::new(),
        after: Vec::new(),
        status: u32::MAX,
    };
    while let Some(entry) = entries.next_entry()? {
        match entry {
            Entry::Image(image) => recording.image = Some(image),
            Entry::Memory { moment, mut content, .. } => {
                let mut bytes = Vec::new();
                content.read_to_end(&mut bytes)?;
                match moment {
                    Moment::Before => recording.before.push(bytes),
                    Moment::After => recording.after.push(bytes),
                }
            }
            Entry::Status(status) => recording.status = status,
        }
    }
    Ok(recording)
}

fn random(random: &mut fastrand::Rng) -> Recorded {
    let mut text = |longest| -> String { (0..random.usize(0..longest)).map(|_| random.char(..)).collect() };
    let mut manifest = Manifest::new(
        format!("k{}", text(40).replace('\0', "")),
        Machine { recorder: text(10), gpu: text(20), sm: text(8), driver: text(5) },
    );
    manifest.name = Some(text(30));
    manifest.parameters =
        (0..7).map(|_| Parameter { name: text(9), ty: text(9), value: text(20), bytes: Vec::new() }).collect();
    manifest.lost_attributes = vec![text(9)];
    manifest.grid = [random.u32(1..), random.u32(1..), random.u32(1..)];
    manifest.block = [random.u32(1..), random.u32(1..), random.u32(1..)];
    manifest.shared_memory = random.u32(..);
    manifest.attributes = (0..random.usize(0..3))
        .map(|id| Attribute { id: id as u32, text: String::from("priority = 1"), value: [random.u8(..); 64] })
        .collect();
    manifest.parameters.truncate(random.usize(0..7));
    for parameter in &mut manifest.parameters {
        parameter.bytes = (0..random.usize(1..64)).map(|_| random.u8(..)).collect();
    }
    let mut memory = Vec::new();
    for _ in 0..random.usize(0..4) {
        let size = random.usize(1..3000);
        let bytes: Vec<u8> = (0..size).map(|_| random.u8(..)).collect();
        manifest.memory.push(Memory {
            address: random.u64(..1 << 48),
            size: size as u64,
            elements: [None, Some(ElementType::F32), Some(ElementType::F64)][random.usize(..3)],
        });
        memory.push(bytes);
    }
    for (parameter, known) in manifest.parameters.iter().enumerate() {
        if known.bytes.len() >= 8 && !memory.is_empty() {
            let index = random.usize(..memory.len());
            manifest.pointers.push(Pointer {
                parameter,
                at: random.usize(..=known.bytes.len() - 8),
                memory: index,
                offset: random.u64(..=memory[index].len() as u64),
            });
        }
    }
    let failed = random.bool();
    Recorded {
        manifest,
        image: random.bool().then(|| vec![7; random.usize(0..2000)]),
        after: if failed {
            Vec::new()
        } else {
            memory.iter().map(|bytes| bytes.iter().map(|byte| !byte).collect()).collect()
        },
        before: memory,
        status: if failed { 700 } else { 0 },
    }
}

#[test]
fn a_recording_is_read_as_it_was_written() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..300 {
        let recording = random(&mut rng);
        assert_eq!(read(&written(&recording)).expect("what was written"), recording);
    }
}

#[test]
fn a_file_that_ends_early_is_an_error() {
    let mut rng = fastrand::Rng::with_seed(2);
    let recording = random(&mut rng);
    let file = written(&recording);
    // The archive ends with two blocks of zeros, without which it is complete, too.
    let end = file.len() - 1024;
    for length in 0..end {
        let result = read(&file[..length]);
        assert!(result.is_err(), "{length} of {} bytes: {result:?}", file.len());
    }
    assert_eq!(read(&file[..end]).expect("complete"), recording);
}

/// A changed byte is an error or other content, but never a panic, and never more memory than the file has.
#[test]
fn a_damaged_file_does_no_harm() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..20 {
        let file = written(&random(&mut rng));
        for _ in 0..200 {
            let mut damaged = file.clone();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(..damaged.len());
                damaged[at] = rng.u8(..);
            }
            drop(read(&damaged));
        }
    }
}

fn valid() -> Recorded {
    let mut manifest = Manifest::new("saxpy", Machine::default());
    manifest.parameters =
        vec![Parameter { name: "x".into(), ty: "float*".into(), value: "0x10".into(), bytes: vec![0; 8] }];
    manifest.memory = vec![Memory { address: 16, size: 4, elements: None }];
    manifest.pointers = vec![Pointer { parameter: 0, at: 0, memory: 0, offset: 4 }];
    Recorded { manifest, image: None, before: vec![vec![1; 4]], after: vec![vec![2; 4]], status: 0 }
}

#[test]
fn every_limit_of_the_manifest_is_checked() {
    type Change = fn(&mut Manifest);
    let wrong: [(&str, Change); 13] = [
        ("the name of the kernel", |manifest| manifest.kernel.clear()),
        ("the name of the kernel", |manifest| {
            manifest.kernel.push('\0');
        }),
        ("the grid or the block is empty", |manifest| {
            manifest.grid[2] = 0;
        }),
        ("the grid or the block is empty", |manifest| {
            manifest.block[0] = 0;
        }),
        ("more launch attributes", |manifest| {
            manifest.attributes = vec![Attribute { id: 1, text: String::new(), value: [0; 64] }; 65];
        }),
        ("more allocations", |manifest| {
            manifest.memory = vec![manifest.memory[0]; 4097];
        }),
        ("larger than a kernel can have", |manifest| {
            manifest.parameters[0].bytes = vec![0; MAX_PARAMETER_BYTES + 1];
        }),
        ("a parameter has no bytes", |manifest| {
            manifest.parameters[0].bytes.clear();
        }),
        ("an allocation is empty", |manifest| {
            manifest.memory[0].size = 0;
        }),
        ("exceeds the address space", |manifest| {
            manifest.memory[0].address = u64::MAX;
        }),
        ("outside of its parameter", |manifest| {
            manifest.pointers[0].at = 1;
        }),
        ("outside of its parameter", |manifest| {
            manifest.pointers[0].at = usize::MAX;
        }),
        ("outside of its allocation", |manifest| {
            manifest.pointers[0].offset = 5;
        }),
    ];
    for (text, change) in wrong {
        let mut manifest = valid().manifest;
        change(&mut manifest);
        let file = Writer::new(Vec::new(), &manifest, None).and_then(|writer| writer.finish(0)).expect("memory");
        let error = read(&file).expect_err(text).to_string();
        assert!(error.contains(text), "{error}");
    }
    let pointers: [fn(&mut Pointer); 2] = [|pointer| pointer.parameter = 1, |pointer| pointer.memory = 1];
    for change in pointers {
        let mut manifest = valid().manifest;
        change(&mut manifest.pointers[0]);
        let file = Writer::new(Vec::new(), &manifest, None).and_then(|writer| writer.finish(0)).expect("memory");
        assert!(read(&file).is_err());
    }
}

/// An entry of an archive: a name, a type, and the content.
type Written<'e> = (&'e str, u8, &'e [u8]);

fn archive(entries: &[Written<'_>]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::new(*kind));
        header.set_size(content.len() as u64);
        builder.append_data(&mut header, name, *content).expect("memory");
    }
    builder.into_inner().expect("memory")
}

#[test]
fn every_other_order_is_an_error() {
    let recording = valid();
    let manifest = &*serde_json::to_vec(&recording.manifest).expect("JSON");
    let (ok, right, long): (&[u8], &[u8], &[u8]) = (br#"{"status":0}"#, &[0; 4], &[0; 5]);
    let file = |rest: &[Written<'_>]| {
        let mut entries = vec![("manifest.json", b'0', manifest)];
        entries.extend_from_slice(rest);
        archive(&entries)
    };
    let whole = [("memory/0.before", b'0', right), ("memory/0.after", b'0', right), ("result.json", b'0', ok)];
    read(&file(&whole)).expect("a recording");
    read(&file(&[whole[0], whole[2]])).expect("a launch that failed");
    let wrong: [(&str, &[Written<'_>]); 10] = [
        ("`memory/0.after` is in the place of `memory/0.before`", &[whole[1], whole[0], whole[2]]),
        ("the result comes before the last allocation", &[whole[2]]),
        ("the recording was not finished", &[whole[0], whole[1]]),
        ("entries follow the result", &[whole[0], whole[2], whole[1]]),
        ("has 5 bytes, and 4 in the manifest", &[("memory/0.before", b'0', long)]),
        ("is in the place of `result.json`", &[whole[0], whole[1], ("memory/1.after", b'0', right)]),
        ("is in the place of `memory/0.before`", &[("memory/0", b'0', right)]),
        ("is not a regular file", &[("memory/0.before", b'2', b"")]),
        ("is in the place of `memory/0.after`", &[whole[0], ("image", b'0', right)]),
        ("result.json: ", &[whole[0], ("result.json", b'0', b"{}")]),
    ];
    for (text, rest) in wrong {
        let error = read(&file(rest)).expect_err(text).to_string();
        assert!(error.contains(text), "{error}");
    }
    // Also for a caller that stops at the result.
    let more = file(&[whole[0], whole[2], whole[1]]);
    let mut reader = Reader::new(&*more);
    let mut entries = reader.entries().expect("a manifest");
    assert!(matches!(entries.next_entry(), Ok(Some(Entry::Memory { .. }))));
    assert!(entries.next_entry().is_err());
    for (text, file) in [
        ("the file is empty", Vec::new()),
        ("`other` is in the place of `manifest.json`", archive(&[("other", b'0', right)])),
        ("manifest.json: ", archive(&[("manifest.json", b'0', b"{")])),
        ("its format is version 2", archive(&[("manifest.json", b'0', br#"{"format":2}"#)])),
        ("not a valid recording of a launch: it is not a tar archive", b"not an archive".repeat(100)),
    ] {
        let error = read(&file).expect_err(text).to_string();
        assert!(!error.contains("not an archive"), "the content of the file: {error}");
        assert!(error.contains(text), "{error}");
    }
}

/// A header that claims more than the file has allocates nothing for it.
#[test]
fn a_claimed_size_allocates_nothing() {
    for size in [1 << 20, (16 << 20) + 1, u64::MAX >> 1] {
        let mut header = tar::Header::new_gnu();
        header.set_path("manifest.json").expect("a short name");
        header.set_size(size);
        header.set_entry_type(tar::EntryType::Regular);
        header.set_cksum();
        let mut file = header.as_bytes().to_vec();
        file.resize(4096, b'0');
        assert!(read(&file).is_err());
    }
}

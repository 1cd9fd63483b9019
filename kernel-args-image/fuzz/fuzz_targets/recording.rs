//! A recording of a launch: an error, or entries with as many bytes as the manifest says.
#![no_main]

use kernel_args_recording::{Entry, Reader};
use libfuzzer_sys::fuzz_target;
use std::io::{self, Read as _};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::new(bytes);
    let Ok(mut entries) = reader.entries() else { return };
    let manifest = entries.manifest().clone();
    for pointer in &manifest.pointers {
        let parameter = &manifest.parameters[pointer.parameter];
        assert!(parameter.bytes[pointer.at..].len() >= 8);
        assert!(pointer.offset <= manifest.memory[pointer.memory].size);
    }
    while let Ok(Some(entry)) = entries.next_entry() {
        if let Entry::Memory { index, mut content, .. } = entry {
            // A file can end early, which is an error.
            if let Ok(size) = io::copy(&mut content.by_ref(), &mut io::sink()) {
                assert_eq!(size, manifest.memory[index].size);
            }
        }
    }
});

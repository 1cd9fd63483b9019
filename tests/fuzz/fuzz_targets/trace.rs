//! What a traced process sends: each line is an event of limited size, or nothing.
//!
//! The program `kernel-args` has no library, so its files are part of this target.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| trace::check(bytes));

mod select {
    /// A launch with a symbol of an even length is recorded.
    #[derive(Clone)]
    pub(crate) struct Select;

    impl Select {
        pub(crate) fn wants(&self, symbol: &str) -> bool {
            symbol.len() % 2 == 0
        }
    }
}

// The paths are relative to this folder.
#[path = "."]
mod trace {
    #[allow(dead_code)]
    #[path = "../../../crates/cli/src/trace/connections.rs"]
    mod connections;
    #[allow(dead_code)]
    #[path = "../../../crates/cli/src/trace/event.rs"]
    mod event;

    use connections::{Load, Wanted, memory, serve};
    use event::{Event, Launch, Passed, Word};
    use std::{
        cell::{Cell, RefCell},
        io::{self, Read, Write},
        path::Path,
        sync::mpsc,
    };

    /// The bytes that wait must be fewer than the limit for all events: nothing is received until all lines were read.
    const MOST: usize = 1 << 16;

    struct Connection<'b> {
        from: RefCell<&'b [u8]>,
        answers: Cell<usize>,
    }

    impl Read for &Connection<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.from.borrow_mut().read(to)
        }
    }

    impl Write for &Connection<'_> {
        fn write(&mut self, answer: &[u8]) -> io::Result<usize> {
            assert!(matches!(answer, b"y" | b"n"));
            self.answers.set(self.answers.get() + 1);
            Ok(answer.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    pub(super) fn check(bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(MOST)];
        let connection = Connection { from: RefCell::new(bytes), answers: Cell::new(0) };
        let (send, receive) = mpsc::channel();
        let load = Load::default();
        serve(7, &connection, &send, &load, Some(&Wanted { select: crate::select::Select, nth: 0 }));
        drop(send);
        let (mut events, mut read) = (0, 0);
        for (process, line, event) in receive {
            assert_eq!(process, 7);
            load.release(line);
            let taken = size_of::<Event>() + size(&event);
            assert!(taken <= memory(line), "{taken} bytes for a line of {line}: {event:?}");
            events += 1;
            read += line;
        }
        let lines = bytes.split(|byte| *byte == b'\n').count();
        assert!(events + connection.answers.get() <= lines && read <= bytes.len());
    }

    /// Bytes behind the pointers of an event.
    fn size(event: &Event) -> usize {
        match event {
            Event::Process(text) | Event::Failed(text) | Event::Ended(text) => text.capacity(),
            Event::Image(name) => {
                let is_name = Path::new(name).file_name().is_some_and(|last| last == name.as_str());
                assert!(is_name && name.len() == 22 && name.ends_with(".cubin"), "{name}");
                name.capacity()
            }
            Event::Unrecorded { symbol, why } => symbol.capacity() + why.capacity(),
            Event::Graph(graph) => graph.result.capacity(),
            Event::Launch(one) => launch(one),
            Event::Recorded(one) => {
                let texts = one.gpu.capacity() + one.sm.capacity() + one.driver.capacity();
                let lists = one.attributes.capacity() * size_of::<(u32, [u8; 64])>()
                    + one.pointers.capacity() * size_of::<[u64; 4]>()
                    + one.allocations.capacity() * size_of::<[u64; 2]>();
                size_of_val(&**one) + texts + lists + launch(&one.launch)
            }
        }
    }

    fn launch(launch: &Launch) -> usize {
        let texts = launch.symbol.capacity() + launch.form.capacity() + launch.result.capacity();
        let values = launch.values.as_ref().map_or(0, |values| {
            let bytes: usize = values.iter().map(|passed| passed.bytes.len()).sum();
            let ends = values.iter().map(|passed| passed.offset + passed.bytes.len());
            assert!(bytes <= 1 << 16 && ends.max() <= Some(1 << 16));
            let bytes: usize = values.iter().map(|passed| passed.bytes.capacity()).sum();
            values.capacity() * size_of::<Passed>() + bytes
        });
        let words = launch.memory.as_ref().map_or(0, |memory| {
            assert!(memory.words.is_sorted_by_key(|word| word.offset));
            memory.words.capacity() * size_of::<Word>()
        });
        texts + values + words
    }
}

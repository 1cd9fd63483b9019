//! What a traced process sends: each line is an event of limited size, or nothing.
//!
//! The program `kernel-args` has no library, so its files are part of this target.
#![cfg_attr(fuzzing, no_main)]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| trace::check(bytes));

mod select {
    /// A launch with a symbol of an even length is recorded.
    #[derive(Clone)]
    pub(crate) struct Select;

    impl Select {
        #[allow(clippy::unused_self)]
        pub(crate) fn wants(&self, symbol: &str) -> bool {
            symbol.len().is_multiple_of(2)
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
    #[path = "../../../crates/cli/tracer/protocol.rs"]
    mod protocol;

    use connections::{Load, WantedLaunch, memory, serve};
    use protocol::{Attribute, Event, Memory, Passed, Values, Word};
    use std::{
        cell::{Cell, RefCell},
        io::{self, Read, Write},
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
        serve(7, &connection, &send, &load, Some(&WantedLaunch { select: crate::select::Select, nth: 0 }));
        drop(send);
        let (mut events, mut read) = (0, 0);
        for (process, line, event) in receive {
            assert_eq!(process, 7);
            load.release(line);
            let event = match event {
                Ok(event) => event,
                Err(why) => {
                    assert!(why.len() <= memory(line));
                    continue;
                }
            };
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
            Event::Process(text) | Event::Failed(text) | Event::Wanted(text) => text.capacity(),
            Event::Image(_) => 0,
            Event::Unrecorded(one) => one.symbol.capacity() + one.why.capacity(),
            Event::Graph(graph) => graph.result.capacity(),
            Event::Launch(one) => {
                let texts = one.symbol.capacity() + one.form.capacity() + one.result.capacity();
                texts + values(&one.values) + one.memory.as_ref().map_or(0, words)
            }
            Event::Recorded(one) => {
                let texts = [&one.symbol, &one.gpu, &one.sm, &one.driver].map(String::capacity);
                let lists = one.attributes.capacity() * size_of::<Attribute>()
                    + one.pointers.capacity() * size_of::<[u64; 4]>()
                    + one.allocations.capacity() * size_of::<[u64; 2]>();
                texts.iter().sum::<usize>() + lists + values(&one.values)
            }
        }
    }

    fn values(values: &Values) -> usize {
        values.as_ref().map_or(0, |values| {
            let bytes: usize = values.iter().map(|passed| passed.bytes.len()).sum();
            let ends = values.iter().map(|passed| passed.offset + passed.bytes.len());
            assert!(bytes <= 1 << 16 && ends.max() <= Some(1 << 16));
            let bytes: usize = values.iter().map(|passed| passed.bytes.capacity()).sum();
            values.capacity() * size_of::<Passed>() + bytes
        })
    }

    fn words(memory: &Memory) -> usize {
        assert!(memory.words.is_sorted_by_key(|word| word.offset));
        memory.words.capacity() * size_of::<Word>()
    }
}

#[cfg(not(fuzzing))]
fn main() {}

//! What the tracer sends to `kernel-args`. Both compile this file.
//!
//! Each event is one line: its name and its fields, separated by tabs. Lists have commas, and the parts of an item have
//! spaces.

use std::fmt;

/// The variable with the folder of the trace.
pub(crate) const FOLDER: &str = "KERNEL_ARGS_TRACE";
/// The variable with the number of the launch that is recorded, counted from 0.
pub(crate) const RECORD: &str = "KERNEL_ARGS_TRACE_RECORD";
/// The variable that is set if the memory behind pointers is looked up.
pub(crate) const POINTERS: &str = "KERNEL_ARGS_TRACE_POINTERS";
/// The variable with the file of CUPTI.
pub(crate) const CUPTI: &str = "KERNEL_ARGS_CUPTI";
/// The socket in the folder.
pub(crate) const SOCKET: &str = "socket";

/// Returns the memory of an allocation, `before` or `after` the launch.
pub(crate) fn memory_file(index: usize, moment: &str) -> String {
    format!("{index}.{moment}")
}

/// In bytes. CUDA's own limit is 32,764.
const MAX_PARAMETERS: usize = 1 << 16;

/// A part of a line. `read` returns `None` for what no tracer writes.
trait Part: Sized {
    fn text(&self) -> String;
    fn read(text: &str) -> Option<Self>;
}

macro_rules! events {
    ($($(#[$docs:meta])* $name:ident($part:ty) = $word:literal,)*) => {
        #[derive(PartialEq, Debug)]
        pub(crate) enum Event {$($(#[$docs])* $name($part),)*}

        impl Event {
            pub(crate) fn line(&self) -> String {
                match self {$(Self::$name(part) => format!("{}\t{}\n", $word, part.text()),)*}
            }

            pub(crate) fn parse(line: &str) -> Option<Self> {
                let (word, rest) = line.split_once('\t')?;
                match word {
                    $($word => Part::read(rest).map(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

events! {
    /// The name of the program.
    Process(String) = "process",
    Image(ImageFile) = "image",
    /// Why a process is not traced.
    Failed(String) = "failed",
    Launch(Launch) = "launch",
    Graph(GraphLaunch) = "graph",
    /// Asks whether a launch of the kernel with this symbol is recorded. The answer is `y` or `n`.
    Wanted(String) = "wanted",
    Recorded(Recorded) = "recorded",
    Unrecorded(Unrecorded) = "unrecorded",
}

macro_rules! separated {
    ($($(#[$docs:meta])* $name:ident by $separator:literal {
        $($(#[$field_docs:meta])* $field:ident: $part:ty,)*
    })*) => {$(
        $(#[$docs])*
        #[derive(PartialEq, Debug)]
        pub(crate) struct $name {$($(#[$field_docs])* pub(crate) $field: $part,)*}

        impl Part for $name {
            fn text(&self) -> String {
                [$(self.$field.text()),*].join($separator)
            }

            fn read(text: &str) -> Option<Self> {
                let mut parts = text.split($separator);
                let read = Self {$($field: Part::read(parts.next()?)?,)*};
                parts.next().is_none().then_some(read)
            }
        }
    )*};
}

separated! {
    Launch by "\t" {
        thread: u64,
        /// Nanoseconds since 1970.
        start: u64,
        /// Nanoseconds until the driver returned.
        duration: u64,
        stream: Handle,
        symbol: String,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        /// How the parameters were passed: `array`, `buffer`, `cooperative`, `none`.
        form: String,
        /// `0`, or the number and the name of an error.
        result: String,
        values: Values,
        /// With `--check-pointers`: what was known before the launch.
        memory: Option<Memory>,
    }

    GraphLaunch by "\t" {
        thread: u64,
        start: u64,
        duration: u64,
        stream: Handle,
        graph: Handle,
        result: String,
    }

    /// A launch with the memory behind its pointers, which is in files: `--record`.
    Recorded by "\t" {
        symbol: String,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        attributes: Vec<Attribute>,
        values: Values,
        /// The parameter, the offset in it, the allocation, and the offset in that.
        pointers: Vec<[u64; 4]>,
        /// The address and the size of each allocation.
        allocations: Vec<[u64; 2]>,
        gpu: String,
        sm: String,
        driver: String,
        status: u32,
    }

    /// Why the launch that is wanted was not recorded.
    Unrecorded by "\t" {
        symbol: String,
        why: String,
    }

    Attribute by " " {
        id: u32,
        value: [u8; 64],
    }

    /// A word of the parameters that may be a pointer.
    Word by " " {
        /// In the block of parameters.
        offset: usize,
        place: MemoryKind,
        device: u32,
        /// The address for kernels of the current device; 0 if they cannot access it.
        address: Handle,
    }
}

/// `None` if the driver is older than CUDA 12.4, or has refused the launch.
pub(crate) type Values = Option<Vec<Passed>>;

#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Passed {
    pub(crate) offset: usize,
    pub(crate) bytes: Vec<u8>,
}

/// Words that cannot be addresses are left out.
#[derive(PartialEq, Debug)]
pub(crate) struct Memory {
    pub(crate) device: u32,
    /// Whether its kernels can access all memory of the process.
    pub(crate) is_pageable: bool,
    /// In the order of their offsets.
    pub(crate) words: Vec<Word>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryKind {
    Nowhere,
    /// Host memory that CUDA knows.
    Registered,
    Device,
    End,
    /// Other memory of the process.
    Host,
}

/// An address or a handle, in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Handle(pub(crate) u64);

/// By a hash of the image. No such name is a path out of the folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ImageFile(pub(crate) u64);

impl fmt::Display for ImageFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}.cubin", self.0)
    }
}

impl Part for ImageFile {
    fn text(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Option<Self> {
        let hash = u64::from_str_radix(text.get(..16)?, 16).ok()?;
        Some(Self(hash)).filter(|file| file.to_string() == text)
    }
}

/// `0x7f00`
impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl Part for Handle {
    fn text(&self) -> String {
        format!("{:x}", self.0)
    }

    fn read(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().map(Self)
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Part for $number {
            fn text(&self) -> String {
                self.to_string()
            }

            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

numbers!(u32 u64 usize);

/// Without separators of fields and lines.
impl Part for String {
    fn text(&self) -> String {
        self.replace('%', "%25").replace('\t', "%09").replace('\n', "%0a")
    }

    fn read(text: &str) -> Option<Self> {
        Some(text.replace("%0a", "\n").replace("%09", "\t").replace("%25", "%"))
    }
}

/// `4 1 1`
impl<T: Part, const N: usize> Part for [T; N] {
    fn text(&self) -> String {
        self.each_ref().map(T::text).join(" ")
    }

    fn read(text: &str) -> Option<Self> {
        let parts = text.split(' ').map(T::read).collect::<Option<Vec<_>>>();
        parts?.try_into().ok()
    }
}

/// Items with commas; nothing for an empty list.
impl<T: Part> Part for Vec<T> {
    fn text(&self) -> String {
        self.iter().map(T::text).collect::<Vec<_>>().join(",")
    }

    fn read(text: &str) -> Option<Self> {
        text.split(',').filter(|one| !one.is_empty()).map(T::read).collect()
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |digit: u8| char::from_digit(u32::from(digit), 16);
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(digit).collect()
}

impl Part for Vec<u8> {
    fn text(&self) -> String {
        hex(self)
    }

    fn read(text: &str) -> Option<Self> {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        let byte = |pair: &[u8]| match *pair {
            [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
            _ => None,
        };
        text.as_bytes().chunks(2).map(byte).collect()
    }
}

impl<const N: usize> Part for [u8; N] {
    fn text(&self) -> String {
        hex(self)
    }

    fn read(text: &str) -> Option<Self> {
        Vec::read(text)?.try_into().ok()
    }
}

/// `offset size bytes`
impl Part for Passed {
    fn text(&self) -> String {
        format!("{} {} {}", self.offset, self.bytes.len(), hex(&self.bytes))
    }

    fn read(text: &str) -> Option<Self> {
        let [offset, size, digits] = *text.split(' ').collect::<Vec<_>>().as_slice() else {
            return None;
        };
        let (offset, size, bytes) = (usize::read(offset)?, usize::read(size)?, Vec::read(digits)?);
        let is_within = offset.checked_add(size).is_some_and(|end| end <= MAX_PARAMETERS);
        (is_within && size > 0 && bytes.len() == size).then_some(Self { offset, bytes })
    }
}

/// `?` if they are not known. They are not larger than a kernel can have.
impl Part for Values {
    fn text(&self) -> String {
        self.as_ref().map_or_else(|| "?".into(), Vec::text)
    }

    fn read(text: &str) -> Option<Self> {
        if text == "?" {
            return Some(None);
        }
        let values = Vec::<Passed>::read(text)?;
        let size: usize = values.iter().map(|passed| passed.bytes.len()).sum();
        (size <= MAX_PARAMETERS).then_some(Some(values))
    }
}

/// `device pageable,word,word`; empty if the memory was not looked up.
impl Part for Option<Memory> {
    fn text(&self) -> String {
        self.as_ref().map_or_else(String::new, |Memory { device, is_pageable, words }| {
            format!("{},{}", [*device, u32::from(*is_pageable)].text(), words.text())
        })
    }

    fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(None);
        }
        let (head, words) = text.split_once(',').unwrap_or((text, ""));
        let [device, is_pageable] = <[u32; 2]>::read(head)?;
        let mut words = Vec::<Word>::read(words)?;
        words.sort_unstable_by_key(|word| word.offset);
        Some(Some(Memory { device, is_pageable: is_pageable == 1, words }))
    }
}

impl MemoryKind {
    const NAMES: [(&str, Self); 5] =
        [("0", Self::Nowhere), ("1", Self::Registered), ("2", Self::Device), ("end", Self::End), ("host", Self::Host)];
}

impl Part for MemoryKind {
    fn text(&self) -> String {
        Self::NAMES.iter().filter(|(_, kind)| kind == self).map(|(name, _)| *name).collect()
    }

    fn read(text: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_read_as_it_was_written() {
        let line = "launch\t1\t1000\t50\t7f\tsaxpy%25\t4 1 1\t256 1 1\t16\tarray\t700 CUDA_ERROR_ILLEGAL_ADDRESS\t0 4 00000040,8 2 ff01\t0 1,8 2 1 7f00,16 host 0 0";
        let event = Event::parse(line).unwrap();
        assert_eq!(event.line(), format!("{line}\n"));
        let Event::Launch(launch) = event else { panic!("{line}") };
        assert_eq!(
            (launch.symbol.as_str(), launch.stream, launch.grid, launch.shared),
            ("saxpy%", Handle(0x7f), [4, 1, 1], 16)
        );
        assert_eq!(launch.values.unwrap_or_default()[1], Passed { offset: 8, bytes: vec![0xff, 1] });
        let word = |offset, place, device, address| Word { offset, place, device, address: Handle(address) };
        let words = vec![word(8, MemoryKind::Device, 1, 0x7f00), word(16, MemoryKind::Host, 0, 0)];
        assert_eq!(launch.memory, Some(Memory { device: 0, is_pageable: true, words }));
    }

    #[test]
    fn a_line_that_is_cut_off_is_nothing() {
        let line = "launch\t1\t1000\t50\t7f\ts\t4 1 1\t256 1 1\t0\tarray\t0\t0 4 00000040\t";
        assert!(Event::parse(line).is_some());
        for length in 0..line.len() {
            let cut = &line[..length];
            assert_eq!(Event::parse(cut), None, "{cut}");
        }
        let unknown = line.replace("0 4 00000040", "?");
        assert!(matches!(Event::parse(&unknown), Some(Event::Launch(launch)) if launch.values.is_none()));
    }

    #[test]
    fn an_image_is_a_name_that_a_tracer_gives() {
        let name = "0123456789abcdef.cubin";
        let file = ImageFile(0x0123_4567_89ab_cdef);
        assert_eq!(Event::parse(&format!("image\t{name}")), Some(Event::Image(file)));
        let long = format!("0{name}");
        for other in [
            "",
            ".",
            "..",
            "../../etc/passwd",
            "socket",
            &name[1..],
            &long,
            "0123456789abcde/.cubin",
            "+123456789abcdef.cubin",
            "0123456789abcdef",
        ] {
            assert_eq!(Event::parse(&format!("image\t{other}")), None, "{other}");
        }
    }

    /// A short text for each attribute would take less of a line than the memory of an event is limited by.
    #[test]
    fn an_attribute_has_all_of_its_bytes() {
        let of =
            |value: &str| Event::parse(&format!("recorded\ts\t1 1 1\t1 1 1\t0\t2 {value}\t\t\t\tgpu\tsm_90\t13.0\t0"));
        assert!(of(&"00".repeat(64)).is_some());
        for length in [0, 1, 63, 65] {
            assert_eq!(of(&"00".repeat(length)), None, "{length}");
        }
    }

    #[test]
    fn parameters_that_no_kernel_has_are_nothing() {
        let offset = MAX_PARAMETERS - 4;
        let of = |values: &str| Event::parse(&format!("launch\t1\t0\t0\t0\ts\t1 1 1\t1 1 1\t0\tarray\t0\t{values}\t"));
        assert!(of(&format!("0 4 00000000,{offset} 4 00000000")).is_some());
        for values in [
            format!("{} 4 00000000", usize::MAX),
            format!("{} 4 00000000", offset + 1),
            "0 0 ".to_owned(),
            "0 1 00,".repeat(MAX_PARAMETERS + 1),
        ] {
            assert_eq!(of(&values), None);
        }
    }
}

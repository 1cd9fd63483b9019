//! What the tracer sends: one line for each event, its fields separated by tabs. `tracer/` writes them.

/// A limit in bytes for all parameters of a kernel. CUDA's own is 32,764 bytes.
const MAX_PARAMETERS: usize = 1 << 16;

/// Something that happened in the program.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Event {
    /// A process begins to use CUDA: its program.
    Process(String),
    /// A file with an image that was loaded: 16 hexadecimal digits and `.cubin`.
    Image(String),
    /// Why a process is not traced.
    Failed(String),
    /// Why the trace of a process has ended before the process. No tracer sends it.
    Ended(String),
    Launch(Launch),
    Graph(GraphLaunch),
    /// A launch whose memory is in files: `--record`.
    Recorded(Box<Recorded>),
    /// Why the launch that is wanted was not recorded.
    Unrecorded {
        symbol: String,
        why: String,
    },
}

/// A launch with the memory behind its pointers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Recorded {
    /// Without times and a result.
    pub(crate) launch: Launch,
    /// The number of each launch attribute, and its value.
    pub(crate) attributes: Vec<(u32, [u8; 64])>,
    /// The parameter, the offset in it, the allocation, and the offset in that.
    pub(crate) pointers: Vec<[u64; 4]>,
    /// The address and the size of each allocation.
    pub(crate) allocations: Vec<[u64; 2]>,
    pub(crate) gpu: String,
    pub(crate) sm: String,
    pub(crate) driver: String,
    pub(crate) status: u32,
}

/// The launch of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Launch {
    pub(crate) thread: u64,
    /// Nanoseconds since 1970.
    pub(crate) start: u64,
    /// Nanoseconds until the driver returned.
    pub(crate) duration: u64,
    pub(crate) stream: u64,
    pub(crate) symbol: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    /// How the parameters were passed: `array`, `buffer`, `cooperative`, `none`.
    pub(crate) form: String,
    /// `0`, or the number and the name of an error.
    pub(crate) result: String,
    /// `None` if they are not known: the driver is older than CUDA 12.4, or has refused the launch.
    pub(crate) values: Option<Vec<Passed>>,
    /// With `--check-pointers`: what the driver knew about the parameters that may be pointers, before the launch.
    pub(crate) memory: Option<Memory>,
}

/// What was known about the memory at the words of a launch's parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    /// The number of the current device.
    pub(crate) device: u32,
    /// Whether its kernels can access all memory of the process.
    pub(crate) is_pageable: bool,
    /// By their offsets.
    pub(crate) words: Vec<Word>,
}

/// A word that may be a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    /// In the block of parameters.
    pub(crate) offset: usize,
    pub(crate) at: Located,
}

/// The memory at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Located {
    /// In an allocation of a device, with the address for kernels of the current device; 0 if they cannot access it.
    Device {
        device: u32,
        address: u64,
    },
    /// In host memory that CUDA knows.
    Registered {
        address: u64,
    },
    /// At the end of an allocation.
    End,
    /// In other memory of the process.
    Host,
    Nowhere,
}

/// A parameter as the driver records it, and its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Passed {
    pub(crate) offset: usize,
    pub(crate) bytes: Vec<u8>,
}

/// The launch of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GraphLaunch {
    pub(crate) thread: u64,
    pub(crate) start: u64,
    pub(crate) duration: u64,
    pub(crate) stream: u64,
    pub(crate) graph: u64,
    pub(crate) result: String,
}

impl Event {
    /// `None` for a line that no tracer writes: a process can end in the middle of a line, and can send anything.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        // No line has more fields than 14.
        let fields: Vec<String> = line.splitn(15, '\t').map(unescaped).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        match *fields.as_slice() {
            ["process", _, program] => Some(Self::Process(program.to_owned())),
            ["image", name] if is_image(name) => Some(Self::Image(name.to_owned())),
            ["failed", why] => Some(Self::Failed(why.to_owned())),
            ["launch", thread, start, duration, stream, symbol, grid, block, shared, form, result, values, memory] => {
                Some(Self::Launch(Launch {
                    thread: thread.parse().ok()?,
                    start: start.parse().ok()?,
                    duration: duration.parse().ok()?,
                    stream: u64::from_str_radix(stream, 16).ok()?,
                    symbol: symbol.to_owned(),
                    grid: extents(grid)?,
                    block: extents(block)?,
                    shared: shared.parse().ok()?,
                    form: form.to_owned(),
                    result: result.to_owned(),
                    values: match values {
                        "?" => None,
                        values => Some(parameters(values)?),
                    },
                    memory: match memory {
                        "" => None,
                        memory => Some(Memory::parse(memory)?),
                    },
                }))
            }
            ["unrecorded", symbol, why] => Some(Self::Unrecorded { symbol: symbol.to_owned(), why: why.to_owned() }),
            [
                "recorded",
                symbol,
                grid,
                block,
                shared,
                attributes,
                values,
                pointers,
                allocations,
                gpu,
                sm,
                driver,
                status,
            ] => Some(Self::Recorded(Box::new(Recorded {
                launch: Launch {
                    thread: 0,
                    start: 0,
                    duration: 0,
                    stream: 0,
                    symbol: symbol.to_owned(),
                    grid: extents(grid)?,
                    block: extents(block)?,
                    shared: shared.parse().ok()?,
                    form: String::new(),
                    result: String::new(),
                    values: Some(parameters(values)?),
                    memory: None,
                },
                attributes: each(attributes, |text| {
                    let (id, value) = text.split_once(' ')?;
                    Some((id.parse().ok()?, bytes(value)?.try_into().ok()?))
                })?,
                pointers: each(pointers, numbers)?,
                allocations: each(allocations, numbers)?,
                gpu: gpu.to_owned(),
                sm: sm.to_owned(),
                driver: driver.to_owned(),
                status: status.parse().ok()?,
            }))),
            ["graph", thread, start, duration, stream, graph, result] => Some(Self::Graph(GraphLaunch {
                thread: thread.parse().ok()?,
                start: start.parse().ok()?,
                duration: duration.parse().ok()?,
                stream: u64::from_str_radix(stream, 16).ok()?,
                graph: u64::from_str_radix(graph, 16).ok()?,
                result: result.to_owned(),
            })),
            _ => None,
        }
    }
}

impl Memory {
    /// `device pageable,offset kind device address,…`
    fn parse(text: &str) -> Option<Self> {
        let mut each = text.split(',');
        let (device, is_pageable) = each.next()?.split_once(' ')?;
        let mut words = each.map(Word::parse).collect::<Option<Vec<_>>>()?;
        words.sort_unstable_by_key(|word| word.offset);
        Some(Self { device: device.parse().ok()?, is_pageable: is_pageable == "1", words })
    }
}

impl Word {
    /// `offset kind device address`
    fn parse(text: &str) -> Option<Self> {
        let [offset, kind, device, address] = *text.split(' ').collect::<Vec<_>>().as_slice() else {
            return None;
        };
        let address = u64::from_str_radix(address, 16).ok()?;
        Some(Self {
            offset: offset.parse().ok()?,
            at: match kind {
                "1" => Located::Registered { address },
                "2" => Located::Device { device: device.parse().ok()?, address },
                "end" => Located::End,
                "host" => Located::Host,
                _ => Located::Nowhere,
            },
        })
    }
}

impl Passed {
    /// `offset size bytes`
    fn parse(text: &str) -> Option<Self> {
        let [offset, size, digits] = *text.split(' ').collect::<Vec<_>>().as_slice() else {
            return None;
        };
        let bytes = bytes(digits)?;
        let offset = offset.parse::<usize>().ok()?;
        let is_within = offset.checked_add(bytes.len()).is_some_and(|end| end <= MAX_PARAMETERS);
        (is_within && !bytes.is_empty() && bytes.len() == size.parse::<usize>().ok()?).then_some(Self { offset, bytes })
    }
}

/// Whether this is a name that a tracer gives to an image. No such name is a path out of the folder.
fn is_image(name: &str) -> bool {
    let digits = name.strip_suffix(".cubin").unwrap_or_default();
    digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The parameters of a kernel. `None` if they are larger than a kernel can have.
fn parameters(text: &str) -> Option<Vec<Passed>> {
    let parameters = each(text, Passed::parse)?;
    (parameters.iter().map(|passed| passed.bytes.len()).sum::<usize>() <= MAX_PARAMETERS).then_some(parameters)
}

/// Texts that are separated by commas; none for an empty text.
fn each<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    let each = text.split(',').filter(|one| !one.is_empty());
    each.map(parse).collect()
}

/// Numbers that are separated by spaces.
fn numbers<const N: usize>(text: &str) -> Option<[u64; N]> {
    let numbers = text.split(' ').map(|number| number.parse().ok());
    numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Bytes in hexadecimal.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| match *pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    pairs.map(byte).collect()
}

/// `4 1 1`
fn extents(text: &str) -> Option<[u32; 3]> {
    let extents: Vec<u32> = text.split(' ').map(|extent| extent.parse().ok()).collect::<Option<_>>()?;
    extents.try_into().ok()
}

/// The tracer escapes separators.
pub(super) fn unescaped(field: &str) -> String {
    field.replace("%0a", "\n").replace("%09", "\t").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_read() {
        let line = "launch\t1\t1000\t50\t7f\tsaxpy%25\t4 1 1\t256 1 1\t16\tarray\t700 CUDA_ERROR_ILLEGAL_ADDRESS\t0 4 00000040,8 2 ff01\t0 1,8 2 1 7f00,16 host 0 0";
        let Some(Event::Launch(launch)) = Event::parse(line) else {
            panic!("{line}");
        };
        assert_eq!(
            (launch.symbol.as_str(), launch.stream, launch.grid, launch.shared),
            ("saxpy%", 0x7f, [4, 1, 1], 16)
        );
        assert_eq!(launch.values.unwrap_or_default()[1], Passed { offset: 8, bytes: vec![0xff, 1] });
        let word = |offset, at| Word { offset, at };
        assert_eq!(
            launch.memory,
            Some(Memory {
                device: 0,
                is_pageable: true,
                words: vec![word(8, Located::Device { device: 1, address: 0x7f00 }), word(16, Located::Host)]
            })
        );
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
        assert_eq!(Event::parse(&format!("image\t{name}")), Some(Event::Image(name.to_owned())));
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
        let most = usize::MAX;
        let offset = MAX_PARAMETERS - 4;
        let of = |values: &str| Event::parse(&format!("launch\t1\t0\t0\t0\ts\t1 1 1\t1 1 1\t0\tarray\t0\t{values}\t"));
        assert!(of(&format!("0 4 00000000,{offset} 4 00000000")).is_some());
        for values in [
            format!("{most} 4 00000000"),
            format!("{} 4 00000000", offset + 1),
            "0 0 ".to_owned(),
            "0 1 00,".repeat(MAX_PARAMETERS + 1),
        ] {
            assert_eq!(of(&values), None);
        }
    }
}

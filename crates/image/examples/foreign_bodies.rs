//! Analyses the kernels of files that were not made for it, and compares the result with the C++ types in their
//! symbols. Also measures the speed.
//!
//! ```sh
//! cargo run --release -p kernel-args-image --features bodies,compressed --example foreign_bodies -- FILE...
//! ```
//!
//! A file is a PTX text, or contains fat binaries anywhere, as libraries do. `tests/foreign_bodies.py` downloads some
//! and runs it. The exit code is 1 if a claim is wrong.

use kernel_args_abi::{
    CppBase, CppType,
    check::{Contradiction, contradiction},
    signature::{Certainty, Slot, SlotKind},
};
use kernel_args_image::{
    fatbin,
    mangled::Demangled,
    ptx::{Bodies, Module},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    process::ExitCode,
    sync::LazyLock,
    time::{Duration, Instant},
};

/// The floating-point formats that are compared.
const FORMATS: [CppBase<'static>; 4] = [
    CppBase::Float { bits: 32 },
    CppBase::Float { bits: 64 },
    CppBase::Named("__half"),
    CppBase::Named("__nv_bfloat16"),
];

/// Kernels that declare addresses as integers, of cupy and libcuvs. They cast them to pointers.
const TAKES_ADDRESSES: [&str; 3] = ["init_curand", "execute_dist", "radix_topk_one_block_kernel"];
/// Kernels that cast `const` away and write, with the number of the parameter, which depends on the version of cuBLAS.
const CASTS_CONST_AWAY: [(&str, usize); 4] = [
    ("splitKreduce_kernel", 7),
    ("splitKreduce_kernel", 6),
    ("QOrderBatchInt8MatrixTransposeKernel", 1),
    ("QOrderDequantizeKernel", 1),
];
/// Kernels that declare `float*` and store f16 or bf16 through it, of cuequivariance, with the number of the parameter.
const STORES_ANOTHER_FORMAT: [(&str, usize); 1] = [("cudnn_fmha", 14)];

/// What was counted.
#[derive(Default)]
struct Counts {
    kernels: usize,
    not_analysed: usize,
    bytes: usize,
    time: Duration,
    seen: BTreeSet<(String, usize)>,
    /// By rule: right, wrong, and cases in which a claim was possible.
    rules: BTreeMap<&'static str, [usize; 3]>,
    wrong: Vec<String>,
}

fn main() -> ExitCode {
    let mut counts = Counts::default();
    for path in env::args().skip(1) {
        let bytes = fs::read(&path).expect("the file can be read");
        for text in texts(&bytes) {
            counts.text(&text);
        }
    }
    counts.print();
    ExitCode::from(u8::from(!counts.wrong.is_empty()))
}

/// The time for which this thread has run on a processor. On other systems than Linux, the time of day.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = statistics.split(' ').next().and_then(|first| first.parse().ok());
    first.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// The PTX texts in a file.
fn texts(bytes: &[u8]) -> Vec<Vec<u8>> {
    if bytes.starts_with(b"//") || bytes.starts_with(b".version") || bytes.starts_with(b"\n") {
        return vec![bytes.to_vec()];
    }
    let magic = fatbin::MAGIC.to_le_bytes();
    let mut texts = Vec::new();
    let mut at = 0;
    while let Some(found) = find(&bytes[at..], magic) {
        at += found;
        let size = bytes.get(at + 8..at + 16).and_then(|size| size.try_into().ok());
        let size = size.map_or(0, u64::from_le_bytes) as usize;
        let end = at.saturating_add(size).saturating_add(16);
        let members = bytes.get(at..end).and_then(|one| fatbin::members(one).ok());
        at += 4;
        for member in members.iter().flatten() {
            if member.kind == fatbin::Kind::Ptx
                && let Ok(text) = member.bytes()
            {
                texts.push(text.into_owned());
            }
        }
        if members.is_some() {
            at = end.min(bytes.len());
        }
    }
    texts
}

fn find(bytes: &[u8], magic: [u8; 4]) -> Option<usize> {
    bytes.windows(4).position(|window| window == magic)
}

impl Counts {
    fn text(&mut self, text: &[u8]) {
        let Ok(module) = Module::read(text) else {
            return;
        };
        let mut bodies = Bodies::new(text);
        for entry in module.entries() {
            let (at, declaration) = module.declaration(entry.name).expect("it is in the module");
            let end = text[at..].windows(2).position(|pair| pair == b"\n}");
            let size = end.unwrap_or(0) - declaration.len().min(end.unwrap_or(0));
            // Another GPU generation of the same code.
            if !self.seen.insert((entry.name.to_owned(), size)) {
                continue;
            }
            self.kernels += 1;
            self.bytes += size;
            let start = processor_time();
            let body = bodies.kernel(&module, entry.name);
            self.time += processor_time().saturating_sub(start);
            let Some(body) = body else {
                self.not_analysed += 1;
                continue;
            };
            let demangled = Demangled::new(entry.name);
            if let Some(name) = demangled.as_ref().filter(|name| name.parameters().is_some()) {
                // All of these kernels are C++.
                let mut parameters = entry.signature_parameters(None);
                for (parameter, body) in parameters.iter_mut().zip(body.parameters()) {
                    parameter.body = body;
                }
                let is_ignored = name.types_for(&parameters).is_none();
                self.count("E: the types of a symbol are ignored", is_ignored, false);
                if is_ignored {
                    self.wrong.push(format!("ignored: {name}: {parameters:?}"));
                }
            }
            let types = demangled.as_ref().and_then(|name| name.types_of(entry.parameters.len()));
            for (index, ty) in types.into_iter().flatten().enumerate() {
                let size = entry.parameters[index].layout.size();
                let is_integer = matches!(ty.base, CppBase::Integer { bits: 64, .. } | CppBase::Long { .. });
                let body = body.parameter(index);
                if body.is_unused() {
                    self.count("unused", true, true);
                    continue;
                }
                let Some(slot) = body.at(0) else {
                    continue;
                };
                let place = format!("{} {index} {ty}: {slot:?}", entry.name);
                if ty.depth > 0 {
                    let is = |(name, parameter): &(&str, usize)| entry.name.contains(name) && index == *parameter;
                    let is_other = contradiction(ty, None, &slot) == Some(Contradiction::Format);
                    if is_other && STORES_ANOTHER_FORMAT.iter().any(is) {
                        self.count("D: the type in a symbol is wrong", true, true);
                        continue;
                    }
                    let mutable = ty.to_mutable().filter(|_| CASTS_CONST_AWAY.iter().any(is));
                    self.pointer(mutable.unwrap_or(ty), &slot, &place);
                } else if size == 8 && is_integer {
                    let takes_addresses = TAKES_ADDRESSES.iter().any(|name| entry.name.contains(name));
                    self.integer(&slot, takes_addresses, &place);
                }
            }
        }
    }

    /// A case in which a claim is possible, whether there was a claim, and whether it is right.
    fn count(&mut self, rule: &'static str, is_claimed: bool, is_right: bool) {
        let [right, wrong, all] = self.rules.entry(rule).or_default();
        *all += 1;
        *right += usize::from(is_claimed && is_right);
        *wrong += usize::from(is_claimed && !is_right);
    }

    fn pointer(&mut self, ty: CppType<'_>, slot: &Slot<'_>, place: &str) {
        let is_const = ty.const_mask >> (ty.depth - 1) & 1 == 1;
        let found = contradiction(ty, None, slot);
        self.count("A int: a pointer is no integer", found == Some(Contradiction::Integer), false);
        self.count("A ptr: a pointer is one", slot.kind == SlotKind::Pointer, true);
        if is_const {
            let is_written = slot.written == Certainty::Certain;
            self.count("B: a pointer to const is not written", is_written, false);
            self.count("C: a pointer to const is only read", slot.is_only_read(), true);
        } else {
            let is_written = slot.written == Certainty::Certain;
            self.count("B: a pointer is written", is_written, true);
            self.count("C: a pointer is only read", slot.is_only_read(), true);
        }
        if ty.depth == 1 && FORMATS.contains(&ty.base) {
            let is_refused = |format: &CppBase<'static>| {
                let ty = CppType { base: *format, ..ty };
                contradiction(ty, None, slot) == Some(Contradiction::Format)
            };
            let is_right = found != Some(Contradiction::Format);
            self.count("D: another floating-point format is refused", FORMATS.iter().any(is_refused), is_right);
        }
        match found {
            Some(found) if found.is_certain() => self.wrong.push(format!("{found:?}: {place}")),
            Some(_) => self.count("remarks", true, true),
            None => {}
        }
    }

    fn integer(&mut self, slot: &Slot<'_>, takes_addresses: bool, place: &str) {
        let is_pointer = slot.kind == SlotKind::Pointer;
        self.count("A int: an integer is one", slot.kind == SlotKind::Integer, true);
        self.count("A ptr: an integer is an address", is_pointer, takes_addresses);
        if is_pointer && !takes_addresses {
            self.wrong.push(format!("a pointer, declared as an integer: {place}"));
        }
    }

    fn print(&self) {
        let kilobytes = u32::try_from(self.bytes / 1000).unwrap_or(u32::MAX);
        let megabytes = f64::from(kilobytes) / 1e3;
        println!(
            "{} kernels, {megabytes:.1} MB of bodies in {:.2} s: {:.0} MB/s; {} not analysed",
            self.kernels,
            self.time.as_secs_f64(),
            megabytes / self.time.as_secs_f64(),
            self.not_analysed
        );
        for (rule, [right, wrong, all]) in &self.rules {
            println!("{rule}: {right} claimed rightly, {wrong} wrongly, of {all}");
        }
        for wrong in &self.wrong {
            println!("wrong: {wrong}");
        }
    }
}

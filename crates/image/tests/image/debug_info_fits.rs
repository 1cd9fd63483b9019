//! Debug information about a kernel fits that kernel, for every correct Rust struct: no false error.

use kernel_args_abi::{
    Class, CppBase, CppType, Layout, Members, Opaque, Parameter, Signature,
    check::{self, Report, report},
    compiled::{CompiledImage, CompiledKernels, fingerprint},
};
use kernel_args_image::{Encoder, Image};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Images with debug information, with every kind of type: PTX, and a cubin.
const IMAGES: [&[u8]; 4] = [
    include_bytes!("../data/debug.ptx"),
    include_bytes!("../data/debug.sm_90.cubin"),
    include_bytes!("../../../../ptx/shade.debug.ptx"),
    include_bytes!("../../../../tests/golden/debug.ptx"),
];

/// The kernels of all images, as a macro embeds them.
static KERNELS: LazyLock<Vec<CompiledKernels>> = LazyLock::new(|| IMAGES.map(compiled).into());

fn compiled(bytes: &'static [u8]) -> CompiledKernels {
    let kernels = Image::read(bytes).unwrap().kernels().unwrap();
    assert_eq!(kernels.debug_errors().next(), None);
    let mut encoder = Encoder::new();
    for symbol in kernels.symbols() {
        encoder.push(&kernels.kernel(symbol, None).unwrap(), None, false);
    }
    let (table, names) = encoder.finish();
    let image = CompiledImage::new(bytes, fingerprint(bytes), table.leak(), names.leak());
    CompiledKernels::all(Box::leak(Box::new(image)))
}

/// Draws numbers from a list, then zeros.
struct Choices<'c>(std::slice::Iter<'c, u8>);

impl Choices<'_> {
    fn below(&mut self, count: u8) -> u8 {
        self.0.next().map_or(0, |choice| choice % count)
    }
}

fn leak(text: String) -> &'static str {
    text.leak()
}

/// A correct field for a parameter, or a correct member for a member, in one of many forms.
fn written(kernel: Parameter<'static>, choices: &mut Choices<'_>, depth: usize) -> Parameter<'static> {
    let align = kernel.align;
    let mut own = Parameter { align, spelling: "T", ..kernel };
    match choices.below(6) {
        // A name that does not exist.
        0 => own.name = leak(format!("other_{}_{}", kernel.name, choices.below(255))),
        // The right name, specified explicitly.
        1 => (own.name, own.kernel_name) = ("own_name", kernel.name),
        2 => own.name = leak(format!("r#{}", kernel.name)),
        _ => {}
    }
    if depth > 6 {
        return own;
    }
    match choices.below(8) {
        0 if depth == 0 => {
            (own.class, own.cpp) = (Class::Unknown, CppType::UNKNOWN);
            own.members = Members::UNKNOWN;
        }
        1 if depth > 0 => own.members = Members::opaque(Opaque::Declared),
        2 if kernel.members.is_known() && !kernel.cpp.is_array() => {
            own.members = Members::of(scalars(&kernel).leak());
        }
        3 if kernel.members.is_known() && kernel.members.len() > 2 && !kernel.cpp.is_array() => {
            own.members = grouped(kernel.members, choices);
        }
        4 if depth > 0 && kernel.cpp.extents[1] > 0 => {
            // An array of one dimension.
            let length = kernel.cpp.elements() as u32;
            own.cpp = kernel.cpp.element().array(length);
        }
        5 if depth > 0 && is_scalar(&kernel) => {
            // A struct around it, or an array with one element.
            let inner = Parameter { name: "value", offset: Some(0), ..kernel };
            own.kernel_name = "";
            own.class = Class::Bytes;
            if choices.below(2) == 0 {
                own.cpp = CppType::named("Around");
                own.members = Members::of(vec![inner].leak());
            } else {
                own.cpp = kernel.cpp.array(1);
            }
        }
        _ if kernel.members.is_known() => {
            let members = kernel.members.iter();
            let members: Vec<_> = members.map(|m| written(m, choices, depth + 1)).collect();
            own.members = Members::of(members.leak());
        }
        _ => {}
    }
    own
}

/// Whether it is neither a struct nor an array, and is known.
fn is_scalar(kernel: &Parameter<'_>) -> bool {
    !kernel.cpp.is_array()
        && !kernel.members.is_known()
        && kernel.members.why_opaque().is_none()
        && !kernel.cpp.is_unknown()
        && !matches!(kernel.class, Class::Bytes | Class::Unknown)
}

/// The scalars of a struct, without names; four consecutive floats as a vector.
fn scalars(kernel: &Parameter<'static>) -> Vec<Parameter<'static>> {
    let mut found = Vec::new();
    collect(kernel, 0, &mut found);
    let mut at = 0;
    while at + 4 <= found.len() {
        let is_float = |p: &Parameter<'_>| p.cpp == CppType::of(CppBase::Float { bits: 32 });
        let four = &found[at..at + 4];
        let start = four[0].offset.unwrap();
        let adjoin = (0..4).all(|i| is_float(&four[i]) && four[i].offset == Some(start + 4 * i));
        if adjoin {
            let members = ["x", "y", "z", "w"].iter().enumerate().map(|(i, name)| Parameter {
                name,
                offset: Some(4 * i),
                ..four[i]
            });
            let vector = Parameter {
                name: "",
                class: Class::Bytes,
                cpp: CppType::named("float4"),
                members: Members::of(members.collect::<Vec<_>>().leak()),
                ..Parameter::record(start, 16)
            };
            found.splice(at..at + 4, [vector]);
        }
        at += 1;
    }
    found
}

/// Numbers that CUDA's headers store as integers.
fn is_number(kernel: &Parameter<'_>) -> bool {
    let names = ["__half", "__nv_bfloat16", "__nv_fp8_e4m3", "__nv_fp8_e5m2"];
    matches!(kernel.cpp.base, CppBase::Named(name) if names.contains(&name))
}

fn collect(kernel: &Parameter<'static>, start: usize, found: &mut Vec<Parameter<'static>>) {
    let elements = kernel.cpp.elements().max(1);
    let size = kernel.size / elements;
    for i in 0..elements {
        let at = start + i * size;
        if kernel.members.is_known() && !is_number(kernel) {
            for member in kernel.members.iter() {
                collect(&member, at + member.offset.unwrap(), found);
            }
            continue;
        }
        found.push(Parameter {
            name: "",
            kernel_name: "",
            offset: Some(at),
            size,
            cpp: kernel.cpp.element(),
            class: if kernel.cpp.is_array() { Class::Unknown } else { kernel.class },
            ..*kernel
        });
    }
}

/// Some consecutive members, in a separate struct.
fn grouped(members: Members<'static>, choices: &mut Choices<'_>) -> Members<'static> {
    let mut all: Vec<_> = members.iter().collect();
    let first = usize::from(choices.below(all.len() as u8 - 1));
    let last = first + 1;
    let base = all[first].offset.unwrap();
    let inner: Vec<_> = all[first..=last]
        .iter()
        .map(|member| Parameter { offset: Some(member.offset.unwrap() - base), ..*member })
        .collect();
    let end = all[last].offset.unwrap() + all[last].size;
    let group = Parameter {
        name: "group",
        class: Class::Bytes,
        cpp: CppType::named("Group"),
        members: Members::of(inner.leak()),
        ..Parameter::record(base, end - base)
    };
    all.splice(first..=last, [group]);
    Members::of(all.leak())
}

fn fits(fields: &[Parameter<'static>], parameters: &[Parameter<'static>]) -> Result<(), String> {
    let host = Signature { name: "A", parameters: fields };
    let kernel = Signature { name: "k", parameters };
    let report: Report<'_> = report(&host, &kernel);
    if report.is_empty() && check::fits(fields, parameters, None) {
        return Ok(());
    }
    Err(report.whole_message().as_str().to_owned())
}

#[test]
fn every_kernel_fits_itself() {
    let mut count = 0;
    for kernel in KERNELS.iter().flatten() {
        let parameters: Vec<_> = kernel.parameters().collect();
        assert_eq!(fits(&parameters, &parameters), Ok(()), "{kernel:?}");
        assert!(kernel.fits(&parameters));
        count += parameters.len();
    }
    assert!(count > 150, "{count} parameters");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_right_struct_fits_however_it_is_written(
        which in any::<prop::sample::Index>(), choices in proptest::collection::vec(any::<u8>(), 0..120)
    ) {
        let all: Vec<_> = KERNELS.iter().flatten().collect();
        let kernel = all[which.index(all.len())];
        let parameters: Vec<_> = kernel.parameters().collect();
        let choices = &mut Choices(choices.iter());
        let fields: Vec<_> = parameters.iter().map(|p| written(*p, choices, 0)).collect();
        prop_assert_eq!(fits(&fields, &parameters), Ok(()), "{:?}", kernel);
        prop_assert!(kernel.fits(&fields));
    }

    /// The fast check of a macro returns the same as the full comparison, also for different names and members.
    #[test]
    fn a_struct_fits_as_the_comparison_says(
        which in any::<prop::sample::Index>(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>(), change in 0..5
    ) {
        let all: Vec<_> = KERNELS.iter().flatten().collect();
        let kernel = all[which.index(all.len())];
        let parameters: Vec<_> = kernel.parameters().collect();
        prop_assume!(!parameters.is_empty());
        let (a, b) = (a.index(parameters.len()), b.index(parameters.len()));
        let mut fields = parameters.clone();
        match change {
            0 => fields.swap(a, b),
            1 => fields[a].name = parameters[b].name,
            2 => fields[a].kernel_name = parameters[b].name,
            3 => fields[a].kernel_name = "nowhere",
            _ => {
                let number = Parameter::field("f", "u32", 0, Layout::of::<u32>(), Class::Integer, CppType::integer(false, 32));
                fields[a].members = Members::of(vec![number].leak());
            }
        }
        prop_assert_eq!(kernel.fits(&fields), check::fits(&fields, &parameters, None));
    }
}

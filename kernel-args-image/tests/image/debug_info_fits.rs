//! What debug information says of a kernel fits that kernel, however a program writes it down: no false alarm.

use kernel_args_abi::{
    Class, CppBase, CppType, Layout, Members, Opaque, Parameter, Signature,
    check::{self, Report, report},
    compiled::{CompiledImage, CompiledKernels, fingerprint},
};
use kernel_args_image::{Encoder, Image};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Images with debug information, of every kind of type: PTX, and a cubin.
const IMAGES: [&[u8]; 4] = [
    include_bytes!("../data/debug.ptx"),
    include_bytes!("../data/debug.sm_90.cubin"),
    include_bytes!("../../../ptx/shade.debug.ptx"),
    include_bytes!("../../../tests/golden/debug.ptx"),
];

/// The kernels of all images, as a macro would embed them.
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

/// A field for a parameter, or a member for a member: right, written in one of many ways.
fn written(
    told: Parameter<'static>,
    choices: &mut Choices<'_>,
    depth: usize,
) -> Parameter<'static> {
    let align = told.align;
    let mut own = Parameter {
        align,
        spelling: "T",
        ..told
    };
    match choices.below(6) {
        // A name that is nowhere.
        0 => own.name = leak(format!("other_{}_{}", told.name, choices.below(255))),
        // As it is, and said to be so.
        1 => (own.name, own.kernel_name) = ("own_name", told.name),
        2 => own.name = leak(format!("r#{}", told.name)),
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
        2 if told.members.is_known() && !told.cpp.is_array() => {
            own.members = Members::of(scalars(&told).leak());
        }
        3 if told.members.is_known() && told.members.len() > 2 && !told.cpp.is_array() => {
            own.members = grouped(told.members, choices);
        }
        4 if depth > 0 && told.cpp.extents[1] > 0 => {
            // Of one dimension.
            let length = told.cpp.elements() as u32;
            own.cpp = told.cpp.element().array(length);
        }
        5 if depth > 0 && is_scalar(&told) => {
            // A struct around it, or an array of one.
            let inner = Parameter {
                name: "value",
                offset: Some(0),
                ..told
            };
            own.kernel_name = "";
            own.class = Class::Bytes;
            if choices.below(2) == 0 {
                own.cpp = CppType::named("Around");
                own.members = Members::of(vec![inner].leak());
            } else {
                own.cpp = told.cpp.array(1);
            }
        }
        _ if told.members.is_known() => {
            let members = told.members.iter();
            let members: Vec<_> = members.map(|m| written(m, choices, depth + 1)).collect();
            own.members = Members::of(members.leak());
        }
        _ => {}
    }
    own
}

/// No struct, array, or what is not told.
fn is_scalar(told: &Parameter<'_>) -> bool {
    !told.cpp.is_array()
        && !told.members.is_known()
        && told.members.why_opaque().is_none()
        && !told.cpp.is_unknown()
        && !matches!(told.class, Class::Bytes | Class::Unknown)
}

/// The scalars of a struct, without names; four floats one after another as a vector.
fn scalars(told: &Parameter<'static>) -> Vec<Parameter<'static>> {
    let mut found = Vec::new();
    collect(told, 0, &mut found);
    let mut at = 0;
    while at + 4 <= found.len() {
        let is_float = |p: &Parameter<'_>| p.cpp == CppType::of(CppBase::Float { bits: 32 });
        let four = &found[at..at + 4];
        let start = four[0].offset.unwrap();
        let adjoin = (0..4).all(|i| is_float(&four[i]) && four[i].offset == Some(start + 4 * i));
        if adjoin {
            let members = ["x", "y", "z", "w"]
                .iter()
                .enumerate()
                .map(|(i, name)| Parameter {
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
fn is_number(told: &Parameter<'_>) -> bool {
    let names = ["__half", "__nv_bfloat16", "__nv_fp8_e4m3", "__nv_fp8_e5m2"];
    matches!(told.cpp.base, CppBase::Named(name) if names.contains(&name))
}

fn collect(told: &Parameter<'static>, start: usize, found: &mut Vec<Parameter<'static>>) {
    let elements = told.cpp.elements().max(1);
    let size = told.size / elements;
    for i in 0..elements {
        let at = start + i * size;
        if told.members.is_known() && !is_number(told) {
            for member in told.members.iter() {
                collect(&member, at + member.offset.unwrap(), found);
            }
            continue;
        }
        found.push(Parameter {
            name: "",
            kernel_name: "",
            offset: Some(at),
            size,
            cpp: told.cpp.element(),
            class: if told.cpp.is_array() {
                Class::Unknown
            } else {
                told.class
            },
            ..*told
        });
    }
}

/// Some members, one after another, in a struct of their own.
fn grouped(members: Members<'static>, choices: &mut Choices<'_>) -> Members<'static> {
    let mut all: Vec<_> = members.iter().collect();
    let first = usize::from(choices.below(all.len() as u8 - 1));
    let last = first + 1;
    let base = all[first].offset.unwrap();
    let inner: Vec<_> = all[first..=last]
        .iter()
        .map(|member| Parameter {
            offset: Some(member.offset.unwrap() - base),
            ..*member
        })
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
    let host = Signature {
        name: "A",
        parameters: fields,
    };
    let kernel = Signature {
        name: "k",
        parameters,
    };
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

    /// The short answer of a macro is that of the whole comparison, with names and members that differ as well.
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

//! Random kernels with C++'s layout, independent of the library's code.

use kernel_args_abi::{
    Alignment, Body, Class, CppBase, CppType, Members, Opaque, Parameter,
    signature::{Certainty, ElementClass, Elements, Slot, SlotKind, Variant},
};
use kernel_args_image::generate::Kernel;
use kernel_args_image::mangled::Demangled;
use proptest::prelude::*;

/// A C++ type.
#[derive(Clone, Debug)]
pub(crate) enum Cpp {
    Number(CppBase<'static>, Class, usize),
    Pointer(CppType<'static>),
    /// 8 bytes of which only the code shows something.
    Inferred(Slot<'static>),
    Array(Box<Cpp>, usize),
    /// Name, members with their names, `alignas`.
    Struct(String, Vec<(String, Cpp)>, usize),
    /// Name, size, alignment.
    Union(String, usize, usize),
    Enum(String, Vec<(String, i128)>, usize),
}

/// Kernels with their parameters.
#[derive(Clone, Debug)]
pub(crate) struct Kernels(pub(crate) Vec<OneKernel>);

#[derive(Clone, Debug)]
pub(crate) struct OneKernel {
    pub(crate) symbol: String,
    pub(crate) parameters: Vec<(String, Cpp)>,
    /// Whether the parameters have alignments, as in PTX, or offsets, as in a cubin.
    pub(crate) tells_alignment: bool,
}

impl Cpp {
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Number(_, _, size) | Self::Union(_, size, _) | Self::Enum(_, _, size) => *size,
            Self::Pointer(_) | Self::Inferred(_) => 8,
            Self::Array(of, count) => of.size() * count,
            Self::Struct(_, members, _) => {
                let end = places(members).last().map_or(1, |(offset, ty)| offset + ty.size());
                end.next_multiple_of(self.align())
            }
        }
    }

    pub(crate) fn align(&self) -> usize {
        match self {
            Self::Number(_, _, size) | Self::Enum(_, _, size) => *size,
            Self::Union(_, _, align) => *align,
            Self::Pointer(_) | Self::Inferred(_) => 8,
            Self::Array(of, _) => of.align(),
            Self::Struct(_, members, align) => members.iter().map(|(_, ty)| ty.align()).fold(*align, usize::max),
        }
    }

    fn cpp(&self) -> CppType<'static> {
        let leak = |name: &str| CppType::named(Box::leak(name.to_owned().into_boxed_str()));
        match self {
            Self::Number(base, ..) => CppType::of(*base),
            Self::Pointer(ty) => *ty,
            Self::Inferred(_) => CppType::UNKNOWN,
            Self::Array(of, count) => of.cpp().array(*count as u32),
            Self::Struct(name, ..) | Self::Union(name, ..) | Self::Enum(name, ..) if name.is_empty() => {
                CppType::UNKNOWN
            }
            Self::Struct(name, ..) | Self::Union(name, ..) | Self::Enum(name, ..) => leak(name),
        }
    }

    fn parameter(&self, name: &str, offset: Option<usize>, align: Option<usize>) -> Parameter<'static> {
        let class = match self {
            Self::Number(_, class, _) => *class,
            Self::Pointer(_) => Class::Pointer,
            Self::Enum(..) | Self::Inferred(_) => Class::Integer,
            _ => Class::Bytes,
        };
        Parameter {
            name: Box::leak(name.to_owned().into_boxed_str()),
            offset,
            align: align.and_then(Alignment::new),
            class,
            cpp: self.cpp(),
            members: self.members(),
            body: match self {
                Self::Inferred(slot) => Body::of(Box::leak(Box::new([*slot]))),
                _ => Body::UNKNOWN,
            },
            ..Parameter::record(0, self.size())
        }
    }

    fn members(&self) -> Members<'static> {
        match self {
            Self::Array(of, _) => of.members(),
            Self::Union(..) => Members::opaque(Opaque::Union),
            Self::Struct(_, members, _) => {
                let all = members.iter().zip(places(members));
                // Debug information contains no alignments of members.
                let all = all.map(|((name, _), (offset, ty))| ty.parameter(name, Some(offset), None));
                Members::of(Box::leak(all.collect::<Vec<_>>().into_boxed_slice()))
            }
            Self::Enum(_, values, _) => {
                let all = values
                    .iter()
                    .map(|(name, value)| Variant { name: Box::leak(name.clone().into_boxed_str()), value: *value });
                Members::of_enum(Box::leak(all.collect::<Vec<_>>().into_boxed_slice()), None)
            }
            Self::Number(..) | Self::Pointer(_) | Self::Inferred(_) => Members::UNKNOWN,
        }
    }
}

/// The offsets of members, by C's rule.
pub(crate) fn places(members: &[(String, Cpp)]) -> Vec<(usize, &Cpp)> {
    let mut end = 0_usize;
    let mut places = Vec::new();
    for (_, ty) in members {
        let offset = end.next_multiple_of(ty.align());
        places.push((offset, ty));
        end = offset + ty.size();
    }
    places
}

impl Kernels {
    pub(crate) fn kernels(&self) -> Vec<Kernel<'static>> {
        self.0.iter().map(OneKernel::kernel).collect()
    }
}

impl OneKernel {
    pub(crate) fn kernel(&self) -> Kernel<'static> {
        let symbol: &'static str = Box::leak(self.symbol.clone().into_boxed_str());
        let demangled: Option<&'static Demangled> = Demangled::new(symbol).map(|d| &*Box::leak(Box::new(d)));
        let places = places(&self.parameters);
        let all = self.parameters.iter().zip(places).map(|((name, _), (offset, ty))| {
            if self.tells_alignment {
                ty.parameter(name, None, Some(ty.align()))
            } else {
                ty.parameter(name, Some(offset), None)
            }
        });
        Kernel { symbol, demangled, parameters: all.collect(), debug_info: Members::UNKNOWN, varies: false }
    }
}

fn number() -> impl Strategy<Value = Cpp> {
    use CppBase::{Bool, Char, Float, Integer, Long};
    let all = [
        (Bool, Class::Integer, 1),
        (Char, Class::Integer, 1),
        (Integer { signed: true, bits: 8 }, Class::Integer, 1),
        (Integer { signed: false, bits: 16 }, Class::Integer, 2),
        (Integer { signed: true, bits: 32 }, Class::Integer, 4),
        (Integer { signed: false, bits: 64 }, Class::Integer, 8),
        (Integer { signed: true, bits: 128 }, Class::Bytes, 16),
        (Long { signed: true }, Class::Integer, 8),
        (Float { bits: 32 }, Class::Float, 4),
        (Float { bits: 64 }, Class::Float, 8),
        (CppBase::Unknown, Class::Integer, 4),
        (CppBase::Unknown, Class::Unknown, 8),
        (CppBase::Named("__half"), Class::Bytes, 2),
        (CppBase::Named("__nv_fp8_e4m3"), Class::Bytes, 1),
        (CppBase::Named("float4"), Class::Bytes, 16),
        (CppBase::Named("double2"), Class::Bytes, 16),
    ];
    proptest::sample::select(all.to_vec()).prop_map(|(base, class, size)| Cpp::Number(base, class, size))
}

fn pointer() -> impl Strategy<Value = Cpp> {
    let bases = [
        CppBase::Float { bits: 32 },
        CppBase::Void,
        CppBase::Unknown,
        CppBase::Named("a::T"),
        CppBase::Named("int3"),
        CppBase::Long { signed: false },
    ];
    (proptest::sample::select(bases.to_vec()), proptest::collection::vec(any::<bool>(), 1..3)).prop_map(
        |(base, levels)| {
            let pointer = |ty: CppType<'static>, is_const| ty.pointer(is_const);
            Cpp::Pointer(levels.into_iter().fold(CppType::of(base), pointer))
        },
    )
}

fn inferred() -> impl Strategy<Value = Cpp> {
    use proptest::sample::select;
    let elements = (select(&ElementClass::ALL), any::<bool>(), 0_u8..9, 0_u32..9)
        .prop_map(|(class, is_computed, size, step)| Elements { class, is_computed, size, step });
    let uses = (select(&SlotKind::ALL), select(&Certainty::ALL), select(&Certainty::ALL));
    (uses, any::<[bool; 2]>(), proptest::option::of(elements)).prop_map(
        |((kind, read, written), [is_atomic, escapes], elements)| {
            Cpp::Inferred(Slot { kind, read, written, is_atomic, escapes, elements, ..Slot::default() })
        },
    )
}

/// The name of a type with this alignment. C++ has no two types with the same name and the same other properties.
fn type_name(align: usize) -> impl Strategy<Value = String> {
    let names = [
        ("", ""),
        ("", "T"),
        ("a::", "T"),
        ("b::", "T"),
        ("", "Box<float, 3>"),
        ("outer<Box<int>>::", "Box<a::T*>"),
        ("", "my_params_t"),
        ("", "Float4"),
        ("", "self"),
        ("é::", "ß"),
        ("", "a_type_with_a_name_that_is_longer_than_anybody_would_write_it_by_hand<float, double, int, 17>"),
    ];
    proptest::sample::select(names.to_vec()).prop_map(move |(path, name)| match (name, align) {
        ("", _) => String::new(),
        (name, 1) => format!("{path}{name}"),
        (name, align) => format!("{path}A{align}{name}"),
    })
}

fn variable() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{1,2}",
        Just(String::new()),
        Just("type".to_owned()),
        Just("self".to_owned()),
        Just("nRows".to_owned()),
        Just("größe$1".to_owned()),
        Just("a_parameter_with_a_name_that_is_longer_than_anybody_would_write_by_hand".to_owned()),
    ]
}

fn cpp() -> impl Strategy<Value = Cpp> {
    let union = (1_usize..5, 0_u32..5).prop_flat_map(|(count, power)| {
        let union = move |name| Cpp::Union(name, count << power, 1 << power);
        type_name(1 << power).prop_map(union)
    });
    let enumeration = (
        type_name(1),
        proptest::collection::vec((variable(), -2_i128..4), 0..4),
        proptest::sample::select(vec![1_usize, 2, 4, 8]),
    )
        .prop_map(|(name, values, size)| Cpp::Enum(name, values, size));
    let leaf = prop_oneof![6 => number(), 2 => pointer(), 2 => inferred(), 1 => union, 1 => enumeration];
    leaf.prop_recursive(3, 24, 5, |inner| {
        let members = proptest::collection::vec((variable(), inner.clone()), 0..5);
        prop_oneof![
            3 => (members, 0_u32..6).prop_flat_map(|(members, power)| {
                let align = if power == 5 { 64 } else { 1 << power };
                type_name(align).prop_map(move |name| Cpp::Struct(name, members.clone(), align))
            }),
            1 => (inner, 1_usize..4).prop_map(|(of, count)| Cpp::Array(Box::new(of), count)),
        ]
    })
}

/// An array parameter is a pointer.
fn parameter() -> impl Strategy<Value = (String, Cpp)> {
    (variable(), cpp()).prop_map(|(name, ty)| match ty {
        ty @ Cpp::Array(..) => (name, Cpp::Struct("Array".to_owned(), vec![("elements".to_owned(), ty)], 1)),
        ty => (name, ty),
    })
}

pub(crate) fn kernels() -> impl Strategy<Value = Kernels> {
    let symbols = [
        "saxpy",
        "T",
        "fn",
        "_",
        "float4",
        "_Z4axpyIfEvi",
        "_Z4axpyIdEvi",
        "_Z4axpyii",
        "_ZN1a1kEi",
        "_ZN1b1kEi",
        "%odd$name",
        "a_kernel_with_a_name_that_is_longer_than_anybody_would_write_it_by_hand_but_that_a_program_made_up_for_itself",
    ];
    let one = (proptest::collection::vec(parameter(), 0..6), any::<bool>());
    proptest::collection::vec((proptest::sample::select(symbols.to_vec()), one), 1..6).prop_map(|all| {
        let mut kernels: Vec<OneKernel> = Vec::new();
        for (symbol, (mut parameters, tells_alignment)) in all {
            if kernels.iter().any(|other| other.symbol == symbol) {
                continue;
            }
            // C++ does not allow two parameters with the same name.
            for i in 0..parameters.len() {
                let (before, rest) = parameters.split_at_mut(i);
                while before.iter().any(|(name, _)| !name.is_empty() && *name == rest[0].0) {
                    rest[0].0.push('z');
                }
            }
            kernels.push(OneKernel { symbol: symbol.to_owned(), parameters, tells_alignment });
        }
        Kernels(kernels)
    })
}

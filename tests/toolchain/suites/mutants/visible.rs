//! The guarantee of each stage for a mistake, computed from the types only.
//!
//! It shares no code with the library. The rules are the rules of the NVIDIA compiler (the PTX declaration of a type,
//! the offset of a parameter), and a list of equivalent C++ types.

use crate::mutants::{corpus::Linkage, mutate::Field, retype::element};
use kernel_args_test_generator::{Leaf, Pointee, Type};

/// The start of the parameter block of sm_90 in the constant bank.
const BASE: usize = 0x210;

/// The source of information about a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// PTX and debug information: the facts from PTX, the names and C++ types of all parameters, the members of structs
    /// and the variants of enums.
    Debug,
    /// PTX: size, alignment and class of every parameter, and the kernel's name.
    Ptx,
    /// A cubin: offset and size of every parameter, and the kernel's name.
    Cubin,
    /// The driver: offset and size of every parameter.
    Driver,
    /// No information.
    Nothing,
}

/// Whether a struct with these fields must be rejected; otherwise the reason why not.
pub(crate) fn promise(source: Source, linkage: Linkage, host: &[Field], kernel: &[Type]) -> Result<(), &'static str> {
    let types: Vec<&Type> = host.iter().map(|field| &field.ty).collect();
    let kernel: Vec<&Type> = kernel.iter().collect();
    let shows = match source {
        Source::Ptx | Source::Debug => {
            let is_typed = source == Source::Debug || linkage.contains_types();
            types.iter().zip(&kernel).any(|(host, kernel)| !is_declared(host, kernel, is_typed))
        }
        Source::Cubin | Source::Driver => places(&types) != places(&kernel),
        Source::Nothing => {
            return Err("no information: the handle reports that it is not verified");
        }
    };
    if shows || types.len() != kernel.len() {
        return Ok(());
    }
    if source == Source::Debug {
        return debug(host, &kernel);
    }
    if source != Source::Driver && linkage.contains_types() {
        let pairs = types.iter().zip(&kernel);
        let mut reason = "the same C++ types: names of parameters are in no image";
        for (host, kernel) in pairs {
            match is_equivalent(host, kernel) {
                Equivalence::Never => return Ok(()),
                Equivalence::Because(why) => reason = why,
                Equivalence::Same => {}
            }
        }
        return Err(reason);
    }
    Err(match source {
        Source::Ptx | Source::Debug => "the same PTX, and an `extern \"C\"` name contains no types",
        Source::Cubin => "the same offsets and sizes, and an `extern \"C\"` name contains no types",
        _ => "the same offsets and sizes, which are all that a driver reports",
    })
}

/// The facts from debug information about fields with the same PTX declaration: types, members, and names of parameters
/// of one type.
fn debug(host: &[Field], kernel: &[&Type]) -> Result<(), &'static str> {
    let mut reason = "the same types, members and names";
    for (field, kernel) in host.iter().zip(kernel) {
        match is_equivalent(&field.ty, kernel) {
            Equivalence::Never => return Ok(()),
            Equivalence::Because(why) => reason = why,
            Equivalence::Same => {}
        }
        if !has_members_of(&field.ty, kernel) || !has_variants_of(&field.ty, kernel) {
            return Ok(());
        }
    }
    for (i, field) in host.iter().enumerate() {
        let named = field.name.strip_prefix('p').and_then(|name| name.parse::<usize>().ok());
        if let Some(other) = named
            && other != i
            && kernel.get(other).is_some_and(|other| **other == field.ty && *other == kernel[i])
        {
            return Ok(());
        }
    }
    Err(reason)
}

/// Whether every scalar of the kernel's value has the same offset in the host's value and an equivalent type.
fn has_members_of(host: &Type, kernel: &Type) -> bool {
    if !matches!(resolved(kernel), Type::Struct(_) | Type::Array(..)) {
        return true;
    }
    let (mut own, mut actual) = (Vec::new(), Vec::new());
    scalars(host, 0, &mut own);
    scalars(kernel, 0, &mut actual);
    actual.iter().all(|(at, ty)| {
        let same = own.iter().find(|(place, _)| place == at);
        same.is_some_and(|(_, host)| {
            host.extent().size == ty.extent().size && !matches!(is_equivalent(host, ty), Equivalence::Never)
        })
    })
}

/// Whether every value of the host's enums is a value of the kernel's enum, with the same name if the kernel's enum has
/// that name.
fn has_variants_of(host: &Type, kernel: &Type) -> bool {
    let (mut own, mut actual) = (Vec::new(), Vec::new());
    scalars(host, 0, &mut own);
    scalars(kernel, 0, &mut actual);
    own.iter().zip(&actual).all(|pair| match pair {
        ((at, Type::Enum(host)), (place, Type::Enum(kernel))) if at == place => {
            host.values.iter().enumerate().all(|(i, value)| {
                let named = kernel.values.get(i).filter(|_| kernel.scoped);
                named.map_or(kernel.values.contains(value), |named| named == value)
            })
        }
        _ => true,
    })
}

fn resolved(ty: &Type) -> &Type {
    match ty {
        Type::Alias { of, .. } => resolved(of),
        ty => ty,
    }
}

/// The scalars of a value with their offsets, including components of vectors.
fn scalars(ty: &Type, at: usize, found: &mut Vec<(usize, Type)>) {
    match ty {
        Type::Alias { of, .. } => scalars(of, at, found),
        Type::Array(of, length) => {
            let size = of.extent().size;
            (0..*length).for_each(|i| scalars(of, at + i * size, found));
        }
        Type::Struct(s) => {
            for (field, (offset, _)) in s.fields.iter().zip(s.offsets()) {
                scalars(&field.ty, at + offset, found);
            }
        }
        Type::Leaf(leaf) if leaf.aggregate && leaf.count > 1 => match element(leaf) {
            Some(element) => {
                let size = element.extent().size;
                (0..leaf.count).for_each(|i| found.push((at + i * size, element.clone())));
            }
            None => found.push((at, ty.clone())),
        },
        Type::Leaf(_) | Type::Pointer { .. } | Type::Enum(_) => found.push((at, ty.clone())),
    }
}

/// Whether a source cannot distinguish two parameters.
pub(crate) fn alike(source: Source, linkage: Linkage, a: &Type, b: &Type) -> bool {
    let shows = match source {
        Source::Ptx | Source::Debug => declare(a) != declare(b),
        Source::Cubin | Source::Driver => a.extent() != b.extent(),
        Source::Nothing => false,
    };
    let typed = source == Source::Debug || source != Source::Driver && linkage.contains_types();
    !(shows || typed && matches!(is_equivalent(a, b), Equivalence::Never))
}

/// The PTX declaration of a parameter.
#[derive(PartialEq, Debug)]
enum Declared {
    Integer(usize),
    Float(usize),
    Bytes { size: usize, align: usize },
}

fn declare(ty: &Type) -> Declared {
    let extent = ty.extent();
    match ty {
        Type::Alias { of, .. } => declare(of),
        Type::Leaf(leaf) if matches!(leaf.rust, "f32" | "f64") => Declared::Float(extent.size),
        Type::Leaf(leaf) if !leaf.aggregate && extent.size <= 8 => Declared::Integer(extent.size),
        Type::Pointer { .. } | Type::Enum(_) => Declared::Integer(extent.size),
        Type::Leaf(_) | Type::Array(..) | Type::Struct(_) => Declared::Bytes { size: extent.size, align: extent.align },
    }
}

/// Whether the PTX declaration of the kernel's parameter is possible for a field of type `host`. Without types, bytes
/// can be a struct of one number.
fn is_declared(host: &Type, kernel: &Type, is_typed: bool) -> bool {
    let declared = declare(kernel);
    let extent = host.extent();
    declared == declare(host) || !is_typed && declared == Declared::Bytes { size: extent.size, align: extent.align }
}

/// Offset and size of every parameter on sm_90.
fn places(types: &[&Type]) -> Vec<(usize, usize)> {
    let mut end = BASE;
    types
        .iter()
        .map(|ty| {
            let extent = ty.extent();
            let offset = end.next_multiple_of(extent.align);
            end = offset + extent.size;
            (offset - BASE, extent.size)
        })
        .collect()
}

/// Whether a Rust type is equivalent to a C++ type.
enum Equivalence {
    Same,
    Because(&'static str),
    Never,
}

const ENUM: &str = "an integer may stand for an enum, and an enum for its integer";
const VOID: &str = "a void pointer is compatible with every pointer";
const ARRAY: &str = "a Rust array has no C++ type";

/// Both already have the same size and class.
fn is_equivalent(host: &Type, kernel: &Type) -> Equivalence {
    use Equivalence::{Because, Never, Same};
    match (host, kernel) {
        _ if host == kernel => Same,
        (Type::Alias { of, .. }, _) => is_equivalent(of, kernel),
        (_, Type::Alias { of, .. }) => is_equivalent(host, of),
        (Type::Pointer { .. }, Type::Pointer { .. }) => pointers(host, kernel),
        (Type::Leaf(leaf), Type::Pointer { .. }) if name(leaf) == "unsigned long long" => {
            Because("an unsigned 64-bit integer may stand for a pointer: `CUdeviceptr`")
        }
        (Type::Array(..), _) => Because(ARRAY),
        (Type::Enum(a), Type::Enum(b)) if a.name == b.name => Same,
        (Type::Enum(_), Type::Leaf(leaf)) if is_integer(leaf) => Because(ENUM),
        (Type::Leaf(leaf), Type::Enum(_)) if is_integer(leaf) || leaf.rust == "bool" => Because(ENUM),
        (Type::Struct(a), Type::Struct(b)) if a.name == b.name => {
            if host.cpp() == kernel.cpp() {
                Because("a struct's name, size and alignment are all that an image contains")
            } else {
                Because("the arguments of a template are not compared")
            }
        }
        (Type::Leaf(host), Type::Leaf(kernel)) => match (name(host), name(kernel)) {
            (a, b) if a == b => Same,
            ("unsigned char", _) if kernel.cpp == "char" => Because("every byte may stand for `char`"),
            ("bool", "signed char" | "unsigned char") => Because("every bool is a byte"),
            _ => Never,
        },
        _ => Never,
    }
}

fn is_integer(leaf: &Leaf) -> bool {
    !leaf.aggregate && !matches!(leaf.rust, "f32" | "f64" | "bool")
}

/// One canonical name for each C++ type: on Linux, `long` and `long long` have the same bits, and in CUDA 13, `double4`
/// and `double4_16a`.
fn name(leaf: &Leaf) -> &'static str {
    match leaf.cpp {
        "char" => "signed char",
        "long" => "long long",
        "unsigned long" | "cudaTextureObject_t" | "cudaSurfaceObject_t" => "unsigned long long",
        "cuFloatComplex" => "float2",
        "cuDoubleComplex" => "double2",
        "TensorMap64" => "TensorMap128",
        "long1" => "longlong1",
        "long2" => "longlong2",
        "long3" => "longlong3",
        "long4" | "long4_16a" | "longlong4_16a" => "longlong4",
        "long4_32a" => "longlong4_32a",
        "ulong1" => "ulonglong1",
        "ulong2" => "ulonglong2",
        "ulong3" => "ulonglong3",
        "ulong4" | "ulong4_16a" | "ulonglong4_16a" => "ulonglong4",
        "ulong4_32a" => "ulonglong4_32a",
        "double4_16a" => "double4",
        other => other,
    }
}

/// The levels of a pointer from the outside in, each with whether it points to a constant; and the innermost type.
fn levels(ty: &Type) -> (Vec<bool>, Option<&Type>) {
    match ty {
        Type::Pointer { to, is_const, .. } => match to {
            Pointee::Void => (vec![*is_const], None),
            Pointee::Type(to) => {
                let (mut levels, innermost) = levels(to);
                levels.insert(0, *is_const);
                (levels, innermost)
            }
        },
        Type::Alias { of, .. } => levels(of),
        ty => (Vec::new(), Some(ty)),
    }
}

fn pointers(host: &Type, kernel: &Type) -> Equivalence {
    let ((host, to), (kernel, kernel_to)) = (levels(host), levels(kernel));
    // A pointer to constants must not be written through: C++ converts to it, never from it.
    let writes = host.iter().zip(&kernel).any(|(h, k)| *h && !*k);
    let fits = match (to, kernel_to) {
        (None, None) => host.len() == kernel.len(),
        (None, Some(_)) => host.len() <= kernel.len(),
        (Some(_), None) => kernel.len() <= host.len(),
        (Some(h), Some(k)) => host.len() == kernel.len() && same_pointee(h, k),
    };
    if writes || !fits {
        return Equivalence::Never;
    }
    match (to, kernel_to) {
        (Some(Type::Array(..)), _) => Equivalence::Because(ARRAY),
        (None, Some(_)) | (Some(_), None) => Equivalence::Because(VOID),
        _ if host != kernel => Equivalence::Because("C++ converts `T*` to `T const*`"),
        _ => Equivalence::Same,
    }
}

fn same_pointee(host: &Type, kernel: &Type) -> bool {
    match (host, kernel) {
        (Type::Alias { of, .. }, _) => same_pointee(of, kernel),
        (_, Type::Alias { of, .. }) => same_pointee(host, of),
        (Type::Array(..), _) => true,
        (Type::Leaf(a), Type::Leaf(b)) => name(a) == name(b) || b.cpp == "char" && name(a) == "unsigned char",
        (Type::Enum(a), Type::Enum(b)) => a.name == b.name,
        (Type::Struct(a), Type::Struct(b)) => a.name == b.name,
        _ => false,
    }
}

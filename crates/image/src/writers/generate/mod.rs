//! Rust structs for the kernels of an image, as text (feature `generate`).
//!
//! The text contains one struct with `#[derive(KernelArgs)]` per kernel, and one `#[derive(DeviceType)]` type per
//! struct and enum that the kernels take by value or point to, or that is the type of a global variable. The image
//! determines how many C++ names the text contains:
//!
//! | image | fields | structs by value |
//! |---|---|---|
//! | with debug information | C++ names and types | all members |
//! | with mangled names (kernels that are not `extern "C"`) | C++ types, and the names `arg0`, `arg1`… | bytes |
//! | PTX of `extern "C"` kernels | pointers that the code shows, unsigned integers, floats, bytes | |
//! | only cubins of `extern "C"` kernels | unsigned integers of the same sizes, bytes | |
//!
//! # Generated types
//!
//! | C++ | Rust |
//! |---|---|
//! | numbers, `bool`, CUDA's vectors and tensor maps | the corresponding type; `char` is `c_char` |
//! | texture and surface objects | `&'a Texture`, `&'a Surface` in a kernel's struct with [`Options::textures`], otherwise `TextureObject`, `SurfaceObject` |
//! | `T const*`, `T*` | the types of [`Pointers`] |
//! | a pointer to a function | `u64` |
//! | a pointer to `void` or to an unknown type | `DevicePointer<c_void>`, `DevicePointerMut<c_void>` |
//! | a pointer to a pointer | a slice of device pointers |
//! | a struct | a struct with the same members; bytes replace members that Rust cannot represent |
//! | a packed struct | a struct with `repr(C, packed)` or `repr(C, packed(2))`, with arrays for CUDA's vectors |
//! | a union; a struct with bit fields, base classes or virtual functions; a packed struct that contains a type with `align` | a struct of bytes |
//! | a struct without members | a struct of one byte |
//! | an enum whose values are known | an enum; a second name for a value becomes a constant |
//! | any other enum | its integer |
//! | `__half`, `__nv_bfloat16`; `__nv_fp8_e4m3`, `__nv_fp8_e5m2` | the types of `half` and `float8` with [`Options::half`] and [`Options::float8`], otherwise structs of their bits |
//! | a 64-bit integer that may be a pointer | `u64` |
//!
//! # Inferred pointers
//!
//! Without a C++ type, the code of a kernel shows which 64-bit parameters are pointers, what it accesses through them,
//! and whether it writes ([`Image::add_bodies`](crate::Image::add_bodies)). The documentation of such a field says that
//! its type is inferred. A pointer that the kernel only reads is one to `const`. Integers are unsigned, because the
//! code does not show more, and so is what the kernel only copies.
//!
//! # Names
//!
//! The struct of a kernel has the name of the kernel's item in `kernels!` (see [`items`]): `saxpy` becomes `Saxpy`,
//! `axpy_float` becomes `AxpyFloat`. If all instances of a template differ in one type, they also have one generic
//! struct ([`Naming::Items`]): `Axpy<f32>` and `Axpy<f64>` are compared with the instances. A type has its C++ name
//! without namespaces, with template arguments: `sim::Box<float, 3>` becomes `BoxFloat3`. Types that share a name, or
//! have the name of a type of `kernel-args`, get their namespaces as a prefix, or a number at the end. A kernel with
//! the name of a type gets `Args` at the end.
//!
//! Fields, members and variants keep their C++ names. Keywords become raw identifiers; `self`, `Self`, `super`, `crate`
//! and `_` get a `_` at the end; characters other than letters, digits and `_` become `_`.
//!
//! Kernels, then types, are sorted by name. The same image always produces the same text, which rustfmt does not
//! change.

mod align;
mod cuda;
mod declare;
mod define;
mod docs;
mod fields;
mod imports;
#[cfg(feature = "debug-info")]
mod launchers;
mod names;
mod options;
mod resolve;
mod ty;
mod write;

pub use super::items;
#[cfg(feature = "debug-info")]
pub use launchers::of_launchers;
pub use options::{Kernel, Naming, Options, Pointers, Variable};

use super::identifier::{self, identifier, upper_camel};
use crate::model::kernels::Kernels;
use crate::prelude::*;
use core::fmt::Write as _;
use fields::Generic;
use kernel_args_abi::{Alignment, CppBase, Members, Opaque, Parameter, cpp::name};
use ty::Ty;

/// Generates structs for all kernels of an image.
#[must_use]
pub fn of_image(image: &Kernels<'_>, options: &Options<'_>) -> String {
    of_images(image, None, options)
}

/// Generates structs for all kernels of an image, with the debug information of another image if its parameters are the
/// same.
#[must_use]
pub fn of_images(image: &Kernels<'_>, debug_info: Option<&Kernels<'_>>, options: &Options<'_>) -> String {
    let kernel = |symbol: &str| {
        let kernel = image.kernel(symbol, None)?;
        let by = debug_info.and_then(|by| by.kernel(symbol, None));
        let with_debug_info = by.and_then(|by| kernel.clone().with_debug_info_of(&by).ok());
        Some((with_debug_info.unwrap_or(kernel), image.varies(symbol)))
    };
    let found: Vec<_> = image.symbols().filter_map(kernel).collect();
    let kernels: Vec<_> = found.iter().map(|(kernel, varies)| Kernel::new(kernel, *varies)).collect();
    let variable = |symbol: &str| {
        let variable = image.variable(symbol, None)?;
        Some(match debug_info.and_then(|by| by.variable(symbol, None)) {
            Some(by) => variable.with_debug_info_of(&by),
            None => variable,
        })
    };
    let variables: Vec<_> = image.variable_symbols().filter_map(variable).collect();
    let variables: Vec<_> = variables.iter().filter_map(Variable::new).collect();
    rust(&kernels, &variables, options)
}

/// Generates structs for these kernels, and the types of these variables.
#[must_use]
pub fn rust(kernels: &[Kernel<'_>], variables: &[Variable<'_>], options: &Options<'_>) -> String {
    let as_named: Vec<items::Kernel<'_>> = kernels
        .iter()
        .map(|kernel| items::Kernel { symbol: kernel.symbol, demangled: kernel.demangled.cloned() })
        .collect();
    let (order, items) = items::items(&as_named);
    let mut item_names = vec![""; kernels.len()];
    for item in &items {
        if let items::What::Kernel(at) = item.what {
            item_names[at] = &item.name;
        }
    }
    let found: Vec<_> = order.iter().map(|&index| &kernels[index]).zip(item_names).collect();
    let mut types = define::Types::new(options);
    // A second pass knows the types that only a later kernel contains.
    let (mut fields, mut own) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        fields = found.iter().map(|(kernel, _)| fields::of_kernel(kernel, &mut types)).collect();
        own = variables.iter().filter_map(|variable| fields::of_variable(variable, &mut types)).collect();
    }
    let used = fields.iter().flatten().flatten().filter_map(|field| field.ty.named()).chain(own);
    let definitions = types.finish(used.collect());
    let instances = items.iter().filter_map(|item| match item.what {
        items::What::Kernels(start, count) => {
            let all = start..start + count;
            Generic::new(&item.name, &found[all.clone()], &fields[all])
        }
        items::What::Kernel(_) => None,
    });
    // The struct names a module, which has all kernels.
    let generics: Vec<Generic> = instances.filter(|_| matches!(options.naming, Naming::Items(_))).collect();
    let structs = found.iter().map(|(_, item)| *item).chain(generics.iter().map(|generic| generic.item.as_str()));
    let names = names::names(structs, core::iter::empty(), &definitions);
    write::write(found.into_iter().zip(fields), &generics, &definitions, &names, options)
}

struct Generated<'k> {
    /// The C++ name, as far as it is known.
    cpp: String,
    wanted: String,
    /// What distinguishes types with the same name.
    shape: String,
    size: usize,
    /// In bytes, if a source specifies it.
    known_align: Option<usize>,
    align: usize,
    /// The number in `repr(packed(2))`.
    packed: Option<usize>,
    body: Content,
    is_used: bool,
    source: Option<Parameter<'k>>,
}

enum Content {
    Pending,
    Bytes(Why),
    Fields(Vec<StructMember>),
    /// The integer type, the names and the values.
    Enum(&'static str, Vec<(String, i128)>),
    /// The bits of a number: the integer type, and the feature that provides the type from another crate.
    Bits(&'static str, &'static str),
}

#[derive(Clone, Copy)]
enum Why {
    Opaque(Opaque),
    /// Members overlap, or Rust has no packed struct with such members.
    Packed,
    /// The image does not contain the members.
    Unknown,
    /// The image does not contain the type.
    Nameless,
}

struct StructMember {
    cpp_name: String,
    name: String,
    ty: Ty,
    offset: usize,
    cpp: String,
    /// Whether it contains the bytes of an unknown type.
    is_opaque: bool,
}

const UNKNOWN: &str = "?";

impl<'k> Generated<'k> {
    fn new(cpp: &str, wanted: String, size: usize) -> Self {
        Self {
            cpp: cpp.to_owned(),
            wanted,
            shape: String::new(),
            size,
            known_align: None,
            align: 1,
            packed: None,
            body: Content::Pending,
            is_used: false,
            source: None,
        }
    }

    fn of(of: &Parameter<'k>, hint: &str) -> Self {
        let cpp = match of.cpp.base {
            CppBase::Named(name) => name,
            _ => "",
        };
        let mut shape = String::new();
        spell_shape(&mut shape, of.members);
        let wanted = if cpp.is_empty() { upper_camel(hint, "Type") } else { type_name(cpp) };
        Self {
            shape,
            known_align: of.align.map(Alignment::bytes),
            source: Some(*of),
            ..Self::new(cpp, wanted, of.size)
        }
    }

    fn is(&self, other: &Self) -> bool {
        let same_name = if self.cpp.is_empty() || other.cpp.is_empty() {
            self.cpp == other.cpp && self.wanted == other.wanted
        } else {
            name::agree(&self.cpp, &other.cpp)
        };
        let may_be = |a: &str, b: &str| a == b || a == UNKNOWN || b == UNKNOWN;
        same_name
            && self.size == other.size
            && may_be(&self.shape, &other.shape)
            && (self.known_align == other.known_align || self.known_align.is_none() || other.known_align.is_none())
    }
}

/// Its length depends on the size of the struct.
fn spell_shape(text: &mut String, members: Members<'_>) {
    if let Some(why) = members.why_opaque() {
        let _ = write!(text, "{why:?}");
    } else if !members.is_known() && !members.is_enum() {
        text.push_str(UNKNOWN);
    }
    for variant in members.variants() {
        let _ = write!(text, "{}={},", variant.name, variant.value);
    }
    for member in members.iter() {
        let Parameter { name, cpp, size, .. } = member;
        let _ = write!(text, "{:?} {name}: {cpp} {size}", member.offset);
        if member.members.is_known() || member.members.why_opaque().is_some() {
            text.push('{');
            spell_shape(text, member.members);
            text.push('}');
        }
        text.push(',');
    }
}

fn type_name(cpp: &str) -> String {
    let (_, plain, arguments) = name::split(cpp);
    let name = format!("{}_{}", identifier(plain), identifier(arguments));
    upper_camel(&name, "Type")
}

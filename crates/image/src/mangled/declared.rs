//! Whether the types in a symbol are the types of the kernel's parameters.
//!
//! numba and Julia write symbols that look like C++, with types that their parameters do not have. A type counts if a
//! C++ compiler (nvcc, NVRTC, clang) declares such a parameter for it in PTX:
//!
//! | C++ | PTX |
//! |---|---|
//! | pointer, reference, `std::nullptr_t` | `.u64`, `.b64`, also with `.ptr` |
//! | `bool`, `char`, integer, enum | `.u8` to `.u64`, `.b8` to `.b64`; 128 bits: bytes or `.b128` |
//! | `float`, `double` | `.f32`, `.f64`, `.b32`, `.b64` |
//! | `_Float16` | `.b16` |
//! | class, also of one member or none; `__half`, `float4` | bytes |
//! | any type with `__grid_constant__` | bytes |
//!
//! A cubin contains sizes only. Names of Julia's numbers never count: most of its types are classes, which fit any
//! bytes.

use super::{Arity, Demangled};
use crate::prelude::*;
use kernel_args_abi::{
    Class, CppBase, CppType, Parameter,
    cpp::{builtin, name},
    signature::SlotKind,
};

enum Verdict {
    Possible,
    /// The type is the name of an enum in C++, or of a pointer in another language.
    Unclear,
    /// The symbol is not C++.
    Foreign,
}

impl Demangled {
    /// Returns the types of a kernel with these `parameters`. `None` if a type contradicts its parameter: the symbol is
    /// not C++.
    ///
    /// Whether a name on 64 bits is the name of an enum follows from the code: without an analysed body, the type is
    /// unknown.
    #[must_use]
    pub fn types_for(&self, parameters: &[Parameter<'_>]) -> Option<Vec<CppType<'_>>> {
        let mut types = self.types_of(parameters.len())?;
        if types.iter().any(|ty| is_julia(ty.base)) {
            return None;
        }
        for (ty, parameter) in types.iter_mut().zip(parameters) {
            match verdict(*ty, parameter) {
                Verdict::Possible => {}
                Verdict::Unclear => *ty = CppType::UNKNOWN,
                Verdict::Foreign => return None,
            }
        }
        Some(types)
    }

    /// Returns the parameters with the types in the name, if they have these.
    pub(crate) fn typed<'p>(name: Option<&'p Self>, mut parameters: Vec<Parameter<'p>>) -> Vec<Parameter<'p>> {
        let types = name.and_then(|name| name.types_for(&parameters));
        if let Some(types) = types {
            parameters.iter_mut().zip(types).for_each(|(parameter, ty)| parameter.cpp = ty);
        } else if name.is_some_and(|name| name.is_foreign(&parameters)) {
            // numba passes a half as `.u16`.
            for parameter in parameters.iter_mut().filter(|p| p.size == 2 && p.class == Class::Integer) {
                parameter.class = Class::Bits;
            }
        }
        parameters
    }

    /// Returns whether the symbol is not C++, and contains types that these parameters do not have.
    fn is_foreign(&self, parameters: &[Parameter<'_>]) -> bool {
        self.list == Arity::Foreign
            || self.list == Arity::Complete && !parameters.is_empty() && self.types_for(parameters).is_none()
    }

    /// Sets the name of a kernel with these `parameters`, without types if the symbol is not C++: `sim::step` instead
    /// of `sim::step(float32_2a)`.
    pub(crate) fn name_for(mut self, parameters: &[Parameter<'_>]) -> Self {
        if !self.is_foreign(parameters) {
            return self;
        }
        let (start, end) = (self.name.start, self.spelled().instance_end());
        for range in self.template.iter_mut().flatten().chain([&mut self.name]) {
            *range = range.start - start..range.end - start;
        }
        Self { text: self.text[start..end].into(), parameters: Vec::new(), list: Arity::Foreign, ..self }
    }
}

/// Returns whether a type is a number of Julia, or has one as an argument: `CuDeviceArray<Float32, 1, 1>`.
fn is_julia(base: CppBase<'_>) -> bool {
    let CppBase::Named(name) = base else {
        return false;
    };
    let is_number = |word: &str| {
        let kind = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let bits = &word[kind.len()..];
        matches!(kind, "Int" | "UInt" | "Float") && matches!(bits, "8" | "16" | "32" | "64" | "128")
    };
    name.split(['<', '>', ',', ' ', '*']).any(is_number)
}

fn verdict(ty: CppType<'_>, parameter: &Parameter<'_>) -> Verdict {
    const INTEGER: &[Class] = &[Class::Integer, Class::Bits];
    const FLOAT: &[Class] = &[Class::Float, Class::Bits];
    const POINTER: &[Class] = &[Class::Integer, Class::Bits, Class::Pointer];
    let bytes = |bits| [usize::from(bits) / 8; 2];
    let (sizes, scalars) = match ty.base {
        _ if ty.is_pointer() => ([4, 8], POINTER),
        CppBase::Named("std::nullptr_t") => ([4, 8], POINTER),
        CppBase::Named(name) => return named(name, parameter),
        CppBase::Bool | CppBase::Char => ([1, 1], INTEGER),
        CppBase::Integer { bits, .. } => (bytes(bits), INTEGER),
        CppBase::Long { .. } => ([4, 8], INTEGER),
        CppBase::Float { bits } => (bytes(bits), FLOAT),
        _ => return Verdict::Possible,
    };
    let class = parameter.class;
    let is_class = matches!(class, Class::Bytes | Class::Unknown) || scalars.contains(&class);
    if is_class && sizes.contains(&parameter.size) { Verdict::Possible } else { Verdict::Foreign }
}

fn named(name: &str, parameter: &Parameter<'_>) -> Verdict {
    let (_, _, arguments) = name::split(name);
    let class = builtin(name).filter(|class| class.cpp == name);
    match parameter.class {
        Class::Bytes | Class::Unknown => match class {
            // The size of a `long` depends on the system.
            Some(class) if class.size != parameter.size && !class.element.contains("Long") => Verdict::Foreign,
            _ => Verdict::Possible,
        },
        Class::Integer | Class::Bits if class.is_none() && arguments.is_empty() => match parameter.body.at(0) {
            _ if parameter.size != 8 => Verdict::Possible,
            Some(slot) if slot.kind == SlotKind::Pointer => Verdict::Foreign,
            Some(slot) if !slot.escapes => Verdict::Possible,
            _ => Verdict::Unclear,
        },
        _ => Verdict::Foreign,
    }
}

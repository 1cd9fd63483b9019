//! C++ headers: the structs, enums and kernels that correspond to parameters, with assertions of their layout.
//!
//! A [`Header`] takes types and kernels as [`Parameter`](kernel_args_abi::Parameter)s, from Rust types or from the
//! debug information of an image. It writes a header for nvcc and NVRTC. The parts that do not depend on CUDA also
//! compile with any C++11 compiler.
//!
//! - Each struct and enum is declared once, in its namespace, after the types that it depends on.
//! - `static_assert`s compare `sizeof`, `alignof` and `offsetof` with the given layout.
//! - A layout that C++ cannot declare is a [`HeaderError`], which names the member and says what to write.
//!
//! ```
//! use kernel_args_abi::{Class, CppBase, CppType, Layout, Members, Parameter};
//! use kernel_args_image::header::{Header, Item};
//!
//! let float = CppType::of(CppBase::Float { bits: 32 });
//! let members = [
//!     Parameter::field("intensity", "f32", 0, Layout::of::<f32>(), Class::Float, float),
//!     Parameter::field("color", "[f32; 3]", 4, Layout::of::<[f32; 3]>(), Class::Bytes, float.array(3)),
//! ];
//! let light = Layout::of::<[f32; 4]>();
//! let light = Parameter::field("", "Light", 0, light, Class::Bytes, CppType::named("sim::Light"))
//!     .with_members(Members::of(&members));
//!
//! let text = Header::new().item(Item::device_type(light)).write().unwrap();
//! assert!(text.contains("struct Light {\n    float intensity;\n    float color[3];\n};\n"));
//! assert!(text.contains("static_assert(sizeof(Light) == 16 && alignof(Light) == 4, "));
//! ```

mod collect;
mod cuda;
mod define;
mod error;
mod head;
mod item;
mod kernel;
mod layout;
mod names;
mod pointee;
mod text;

pub use error::HeaderError;
pub use item::{Header, Item};

use crate::prelude::*;
use collect::Collector;
use error::Origin;
use kernel_args_abi::{CppType, Opaque};
use names::{Local, Path, segments};

#[derive(Clone, PartialEq)]
struct TypeUse {
    base: Base,
    /// The type around the base: pointers and arrays.
    shape: CppType<'static>,
}

impl TypeUse {
    fn new(base: Base, shape: CppType<'_>) -> Self {
        let CppType { depth, const_mask, extents, rows, .. } = shape;
        Self { base, shape: CppType { depth, const_mask, extents, rows, ..CppType::UNKNOWN } }
    }
}

#[derive(Clone, PartialEq)]
enum Base {
    /// A fundamental or CUDA type, with its alignment in bytes if known.
    Known(String, Option<usize>),
    Own(Path),
    /// `unsigned char` with an alignment, for a type that C++ cannot represent.
    Bytes(usize),
}

#[derive(Clone)]
struct Definition {
    path: Path,
    origin: Origin,
    size: usize,
    /// In bytes. `None` if neither the source nor the members determine it.
    align: Option<usize>,
    has_source_align: bool,
    alignas: Option<usize>,
    pack: Option<usize>,
    kind: Declared,
}

#[derive(Clone, PartialEq)]
enum Declared {
    Struct(Vec<CppMember>),
    Enum {
        underlying: &'static str,
        variants: Vec<(Local, i128)>,
    },
    /// Bytes instead of a union or a similar type.
    Opaque(Option<Opaque>),
    Included,
}

#[derive(Clone, PartialEq)]
struct CppMember {
    name: Local,
    ty: TypeUse,
    offset: usize,
    size: usize,
    alignas: Option<usize>,
}

impl Definition {
    fn same(&self, other: &Self) -> bool {
        let (a, b) = (self, other);
        (&a.path, a.size, a.align, &a.kind) == (&b.path, b.size, b.align, &b.kind)
    }
}

#[derive(PartialEq)]
struct Prototype {
    symbol: String,
    path: Path,
    is_extern_c: bool,
    parameters: Vec<Argument>,
}

#[derive(PartialEq)]
struct Argument {
    name: Local,
    ty: TypeUse,
    is_grid_constant: bool,
}

impl Header<'_> {
    /// Returns the text of the header.
    ///
    /// # Errors
    /// If C++ cannot declare a type or kernel with the given layout.
    pub fn write(&self) -> Result<String, HeaderError> {
        Ok(self.write_with_left_out()?.0)
    }

    /// Returns the text of the header, and why kernels are [left out](Self::leave_out_kernels).
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_with_left_out(&self) -> Result<(String, Vec<HeaderError>), HeaderError> {
        self.check_options()?;
        let mut collector = Collector::new(self);
        let mut kernels = Vec::new();
        let mut left_out = Vec::new();
        for item in &self.items {
            if let Some(ty) = &item.ty {
                collector.device_type(ty)?;
                continue;
            }
            let before = self.leaves_out.then(|| collector.clone());
            match (collector.kernel(item), before) {
                (Ok(prototype), _) => kernels.push(prototype),
                (Err(error), Some(before)) => {
                    collector = before;
                    left_out.push(error);
                }
                (Err(error), None) => return Err(error),
            }
        }
        collector.check_pointees()?;
        check_names(&collector, &mut kernels)?;
        let text = text::write(&collector, &kernels, &left_out);
        Ok((text, left_out))
    }

    fn check_options(&self) -> Result<(), HeaderError> {
        let problem = |what: &str, given: &str, help: &str| {
            HeaderError::new("", format!("`{given}` is not a valid {what}\n  help: {help}"))
        };
        if let Some(guard) = self.guard
            && !names::is_identifier(guard)
        {
            let help = "an include guard is one name, such as `SIM_TYPES_H`";
            return Err(problem("include guard", guard, help));
        }
        if !self.namespace.is_empty() && !self.namespace.split("::").all(names::is_identifier) {
            let help = "a namespace is a name or a path of names, such as `sim` or `app::sim`";
            return Err(problem("namespace", self.namespace, help));
        }
        for (file, _) in &self.includes {
            let plain = file.strip_prefix('<').and_then(|file| file.strip_suffix('>')).unwrap_or(file);
            if plain.is_empty() || plain.contains(['"', '<', '>', '\\']) || plain.contains(char::is_control) {
                let help = "give its path, such as `sim/light.cuh`, or `<name>` for a system header";
                return Err(problem("include file", file, help));
            }
        }
        Ok(())
    }
}

/// Names that cannot have two meanings in C++.
fn check_names(collector: &Collector<'_, '_>, kernels: &mut Vec<Prototype>) -> Result<(), HeaderError> {
    let taken = |name: &str| {
        let problem = format!(
            "the header already declares `{name}`\n  help: give one of them another name, or put the \
             types in a namespace: `.namespace(\"…\")`"
        );
        HeaderError::new(name, problem)
    };
    let mut symbols = BTreeSet::new();
    for kernel in core::mem::take(kernels) {
        if symbols.insert(kernel.symbol.clone()) {
            kernels.push(kernel);
        } else if !kernels.contains(&kernel) {
            return Err(taken(&kernel.symbol));
        }
    }
    let own = collector
        .definitions
        .iter()
        .filter(|definition| definition.kind != Declared::Included)
        .map(|definition| &definition.path)
        .chain(collector.pointees.iter().map(|(path, ..)| path));
    let (mut types, mut functions) = (BTreeSet::new(), BTreeSet::new());
    types.extend(own.clone().map(Path::full));
    functions.extend(kernels.iter().map(|kernel| kernel.path.full()));
    let mut namespaces: BTreeSet<String> = BTreeSet::new();
    for path in own.chain(kernels.iter().map(|kernel| &kernel.path)) {
        let mut namespace = String::new();
        for segment in segments(path.namespace()) {
            namespace = if namespace.is_empty() { segment.to_string() } else { format!("{namespace}::{segment}") };
            namespaces.insert(namespace.clone());
        }
    }
    let both = types.intersection(&functions).next().copied();
    let namespace = namespaces.iter().find(|name| types.contains(&***name) || functions.contains(&***name));
    both.or(namespace.map(String::as_str)).map_or(Ok(()), |name| Err(taken(name)))
}

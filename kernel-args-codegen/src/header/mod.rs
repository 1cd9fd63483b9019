//! C++ headers: the structs, enums and kernels that parameters describe, with assertions of their layout.
//!
//! A [`Header`] takes types and kernels as [`Parameter`]s, from Rust types or from the debug information of an image, and
//! writes the text of a header that nvcc, NVRTC and, for what needs no CUDA, any C++11 compiler take:
//!
//! - Each struct and enum is declared once, after those that it needs, in its namespace.
//! - `static_assert`s compare `sizeof`, `alignof` and `offsetof` with the layout that it was told.
//! - What C++ cannot declare so is a [`HeaderError`]: it names the member and says what to write.
//!
//! ```
//! use kernel_args_abi::{Class, CppBase, CppType, Layout, Members, Parameter};
//! use kernel_args_codegen::header::{Header, Item};
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

mod clash;
mod collect;
mod cuda;
mod define;
mod definition;
mod error;
mod head;
mod instance;
mod kernel;
mod keywords;
mod layout;
mod names;
mod pointee;
mod prototype;
mod spelling;
mod text;

pub use error::HeaderError;

use alloc::{boxed::Box, string::String, vec::Vec};
use collect::Collector;
use core::slice;
use error::Problem;
use kernel::Kernel;
use kernel_args_abi::signature::Parameter;
use names::Path;

/// A type or a kernel that a header declares.
#[derive(Clone, Debug)]
pub struct Item<'a>(Kind<'a>);

#[derive(Clone, Debug)]
enum Kind<'a> {
    Type(Parameter<'a>),
    Kernel(Kernel<'a>),
}

impl<'a> Item<'a> {
    /// A struct or an enum: its C++ name, size, alignment and members. Name and offset do not matter.
    #[must_use]
    pub const fn device_type(ty: Parameter<'a>) -> Self {
        Self(Kind::Type(ty))
    }

    /// A kernel with its parameters in order.
    ///
    /// `symbol` is its symbol in an image, or its name in C++. An identifier such as `saxpy` is an `extern "C"` kernel. A
    /// mangled symbol (`_Z5saxpyifPKfPf`) and a qualified name (`sim::saxpy`, `::saxpy`) are one with C++ linkage: where the
    /// symbol tells types, they are those of the prototype.
    #[must_use]
    pub fn kernel(symbol: &'a str, parameters: &[Parameter<'a>]) -> Self {
        Self(Kind::Kernel(Kernel {
            symbol,
            parameters: parameters.to_vec(),
            grid_constants: Vec::new(),
        }))
    }

    /// The kernel takes this parameter as `const __grid_constant__`: C++ wants it in every declaration, or in none. A
    /// `CUtensorMap` is always one.
    #[must_use]
    pub fn grid_constant(mut self, parameter: &'a str) -> Self {
        if let Kind::Kernel(kernel) = &mut self.0 {
            kernel.grid_constants.push(parameter);
        }
        self
    }

    fn parameters(&self) -> &[Parameter<'a>] {
        match &self.0 {
            Kind::Type(ty) => slice::from_ref(ty),
            Kind::Kernel(kernel) => &kernel.parameters,
        }
    }
}

/// A C++ header that is to be written.
#[derive(Clone, Debug, Default)]
pub struct Header<'a> {
    items: Vec<Item<'a>>,
    guard: Option<&'a str>,
    namespace: &'a str,
    includes: Vec<(&'a str, Vec<&'a str>)>,
    forward_declares: bool,
    leaves_out: bool,
}

impl<'a> Header<'a> {
    /// A header without types and kernels, with `#pragma once`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type or a kernel. A type that others consist of need not be added.
    #[must_use]
    pub fn item(mut self, item: Item<'a>) -> Self {
        self.items.push(item);
        self
    }

    /// Adds types and kernels.
    #[must_use]
    pub fn items(mut self, items: &[Item<'a>]) -> Self {
        self.items.extend_from_slice(items);
        self
    }

    /// An include guard of this name in place of `#pragma once`.
    #[must_use]
    pub fn guard(mut self, name: &'a str) -> Self {
        self.guard = Some(name);
        self
    }

    /// The namespace (`sim`, `a::b`) of all types whose C++ name has no path.
    #[must_use]
    pub fn namespace(mut self, path: &'a str) -> Self {
        self.namespace = path;
        self
    }

    /// Includes `file` (`"sim/light.cuh"`, or `"<name>"` for one of the system), which declares `types`, given by their
    /// whole names: the header asserts their sizes and alignments, and does not declare them.
    #[must_use]
    pub fn include(mut self, file: &'a str, types: &[&'a str]) -> Self {
        self.includes.push((file, types.to_vec()));
        self
    }

    /// Declares a struct of which pointers alone are known by its name: `struct Light;`. Otherwise it is an error.
    ///
    /// An image does not tell what pointers point to. Rust types do, so there the list can name it.
    #[must_use]
    pub fn forward_declare_pointees(mut self) -> Self {
        self.forward_declares = true;
        self
    }

    /// Leaves out kernels that cannot be declared, with the reason as a comment in the header. Otherwise one is an error.
    #[must_use]
    pub fn leave_out_kernels(mut self) -> Self {
        self.leaves_out = true;
        self
    }

    /// The text of the header.
    ///
    /// # Errors
    /// Where C++ cannot declare a type or kernel with the layout that it was told: the error names the member and says what
    /// to write instead.
    pub fn write(&self) -> Result<String, HeaderError> {
        self.check_options()?;
        let mut collector = Collector::new(self);
        let mut kernels = Vec::new();
        let mut left_out = Vec::new();
        for item in &self.items {
            match &item.0 {
                Kind::Type(ty) => collector.device_type(ty)?,
                Kind::Kernel(kernel) => {
                    let mark = collector.mark();
                    match collector.kernel(kernel) {
                        Ok(prototype) => kernels.push(prototype),
                        Err(error) if self.leaves_out => {
                            collector.reset(&mark);
                            left_out.push(error);
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        collector.check_pointees()?;
        clash::check(&collector, &mut kernels)?;
        Ok(text::write(&collector, &kernels, &left_out))
    }

    fn check_options(&self) -> Result<(), HeaderError> {
        let problem = |what, given: &str, help| HeaderError {
            place: String::new(),
            problem: Box::new(Problem::Option {
                what,
                given: given.into(),
                help,
            }),
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
            let plain = file
                .strip_prefix('<')
                .and_then(|file| file.strip_suffix('>'));
            let plain = plain.unwrap_or(file);
            if plain.is_empty() || plain.contains(['"', '<', '>', '\\', '\n', '\r']) {
                let help =
                    "give its path, such as `sim/light.cuh`, or `<name>` for one of the system";
                return Err(problem("file that can be included", file, help));
            }
        }
        Ok(())
    }

    /// Whether a file that is included declares a type.
    fn is_included(&self, path: &Path) -> bool {
        let mut types = self.includes.iter().flat_map(|(_, types)| types);
        types.any(|ty| Path::new(ty, "") == *path)
    }

    /// The type of this name in the list.
    fn device_type_of(&self, path: &Path) -> Option<&Parameter<'a>> {
        self.items.iter().find_map(|item| match &item.0 {
            Kind::Type(ty) => match ty.cpp.base {
                kernel_args_abi::CppBase::Named(name)
                    if Path::new(name, self.namespace) == *path =>
                {
                    Some(ty)
                }
                _ => None,
            },
            Kind::Kernel(_) => None,
        })
    }
}

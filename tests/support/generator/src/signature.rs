//! The signature of a kernel, and its types.

use crate::Leaf;

/// A type that a kernel can take by value.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A scalar, a vector, an opaque object.
    Leaf(&'static Leaf),
    /// A device pointer. An `optional` pointer is an `Option` in Rust, which only parameters can be.
    Pointer {
        /// The target type.
        to: Pointee,
        /// C++'s `T const*`.
        is_const: bool,
        /// `Option` in Rust.
        optional: bool,
    },
    /// An enum with an underlying type.
    Enum(Enum),
    /// An alias of a type: `using` in C++, `repr(transparent)` in Rust.
    Alias {
        /// The name.
        name: String,
        /// The type; not an array.
        of: Box<Type>,
    },
    /// An array. As a parameter, C++ passes it inside a struct.
    Array(Box<Type>, usize),
    /// A struct, or an instance of a generic one.
    Struct(Struct),
}

/// The target of a pointer.
#[derive(Clone, PartialEq, Debug)]
pub enum Pointee {
    /// `void`.
    Void,
    /// A type.
    Type(Box<Type>),
}

/// An enum with an underlying type.
#[derive(Clone, PartialEq, Debug)]
pub struct Enum {
    /// The name.
    pub name: String,
    /// The underlying type, an integer.
    pub underlying: &'static Leaf,
    /// The values, all distinct.
    pub values: Vec<i64>,
    /// C++'s `enum class`.
    pub scoped: bool,
}

impl Enum {
    /// The C++ name of a variant: the Rust name `V0`, unless the name must be unique in its scope.
    #[must_use]
    pub fn cpp_variant(&self, index: usize) -> String {
        if self.scoped { format!("V{index}") } else { format!("{}_v{index}", self.name) }
    }
}

/// A struct, or an instance of a generic one.
#[derive(Clone, PartialEq, Debug)]
pub struct Struct {
    /// The name. Structs of one signature with the same name are instances of one generic struct.
    pub name: String,
    /// C++'s `alignas`.
    pub align: Option<usize>,
    /// C++'s `#pragma pack`. Such a struct has no `align`.
    pub packed: Option<usize>,
    /// The fields, in order; `f0`, `f1`…
    pub fields: Vec<Field>,
    /// The arguments for the type parameters `T0`, `T1`…
    pub arguments: Vec<Type>,
    /// The argument for the parameter `N`, a length.
    pub length: Option<usize>,
}

/// A field of a struct.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its type in this instance.
    pub ty: Type,
    /// Its spelling in the definition.
    pub slot: Slot,
}

/// The spelling of a field's type in a generic struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A concrete type.
    Own,
    /// The type parameter with this number.
    Argument(usize),
    /// An array of the type parameter with this number, with length `N`.
    Array(usize),
}

/// A kernel's parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    /// The name of the kernel.
    pub name: String,
    /// The parameters, in order; for an echo kernel, the parameters after `out`.
    pub parameters: Vec<Type>,
    /// Whether the kernel echoes: then `unsigned char* out` is its first parameter.
    pub echo: bool,
    /// How many of the first parameters are type parameters of the Rust struct.
    pub open: usize,
}

impl Type {
    /// `unsigned char* out`, the first parameter of an echo kernel.
    #[must_use]
    pub fn out() -> Self {
        Self::Pointer { to: Pointee::Type(Box::new(Self::named("u8"))), is_const: false, optional: false }
    }

    /// The leaf with this Rust spelling.
    ///
    /// # Panics
    /// If no leaf has this spelling.
    #[must_use]
    pub fn named(rust: &str) -> Self {
        Self::Leaf(Leaf::named(rust).expect("a leaf of the table"))
    }

    /// Whether it can be in a packed struct: Rust allows no type with `repr(align)` in it, such as a vector.
    #[must_use]
    pub fn can_be_packed(&self) -> bool {
        match self {
            // Numbers of other crates are structs in C++ only.
            Self::Leaf(leaf) => !leaf.aggregate || leaf.rust.contains("::"),
            Self::Pointer { .. } | Self::Enum(_) => true,
            Self::Alias { of, .. } | Self::Array(of, _) => of.can_be_packed(),
            Self::Struct(s) => s.align.is_none() && s.fields.iter().all(|field| field.ty.can_be_packed()),
        }
    }

    /// Whether C++ passes it as a struct and not as a scalar.
    #[must_use]
    pub fn is_aggregate(&self) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.aggregate,
            Self::Pointer { .. } | Self::Enum(_) => false,
            Self::Alias { of, .. } => of.is_aggregate(),
            Self::Array(..) | Self::Struct(_) => true,
        }
    }

    /// Calls `visit` with this type and every type in it, inner types first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        match self {
            Self::Leaf(_) | Self::Enum(_) => {}
            Self::Pointer { to, .. } => {
                if let Pointee::Type(to) = to {
                    to.walk(visit);
                }
            }
            Self::Alias { of, .. } | Self::Array(of, _) => of.walk(visit),
            Self::Struct(structure) => {
                for argument in &structure.arguments {
                    argument.walk(visit);
                }
                for field in &structure.fields {
                    field.ty.walk(visit);
                }
            }
        }
        visit(self);
    }
}

impl Signature {
    /// All parameters of the kernel, including `out`.
    #[must_use]
    pub fn all_parameters(&self) -> Vec<Type> {
        let out = self.echo.then(Type::out);
        out.into_iter().chain(self.parameters.iter().cloned()).collect()
    }

    /// Every type with a definition, once per name, in an order that is valid for definitions.
    #[must_use]
    pub fn definitions(&self) -> Vec<&Type> {
        let mut found: Vec<&Type> = Vec::new();
        self.walk(|ty| {
            if let Some(name) = name(ty)
                && found.iter().all(|other| self::name(other) != Some(name))
            {
                found.push(ty);
            }
        });
        found
    }

    /// Every struct, including each instance of a generic struct, in the order of their definitions.
    #[must_use]
    pub fn structs(&self) -> Vec<&Struct> {
        let mut found: Vec<&Struct> = Vec::new();
        self.walk(|ty| {
            if let Type::Struct(structure) = ty
                && !found.contains(&structure)
            {
                found.push(structure);
            }
        });
        found
    }

    fn walk<'a>(&'a self, mut visit: impl FnMut(&'a Type)) {
        for parameter in &self.parameters {
            parameter.walk(&mut visit);
        }
    }
}

fn name(ty: &Type) -> Option<&str> {
    match ty {
        Type::Enum(Enum { name, .. }) | Type::Alias { name, .. } | Type::Struct(Struct { name, .. }) => Some(name),
        Type::Leaf(_) | Type::Pointer { .. } | Type::Array(..) => None,
    }
}

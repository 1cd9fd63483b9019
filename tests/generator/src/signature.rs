//! A kernel's signature, and the types in it.

use crate::Leaf;

/// A type that a kernel can take by value.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A scalar, a vector, an opaque object.
    Leaf(&'static Leaf),
    /// A device pointer; an `optional` one is an `Option` of it in Rust, which parameters alone can be.
    Pointer {
        /// What it points to.
        to: Pointee,
        /// C++'s `T const*`.
        is_const: bool,
        /// `Option` in Rust.
        optional: bool,
    },
    /// An enum with an underlying type.
    Enum(Enum),
    /// Another name for a type: `using` in C++, `repr(transparent)` in Rust.
    Alias {
        /// The name.
        name: String,
        /// The type; not an array.
        of: Box<Type>,
    },
    /// So many of a type, one after another. As a parameter C++ passes a struct around it.
    Array(Box<Type>, usize),
    /// A struct, or an instance of a generic one.
    Struct(Struct),
}

/// What a pointer points to.
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
    /// The values, all different.
    pub values: Vec<i64>,
    /// C++'s `enum class`.
    pub scoped: bool,
}

impl Enum {
    /// The name of a variant in C++: that of Rust, `V0`, where it need not be the only one of its scope.
    #[must_use]
    pub fn cpp_variant(&self, index: usize) -> String {
        if self.scoped {
            format!("V{index}")
        } else {
            format!("{}_v{index}", self.name)
        }
    }
}

/// A struct, or an instance of a generic one.
#[derive(Clone, PartialEq, Debug)]
pub struct Struct {
    /// The name. Structs of one signature that share it are instances of one generic struct.
    pub name: String,
    /// C++'s `alignas`.
    pub align: Option<usize>,
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
    /// Its type, in this instance.
    pub ty: Type,
    /// How the definition spells it.
    pub slot: Slot,
}

/// How a generic struct spells the type of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// As a type of its own.
    Own,
    /// As the type parameter of this number.
    Argument(usize),
    /// As an array of the type parameter of this number, `N` long.
    Array(usize),
}

/// A kernel's parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    /// The kernel's name.
    pub name: String,
    /// The parameters, in order; of an echo kernel those after `out`.
    pub parameters: Vec<Type>,
    /// Whether the kernel echoes: `unsigned char* out` is its first parameter then.
    pub echo: bool,
    /// How many of the first parameters the Rust struct leaves to type parameters of its own.
    pub open: usize,
}

impl Type {
    /// `unsigned char* out`, the first parameter of an echo kernel.
    #[must_use]
    pub fn out() -> Self {
        Self::Pointer {
            to: Pointee::Type(Box::new(Self::named("u8"))),
            is_const: false,
            optional: false,
        }
    }

    /// The leaf with this Rust spelling.
    ///
    /// # Panics
    /// Where there is none.
    #[must_use]
    pub fn named(rust: &str) -> Self {
        Self::Leaf(Leaf::named(rust).expect("a leaf of the table"))
    }

    /// Whether C++ passes it as a struct, not as a scalar.
    #[must_use]
    pub fn is_aggregate(&self) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.aggregate,
            Self::Pointer { .. } | Self::Enum(_) => false,
            Self::Alias { of, .. } => of.is_aggregate(),
            Self::Array(..) | Self::Struct(_) => true,
        }
    }

    /// Calls `visit` with this type and every type in it, the inner ones first.
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
    /// All parameters of the kernel, `out` included.
    #[must_use]
    pub fn all_parameters(&self) -> Vec<Type> {
        let out = self.echo.then(Type::out);
        out.into_iter()
            .chain(self.parameters.iter().cloned())
            .collect()
    }

    /// Every type with a definition, each once by its name, in an order in which they can be defined.
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

    /// Every struct, each instance of a generic one by itself, in the order of their definitions.
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
        Type::Enum(Enum { name, .. })
        | Type::Alias { name, .. }
        | Type::Struct(Struct { name, .. }) => Some(name),
        Type::Leaf(_) | Type::Pointer { .. } | Type::Array(..) => None,
    }
}

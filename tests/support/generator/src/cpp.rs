//! Signatures as CUDA C++.

use crate::{Pointee, Signature, Slot, Struct, Type};
use std::fmt::Write as _;

/// The text before the definitions. It defines the names that CUDA declares in headers, which NVRTC does not have.
///
/// cuda.h, "CUtensorMap": aligned to 64 by CUDA 12 and to 128 by CUDA 13. `cuda_fp16.h` and `cuda_bf16.h`:
/// structs around the bits. `cuda_fp8.h`: the same.
pub const PRELUDE: &str = "\
struct alignas(64) TensorMap64 { unsigned long long opaque[16]; };
struct alignas(128) TensorMap128 { unsigned long long opaque[16]; };
struct alignas(2) __half { unsigned short bits; };
struct alignas(2) __nv_bfloat16 { unsigned short bits; };
struct alignas(4) __half2 { __half x, y; };
struct alignas(4) __nv_bfloat162 { __nv_bfloat16 x, y; };
struct __nv_fp8_e4m3 { unsigned char bits; };
struct __nv_fp8_e5m2 { unsigned char bits; };
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
using cuFloatComplex = float2;
using cuDoubleComplex = double2;
template <typename T, unsigned N> struct Array { T elements[N]; };
";

/// Compiler options that the sources need.
pub const OPTIONS: [&str; 3] = ["--std=c++17", "--device-int128", "--disable-warnings"];

impl Type {
    /// The spelling of the type as a parameter or a template argument.
    #[must_use]
    pub fn cpp(&self) -> String {
        match self {
            Self::Leaf(leaf) => leaf.cpp.to_owned(),
            Self::Pointer { to, is_const, .. } => {
                let to = match to {
                    Pointee::Void => "void".to_owned(),
                    Pointee::Type(ty) => ty.cpp(),
                };
                format!("{to}{}*", if *is_const { " const" } else { "" })
            }
            Self::Enum(e) => e.name.clone(),
            Self::Alias { name, .. } => name.clone(),
            Self::Array(of, len) => format!("Array<{}, {len}>", of.cpp()),
            Self::Struct(structure) => structure.cpp(),
        }
    }

    /// The declaration of a field of this type.
    fn declare(&self, name: &str) -> String {
        match self {
            Self::Array(of, len) => of.declare(&format!("{name}[{len}]")),
            ty => format!("{} {name}", ty.cpp()),
        }
    }
}

impl Struct {
    /// The name of the struct with its arguments.
    #[must_use]
    pub fn cpp(&self) -> String {
        if self.arguments.is_empty() {
            return self.name.clone();
        }
        let mut arguments: Vec<String> = self.arguments.iter().map(Type::cpp).collect();
        arguments.extend(self.length.map(|n| n.to_string()));
        format!("{}<{}>", self.name, arguments.join(", "))
    }

    fn define_cpp(&self) -> String {
        let mut text = String::new();
        if let Some(most) = self.packed {
            let _ = writeln!(text, "#pragma pack(push, {most})");
        }
        if !self.arguments.is_empty() {
            let types = (0..self.arguments.len()).map(|i| format!("typename T{i}"));
            let length = self.length.map(|_| "unsigned int N".to_owned());
            let parameters: Vec<String> = types.chain(length).collect();
            let _ = write!(text, "template <{}> ", parameters.join(", "));
        }
        text.push_str("struct ");
        if let Some(align) = self.align {
            let _ = write!(text, "alignas({align}) ");
        }
        let _ = write!(text, "{} {{ ", self.name);
        for (i, field) in self.fields.iter().enumerate() {
            let _ = match field.slot {
                Slot::Own => write!(text, "{}; ", field.ty.declare(&format!("f{i}"))),
                Slot::Argument(t) => write!(text, "T{t} f{i}; "),
                Slot::Array(t) => write!(text, "T{t} f{i}[N]; "),
            };
        }
        text.push_str("};\n");
        if self.packed.is_some() {
            text.push_str("#pragma pack(pop)\n");
        }
        text
    }
}

impl Signature {
    /// The definitions of the signature's types.
    #[must_use]
    pub fn cpp_definitions(&self) -> String {
        let mut text = String::new();
        for ty in self.definitions() {
            match ty {
                Type::Struct(structure) => text.push_str(&structure.define_cpp()),
                Type::Alias { name, of } => {
                    let _ = writeln!(text, "using {name} = {};", of.cpp());
                }
                Type::Enum(e) => {
                    let class = if e.scoped { "class " } else { "" };
                    let _ = write!(text, "enum {class}{} : {} {{ ", e.name, e.underlying.cpp);
                    for (i, value) in e.values.iter().enumerate() {
                        let _ = write!(text, "{} = {value}, ", e.cpp_variant(i));
                    }
                    text.push_str("};\n");
                }
                Type::Leaf(_) | Type::Pointer { .. } | Type::Array(..) => {}
            }
        }
        text
    }

    /// The kernel with a body: it echoes (see `ptx/echo.cuh`) or does nothing.
    #[must_use]
    pub fn cpp_kernel(&self) -> String {
        let mut parameters = Vec::new();
        let mut arguments = vec!["out".to_owned()];
        if self.echo {
            parameters.push("unsigned char* out".to_owned());
        }
        for (i, ty) in self.parameters.iter().enumerate() {
            // The compiler then reads the parameter bank directly. A copy may leave out padding.
            let by_value = if self.echo && ty.is_aggregate() { "const __grid_constant__ " } else { "" };
            parameters.push(format!("{by_value}{} p{i}", ty.cpp()));
            arguments.push(format!("p{i}"));
        }
        let body = if self.echo { format!(" echo({}); ", arguments.join(", ")) } else { String::new() };
        format!("extern \"C\" __global__ void {}({}) {{{body}}}\n", self.name, parameters.join(", "))
    }

    /// C++ expressions for every number that a compiler can compute about the types: size and alignment of each
    /// parameter, then of each struct, with the offset of each of its fields. NVRTC evaluates them.
    #[must_use]
    pub fn cpp_facts(&self) -> Vec<String> {
        let extent = |cpp: String| [format!("sizeof({cpp})"), format!("alignof({cpp})")];
        let parameters = self.parameters.iter().flat_map(|ty| extent(ty.cpp()));
        let structs = self.structs().into_iter().flat_map(|structure| {
            let cpp = structure.cpp();
            let offsets = (0..structure.fields.len())
                // NVRTC has no macro `offsetof`. This is the builtin behind it.
                .map(|i| format!("__INTADDR__(&((({cpp}*)0)->f{i}))"))
                .collect::<Vec<_>>();
            extent(structure.cpp()).into_iter().chain(offsets)
        });
        parameters.chain(structs).collect()
    }

    /// A source with only this signature, for a message.
    #[must_use]
    pub fn cpp_alone(&self) -> String {
        let mut text = self.cpp_definitions() + &self.cpp_kernel();
        // The used lines of the prelude, searched backwards, because types may use earlier types.
        for line in PRELUDE.lines().rev() {
            let declared = line
                .split([' ', '(', ')', '{', ';'])
                .filter(|word| !word.is_empty())
                .find(|word| !NO_NAMES.contains(word));
            if declared.is_none_or(|name| text.contains(name)) {
                text = format!("{line}\n{text}");
            }
        }
        if self.echo {
            text.insert_str(0, "#include \"echo.cuh\"\n");
        }
        text
    }
}

/// The words before the declared name in a line of the prelude.
const NO_NAMES: [&str; 12] =
    ["struct", "alignas", "2", "4", "64", "128", "using", "template", "<typename", "T,", "unsigned", "N>"];

/// One source with all these kernels. With `facts`, it has a global `facts_NAME` for each kernel with the values of
/// [`Signature::cpp_facts`].
#[must_use]
pub fn source(signatures: &[Signature], facts: bool) -> String {
    let mut text = String::new();
    if signatures.iter().any(|signature| signature.echo) {
        text.push_str("#include \"echo.cuh\"\n");
    }
    text.push_str(PRELUDE);
    for signature in signatures {
        // Two signatures may define different types with the same name.
        let _ = writeln!(text, "namespace types_of_{} {{", signature.name);
        text.push_str(&signature.cpp_definitions());
        text.push_str(&signature.cpp_kernel());
        if facts {
            let _ = writeln!(
                text,
                "extern \"C\" __device__ unsigned int facts_{}[] = {{ {} }};",
                signature.name,
                signature.cpp_facts().join(", ")
            );
        }
        text.push_str("}\n");
    }
    text
}

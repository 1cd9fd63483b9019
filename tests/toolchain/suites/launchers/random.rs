//! Random prototypes, in C++ and in Rust.

use std::fmt::Write as _;

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ x >> 31) % end as u64).unwrap_or(0)
    }

    /// A second source of random numbers.
    pub(crate) fn split(&mut self) -> Self {
        Self(self.below(usize::MAX) as u64)
    }

    pub(crate) fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

pub(crate) struct Scalar {
    pub(crate) cpp: &'static str,
    pub(crate) rust: &'static str,
    size: usize,
    /// A type that is no mistake: `char` can be either byte.
    like: &'static str,
}

const fn scalar(cpp: &'static str, rust: &'static str, size: usize) -> Scalar {
    Scalar { cpp, rust, size, like: "" }
}

pub(crate) const SCALARS: [Scalar; 17] = [
    scalar("bool", "bool", 1),
    Scalar { cpp: "char", rust: "core::ffi::c_char", size: 1, like: "i8 u8 bool" },
    Scalar { cpp: "signed char", rust: "i8", size: 1, like: "core::ffi::c_char bool" },
    Scalar { cpp: "unsigned char", rust: "u8", size: 1, like: "core::ffi::c_char bool" },
    scalar("short", "i16", 2),
    scalar("unsigned short", "u16", 2),
    scalar("int", "i32", 4),
    scalar("unsigned int", "u32", 4),
    scalar("float", "f32", 4),
    scalar("double", "f64", 8),
    scalar("__int128", "i128", 16),
    scalar("unsigned __int128", "u128", 16),
    Scalar { cpp: "long", rust: "core::ffi::c_long", size: 8, like: "i64 isize" },
    Scalar { cpp: "unsigned long", rust: "core::ffi::c_ulong", size: 8, like: "u64 usize" },
    Scalar { cpp: "long long", rust: "i64", size: 8, like: "core::ffi::c_long isize" },
    Scalar { cpp: "unsigned long long", rust: "u64", size: 8, like: "core::ffi::c_ulong usize" },
    Scalar { cpp: "size_t", rust: "usize", size: 8, like: "core::ffi::c_ulong u64" },
];

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Type {
    Scalar(usize),
    /// A pointer to a scalar, or with `SCALARS.len()` to `void`: whether it is `const`, and the number of pointers.
    Pointer(usize, bool, usize),
    Enum(usize),
    Struct(usize),
}

pub(crate) struct Structure {
    /// The types, and the lengths of arrays; 0 for one value.
    pub(crate) members: Vec<(Type, usize)>,
}

pub(crate) struct Function {
    pub(crate) parameters: Vec<Type>,
    pub(crate) result: Option<Type>,
    /// The index before which the stream is.
    pub(crate) stream: Option<usize>,
}

pub(crate) struct Library {
    pub(crate) structs: Vec<Structure>,
    pub(crate) functions: Vec<Function>,
}

/// The integer of each enum, in C++ and in Rust. Its values are 1, 2 and 5.
pub(crate) const ENUMS: [(&str, &str); 4] =
    [("int", "i32"), ("unsigned char", "u8"), ("short", "i16"), ("unsigned long long", "u64")];

impl Library {
    pub(crate) fn random(random: &mut Random, count: usize) -> Self {
        let mut structs: Vec<Structure> = Vec::new();
        for index in 0..(count / 4).max(24) {
            // Up to 16 bytes, a struct travels in registers: small ones of few types are of every class.
            let few = random.chance(2);
            let length = 1 + random.below(if few { 3 } else { 7 });
            let members = (0..length).map(|_| {
                let ty = match random.below(8) {
                    0 if index > 0 => Type::Struct(random.below(index)),
                    1 => Type::Enum(random.below(ENUMS.len())),
                    2 => Type::Pointer(random.below(SCALARS.len()), random.chance(2), 1),
                    3 | 4 => Type::Scalar(8 + random.below(2)),
                    _ => Type::Scalar(random.below(SCALARS.len())),
                };
                (ty, if random.chance(4) { 1 + random.below(4) } else { 0 })
            });
            let structure = Structure { members: members.collect() };
            structs.push(structure);
        }
        let functions = (0..count).map(|_| {
            let most = if random.chance(5) { 60 } else { 12 };
            let parameters: Vec<Type> = (0..random.below(most + 1)).map(|_| argument(random, structs.len())).collect();
            let stream = random.chance(3).then(|| random.below(parameters.len() + 1));
            // Many return a status: `int` or `unsigned int`.
            let result = match random.below(4) {
                0 => None,
                1 => Some(Type::Scalar(6 + random.below(2))),
                _ => Some(Type::Scalar(random.below(SCALARS.len()))),
            };
            Function { parameters, result, stream }
        });
        let functions = functions.collect();
        Self { structs, functions }
    }

    fn leaves(&self, ty: Type, path: &str, found: &mut Vec<(String, Type)>) {
        let Type::Struct(index) = ty else {
            found.push((path.into(), ty));
            return;
        };
        for (member, (ty, length)) in self.structs[index].members.iter().enumerate() {
            match length {
                0 => self.leaves(*ty, &format!("{path}.m{member}"), found),
                length => (0..*length).for_each(|i| self.leaves(*ty, &format!("{path}.m{member}[{i}]"), found)),
            }
        }
    }

    /// The definitions. `f7` writes its arguments to `echo`, each at a multiple of 16 bytes, then its stream. `fill_f7`
    /// writes the arguments to pass in the same form, and the value to return to `result`.
    pub(crate) fn cpp(&self, random: &mut Random) -> String {
        let mut text = String::from(
            "#include <cstddef>\n#include <cstring>\nstruct CUstream_st;\ntypedef CUstream_st* cudaStream_t;\n\
             extern \"C\" { unsigned char echo[1 << 16], result[16]; }\n",
        );
        for (index, (integer, _)) in ENUMS.iter().enumerate() {
            let _ = writeln!(text, "enum class Enum{index} : {integer} {{ A = 1, B = 2, C = 5 }};");
        }
        for (index, structure) in self.structs.iter().enumerate() {
            let _ = write!(text, "struct Struct{index} {{");
            for (member, (ty, length)) in structure.members.iter().enumerate() {
                let length = if *length == 0 { String::new() } else { format!("[{length}]") };
                let _ = write!(text, " {} m{member}{length};", cpp(*ty));
            }
            text.push_str(" };\n");
        }
        // So all types are described.
        let enums = (0..ENUMS.len()).map(|index| format!("Enum{index}*"));
        let all: Vec<String> = enums.chain((0..self.structs.len()).map(|index| format!("Struct{index}*"))).collect();
        let _ = writeln!(text, "extern \"C\" void all_types({}) {{}}", all.join(", "));
        for (index, function) in self.functions.iter().enumerate() {
            let named: Vec<(Type, String)> =
                function.parameters.iter().enumerate().map(|(i, ty)| (*ty, format!("a{i}"))).collect();
            let mut declared: Vec<String> = named.iter().map(|(ty, name)| format!("{} {name}", cpp(*ty))).collect();
            if let Some(stream) = function.stream {
                declared.insert(stream, "cudaStream_t stream".into());
            }
            let result = function.result.map_or("void".into(), cpp);
            let (mut fill, mut echo) = (String::new(), String::new());
            for (ty, name) in &named {
                let own = cpp(*ty);
                let _ = write!(fill, "  {{ {own} v; memset(&v, 0, sizeof v);");
                let _ = write!(echo, "  {{ {own} v; memset(&v, 0, sizeof v);");
                let mut leaves = Vec::new();
                self.leaves(*ty, "", &mut leaves);
                for (path, leaf) in leaves {
                    let _ = write!(fill, " v{path} = {};", value(random, leaf));
                    let _ = write!(echo, " v{path} = {name}{path};");
                }
                let copy = "memcpy(to, &v, sizeof v); to += (sizeof v + 15) / 16 * 16; }";
                let _ = writeln!(fill, " {copy}");
                let _ = writeln!(echo, " {copy}");
            }
            if function.stream.is_some() {
                echo.push_str("  memcpy(to, &stream, sizeof stream);\n");
            }
            if let Some(ty) = function.result {
                let own = cpp(ty);
                let _ = writeln!(fill, "  {{ {own} v = {}; memcpy(result, &v, sizeof v); }}", value(random, ty));
                let _ = writeln!(echo, "  {own} v; memcpy(&v, result, sizeof v); return v;");
            }
            let _ = write!(
                text,
                "extern \"C\" size_t fill_f{index}(unsigned char* to) {{\n  unsigned char* begin = to;\n{fill}  return to - begin;\n}}\n\
                 extern \"C\" {result} f{index}({}) {{\n  unsigned char* to = echo;\n{echo}}}\n",
                declared.join(", ")
            );
        }
        text
    }
}

fn argument(random: &mut Random, structs: usize) -> Type {
    match random.below(10) {
        0 | 1 => Type::Struct(random.below(structs)),
        2 => Type::Enum(random.below(ENUMS.len())),
        3..=5 => Type::Pointer(
            random.below(SCALARS.len() + 1),
            random.chance(2),
            1 + usize::from(random.chance(8)) * (1 + random.below(2)),
        ),
        _ => Type::Scalar(random.below(SCALARS.len())),
    }
}

pub(crate) fn cpp(ty: Type) -> String {
    match ty {
        Type::Scalar(index) => SCALARS[index].cpp.into(),
        Type::Pointer(to, is_const, depth) => {
            let to = SCALARS.get(to).map_or("void", |scalar| scalar.cpp);
            format!("{to}{}{}", if is_const { " const" } else { "" }, "*".repeat(depth))
        }
        Type::Enum(index) => format!("Enum{index}"),
        Type::Struct(index) => format!("Struct{index}"),
    }
}

pub(crate) fn rust(ty: Type) -> String {
    match ty {
        Type::Scalar(index) => SCALARS[index].rust.into(),
        Type::Pointer(to, is_const, depth) => {
            let to = SCALARS.get(to).map_or("core::ffi::c_void", |scalar| scalar.rust);
            let innermost = if is_const { "*const" } else { "*mut" };
            format!("{}{innermost} {to}", "*mut ".repeat(depth - 1))
        }
        Type::Enum(index) => format!("Enum{index}"),
        Type::Struct(index) => format!("Struct{index}"),
    }
}

fn value(random: &mut Random, leaf: Type) -> String {
    let number = random.below(1 << 40);
    match leaf {
        Type::Scalar(0) => (number % 2 == 1).to_string(),
        Type::Scalar(index) if matches!(SCALARS[index].cpp, "float" | "double") => format!("{}.5", number % 65_536),
        Type::Scalar(index) if SCALARS[index].size == 16 => {
            format!("(unsigned __int128){number}ull << 61 | {}ull", random.below(1 << 40))
        }
        Type::Scalar(index) => format!("({}){number}ull", SCALARS[index].cpp),
        Type::Pointer(..) => format!("({}){number}ull", cpp(leaf)),
        Type::Enum(_) => format!("{}::{}", cpp(leaf), ["A", "B", "C"][number % 3]),
        Type::Struct(_) => unreachable!("a struct has leaves"),
    }
}

impl Library {
    /// A wrong type for an argument, and what is wrong.
    pub(crate) fn mistake(random: &mut Random, ty: Type) -> (String, &'static str) {
        loop {
            match ty {
                Type::Scalar(index) => {
                    let (own, other) = (&SCALARS[index], &SCALARS[random.below(SCALARS.len())]);
                    if own.rust != other.rust && !own.like.split(' ').any(|like| like == other.rust) {
                        let kind = if own.size == other.size { "kind or signedness" } else { "size" };
                        return (other.rust.into(), kind);
                    }
                }
                Type::Pointer(to, is_const, depth) => match random.below(3) {
                    0 if !is_const => return (rust(Type::Pointer(to, true, depth)), "const"),
                    1 => return ("u32".into(), "pointer"),
                    2 if to < SCALARS.len() => {
                        let other = random.below(SCALARS.len());
                        let like = SCALARS[to].like.split(' ').any(|like| like == SCALARS[other].rust);
                        if SCALARS[other].rust != SCALARS[to].rust && !like && other > 3 && to > 3 {
                            return (rust(Type::Pointer(other, is_const, depth)), "pointee");
                        }
                    }
                    _ => {}
                },
                Type::Enum(index) => return (format!("WrongEnum{index}"), "value of an enum"),
                Type::Struct(index) => return (format!("WrongStruct{index}"), "member"),
            }
        }
    }

    /// Enums with another value, and structs with one member of another type, under the right C++ names.
    pub(crate) fn wrong_types(&self) -> String {
        let mut text = String::new();
        for (index, (_, integer)) in ENUMS.iter().enumerate() {
            let _ = writeln!(
                text,
                "#[derive(Clone, Copy, DeviceType)] #[device_type(cpp = \"Enum{index}\")] #[repr({integer})] \
                 pub enum WrongEnum{index} {{ A = 1, B = 2, C = 6 }}"
            );
        }
        for (index, structure) in self.structs.iter().enumerate() {
            let _ = write!(
                text,
                "#[derive(Clone, Copy, DeviceType)] #[device_type(cpp = \"Struct{index}\")] #[repr(C)] pub struct WrongStruct{index} {{"
            );
            let last = structure.members.len() - 1;
            for (member, (ty, length)) in structure.members.iter().enumerate() {
                let mut own = Self::member(*ty);
                if member == last {
                    own = match *ty {
                        // Another kind of the same size.
                        Type::Scalar(index) if SCALARS[index].rust == "f32" => "i32".into(),
                        Type::Scalar(index) if SCALARS[index].rust == "f64" => "i64".into(),
                        Type::Scalar(index) if SCALARS[index].size == 4 => "f32".into(),
                        Type::Scalar(index) if SCALARS[index].size == 8 => "f64".into(),
                        Type::Scalar(index) if SCALARS[index].size == 2 => "u32".into(),
                        Type::Scalar(index) if SCALARS[index].size == 16 => "[f64; 3]".into(),
                        Type::Struct(index) => format!("WrongStruct{index}"),
                        Type::Enum(index) => format!("WrongEnum{index}"),
                        Type::Pointer(..) | Type::Scalar(_) => "f64".into(),
                    };
                }
                let own = if *length == 0 { own } else { format!("[{own}; {length}]") };
                let _ = write!(text, " pub m{member}: {own},");
            }
            text.push_str(" }\n");
        }
        text
    }

    fn member(ty: Type) -> String {
        match ty {
            Type::Pointer(to, is_const, _) => {
                let to = SCALARS.get(to).map_or("core::ffi::c_void", |scalar| scalar.rust);
                format!("kernel_args::{}<{to}>", if is_const { "DevicePointer" } else { "DevicePointerMut" })
            }
            ty => rust(ty),
        }
    }
}

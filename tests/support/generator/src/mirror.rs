//! Random structs in device memory that point to each other: as CUDA C++, as the Rust structs that mirror them, and
//! with mistakes.

use crate::Rng;
use std::fmt::Write as _;

/// Structs that contain and point to each other.
#[derive(Clone, Debug)]
pub struct Mirrors {
    /// The structs. A struct contains only structs before it, and points to any struct.
    pub structs: Vec<Vec<Member>>,
}

/// A member of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: Kind,
}

/// The type of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of [`SCALARS`].
    Scalar(usize),
    /// An array of one of [`SCALARS`].
    Array(usize, usize),
    /// A struct by value.
    Struct(usize),
    /// An array of structs.
    Structs(usize, usize),
    /// A pointer to one of [`SCALARS`].
    Numbers(usize),
    /// A pointer to a struct, to an array of this many structs if it is not 0; `true` if they are `const`.
    Pointer(usize, usize, bool),
    /// A pointer to pointers to a struct.
    Pointers(usize),
    /// An array of pointers to a struct.
    PointerArray(usize, usize),
}

/// Types of numbers: C++, Rust.
pub const SCALARS: [(&str, &str); 8] = [
    ("float", "f32"),
    ("unsigned", "u32"),
    ("int", "i32"),
    ("double", "f64"),
    ("unsigned long long", "u64"),
    ("unsigned char", "u8"),
    ("short", "i16"),
    ("float4", "Float4"),
];

/// The pairs of scalars that have the same size and alignment.
const ALIKE: [(usize, usize); 3] = [(0, 1), (1, 2), (3, 4)];

const MOST_MEMBERS: usize = 7;

impl Mirrors {
    /// This many structs.
    #[must_use]
    pub fn random(seed: u64, count: usize) -> Self {
        let mut structs = Vec::new();
        for index in 0..count {
            let mut rng = Rng::new(seed, index as u64);
            let members = 2 + rng.below(MOST_MEMBERS - 1);
            let member = |i| Member { name: format!("m{i}"), kind: kind(&mut rng, index, count) };
            structs.push((0..members).map(member).collect());
        }
        Self { structs }
    }

    /// The structs, and for each a kernel that takes it by value and a kernel that takes a pointer to it.
    #[must_use]
    pub fn cpp(&self) -> String {
        let mut text = String::new();
        for index in 0..self.structs.len() {
            let _ = writeln!(text, "struct S{index};");
        }
        for (index, members) in self.structs.iter().enumerate() {
            let members: String = members.iter().map(Member::cpp).collect();
            let _ = writeln!(
                text,
                "struct S{index} {{ {members}}};\n\
                 extern \"C\" __global__ void value_{index}(S{index} s) {{}}\n\
                 extern \"C\" __global__ void pointer_{index}(const S{index} *s) {{}}"
            );
        }
        text
    }

    /// The Rust struct with the name `name` and these members, which mirrors struct `index`.
    #[must_use]
    pub fn rust(name: &str, index: usize, members: &[Member]) -> String {
        let members: String = members.iter().map(Member::rust).collect();
        format!(
            "#[derive(Clone, Copy, DeviceType)] #[device_type(cpp = \"S{index}\")] #[repr(C)] \
             pub struct {name} {{ {members}}}\n"
        )
    }

    /// Struct `index` with a mistake of this number: two members are exchanged, a member has another type of the same
    /// size, a member is missing, a pointer points to another struct.
    #[must_use]
    pub fn mistake(&self, index: usize, number: usize) -> Vec<Member> {
        let mut members = self.structs[index].clone();
        let mut rng = Rng::new(index as u64, 1 + number as u64);
        let at = rng.below(members.len());
        match number % 4 {
            0 => members.swap(at, (at + 1) % self.structs[index].len()),
            1 => {
                let of_same_size = |kind| match kind {
                    Kind::Scalar(of) => alike(of).map(Kind::Scalar),
                    Kind::Array(of, length) => alike(of).map(|of| Kind::Array(of, length)),
                    Kind::Numbers(of) => alike(of).map(Kind::Numbers),
                    _ => None,
                };
                let other = members.iter().position(|member| of_same_size(member.kind).is_some());
                match other {
                    Some(other) => {
                        members[other].kind = of_same_size(members[other].kind).unwrap_or(members[other].kind);
                    }
                    None => members.swap(0, 1),
                }
            }
            2 => {
                members.remove(at);
            }
            _ => {
                let next = |of| (of + 1) % self.structs.len();
                let pointer = members.iter_mut().find_map(|member| match &mut member.kind {
                    Kind::Pointer(to, ..) | Kind::Pointers(to) | Kind::PointerArray(to, _) => Some(to),
                    _ => None,
                });
                match pointer {
                    Some(to) => *to = next(*to),
                    None => members.swap(0, 1),
                }
            }
        }
        members
    }
}

fn alike(of: usize) -> Option<usize> {
    ALIKE.iter().find_map(|&(a, b)| match of {
        _ if of == a => Some(b),
        _ if of == b => Some(a),
        _ => None,
    })
}

/// A type for a member of struct `index`.
fn kind(rng: &mut Rng, index: usize, count: usize) -> Kind {
    let scalar = rng.below(SCALARS.len());
    // Few levels of nesting, so a struct is small enough for a parameter.
    let inner = (index >= 4).then(|| rng.below(4));
    match (rng.below(12), inner) {
        (0..=3, _) => Kind::Scalar(scalar),
        (4, _) => Kind::Array(scalar, 1 + rng.below(5)),
        (5, Some(of)) => Kind::Struct(of),
        (6, Some(of)) => Kind::Structs(of, 1 + rng.below(3)),
        (7, _) => Kind::Numbers(scalar),
        (8, _) => Kind::Pointers(rng.below(count)),
        (9, _) => Kind::PointerArray(rng.below(count), 1 + rng.below(3)),
        _ => Kind::Pointer(rng.below(count), [0, 0, 3][rng.below(3)], rng.chance(50)),
    }
}

impl Member {
    fn cpp(&self) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Scalar(of) => format!("{} {name}; ", SCALARS[of].0),
            Kind::Array(of, length) => format!("{} {name}[{length}]; ", SCALARS[of].0),
            Kind::Struct(of) => format!("S{of} {name}; "),
            Kind::Structs(of, length) => format!("S{of} {name}[{length}]; "),
            Kind::Numbers(of) => format!("{} *{name}; ", SCALARS[of].0),
            Kind::Pointer(to, 0, is_const) => format!("S{to} {}*{name}; ", constant(is_const)),
            Kind::Pointer(to, length, is_const) => {
                format!("S{to} {}(*{name})[{length}]; ", constant(is_const))
            }
            Kind::Pointers(to) => format!("S{to} **{name}; "),
            Kind::PointerArray(to, length) => format!("S{to} *{name}[{length}]; "),
        }
    }

    fn rust(&self) -> String {
        let name = &self.name;
        let ty = match self.kind {
            Kind::Scalar(of) => SCALARS[of].1.to_owned(),
            Kind::Array(of, length) => format!("[{}; {length}]", SCALARS[of].1),
            Kind::Struct(of) => format!("S{of}"),
            Kind::Structs(of, length) => format!("[S{of}; {length}]"),
            Kind::Numbers(of) => format!("DevicePointerMut<{}>", SCALARS[of].1),
            Kind::Pointer(to, length, is_const) => {
                let pointer = if is_const { "DevicePointer" } else { "DevicePointerMut" };
                match length {
                    0 => format!("{pointer}<S{to}>"),
                    _ => format!("{pointer}<[S{to}; {length}]>"),
                }
            }
            Kind::Pointers(to) => format!("DevicePointerMut<DevicePointerMut<S{to}>>"),
            Kind::PointerArray(to, length) => format!("[DevicePointerMut<S{to}>; {length}]"),
        };
        format!("pub {name}: {ty}, ")
    }
}

const fn constant(is_const: bool) -> &'static str {
    if is_const { "const " } else { "" }
}

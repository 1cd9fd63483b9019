//! Look-up in the table of CUDA built-in types.

use crate::{
    bytes::{equal, same, starts_with},
    layout::Alignment,
};

/// A built-in CUDA type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Builtin {
    /// The C++ name.
    pub cpp: &'static str,
    /// The type in Rust code.
    pub rust: &'static str,
    /// The usual C++ name of all types with this meaning and layout.
    pub canonical: &'static str,
    /// Alternative C++ names.
    pub aliases: &'static [&'static str],
    /// The Rust type of a component, or the type itself.
    pub element: &'static str,
    /// The number of components, or 0 if the type is not a vector.
    pub components: usize,
    /// The size in bytes.
    pub size: usize,
    /// The alignment in bytes.
    pub align: usize,
}

impl Builtin {
    /// Returns the row with this C++ name and alignment, if there is one: a tensor map has two rows.
    pub const fn aligned_to(&'static self, align: Option<Alignment>) -> &'static Self {
        let Some(align) = align else { return self };
        let mut i = 0;
        while i < COUNT && align.bytes() != self.align {
            let row = &BUILTINS[i];
            if row.align == align.bytes() && same(row.cpp, self.cpp) {
                return row;
            }
            i += 1;
        }
        self
    }
}

macro_rules! table {
    (@path half_scalars) => { "half::" };
    (@path float8_scalars) => { "float8::" };
    (@path $other:ident) => { "" };
    ($($group:ident { $($(#[$meta:meta])* $name:ident $(($element:ident))? = $cpp:literal $([$($field:ident)+])?
        $size:literal / $align:literal $(, same as $canonical:literal)? $(, also $($alias:literal)+)?;)* })*) => {
        &[$($($(#[$meta])* Builtin {
            cpp: $cpp,
            rust: concat!(table!(@path $group), stringify!($name)),
            canonical: first(&[$($canonical,)? $cpp]),
            aliases: &[$($($alias),+)?],
            element: first(&[$(stringify!($element),)? stringify!($name)]),
            components: <[&str]>::len(&[$($(stringify!($field)),+)?]),
            size: $size,
            align: $align,
        },)*)*]
    };
}

const fn first(names: &[&'static str]) -> &'static str {
    names[0]
}

const ROWS: &[Builtin] = cuda_types!(table);

const COUNT: usize = ROWS.len();

/// Every built-in CUDA type that has a Rust type.
#[doc(hidden)]
pub static BUILTINS: [Builtin; COUNT] = {
    let mut table = [ROWS[0]; COUNT];
    table.copy_from_slice(ROWS);
    table
};

/// A C++ name of a row. The first character and the length are searched without a call.
#[derive(Clone, Copy)]
struct Name {
    first: u8,
    length: u8,
    row: u8,
    text: &'static [u8],
}

const NAME_COUNT: usize = {
    let (mut count, mut row) = (0, 0);
    while row < COUNT {
        count += 1 + BUILTINS[row].aliases.len();
        row += 1;
    }
    count
};

static NAMES: [Name; NAME_COUNT] = {
    let mut names = [Name::of(BUILTINS[0].cpp, 0); NAME_COUNT];
    let (mut at, mut row) = (0, 0);
    while row < COUNT {
        names[at] = Name::of(BUILTINS[row].cpp, row);
        at += 1;
        let mut alias = 0;
        while alias < BUILTINS[row].aliases.len() {
            names[at] = Name::of(BUILTINS[row].aliases[alias], row);
            at += 1;
            alias += 1;
        }
        row += 1;
    }
    names
};

impl Name {
    const fn of(name: &'static str, row: usize) -> Self {
        let text = name.as_bytes();
        assert!(text.len() < LONGEST && row <= u8::MAX as usize);
        Self { first: text[0], length: text.len() as u8, row: row as u8, text }
    }
}

const LONGEST: usize = 32;

/// For each ASCII character, a bit set of the lengths of the names that begin with it: this excludes most structs of
/// users.
const LENGTHS: [u32; 128] = {
    let mut lengths = [0; 128];
    let mut i = 0;
    while i < NAME_COUNT {
        lengths[NAMES[i].first as usize] |= 1 << NAMES[i].length;
        i += 1;
    }
    lengths
};

/// Returns the row of a name without a path. `arguments` are its template arguments.
pub(crate) const fn find(name: &[u8], arguments: &[u8]) -> Option<&'static Builtin> {
    let length = if arguments.is_empty() { name.len() } else { name.len() + arguments.len() + 2 };
    if name.is_empty() || !name[0].is_ascii() || length >= LONGEST || LENGTHS[name[0] as usize] >> length & 1 == 0 {
        return None;
    }
    let mut i = 0;
    while i < NAME_COUNT {
        let known = &NAMES[i];
        if known.first == name[0] && known.length as usize == length && is_name(known.text, name, arguments) {
            return Some(&BUILTINS[known.row as usize]);
        }
        i += 1;
    }
    None
}

/// Returns whether a name of this length is `known`.
const fn is_name(known: &[u8], name: &[u8], arguments: &[u8]) -> bool {
    starts_with(known, name)
        && (arguments.is_empty()
            || known[name.len()] == b'<' && starts_with(known.split_at(name.len() + 1).1, arguments))
}

/// Returns whether a name without a path cannot be an enum: it is a built-in CUDA type.
pub(super) const fn contains(name: &[u8]) -> bool {
    find(name, b"").is_some() || starts_with(name, b"__nv_fp") || equal(name, b"complex")
}

pub(super) const fn canonical<'a>(name: &'a [u8], arguments: &[u8]) -> &'a [u8] {
    // `complex` is the only template here.
    let arguments: &[u8] = if equal(name, b"complex") { arguments } else { b"" };
    some!(find(name, arguments), name).canonical.as_bytes()
}

pub(super) const fn same_vector(a: &[u8], b: &[u8]) -> bool {
    equal(a, b) && find(a, b"").is_some()
}

/// Returns the Rust names of at most `N` vectors with this size and alignment in bytes, the most likely first, one for
/// each layout and element.
pub(crate) const fn vectors_of<const N: usize>(size: usize, align: usize) -> ([&'static str; N], usize) {
    let (mut names, mut count) = ([""; N], 0);
    let mut i = 0;
    while i < COUNT && count < N {
        let row = &BUILTINS[i];
        let own = same(row.cpp, row.canonical);
        // Most other structs of three components are of users.
        let usual = match row.components {
            1 => false,
            3 => size == 12,
            _ => size > 2,
        };
        if own && usual && row.size == size && row.align == align {
            names[count] = row.rust;
            count += 1;
        }
        i += 1;
    }
    (names, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_each_of_its_names() {
        for row in &BUILTINS {
            let names = core::iter::once(&row.cpp).chain(row.aliases);
            for name in names {
                let (name, arguments) = name.split_once('<').unwrap_or((name, ""));
                let arguments = arguments.trim_end_matches('>');
                let found = find(name.as_bytes(), arguments.as_bytes()).expect(name);
                assert_eq!(found.cpp, row.cpp, "{name}");
                let canonical = canonical(name.as_bytes(), arguments.as_bytes());
                assert_eq!(canonical, row.canonical.as_bytes());
                assert!(contains(canonical), "{name}");
            }
        }
    }

    #[test]
    fn a_canonical_name_has_a_row_of_the_same_layout() {
        for row in &BUILTINS {
            let usual = find(row.canonical.as_bytes(), b"").expect(row.canonical);
            assert_eq!(usual.canonical, row.canonical);
            assert_eq!((usual.size, usual.components), (row.size, row.components));
            assert!(usual.align == row.align || row.rust == "TensorMapA64");
        }
    }

    #[test]
    fn sizes_follow_from_the_components() {
        for row in BUILTINS.iter().filter(|row| row.components > 0) {
            let element = match row.element {
                "i8" | "u8" => 1,
                "i16" | "u16" | "f16" | "bf16" => 2,
                "i32" | "u32" | "f32" => 4,
                "CLong" | "CULong" if cfg!(windows) => 4,
                "i64" | "u64" | "f64" | "CLong" | "CULong" => 8,
                other => panic!("{other}"),
            };
            assert_eq!(row.size, element * row.components, "{}", row.cpp);
        }
    }

    #[test]
    fn the_usual_vectors_of_a_size() {
        assert_eq!(vectors_of(16, 16), (["Float4", "Int4", "Double2"], 3));
        assert_eq!(vectors_of(32, 32).0, ["Double4A32", "LongLong4A32", "ULongLong4A32"]);
        assert_eq!(vectors_of(128, 64), (["TensorMapA64", "", ""], 1));
        assert_eq!(vectors_of::<3>(24, 4).1, 0);
    }
}

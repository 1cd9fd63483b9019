//! Random structs, with the place of each field by C's rule, worked out here without the code under test.

use std::fmt::Write;

/// How many structs are passed by value.
const DEVICE_TYPES: usize = 48;
/// How many structs hold the arguments of a kernel.
const ARGUMENTS: usize = 120;

/// A type with its size and alignment on the device, in bytes.
#[derive(Clone)]
struct Type {
    name: String,
    size: usize,
    align: usize,
}

/// CUDA C++ Programming Guide, "Built-in Vector Types", and C's rule for the rest.
const TYPES: [(&str, usize, usize); 36] = [
    ("bool", 1, 1),
    ("i8", 1, 1),
    ("u8", 1, 1),
    ("i16", 2, 2),
    ("u16", 2, 2),
    ("i32", 4, 4),
    ("u32", 4, 4),
    ("i64", 8, 8),
    ("u64", 8, 8),
    ("i128", 16, 16),
    ("u128", 16, 16),
    ("usize", 8, 8),
    ("f32", 4, 4),
    ("f64", 8, 8),
    ("half::f16", 2, 2),
    ("half::bf16", 2, 2),
    ("DevicePointer<f32>", 8, 8),
    ("DevicePointerMut<u8>", 8, 8),
    ("kernel_args::Char3", 3, 1),
    ("kernel_args::UChar4", 4, 4),
    ("kernel_args::Short3", 6, 2),
    ("kernel_args::UShort4", 8, 8),
    ("kernel_args::Int2", 8, 8),
    ("kernel_args::UInt3", 12, 4),
    ("kernel_args::Int4", 16, 16),
    ("kernel_args::LongLong2", 16, 16),
    ("kernel_args::Float2", 8, 8),
    ("kernel_args::Float3", 12, 4),
    ("kernel_args::Float4", 16, 16),
    ("kernel_args::Double2", 16, 16),
    ("kernel_args::Double3", 24, 8),
    ("kernel_args::CuDoubleComplex", 16, 16),
    ("kernel_args::TextureObject", 8, 8),
    ("kernel_args::Dim3", 12, 4),
    ("kernel_args::Double4A32", 32, 32),
    ("kernel_args::TensorMapA64", 128, 64),
];

/// Marsaglia's xorshift: the structs are the same ones in every build.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    fn pick(&mut self, types: &[Type]) -> Type {
        let chosen = types[self.below(types.len())].clone();
        if self.below(5) > 0 {
            return chosen;
        }
        let count = 1 + self.below(5);
        Type {
            name: format!("[{}; {count}]", chosen.name),
            size: chosen.size * count,
            ..chosen
        }
    }
}

/// The fields of one struct as `f0: u8 = 0, …`, where it ends without tail padding, and its alignment.
fn fields(random: &mut Random, types: &[Type], most: usize) -> (String, usize, usize) {
    let (mut text, mut end, mut align) = (String::new(), 0_usize, 1);
    for i in 0..=random.below(most) {
        let ty = random.pick(types);
        let offset = end.next_multiple_of(ty.align);
        write!(text, "f{i}: {} = {offset}, ", ty.name).expect("a String takes any text");
        end = offset + ty.size;
        align = align.max(ty.align);
    }
    (text, end, align)
}

/// `device_type!(D0, align 8, size 24: f0: u8 = 0, …);` and `arguments!(A0, packed, size 21: …);`.
pub(crate) fn text() -> String {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut types: Vec<Type> = TYPES
        .iter()
        .map(|&(name, size, align)| Type {
            name: name.into(),
            size,
            align,
        })
        .collect();
    let mut text = String::new();
    for i in 0..DEVICE_TYPES {
        let (fields, end, natural) = fields(&mut random, &types, 6);
        // Every fourth one is aligned to more than its fields are.
        let align = if i % 4 == 0 {
            (natural * 2).min(16).max(natural)
        } else {
            natural
        };
        let (name, size) = (format!("D{i}"), end.next_multiple_of(align));
        writeln!(
            text,
            "device_type!({name}, align {align}, size {size}: {fields});"
        )
        .expect("a String takes any text");
        types.push(Type { name, size, align });
    }
    let mut names = String::new();
    for i in 0..ARGUMENTS {
        let (fields, size, align) = fields(&mut random, &types, 12);
        let form = if align > 16 { "aligned" } else { "packed" };
        writeln!(text, "arguments!(A{i}, {form}, size {size}: {fields});")
            .expect("a String takes any text");
        write!(names, " A{i}").expect("a String takes any text");
    }
    writeln!(text, "all!({names});").expect("a String takes any text");
    text
}

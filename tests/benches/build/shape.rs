//! The structs that are marshalled.

/// A struct of arguments.
pub(crate) struct Shape {
    /// `p8`, `mix`.
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    /// Whether the hand-written code zeroes padding and gaps, as our code always does.
    pub(crate) zeroed: bool,
}

/// The type of a field, in both languages.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) rust: &'static str,
    pub(crate) c: &'static str,
    /// A Rust expression for the value; `#` is the number of the field.
    pub(crate) value: &'static str,
    pub(crate) size: usize,
    pub(crate) align: usize,
    /// The number of leading bytes before padding.
    pub(crate) filled: usize,
}

impl Field {
    const fn filled(mut self, bytes: usize) -> Self {
        self.filled = bytes;
        self
    }
}

const WORD: Field = field("u64", "uint64_t", "0x0123_4567_89ab_cdef ^ #", 8, 8);

/// Every kind of parameter once or twice, like a kernel of moderate size.
const MIX: &[Field] = &[
    field("u32", "uint32_t", "#", 4, 4),
    field("f32", "float", "# as f32", 4, 4),
    field("DevicePointer<f32>", "uint64_t", "DevicePointer::from_raw(0x1_0000 + #)", 8, 8),
    field("DevicePointerMut<f32>", "uint64_t", "DevicePointerMut::from_raw(0x2_0000 + #)", 8, 8),
    field("Float4", "float4", "Float4::new(1.0, 2.0, 3.0, # as f32)", 16, 16),
    field("u8", "uint8_t", "#", 1, 1),
    field("Float3", "float3", "Float3::new(1.0, 2.0, # as f32)", 12, 4),
    field("f64", "double", "# as f64", 8, 8),
    field("Range", "range", "Range { low: 0.5, high: # as f32, steps: 7 }", 12, 4),
    field("u16", "uint16_t", "#", 2, 2),
    field("Tagged", "tagged", "Tagged { value: #, tag: 3 }", 16, 8).filled(9),
    field("bool", "_Bool", "# > 0", 1, 1),
    field("Int2", "int2", "Int2::new(4, #)", 8, 8),
    field("[f32; 4]", "quad", "[# as f32; 4]", 16, 4),
    field("i64", "int64_t", "-#", 8, 8),
    field("Matrix", "matrix", "Matrix { rows: [[# as f32; 4]; 4] }", 64, 4),
    field("usize", "size_t", "#", 8, 8),
    field("i32", "int32_t", "-#", 4, 4),
];

const fn field(rust: &'static str, c: &'static str, value: &'static str, size: usize, align: usize) -> Field {
    Field { rust, c, value, size, align, filled: size }
}

pub(crate) fn all() -> Vec<Shape> {
    let words = |count: usize| Shape { name: format!("p{count}"), fields: vec![WORD; count], zeroed: false };
    let mut shapes: Vec<Shape> = [0, 1, 4, 8, 16, 32, 64, 128, 512].map(words).into();
    shapes.extend([("mix", false), ("mixzeroed", true)].map(|(name, zeroed)| Shape {
        name: name.into(),
        fields: MIX.to_vec(),
        zeroed,
    }));
    shapes
}

impl Shape {
    /// The name of the struct in both languages: `P8`, `Mix`.
    pub(crate) fn type_name(&self) -> String {
        let (first, rest) = self.name.split_at(1);
        first.to_uppercase() + rest
    }

    /// The bytes of each parameter that all ways pass identically.
    pub(crate) fn handed_over(&self) -> Vec<usize> {
        let bytes = |field: &Field| {
            if self.zeroed { field.size } else { field.filled }
        };
        self.fields.iter().map(bytes).collect()
    }

    /// Whether the hand-written code must copy this field to zero its padding.
    pub(crate) fn copies(&self, field: &Field) -> bool {
        self.zeroed && field.filled < field.size
    }

    /// The offset of each parameter, and the size of the parameter block.
    pub(crate) fn placed(&self) -> (Vec<usize>, usize) {
        let mut end = 0_usize;
        let offsets = self.fields.iter().map(|field| {
            let offset = end.next_multiple_of(field.align);
            end = offset + field.size;
            offset
        });
        (offsets.collect(), end)
    }
}

//! Packed structs: `#pragma pack` and `__attribute__((packed))`.

use crate::{item, of_image, with_items};
use std::{fs, path::Path};

/// The text for `ptx/packed.cu`.
fn text() -> String {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ptx/packed.debug.ptx");
    of_image(&fs::read(place).unwrap(), &with_items())
}

#[test]
fn the_members_of_a_packed_struct_are_fields() {
    let text = text();
    for (repr, name, fields) in [
        ("C, packed", "Rec", "tag: u8, value: f32, n: u16"),
        ("C, packed", "Frame", "kind: c_char, records: [Rec; 2], time: f64, next: DevicePointerMut<Rec>"),
        ("C, packed(2)", "Pair16", "key: u8, value: u32"),
        ("C, packed(4)", "Sample", "id: i32, value: f64"),
        ("C", "Holder", "count: i32, rec: Rec, pair: Pair16"),
    ] {
        let declared = item(&text, name);
        assert!(text.contains(&format!("#[repr({repr})]\n{declared}")), "{repr}\n{text}");
        let listed = declared.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.strip_suffix(','));
        assert_eq!(listed.collect::<Vec<_>>().join(", "), fields);
    }
}

/// Rust rejects a packed struct that contains a vector, because vectors have `repr(align)`.
#[test]
fn a_vector_in_a_packed_struct_is_not_aligned() {
    let text = text();
    for (repr, name, fields) in [
        ("C, packed", "Edge", ["direction: [f32; 4]", "colors: [[u8; 4]; 2]", "kind: c_char"]),
        // These are at offsets that the vectors cannot have.
        ("C", "Vertex", ["kind: c_char", "position: Float3_2", "weight: Double2_2"]),
        ("C, packed", "Float3_2", ["x: f32", "y: f32", "z: f32"]),
    ] {
        let declared = item(&text, name);
        assert!(text.contains(&format!("#[repr({repr})]\n{declared}")), "{repr}\n{text}");
        assert!(fields.iter().all(|field| declared.contains(&format!("pub {field},"))), "{declared}");
    }
}

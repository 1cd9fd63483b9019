//! Draws the parameter block: each byte with its parameter.

use crate::{kernel::DEPTH, style::Paint};
use kernel_args_abi::{
    Parameter,
    texts::byte_map::{has_map, letter, write_map},
};
use std::fmt::Write as _;

/// Each row has a line break before it. `.` is padding, including the known padding between the members of a
/// struct.
pub(super) fn rows(parameters: &[Parameter<'_>], size: usize, paint: Paint) -> String {
    let mut rows = String::new();
    if !has_map(size) {
        return rows;
    }
    let mut owners: Vec<Option<usize>> = vec![None; size];
    for (index, parameter) in parameters.iter().enumerate() {
        if let Some(offset) = parameter.offset {
            mark(&mut owners, index, parameter, offset, DEPTH);
        }
    }
    // Writing to a `String` cannot fail.
    _ = write_map(
        &mut rows,
        size,
        |byte| owners[byte],
        |rows, owner, count| {
            let piece = match owner {
                Some(index) => paint.parameter(index, &letter(index).to_string().repeat(count)),
                None => paint.faint(&".".repeat(count)),
            };
            rows.write_str(&piece)
        },
    );
    rows
}

/// Only bytes that hold values.
fn mark(owners: &mut [Option<usize>], index: usize, parameter: &Parameter<'_>, at: usize, depth: u32) {
    let end = at.saturating_add(parameter.size).min(owners.len());
    let elements = parameter.cpp.elements().max(1);
    let stride = parameter.size / elements;
    if depth == 0 || !parameter.members.is_known() || parameter.members.is_empty() || stride == 0 {
        if let Some(bytes) = owners.get_mut(at..end) {
            bytes.fill(Some(index));
        }
        return;
    }
    for element in (at..end).step_by(stride) {
        for member in parameter.members.iter() {
            if let Some(offset) = member.offset.and_then(|offset| element.checked_add(offset)) {
                mark(owners, index, &member, offset, depth - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_args_abi::{CppBase, CppType, Members};

    fn plain(parameters: &[Parameter<'_>], size: usize) -> Vec<String> {
        let rows = rows(parameters, size, Paint(false));
        rows.lines().skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn padding_shows_between_parameters_and_members() {
        let members = [Parameter::record(0, 4), Parameter::record(8, 4)];
        let float = CppType::of(CppBase::Float { bits: 32 });
        let array = Parameter { cpp: float.array(2), ..Parameter::record(4, 24).with_members(Members::of(&members)) };
        assert_eq!(
            plain(&[Parameter::record(0, 1), array], 28),
            ["      0  |a...bbbb|....bbbb|", "     16  |bbbb....|bbbb|"]
        );
    }

    #[test]
    fn the_middle_of_a_large_parameter_is_left_out() {
        let rows = plain(&[Parameter::record(0, 160), Parameter::record(160, 8)], 168);
        let full = "|aaaaaaaa|aaaaaaaa|";
        let expected = [
            format!("      0  {full}"),
            "       …".to_owned(),
            format!("    144  {full}"),
            "    160  |bbbbbbbb|".to_owned(),
        ];
        assert_eq!(rows, expected);
        let many: Vec<_> = (0..4096).map(|i| Parameter::record(i * 8, 8)).collect();
        assert_eq!(plain(&many, 32_768).len(), 64 + 1);
    }

    #[test]
    fn bytes_outside_of_the_block_are_not_drawn() {
        let outside = Parameter::record(8, 8).with_members(Members::UNKNOWN);
        assert_eq!(plain(&[outside], 8), ["      0  |........|"]);
        assert!(plain(&[outside], 65_537).is_empty());
    }
}

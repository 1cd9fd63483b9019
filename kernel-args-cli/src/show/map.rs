//! A picture of the parameter block: which byte belongs to which parameter.

use crate::style::Paint;
use kernel_args_abi::Parameter;
use std::fmt::Write as _;

/// The bytes of one row.
const ROW: usize = 16;

/// The rows that are shown at most; of more, the first and the last.
const MOST: usize = 64;

/// The largest block that is drawn, in bytes: twice the limit of a parameter block.
const LARGEST: usize = 65_536;

/// How deep structs may lie in structs.
const DEPTH: u32 = 24;

/// The letters of parameters, in turn.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The letter of the parameter of this index.
pub(super) fn letter(index: usize) -> char {
    char::from(LETTERS[index % LETTERS.len()])
}

/// The rows of the picture of a block of `size` bytes. Padding is `.`, also that between the members of a struct where they are
/// known. Rows in the middle of a large parameter are left out.
pub(super) fn rows(parameters: &[Parameter<'_>], size: usize, paint: Paint) -> Vec<String> {
    if size == 0 || size > LARGEST {
        return Vec::new();
    }
    let mut owners: Vec<Option<usize>> = vec![None; size];
    for (index, parameter) in parameters.iter().enumerate() {
        if let Some(offset) = parameter.offset {
            mark(&mut owners, index, parameter, offset, DEPTH);
        }
    }
    let drawn: Vec<&[Option<usize>]> = owners.chunks(ROW).collect();
    let count = drawn.len();
    let is_same = |row: usize| {
        let around = [row.wrapping_sub(1), row + 1];
        let of_one = drawn[row].iter().all(|owner| *owner == drawn[row][0]);
        of_one
            && around
                .iter()
                .all(|other| drawn.get(*other) == Some(&drawn[row]))
    };
    let visible: Vec<usize> = (0..count).filter(|row| !is_same(*row)).collect();
    let is_shown = |index: usize| index < MOST / 2 || index + MOST / 2 >= visible.len();
    let mut rows = Vec::new();
    let mut next = 0;
    for (index, &row) in visible.iter().enumerate() {
        if !is_shown(index) {
            continue;
        }
        if row > next {
            rows.push("       …".to_owned());
        }
        next = row + 1;
        rows.push(draw(drawn[row], row, size, paint));
    }
    rows
}

fn draw(owners: &[Option<usize>], row: usize, size: usize, paint: Paint) -> String {
    let mut line = String::new();
    _ = write!(line, "  {:>5}  |", row * ROW);
    let mut from = 0;
    while from < owners.len() {
        // Bytes of one owner are coloured at once, up to the bar in the middle.
        let half = (from / 8 + 1) * 8;
        let run = owners[from..].iter().take(half - from);
        let run = run.take_while(|owner| **owner == owners[from]).count();
        match owners[from] {
            Some(index) => {
                let letters = letter(index).to_string().repeat(run);
                line += &paint.parameter(index, &letters);
            }
            None => line += &paint.faint(&".".repeat(run)),
        }
        from += run;
        if from % 8 == 0 || row * ROW + from == size {
            line.push('|');
        }
    }
    line
}

/// Marks the bytes of a parameter or member that hold values.
fn mark(
    owners: &mut [Option<usize>],
    index: usize,
    parameter: &Parameter<'_>,
    at: usize,
    depth: u32,
) {
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
        rows(parameters, size, Paint::new(false))
    }

    #[test]
    fn padding_shows_between_parameters_and_members() {
        let members = [Parameter::record(0, 4), Parameter::record(8, 4)];
        let float = CppType::of(CppBase::Float { bits: 32 });
        let array = Parameter {
            cpp: float.array(2),
            ..Parameter::record(4, 24).with_members(Members::of(&members))
        };
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
        assert_eq!(plain(&many, 32_768).len(), MOST + 1);
    }

    #[test]
    fn bytes_outside_of_the_block_are_not_drawn() {
        let outside = Parameter::record(8, 8).with_members(Members::UNKNOWN);
        assert_eq!(plain(&[outside], 8), ["      0  |........|"]);
        assert!(plain(&[outside], LARGEST + 1).is_empty());
    }
}

//! A map of the bytes of a block, 16 per row: the letter of a field, or `.` for padding.

use core::fmt;

const ROW: usize = 16;

/// The maximum number of rows. The middle of a longer map is not shown.
pub(super) const MOST: usize = 64;

/// The largest block that has a map, in bytes: twice the limit of a parameter block.
const LARGEST: usize = 65_536;

/// The letters of the fields. They repeat after the last one.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Returns the letter of the field at `index`.
pub fn letter(index: usize) -> char {
    char::from(LETTERS[index % LETTERS.len()])
}

/// Returns whether a block of this size has a map.
pub const fn has_map(size: usize) -> bool {
    size > 0 && size <= LARGEST
}

/// Writes the map of a block of `size` bytes. Each row follows a line break. `owner` returns the index of the field
/// that contains a byte. `piece` writes the letter of a field, or the padding character, a number of times.
///
/// Omits rows that are equal to the row before and the row after.
///
/// # Errors
/// The error of `to` or `piece`.
pub fn write_map<W: fmt::Write>(
    to: &mut W,
    size: usize,
    owner: impl Fn(usize) -> Option<usize>,
    mut piece: impl FnMut(&mut W, Option<usize>, usize) -> fmt::Result,
) -> fmt::Result {
    let is_inside = |row: usize| {
        row > 0 && (row + 2) * ROW <= size && {
            let own = owner(row * ROW);
            ((row - 1) * ROW..(row + 2) * ROW).all(|byte| owner(byte) == own)
        }
    };
    let count = size.div_ceil(ROW);
    let visible = (0..count).filter(|row| !is_inside(*row)).count();
    let mut index = 0;
    let mut left_out = false;
    for row in 0..count {
        let mut is_shown = false;
        if !is_inside(row) {
            is_shown = index < MOST / 2 || index + MOST / 2 >= visible;
            index += 1;
        }
        if !is_shown {
            if !left_out {
                to.write_str("\n       …")?;
            }
            left_out = true;
            continue;
        }
        left_out = false;
        let (mut at, end) = (row * ROW, size.min((row + 1) * ROW));
        write!(to, "\n  {at:>5}  |")?;
        while at < end {
            let half = end.min((at / 8 + 1) * 8);
            let own = owner(at);
            let run = (at..half).take_while(|byte| owner(*byte) == own).count();
            piece(to, own, run)?;
            at += run;
            if at % 8 == 0 || at == size {
                to.write_str("|")?;
            }
        }
    }
    Ok(())
}

//! One side of a mismatch, in columns.

use super::{
    spelling::{LONGEST_NAME, push_layout, spelled},
    templates as say,
};
use crate::{
    bytes::{smaller, starts_with},
    message::{Message, columns},
    signature::Parameter,
};

const WIDEST: usize = 48;

pub(super) struct Side<'a> {
    parameter: &'a Parameter<'a>,
    spelling: Message<256>,
    pub(super) cpp: Message<256>,
    offset: Option<usize>,
}

impl<'a> Side<'a> {
    pub(super) const fn new(parameter: &'a Parameter<'a>, offset: Option<usize>) -> Self {
        Self { parameter, spelling: shortened(parameter.spelling), cpp: spelled(parameter.cpp), offset }
    }

    pub(super) const fn lines(left: &Self, right: &Self) -> [Message<512>; 2] {
        let widths = [width(&left.spelling, &right.spelling), width(&left.cpp, &right.cpp)];
        [left.line(widths), right.line(widths)]
    }

    /// Returns the line of a parameter that has no counterpart.
    pub(super) const fn alone(parameter: &'a Parameter<'a>, offset: Option<usize>) -> Message<512> {
        let side = Self::new(parameter, offset);
        side.line([width(&side.spelling, &side.spelling), width(&side.cpp, &side.cpp)])
    }

    const fn line(&self, widths: [usize; 2]) -> Message<512> {
        let mut line = Message::new();
        if widths[0] > 0 {
            line.writer().push_padded(self.spelling.as_str(), widths[0] + 2);
        }
        if widths[1] > 0 {
            line.writer().push_padded(self.cpp.as_str(), widths[1] + 2);
        }
        push_layout(&mut line, self.parameter.size, self.parameter.align);
        if let Some(offset) = self.offset {
            say::at_byte(&mut line, offset);
        }
        line
    }
}

const fn width(cell: &Message<256>, other: &Message<256>) -> usize {
    let (own, other) = (columns(cell.as_str()), columns(other.as_str()));
    smaller(if own > other { own } else { other }, WIDEST)
}

/// PTX's declaration with a shortened mangled name: `.param .u64 …_param_2`. Otherwise both ends.
const fn shortened(spelling: &str) -> Message<256> {
    let mut text = Message::new();
    let bytes = spelling.as_bytes();
    let mut at = bytes.len();
    let mut tail = 0;
    while bytes.len() > WIDEST && at > 0 && bytes[at - 1] != b' ' {
        at -= 1;
        if tail == 0 && starts_with(bytes.split_at(at).1, b"_param_") {
            tail = at;
        }
    }
    if tail > at {
        text.writer().push_shortened(spelling.split_at(at).0, LONGEST_NAME);
        text.push("…");
        text.writer().push_shortened(spelling.split_at(tail).1, LONGEST_NAME / 4);
    } else {
        text.writer().push_shortened(spelling, LONGEST_NAME);
    }
    text
}

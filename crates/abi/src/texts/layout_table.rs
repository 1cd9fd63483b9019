//! The layout of a list of parameters as a table, with a byte map that shows padding.

use super::{
    byte_map::{self, MOST, letter},
    spelling::spelled,
    templates as say,
};
use crate::{
    message::{Message, columns},
    signature::{Offsets, Parameter, Signature},
};
use core::fmt::{self, Write as _};

/// The layout of a parameter block as text ([`Display`](fmt::Display)): the type, C++ type, offset, size and alignment
/// of each field in bytes, and a map of all bytes. A row of the map has 16 bytes: the letter of a field, or `.` for
/// padding.
///
/// The size is the size of the block, without tail padding. The map omits rows inside a large field. A block above 64
/// KiB has no map.
#[derive(Clone, Copy, Debug)]
pub struct LayoutTable<'a>(pub &'a Signature<'a>);

impl<'a> LayoutTable<'a> {
    fn places(self) -> impl Iterator<Item = (Option<usize>, &'a Parameter<'a>)> + use<'a> {
        let mut offsets = Offsets::new(None);
        let parameters = self.0.parameters.iter();
        parameters.map(move |parameter| (offsets.next(parameter), parameter))
    }

    fn size(self) -> Option<usize> {
        self.places().try_fold(0, |size, (offset, parameter)| Some(offset?.checked_add(parameter.size)?.max(size)))
    }

    #[cold]
    fn write_fields(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut names, mut types, mut spellings) = (5, 4, 0);
        for parameter in self.0.parameters {
            names = names.max(columns(parameter.name));
            types = types.max(columns(parameter.spelling));
            spellings = spellings.max(columns(spelled::<128>(parameter.cpp).as_str()));
        }
        if spellings > 0 {
            spellings = spellings.max(3) + 2;
        }
        let title = if spellings > 0 { "C++" } else { "" };
        write!(f, "\n     {:names$}  {:types$}  {title:spellings$}offset   size  align", "field", "type")?;
        let count = self.0.parameters.len();
        for (index, (offset, parameter)) in self.places().enumerate() {
            if count > MOST && (MOST / 2..count - MOST / 2).contains(&index) {
                if index == MOST / 2 {
                    let text: Message<64> = text!(fields_left_out, count - MOST);
                    f.write_str(text.as_str())?;
                }
                continue;
            }
            write!(
                f,
                "\n  {}  {:names$}  {:types$}  {:spellings$}{:>6}  {:>5}  {:>5}",
                letter(index),
                parameter.name,
                parameter.spelling,
                spelled::<128>(parameter.cpp),
                known(offset),
                parameter.size,
                known(parameter.align.map(crate::Alignment::bytes)),
            )?;
        }
        Ok(())
    }

    fn owner(self, byte: usize) -> Option<usize> {
        self.places().position(|(offset, parameter)| {
            offset.is_some_and(|offset| byte >= offset && byte - offset < parameter.size)
        })
    }
}

impl fmt::Display for LayoutTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.parameters.len();
        let mut text: Message<256> = text!(layout_title, self.0.name, count);
        let size = self.size();
        if let Some(size) = size {
            say::layout_size(&mut text, size);
        }
        f.write_str(text.as_str())?;
        if count == 0 {
            return Ok(());
        }
        self.write_fields(f)?;
        let Some(size) = size.filter(|size| byte_map::has_map(*size)) else {
            return Ok(());
        };
        let text: Message<64> = text!(map_title);
        f.write_str(text.as_str())?;
        let owner = |byte| self.owner(byte);
        byte_map::write_map(f, size, owner, |f, owner, count| {
            let sign = owner.map_or('.', letter);
            (0..count).try_for_each(|_| f.write_char(sign))
        })
    }
}

fn known(number: Option<usize>) -> Message<24> {
    let mut cell = Message::new();
    match number {
        Some(number) => cell.writer().push_number(number),
        None => cell.push("?"),
    }
    cell
}

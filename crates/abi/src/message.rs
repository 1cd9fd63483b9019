//! A text of limited length that can be written while a program compiles.

use crate::bytes::utf8;
use core::fmt;

const ELLIPSIS: &str = "…";

/// A text of at most `N` bytes that `const fn`s can write. A longer text is cut and ends in `…`.
pub type Message<const N: usize = 2048> = Text<[u8; N]>;

/// A [`Message`] of any length. Functions that write to it are compiled once.
#[derive(Clone, Copy)]
pub struct Text<B: ?Sized = [u8]> {
    len: usize,
    truncated: bool,
    bytes: B,
}

pub(crate) type Hint = Message<1408>;

impl<const N: usize> Message<N> {
    /// Creates an empty text.
    pub const fn new() -> Self {
        Self { len: 0, truncated: false, bytes: [0; N] }
    }

    pub(crate) const fn concat(parts: &[&str]) -> Self {
        let (mut text, mut i) = (Self::new(), 0);
        while i < parts.len() {
            text.push(parts[i]);
            i += 1;
        }
        text
    }

    /// Returns the text.
    pub const fn as_str(&self) -> &str {
        (self as &Text).text()
    }

    /// Returns the length in bytes.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the text is empty.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether the text was cut.
    pub const fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Panics with this text.
    ///
    /// # Panics
    /// Always. In a constant, this is a compile-time error at the position of the mistake.
    #[doc(hidden)]
    #[track_caller]
    pub const fn fail(&self) -> ! {
        panic!("{}", self.as_str())
    }

    pub(crate) const fn writer(&mut self) -> &mut Text {
        self
    }

    pub(crate) const fn push(&mut self, text: &str) {
        self.writer().push(text);
    }

    pub(crate) const fn has_room_for(&self, text: &str, room: usize) -> bool {
        !self.truncated && self.len.saturating_add(text.len()).saturating_add(room) <= N
    }
}

impl Text {
    pub(crate) const fn text(&self) -> &str {
        utf8(self.bytes.split_at(self.len).0)
    }

    pub(crate) const fn push(&mut self, text: &str) {
        if self.truncated {
            return;
        }
        let text = text.as_bytes();
        let room = self.bytes.len() - self.len;
        if text.len() <= room {
            self.copy(text);
            return;
        }
        self.truncated = true;
        self.copy(text.split_at(room).0);
        // Remove characters from the end until `…` fits.
        let most = self.bytes.len();
        while self.len > 0 && (self.len + ELLIPSIS.len() > most || is_inside(&self.bytes, self.len)) {
            self.len -= 1;
        }
        if self.len + ELLIPSIS.len() <= most {
            self.copy(ELLIPSIS.as_bytes());
        }
    }

    pub(crate) const fn push_number(&mut self, number: usize) {
        self.push_integer(number as i128);
    }

    pub(crate) const fn push_integer(&mut self, number: i128) {
        const DIGITS: usize = 39;
        if number < 0 {
            self.push("-");
        }
        let mut digits = [0; DIGITS];
        let mut at = DIGITS;
        let mut rest = number.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.push(utf8(digits.split_at(at).1));
    }

    /// Appends `text`. If it is longer than `limit` bytes, both ends with `…` in between.
    pub(crate) const fn push_shortened(&mut self, text: &str, limit: usize) {
        if text.len() <= limit {
            self.push(text);
            return;
        }
        let bytes = text.as_bytes();
        let mut head = limit.saturating_sub(ELLIPSIS.len()) * 2 / 3;
        while head > 0 && is_inside(bytes, head) {
            head -= 1;
        }
        let mut tail = text.len() - limit.saturating_sub(head + ELLIPSIS.len());
        while is_inside(bytes, tail) {
            tail += 1;
        }
        self.push(text.split_at(head).0);
        self.push(ELLIPSIS);
        self.push(text.split_at(tail).1);
    }

    pub(crate) const fn push_padded(&mut self, text: &str, width: usize) {
        self.push(text);
        let mut at = columns(text);
        while at < width {
            self.push(" ");
            at += 1;
        }
    }

    const fn copy(&mut self, text: &[u8]) {
        let (_, free) = self.bytes.split_at_mut(self.len);
        let (place, _) = free.split_at_mut(text.len());
        place.copy_from_slice(text);
        self.len += text.len();
    }
}

const fn is_inside(text: &[u8], at: usize) -> bool {
    at < text.len() && text[at] & 0xC0 == 0x80
}

/// Returns the number of characters of `text`, approximately its width on a terminal.
pub(crate) const fn columns(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] & 0xC0 != 0x80 {
            count += 1;
        }
        i += 1;
    }
    count
}

impl<const N: usize> Default for Message<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> fmt::Display for Message<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl<const N: usize> fmt::Debug for Message<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<const N: usize> fmt::Write for Message<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_shortened_text_has_at_most_that_length(whole in ".{0,40}", limit in 3usize..40) {
            let mut text = Message::<256>::new();
            text.writer().push_shortened(&whole, limit);
            prop_assert!(!text.is_truncated() && text.len() <= limit.max(3));
            if whole.len() > limit {
                let (head, tail) = text.as_str().split_once(ELLIPSIS).unwrap();
                prop_assert!(whole.starts_with(head) && whole.ends_with(tail));
            } else {
                prop_assert_eq!(text.as_str(), whole);
            }
        }

        #[test]
        fn a_cut_text_is_a_prefix_and_an_ellipsis(parts in proptest::collection::vec(".{0,9}", 0..6)) {
            let mut text = Message::<16>::new();
            for part in &parts {
                text.push(part);
            }
            let whole = parts.concat();
            if whole.len() <= 16 {
                prop_assert_eq!(text.as_str(), whole);
                prop_assert!(!text.is_truncated());
            } else {
                let kept = text.as_str().strip_suffix(ELLIPSIS).unwrap();
                prop_assert!(whole.starts_with(kept) && text.is_truncated());
                prop_assert!(kept.len() + ELLIPSIS.len() > 12, "cut too early: {:?}", text);
            }
        }
    }
}

//! Text put together while a program compiles.

/// A text of bounded length that a constant can build and panic with.
pub(crate) struct Message {
    bytes: [u8; Self::CAPACITY],
    len: usize,
}

impl Message {
    const CAPACITY: usize = 1024;

    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; Self::CAPACITY],
            len: 0,
        }
    }

    /// Appends `text`; what does not fit is left out.
    pub(crate) const fn text(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.len + text.len() <= Self::CAPACITY {
            let mut i = 0;
            while i < text.len() {
                self.bytes[self.len] = text[i];
                self.len += 1;
                i += 1;
            }
        }
        self
    }

    /// Appends `number` in decimal.
    pub(crate) const fn number(self, number: usize) -> Self {
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut rest = number;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        match core::str::from_utf8(digits.split_at(at).1) {
            Ok(text) => self.text(text),
            Err(_) => self,
        }
    }

    /// Panics with the text.
    #[track_caller]
    pub(crate) const fn panic(&self) -> ! {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("a message is not UTF-8"),
        }
    }
}

//! Prints expressions and literals.

use super::Printer;
use crate::mangled::tree::{ASSIGNMENT, Id, Node, NodeList};
use crate::prelude::*;

impl<'t, 's> Printer<'t, 's> {
    /// Prints an operand, in parentheses if its precedence is not below `limit`.
    pub(super) fn operand(&mut self, id: Id, limit: u8) {
        let mut node = self.tree.node(id);
        if let Node::Parameter(argument, _) = node {
            node = self.tree.node(argument);
        }
        match node {
            Node::Binary(_, precedence, ..) | Node::Form(_, precedence, _) if precedence >= limit => {
                self.within(["(", ")"], |printer| printer.print(id));
            }
            _ => self.print(id),
        }
    }

    pub(super) fn binary(&mut self, symbol: &str, precedence: u8, left: Id, right: Id) {
        let is_assignment = precedence == ASSIGNMENT;
        let [before, after] = match symbol {
            "." | "->" | ".*" | "->*" => ["", ""],
            "," => ["", " "],
            _ => [" ", " "],
        };
        let print = |printer: &mut Self| {
            printer.operand(left, if is_assignment { 15 } else { precedence + 1 });
            printer.push(before);
            printer.push(symbol);
            printer.push(after);
            printer.operand(right, precedence + u8::from(is_assignment));
        };
        // Without parentheses, `>` would end the template arguments.
        if self.brackets == 0 && matches!(symbol, ">" | ">>") {
            self.within(["(", ")"], print);
        } else {
            print(self);
        }
    }

    pub(super) fn form(&mut self, text: &str, operands: NodeList) {
        let operands = self.tree.items(operands);
        let outside = self.brackets;
        let mut following = 0;
        let mut text = text.chars().peekable();
        while let Some(next) = text.next() {
            match next {
                '%' => {
                    let number = text.next_if(char::is_ascii_digit);
                    let limit = text.next_if(char::is_ascii_uppercase);
                    let at = number.map_or(following, |number| number as usize - '0' as usize);
                    if let Some(&operand) = operands.get(at) {
                        let limit = limit.map_or(u8::MAX, |limit| limit as u8 - b'A');
                        self.operand(operand, limit);
                    }
                    following += 1;
                    continue;
                }
                '(' => self.brackets += 1,
                ')' => self.brackets = self.brackets.saturating_sub(1),
                '<' => self.brackets = 0,
                '>' => self.brackets = outside,
                _ => {}
            }
            self.push(next.encode_utf8(&mut [0; 4]));
        }
        self.brackets = outside;
    }

    pub(super) fn literal(&mut self, ty: Id, value: &str) {
        let name = match self.tree.node(ty) {
            Node::Builtin(name) => name,
            _ => "",
        };
        let suffix = match (name, value) {
            ("bool", "0") => return self.push("false"),
            ("bool", "1") => return self.push("true"),
            ("std::nullptr_t", _) => return self.push("nullptr"),
            ("float" | "double", _) => return self.float(value),
            ("int", _) => "",
            ("unsigned int", _) => "u",
            ("long", _) => "l",
            ("unsigned long", _) => "ul",
            ("long long", _) => "ll",
            ("unsigned long long", _) => "ull",
            _ => {
                self.within(["(", ")"], |printer| printer.print(ty));
                ""
            }
        };
        let digits = value.strip_prefix('n');
        self.push(if digits.is_some() { "-" } else { "" });
        self.push(digits.unwrap_or(value));
        self.push(suffix);
    }

    /// Prints a floating-point number in base 16: `0x1.8p+1`, with an `f` for `float`.
    fn float(&mut self, bits: &str) {
        let number = u64::from_str_radix(bits, 16).unwrap_or_default();
        let (number, suffix) = match bits.len() {
            8 => (f64::from(f32::from_bits(number as u32)), "f"),
            _ => (f64::from_bits(number), ""),
        };
        let sign = if number.is_sign_negative() { "-" } else { "" };
        let fraction = number.to_bits() & ((1 << 52) - 1);
        let exponent = (number.to_bits() >> 52 & 0x7ff) as i32;
        let digits = format!(".{fraction:013x}");
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        self.push(&match (exponent, fraction) {
            (0, 0) => format!("{sign}0x0p+0{suffix}"),
            (0, _) => format!("{sign}0x0{digits}p-1022{suffix}"),
            (0x7ff, 0) => format!("{sign}inf{suffix}"),
            (0x7ff, _) => format!("{sign}nan{suffix}"),
            _ => format!("{sign}0x1{digits}p{:+}{suffix}", exponent - 1023),
        });
    }
}

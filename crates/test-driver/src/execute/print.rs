//! `printf` of kernels: the format of C, with the arguments in memory in a row.

use std::fmt::Write as _;

/// A conversion: `%-08.3lld`.
#[derive(Debug, Default)]
struct Conversion {
    left: bool,
    zeros: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    is_long: bool,
}

/// The longest text of a call.
const MOST: usize = 1 << 20;
/// The longest text of one conversion.
const LONGEST: usize = 4096;

/// Returns the text of `format`. `word` reads the argument at an offset, of 4 or 8 bytes; `text` reads a string at an
/// address.
pub(super) fn format<E>(
    format: &[u8],
    mut word: impl FnMut(usize, u32) -> Result<u64, E>,
    mut text: impl FnMut(u64) -> Result<Vec<u8>, E>,
) -> Result<Vec<u8>, E> {
    let mut out = Vec::new();
    let (mut at, mut offset) = (0, 0usize);
    let mut argument = |is_long: bool| {
        let size = if is_long { 8 } else { 4 };
        offset = offset.next_multiple_of(size);
        let value = word(offset, size as u32);
        offset += size;
        value
    };
    while let Some(byte) = format.get(at).copied().filter(|_| out.len() < MOST) {
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let start = at - 1;
        let mut conversion = Conversion::default();
        let mut in_precision = false;
        let kind = loop {
            let Some(byte) = format.get(at).copied() else {
                out.extend(&format[start..]);
                return Ok(out);
            };
            at += 1;
            match byte {
                b'-' => conversion.left = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'#' => conversion.alternate = true,
                b'0' if !in_precision && conversion.width == 0 => conversion.zeros = true,
                b'0'..=b'9' | b'*' => {
                    let number = match (byte, in_precision) {
                        (b'*', _) => argument(false)? as usize,
                        (_, true) => conversion.precision.unwrap_or(0) * 10 + usize::from(byte - b'0'),
                        (_, false) => conversion.width * 10 + usize::from(byte - b'0'),
                    }
                    .min(LONGEST);
                    match in_precision {
                        true => conversion.precision = Some(number),
                        false => conversion.width = number,
                    }
                }
                b'.' => (in_precision, conversion.precision) = (true, Some(0)),
                b'l' | b'j' | b'z' | b't' => conversion.is_long = true,
                b'h' | b'L' => {}
                _ => break byte,
            }
        };
        match kind {
            b'%' => out.push(b'%'),
            b'c' => {
                let value = argument(false)? as u8;
                conversion.pad(&mut out, "", &[value]);
            }
            b's' => {
                let mut value = text(argument(true)?)?;
                value.truncate(conversion.precision.unwrap_or(usize::MAX));
                conversion.zeros = false;
                conversion.pad(&mut out, "", &value);
            }
            b'p' => {
                let value = argument(true)?;
                conversion.pad(&mut out, "", format!("{value:#x}").as_bytes());
            }
            b'd' | b'i' => {
                let bits = argument(conversion.is_long)?;
                let value = if conversion.is_long { bits.cast_signed() } else { i64::from(bits as i32) };
                conversion.number(&mut out, value < 0, value.unsigned_abs().to_string());
            }
            b'u' | b'x' | b'X' | b'o' => {
                let value = argument(conversion.is_long)?;
                let digits = match kind {
                    b'u' => value.to_string(),
                    b'x' => format!("{value:x}"),
                    b'X' => format!("{value:X}"),
                    _ => format!("{value:o}"),
                };
                let prefix = match kind {
                    b'x' if conversion.alternate && value != 0 => "0x",
                    b'X' if conversion.alternate && value != 0 => "0X",
                    b'o' if conversion.alternate => "0",
                    _ => "",
                };
                (conversion.plus, conversion.space) = (false, false);
                conversion.number(&mut out, false, format!("{prefix}{digits}"));
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(argument(true)?);
                let mut digits = float(value.abs(), kind.to_ascii_lowercase(), &conversion);
                if kind.is_ascii_uppercase() {
                    digits.make_ascii_uppercase();
                }
                conversion.precision = None;
                conversion.zeros &= value.is_finite();
                conversion.number(&mut out, value.is_sign_negative() && !value.is_nan(), digits);
            }
            _ => out.extend(&format[start..at]),
        }
    }
    Ok(out)
}

impl Conversion {
    fn number(&self, out: &mut Vec<u8>, negative: bool, mut digits: String) {
        let sign = match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        if let Some(precision) = self.precision {
            digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len())));
        }
        self.pad(out, sign, digits.as_bytes());
    }

    fn pad(&self, out: &mut Vec<u8>, sign: &str, text: &[u8]) {
        let missing = self.width.saturating_sub(sign.len() + text.len());
        let zeros = self.zeros && !self.left && self.precision.is_none();
        if !self.left && !zeros {
            out.resize(out.len() + missing, b' ');
        }
        out.extend(sign.as_bytes());
        if zeros {
            out.resize(out.len() + missing, b'0');
        }
        out.extend(text);
        if self.left {
            out.resize(out.len() + missing, b' ');
        }
    }
}

fn float(value: f64, kind: u8, conversion: &Conversion) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return "inf".into();
    }
    let precision = conversion.precision.unwrap_or(6).min(350);
    match kind {
        b'f' => format!("{value:.precision$}"),
        b'e' => exponent(value, precision),
        b'a' => {
            let bits = value.to_bits();
            let (raw, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
            let digits = format!("{fraction:013x}");
            let digits = digits.trim_end_matches('0');
            let point = if digits.is_empty() { "" } else { "." };
            let (lead, power) = match raw {
                0 if fraction == 0 => (0, 0),
                0 => (0, -1022),
                raw => (1, raw as i64 - 1023),
            };
            format!("0x{lead}{point}{digits}p{power:+}")
        }
        _ => {
            let precision = precision.max(1);
            let scientific = exponent(value, precision - 1);
            let power: i32 = scientific.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
            let is_scientific = power < -4 || power >= precision as i32;
            let text = match is_scientific {
                true => scientific,
                false => format!("{value:.*}", (precision as i32 - 1 - power).max(0) as usize),
            };
            if conversion.alternate {
                return text;
            }
            let (digits, rest) =
                text.split_once('e').map_or((text.as_str(), None), |(digits, rest)| (digits, Some(rest)));
            let digits = match digits.contains('.') {
                true => digits.trim_end_matches('0').trim_end_matches('.'),
                false => digits,
            };
            rest.map_or_else(|| digits.to_owned(), |rest| format!("{digits}e{rest}"))
        }
    }
}

fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    let mut all = digits.to_owned();
    let _ = write!(all, "e{sign}{power:0>2}");
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str, arguments: &[u64]) -> String {
        // Every argument has 8 bytes here, so 4-byte arguments are pairs.
        let word = |offset: usize, size: u32| {
            let bytes: Vec<u8> = arguments.iter().flat_map(|value| value.to_le_bytes()).collect();
            let part = &bytes[offset..][..size as usize];
            Ok::<u64, ()>(part.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
        };
        let bytes = format(text.as_bytes(), word, |_| Ok(b"text".to_vec())).expect("nothing fails");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn conversions_are_those_of_c() {
        let pair = |low: i32, high: i32| u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32;
        for (text, arguments, result) in [
            ("%d|%5d|", vec![pair(-3, 42)], "-3|   42|"),
            ("%05d|%-5d|", vec![pair(-3, 42)], "-0003|42   |"),
            ("%+d %x", vec![pair(7, 255)], "+7 ff"),
            ("%#x %o", vec![pair(255, 8)], "0xff 10"),
            ("%lld %llu", vec![u64::MAX, u64::MAX], "-1 18446744073709551615"),
            ("%f %.2f", vec![1.5f64.to_bits(), 2.0f64.to_bits()], "1.500000 2.00"),
            ("%e %g", vec![12345.678f64.to_bits(), 0.0001f64.to_bits()], "1.234568e+04 0.0001"),
            ("%g %G", vec![1e20f64.to_bits(), 1e-10f64.to_bits()], "1e+20 1E-10"),
            ("%8.3f|%-8.1f|", vec![(-1.5f64).to_bits(), 2.25f64.to_bits()], "  -1.500|2.2     |"),
            ("%s|%6s|%.2s", vec![0, 0, 0], "text|  text|te"),
            ("%c%% %p", vec![65, 0x10], "A% 0x10"),
            ("%*d %q", vec![pair(4, 1)], "   1 %q"),
            ("%a %.3d", vec![1.5f64.to_bits(), 5], "0x1.8p+0 005"),
        ] {
            assert_eq!(printed(text, &arguments), result, "{text}");
        }
    }
}

//! `printf` of kernels: the format of C, with the arguments in memory in a row.

use super::types::low;
use std::fmt::Write as _;

/// A conversion: `%-08.3lld`.
#[derive(Debug, Default)]
struct Conversion {
    left: bool,
    zeros: bool,
    /// Before a number that is not negative.
    sign: &'static str,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    /// The bits of an integer.
    bits: u32,
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
        let mut conversion = Conversion { bits: 32, ..Conversion::default() };
        let mut in_precision = false;
        let kind = loop {
            let Some(byte) = format.get(at).copied() else {
                out.extend(&format[start..]);
                return Ok(out);
            };
            at += 1;
            match byte {
                b'-' => conversion.left = true,
                b'+' => conversion.sign = "+",
                b' ' if conversion.sign.is_empty() => conversion.sign = " ",
                b'#' => conversion.alternate = true,
                b'0' if !in_precision && conversion.width == 0 => conversion.zeros = true,
                b'*' => {
                    let number = argument(false)? as i32;
                    let size = (number.unsigned_abs() as usize).min(LONGEST);
                    if in_precision {
                        conversion.precision = (number >= 0).then_some(size);
                    } else {
                        (conversion.width, conversion.left) = (size, conversion.left || number < 0);
                    }
                }
                b'0'..=b'9' => {
                    let number =
                        if in_precision { conversion.precision.get_or_insert(0) } else { &mut conversion.width };
                    *number = (*number * 10 + usize::from(byte - b'0')).min(LONGEST);
                }
                b'.' => (in_precision, conversion.precision) = (true, Some(0)),
                b'l' | b'j' | b'z' | b't' => conversion.bits = 64,
                b'h' => conversion.bits = (conversion.bits / 2).max(8),
                b'L' | b' ' => {}
                _ => break byte,
            }
        };
        let (mut prefix, precision) = (String::new(), conversion.precision);
        let mut text = match kind {
            b'c' => vec![argument(false)? as u8],
            b's' => {
                let mut value = text(argument(true)?)?;
                value.truncate(precision.unwrap_or(usize::MAX));
                value
            }
            b'p' => match argument(true)? {
                0 => b"(nil)".to_vec(),
                value => format!("{value:#x}").into_bytes(),
            },
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let raw = argument(conversion.bits == 64)?;
                integer(&mut conversion, kind, raw, &mut prefix).into_bytes()
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let (value, kind) = (f64::from_bits(argument(true)?), kind.to_ascii_lowercase());
                conversion.zeros &= value.is_finite();
                prefix += if value.is_sign_negative() { "-" } else { conversion.sign };
                prefix += if kind == b'a' && value.is_finite() { "0x" } else { "" };
                float(value.abs(), kind, &conversion).into_bytes()
            }
            b'%' => b"%".to_vec(),
            _ => {
                out.extend(&format[start..at]);
                continue;
            }
        };
        if kind.is_ascii_uppercase() {
            prefix.make_ascii_uppercase();
            text.make_ascii_uppercase();
        }
        let missing = conversion.width.saturating_sub(prefix.len() + text.len());
        match conversion {
            Conversion { left: true, .. } => text.resize(text.len() + missing, b' '),
            Conversion { zeros: true, .. } => prefix += &"0".repeat(missing),
            _ => prefix.insert_str(0, &" ".repeat(missing)),
        }
        out.extend([prefix.as_bytes(), &text].concat());
    }
    Ok(out)
}

/// Returns the digits of an integer, and adds its sign or `0x` to `prefix`.
fn integer(conversion: &mut Conversion, kind: u8, raw: u64, prefix: &mut String) -> String {
    let unused = 64 - conversion.bits;
    let mut value = raw << unused >> unused;
    if let b'd' | b'i' = kind {
        let signed = (value << unused).cast_signed() >> unused;
        *prefix += if signed < 0 { "-" } else { conversion.sign };
        value = signed.unsigned_abs();
    }
    let mut digits = match kind {
        _ if value == 0 && conversion.precision == Some(0) => String::new(),
        b'x' | b'X' => format!("{value:x}"),
        b'o' => format!("{value:o}"),
        _ => value.to_string(),
    };
    let mut least = conversion.precision.unwrap_or(0);
    match kind {
        b'x' | b'X' if conversion.alternate && value != 0 => *prefix += "0x",
        b'o' if conversion.alternate && !digits.starts_with('0') => least = least.max(digits.len() + 1),
        _ => {}
    }
    conversion.zeros &= conversion.precision.is_none();
    digits.insert_str(0, &"0".repeat(least.saturating_sub(digits.len())));
    digits
}

/// Returns the digits of a number, without `0x`.
fn float(value: f64, kind: u8, conversion: &Conversion) -> String {
    let precision = conversion.precision.unwrap_or(6);
    let mut text = match kind {
        _ if !value.is_finite() => return value.to_string().to_lowercase(),
        b'f' => format!("{value:.precision$}"),
        b'e' => exponent(value, precision),
        b'a' => hexadecimal(value, conversion.precision),
        _ => {
            let precision = precision.max(1);
            let scientific = exponent(value, precision - 1);
            let power: i32 = scientific.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
            let text = match power < -4 || power >= precision as i32 {
                true => scientific,
                false => format!("{value:.*}", (precision as i32 - 1 - power) as usize),
            };
            let end = text.find('e').unwrap_or(text.len());
            match &text[..end] {
                digits if digits.contains('.') && !conversion.alternate => {
                    digits.trim_end_matches('0').trim_end_matches('.').to_owned() + &text[end..]
                }
                _ => text,
            }
        }
    };
    if conversion.alternate && !text.contains('.') {
        text.insert(text.find(['e', 'p']).unwrap_or(text.len()), '.');
    }
    text
}

fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    const BITS: u32 = f64::MANTISSA_DIGITS - 1;
    let (raw, fraction) = (value.to_bits() >> BITS, value.to_bits() & low(BITS));
    let (mut whole, power) = match raw {
        0 => (fraction, if fraction == 0 { 0 } else { -1022 }),
        raw => (1 << BITS | fraction, raw.cast_signed() - 1023),
    };
    if let Some(dropped) = precision.and_then(|digits| BITS.checked_sub(4 * digits as u32)).filter(|bits| *bits > 0) {
        let (kept, rest, half) = (whole >> dropped, whole & low(dropped), 1 << (dropped - 1));
        whole = (kept + u64::from(rest > half || rest == half && kept & 1 == 1)) << dropped;
    }
    let digits = format!("{:013x}", whole & low(BITS));
    let digits = match precision {
        None => digits.trim_end_matches('0').to_owned(),
        Some(precision) => format!("{digits:0<precision$.precision$}"),
    };
    let point = if digits.is_empty() { "" } else { "." };
    format!("{:x}{point}{digits}p{power:+}", whole >> BITS)
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
            ("%*d|", vec![pair(-4, 1)], "1   |"),
            ("%.*d", vec![pair(-4, 1)], "1"),
            ("%#08x|%#.4x", vec![pair(255, 255)], "0x0000ff|0x00ff"),
            ("%.0d|%#o", vec![pair(0, 0)], "|0"),
            ("%#.0o|%#.3o", vec![pair(0, 8)], "0|010"),
            ("%hd %hhu", vec![pair(0x18000, 0x1ff)], "-32768 255"),
            ("%p|%8p", vec![0, 16], "(nil)|    0x10"),
            ("%#.0f|%#.0e|%#g", [2.0f64; 3].map(f64::to_bits).to_vec(), "2.|2.e+00|2.00000"),
            ("%f %F", vec![(-f64::NAN.abs()).to_bits(), f64::NEG_INFINITY.to_bits()], "-nan -INF"),
            (
                "%012a|%.1a|%.0a|%#A",
                [1.5f64, 1.97, 1.5, 0.0].map(f64::to_bits).to_vec(),
                "0x00001.8p+0|0x2.0p+0|0x2p+0|0X0.P+0",
            ),
            ("%.15a|%a", vec![1.5f64.to_bits(), 1], "0x1.800000000000000p+0|0x0.0000000000001p-1022"),
            ("%a %.3d", vec![1.5f64.to_bits(), 5], "0x1.8p+0 005"),
        ] {
            assert_eq!(printed(text, &arguments), result, "{text}");
        }
    }
}

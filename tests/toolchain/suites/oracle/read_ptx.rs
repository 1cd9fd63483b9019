//! Reads the PTX that NVRTC writes for the oracle's own sources, without code under test. It does not support any other
//! PTX.
//!
//! `kernel-args-image` and the test driver have separate readers. The oracle compares their results with the compiler's
//! answer, so it intentionally shares no code with them.

use crate::oracle::answer::Declared;

/// The parameters of the entry `name`.
pub(crate) fn parameters(ptx: &str, name: &str) -> Option<Vec<Declared>> {
    let start = ptx.find(&format!(".entry {name}("))?;
    let list = ptx[start..].split_once('(')?.1.split_once(')')?.0;
    list.split(',').map(parameter).collect()
}

fn parameter(declaration: &str) -> Option<Declared> {
    let mut words = declaration.split_whitespace().peekable();
    let (mut align, mut scalar, mut is_pointer) = (None, None, false);
    while let Some(word) = words.next() {
        match word {
            ".param" => {}
            ".ptr" => is_pointer = true,
            // After `.ptr` it is the alignment of the pointee.
            ".align" if is_pointer => drop(words.next()),
            ".align" => align = Some(words.next()?.parse().ok()?),
            _ if word.starts_with('.') => scalar = scalar.or(word.get(1..)),
            _ => {
                let scalar = scalar?;
                let width = scalar.get(1..)?.parse::<usize>().ok()? / 8;
                let count = match word.split_once('[') {
                    Some((_, rest)) => rest.strip_suffix(']')?.parse().ok()?,
                    None => 1,
                };
                return Some(Declared {
                    letter: scalar.chars().next()?,
                    size: width * count,
                    align: align.unwrap_or(width),
                });
            }
        }
    }
    None
}

/// The numbers of the global array `name` of 32-bit integers. PTX contains them as integers or as bytes, without zeros
/// at the end.
pub(crate) fn numbers(ptx: &str, name: &str) -> Option<Vec<usize>> {
    let line = ptx.lines().find(|line| line.contains(&format!(" {name}[")))?;
    let (len, list) = line.split_once('[')?.1.split_once(']')?;
    let list = list.split_once('{')?.1.split_once('}')?.0;
    let mut numbers = list.split(',').map(|n| n.trim().parse().ok()).collect::<Option<Vec<usize>>>()?;
    numbers.resize(len.parse().ok()?, 0);
    if line.contains(".b8") {
        let words = numbers.chunks(4);
        let word = |bytes: &[usize]| bytes.iter().rev().fold(0, |word, byte| word << 8 | byte);
        numbers = words.map(word).collect();
    }
    Some(numbers)
}

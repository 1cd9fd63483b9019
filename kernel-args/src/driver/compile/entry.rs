//! The format of a cache entry: a mark, a checksum of the rest, then the entry's name and its parts, each with its
//! length before it.

use super::{key::checksum, source::Compiled};
use std::{string::String, vec::Vec};

const MARK: &[u8] = b"kernel-args\0\x01";

pub(super) fn encode(name: &str, compiled: &Compiled) -> Vec<u8> {
    let mut parts = Vec::new();
    let mut add = |part: &[u8]| {
        parts.extend((part.len() as u64).to_le_bytes());
        parts.extend(part);
    };
    add(name.as_bytes());
    add(compiled.architecture.as_bytes());
    add(&compiled.ptx);
    add(&compiled.cubin);
    add(&compiled.debug);
    add(compiled.log.as_bytes());
    for (expression, symbol) in &compiled.names {
        add(expression.as_bytes());
        add(symbol.as_bytes());
    }
    let mut entry = MARK.to_vec();
    entry.extend(checksum(&parts));
    entry.extend(parts);
    entry
}

/// Decodes the entry with this name; `None` if the entry has a different name or is damaged.
pub(super) fn decode(name: &str, entry: &[u8]) -> Option<Compiled> {
    let rest = entry.strip_prefix(MARK)?;
    let (sum, mut parts) = rest.split_at_checked(32)?;
    if checksum(parts) != sum {
        return None;
    }
    let mut next = || -> Option<Vec<u8>> {
        let (length, rest) = parts.split_first_chunk::<8>()?;
        let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        parts = rest;
        Some(part.to_vec())
    };
    let text = |bytes| String::from_utf8(bytes).ok();
    if next()? != name.as_bytes() {
        return None;
    }
    let mut compiled = Compiled {
        architecture: text(next()?)?,
        ptx: next()?,
        cubin: next()?,
        debug: next()?,
        log: text(next()?)?,
        names: Vec::new(),
    };
    while let Some(expression) = next() {
        let symbol = next()?;
        compiled.names.push((text(expression)?, text(symbol)?));
    }
    Some(compiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled() -> Compiled {
        Compiled {
            architecture: "sm_90".into(),
            ptx: b"ptx".to_vec(),
            cubin: (0..=255).collect(),
            debug: Vec::new(),
            log: "a warning\n".into(),
            names: [("f<int>".into(), "_Z1fIiEvv".into()), ("g".into(), "g".into())].into(),
        }
    }

    #[test]
    fn every_damage_is_noticed() {
        let bytes = encode("name", &compiled());
        assert_eq!((decode("name", &bytes), decode("other", &bytes)), (Some(compiled()), None));
        for at in 0..bytes.len() {
            for flip in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                assert_eq!(decode("name", &damaged), None, "{at}");
            }
            assert_eq!(decode("name", &bytes[..at]), None, "{at}");
        }
        let mut longer = bytes;
        longer.push(0);
        assert_eq!(decode("name", &longer), None);
    }
}

//! A compiler's answer for a signature.

use std::collections::BTreeMap;

/// The GPU generations that are compared.
pub(crate) const SMS: [u16; 6] = [75, 80, 89, 90, 100, 120];

/// The PTX declaration of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Declared {
    /// The letter of its type: `u`, `s`, `f`, or `b` for an array of bytes.
    pub(crate) letter: char,
    /// The size in bytes.
    pub(crate) size: usize,
    /// The alignment in bytes.
    pub(crate) align: usize,
}

/// The offsets of parameters on one GPU, from the cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Records {
    /// Offset and size of each parameter, in bytes.
    pub(crate) parameters: Vec<(usize, usize)>,
    /// The size of the block, in bytes.
    pub(crate) total: usize,
}

/// A compiler's answer for a signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Answer {
    /// The values of the generator's `cpp_facts`.
    pub(crate) facts: Vec<usize>,
    /// Every parameter, in order.
    pub(crate) declared: Vec<Declared>,
    /// The offsets by GPU.
    pub(crate) records: BTreeMap<u16, Records>,
}

impl Answer {
    /// A line of a table: facts, declarations, then the offsets and the total size for each group of GPUs with equal
    /// values.
    pub(crate) fn line(&self) -> String {
        let facts: Vec<String> = self.facts.iter().map(ToString::to_string).collect();
        let declared: Vec<String> =
            self.declared.iter().map(|d| format!("{}{}/{}", d.letter, d.size, d.align)).collect();
        let mut groups: Vec<(Vec<String>, String)> = Vec::new();
        for (sm, records) in &self.records {
            let offsets = records.parameters.iter().map(|(offset, _)| *offset);
            let numbers: Vec<String> = offsets.chain([records.total]).map(|n| n.to_string()).collect();
            let numbers = numbers.join(" ");
            match groups.iter_mut().find(|(_, other)| *other == numbers) {
                Some((sms, _)) => sms.push(sm.to_string()),
                None => groups.push((vec![sm.to_string()], numbers)),
            }
        }
        let groups: Vec<String> = groups.iter().map(|(sms, numbers)| format!("{}: {numbers}", sms.join(" "))).collect();
        format!("{}\t{}\t{}", facts.join(" "), declared.join(" "), groups.join("\t"))
    }

    /// Parses such a line.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut columns = line.split('\t');
        let numbers = |text: &str| -> Option<Vec<usize>> { text.split_whitespace().map(|n| n.parse().ok()).collect() };
        let facts = numbers(columns.next()?)?;
        let declared: Vec<Declared> = columns
            .next()?
            .split_whitespace()
            .map(|text| {
                let (size, align) = text.get(1..)?.split_once('/')?;
                Some(Declared { letter: text.chars().next()?, size: size.parse().ok()?, align: align.parse().ok()? })
            })
            .collect::<Option<_>>()?;
        let mut records = BTreeMap::new();
        for group in columns {
            let (sms, offsets) = group.split_once(':')?;
            let mut offsets = numbers(offsets)?;
            let total = offsets.pop()?;
            let sizes = declared.iter().map(|d| d.size);
            let parameters: Vec<(usize, usize)> = offsets.into_iter().zip(sizes).collect();
            for sm in numbers(sms)? {
                let parameters = parameters.clone();
                records.insert(u16::try_from(sm).ok()?, Records { parameters, total });
            }
        }
        Some(Self { facts, declared, records })
    }
}

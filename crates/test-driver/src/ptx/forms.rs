//! Reads the table of instructions, and finds the rows that a name fits.

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

use super::{
    opcodes::{FORMS, IGNORED, REPEATED, SETS},
    types::Kind,
};

/// Words of which a name has one.
#[derive(Clone)]
pub(crate) struct Group {
    pub(crate) words: Vec<&'static str>,
    pub(crate) optional: bool,
    is_type: bool,
}

impl Group {
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

/// An operand of a row.
#[derive(Clone)]
pub(super) struct Slot {
    pub(super) what: char,
    /// Its type, if it is not a type of the name.
    pub(super) kind: Option<Kind<'static>>,
    /// The number of its type in the name.
    pub(super) index: usize,
    pub(super) wider: bool,
    pub(super) optional: bool,
    /// Whether a predicate can or must follow: `a|p`.
    pub(super) pair: Option<bool>,
    /// The elements of a vector.
    pub(super) lanes: usize,
    /// The values that a constant can have, or their end.
    pub(super) values: Vec<u64>,
    pub(super) end: Option<u64>,
}

impl Slot {
    fn read(text: &'static str) -> Self {
        let (text, values) = text.split_once('=').unwrap_or((text, ""));
        let (text, end) = text.split_once('<').unwrap_or((text, ""));
        let (text, optional) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
        let (text, pair) = match text.split_once('/') {
            Some((text, predicate)) => (text, Some(predicate == "Q")),
            None => (text, None),
        };
        let (text, wider) = text.strip_suffix('~').map_or((text, false), |text| (text, true));
        let (text, kind) = text.split_once(':').unwrap_or((text, ""));
        let (what, number) = (text.chars().next().unwrap_or('x'), text[1..].parse().unwrap_or(0));
        let (index, lanes) = if what == 'v' { (0, number) } else { (number, 0) };
        let values = values.split(',').filter_map(|value| value.parse().ok()).collect();
        Self { what, kind: Kind::of(kind), index, wider, optional, pair, lanes, values, end: end.parse().ok() }
    }
}

/// A row of the table, for one of its names.
#[derive(Clone, Default)]
pub(crate) struct Form {
    /// The name with the modifiers that follow it first, in this order: `mul.hi`.
    pub(crate) name: &'static str,
    pub(crate) groups: Vec<Group>,
    /// Whether other modifiers are allowed.
    pub(super) any_modifier: bool,
    pub(super) operands: Vec<Slot>,
    /// Whether more operands are allowed.
    pub(super) any_operand: bool,
    pub(super) version: (u32, u32),
    pub(super) sm: u32,
    /// The PTX version in which it ended, for GPUs from `sm_70` on.
    gone: Option<(u32, u32)>,
}

impl Form {
    fn read(row: &'static str) -> impl Iterator<Item = Self> {
        let (modifiers, operands) = row.split_once(" :").unwrap_or((row, "*"));
        let (names, modifiers) = modifiers.split_once(' ').unwrap_or((modifiers, ""));
        let mut form = Self::default();
        for word in modifiers.split_whitespace() {
            let (word, optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
            let set = |word: &'static str| SETS.iter().find(|(name, _)| *name == word).map_or(word, |(_, words)| words);
            let words: Vec<_> = word.split('|').flat_map(|word| set(word).split('|')).collect();
            let is_type = Kind::of(words[0]).is_some();
            if word == "*" {
                form.any_modifier = true;
            } else {
                form.groups.push(Group { words, optional, is_type });
            }
        }
        let version = |text: &str| text.parse().map_or((0, 0), |version: u32| (version / 10, version % 10));
        for word in operands.split_whitespace() {
            match word.split_at(1) {
                ("*", _) => form.any_operand = true,
                ("@", since) => form.version = version(since),
                ("^", sm) => form.sm = sm.parse().unwrap_or(0),
                ("<", end) => form.gone = Some(version(end)),
                _ => form.operands.push(Slot::read(word)),
            }
        }
        names.split('|').map(move |name| Self { name, ..form.clone() })
    }

    /// Returns the parts of `name` that this form does not fix, if it begins as this form does.
    pub(super) fn rest<'a>(&self, name: &'a [String]) -> Option<&'a [String]> {
        let fixed = self.name.split('.').count();
        let begins = name.len() >= fixed && self.name.split('.').zip(name).all(|(word, part)| word == part);
        begins.then(|| &name[fixed..])
    }

    /// Returns the types of a name, if it has the modifiers of this form.
    pub(super) fn matches<'a>(&self, name: &'a [String]) -> Option<Vec<Kind<'a>>> {
        let (mut used, mut types) = (0_u64, Vec::new());
        for part in self.rest(name)? {
            let kind = Kind::of(part);
            let mut free = self.groups.iter().enumerate().filter(|(number, _)| used >> number & 1 == 0);
            let next = match kind {
                Some(_) => free.find(|(_, group)| group.is_type).filter(|(_, group)| group.has(part)),
                None => free.find(|(_, group)| group.has(part)),
            };
            let is_again = || REPEATED.contains(&part.as_str()) && self.has(part);
            match next {
                Some((number, _)) => used |= 1 << number,
                None if is_again() || IGNORED.contains(&part.as_str()) || self.any_modifier => {}
                None => return None,
            }
            types.extend(kind);
        }
        let mut groups = self.groups.iter().enumerate();
        groups.all(|(number, group)| group.optional || used >> number & 1 == 1).then_some(types)
    }

    /// Returns whether a name with this form can have this part.
    pub(super) fn has(&self, part: &str) -> bool {
        self.name.split('.').any(|word| word == part) || self.groups.iter().any(|group| group.has(part))
    }

    /// Returns whether it is for the types of a name.
    pub(super) fn has_types(&self, name: &[String]) -> bool {
        let mut groups = self.groups.iter().filter(|group| group.is_type);
        let mut types = name.iter().filter(|part| Kind::of(part).is_some());
        types.all(|part| groups.next().is_some_and(|group| group.has(part))) && groups.all(|group| group.optional)
    }

    /// Returns whether it allows operands of any kind.
    pub(super) fn is_vague(&self) -> bool {
        self.any_operand || self.operands.iter().any(|slot| matches!(slot.what, 'x' | 'l'))
    }

    pub(super) fn is_gone(&self, version: (u32, u32), sm: u32) -> bool {
        self.gone.is_some_and(|gone| version >= gone && sm >= 70)
    }
}

/// Returns the forms of each name.
pub(crate) fn table() -> &'static HashMap<&'static str, Vec<Form>> {
    static TABLE: OnceLock<HashMap<&str, Vec<Form>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<_, Vec<_>> = HashMap::new();
        for form in FORMS.iter().flat_map(|row| Form::read(row)) {
            table.entry(form.name.split('.').next().unwrap_or_default()).or_default().push(form);
        }
        table
    })
}

/// Returns whether a name in the table has this modifier.
pub(super) fn is_modifier(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&str>> = OnceLock::new();
    let words = || {
        let forms = table().values().flatten();
        let fixed = forms.clone().flat_map(|form| form.name.split('.').skip(1));
        fixed.chain(forms.flat_map(|form| &form.groups).flat_map(|group| group.words.iter().copied())).collect()
    };
    WORDS.get_or_init(words).contains(word) || IGNORED.contains(&word)
}

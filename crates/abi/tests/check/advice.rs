//! A reader that follows the hints of a report literally.

use kernel_args_abi::Parameter;
use kernel_args_abi::check::Report;
use std::collections::BTreeSet;

type Fields = Vec<Parameter<'static>>;

/// A change of the fields that a hint suggests. Types are spelled as in the text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Change {
    /// The names in their new order.
    Order(Vec<&'static str>),
    /// The index before which a new field is inserted.
    Add(usize),
    Remove(&'static str),
    Retype(&'static str),
}

/// The suggestions of a report: the alternative changes, and the types for each changed or added field.
#[derive(Debug, Default)]
pub(crate) struct Advice {
    pub(crate) changes: BTreeSet<Change>,
    pub(crate) types: Vec<String>,
}

/// The parts of a text in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

pub(crate) fn position(host: &[Parameter<'static>], name: &str) -> usize {
    host.iter().position(|field| field.name == name).unwrap_or_else(|| panic!("no field `{name}`"))
}

/// The index of the field after a place such as "between `a` and `b`".
fn place(host: &[Parameter<'static>], text: &str) -> usize {
    let names = quoted(text);
    match text.split(' ').next().unwrap() {
        "to" => 0,
        "before" => position(host, names[0]),
        "after" => position(host, names[0]) + 1,
        "between" => {
            assert_eq!(position(host, names[0]) + 1, position(host, names[1]), "{text}");
            position(host, names[1])
        }
        other => panic!("{other} in {text}"),
    }
}

impl Advice {
    pub(crate) fn of(host: &[Parameter<'static>], report: &Report<'_>) -> Self {
        let mut advice = Self::default();
        for mismatch in report.mismatches() {
            let message = report.message(*mismatch);
            let (_, help) = message.as_str().rsplit_once("\n  help: ").unwrap();
            let field = mismatch.field().map(|field| host[field].name);
            advice.read(host, field, help);
        }
        advice
    }

    fn read(&mut self, host: &[Parameter<'static>], field: Option<&'static str>, help: &str) {
        let order = |moved: usize, before: usize| {
            let mut names: Vec<_> = host.iter().map(|field| field.name).collect();
            let name = names.remove(moved);
            names.insert(if before > moved { before - 1 } else { before }, name);
            Change::Order(names)
        };
        if let Some((first, second)) = help.split_once("; or, if the order of the fields is right, ") {
            self.read(host, field, first);
            // The declaration names the field, or refers to the field of the message.
            let declared = quoted(second).into_iter().find_map(|part| part.split_once(": "));
            let own = declared.map_or(field.unwrap(), |(name, _)| host[position(host, name)].name);
            self.read(host, Some(own), second);
        } else if let Some((names, "look exchanged: swap them")) =
            help.rsplit_once(" look").map(|(a, _)| (a, &help[a.len() + 1..]))
        {
            let names = quoted(names);
            let mut swapped: Vec<_> = host.iter().map(|field| field.name).collect();
            swapped.swap(position(host, names[0]), position(host, names[1]));
            self.changes.insert(Change::Order(swapped));
        } else if let Some((name, to)) = help.split_once(" would fit here: move it ") {
            let moved = position(host, quoted(name)[0]);
            self.changes.insert(order(moved, place(host, to)));
        } else if let Some((_, to)) = help.split_once(": move it ") {
            self.changes.insert(order(position(host, field.unwrap()), place(host, to)));
        } else if let Some((before, after)) =
            help.strip_prefix("add a field for it ").and_then(|rest| rest.split_once(", or after it, "))
        {
            let (named, types) = (quoted(before), quoted(after.split(" (").next().unwrap()));
            let one = position(host, named[0]);
            self.changes.extend([Change::Add(one), Change::Add(one + 1)]);
            self.types.extend(named[1..].iter().chain(&types).map(|ty| String::from(*ty)));
        } else if let Some(rest) = help.strip_prefix("add a field for it ") {
            let (at, types) = rest.split_once(": ").unwrap();
            let types = types.split(" (").next().unwrap();
            self.types.extend(quoted(types).into_iter().map(String::from));
            let names = quoted(at);
            if at.starts_with("before or after") {
                let one = position(host, names[0]);
                self.changes.extend([Change::Add(one), Change::Add(one + 1)]);
            } else if at.ends_with("between them") {
                let (first, last) = (position(host, names[0]), position(host, names[1]));
                self.changes.extend((first..=last + 1).map(Change::Add));
            } else {
                self.changes.insert(Change::Add(place(host, at)));
            }
        } else if help.starts_with("remove it: ") {
            self.changes.insert(Change::Remove(field.unwrap()));
        } else if let Some((names, _)) =
            help.strip_prefix("remove ").and_then(|rest| rest.split_once(", which are alike"))
        {
            let ends: Vec<_> = quoted(names).iter().map(|name| position(host, name)).collect();
            let [first, last] = ends[..] else { panic!("{help}") };
            self.changes.extend((first..=last).map(|field| Change::Remove(host[field].name)));
        } else {
            self.changes.insert(Change::Retype(field.unwrap()));
            let declared = quoted(help).into_iter().filter_map(|part| part.split_once(": "));
            self.types.extend(declared.map(|(_, ty)| ty.to_owned()));
        }
    }

    /// The lists of fields that result from each change. An added field is the parameter itself.
    pub(crate) fn apply(&self, host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Vec<Fields> {
        let one = |change: &Change| {
            let mut fields = host.to_vec();
            match change {
                Change::Order(names) => {
                    fields = names.iter().map(|name| host[position(host, name)]).collect();
                }
                Change::Add(at) => fields.insert(*at, as_field(&kernel[*at])),
                Change::Remove(name) => {
                    fields.remove(position(host, name));
                }
                Change::Retype(name) => {
                    let at = position(host, name);
                    fields[at] = as_field(&kernel[at]);
                }
            }
            fields
        };
        self.changes.iter().map(one).collect()
    }
}

/// A field with unknown properties, so it fits any parameter.
pub(crate) fn as_field(parameter: &Parameter<'static>) -> Parameter<'static> {
    Parameter { offset: None, ..*parameter }
}

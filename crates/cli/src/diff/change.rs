//! The changes of a kernel, as data.

use crate::{
    escape::terminal,
    kernel::Kernel,
    show::{
        json::{self, SCHEMA},
        types,
    },
    style::{count, number},
};
use kernel_args_abi::{Alignment, Parameter};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Without `new` the kernel was removed, without `old` added.
#[derive(Debug)]
pub(crate) struct Changed<'k> {
    pub(crate) old: Option<&'k Kernel>,
    pub(crate) new: Option<&'k Kernel>,
    pub(crate) changes: Vec<Change>,
}

impl Changed<'_> {
    pub(crate) fn symbol(&self) -> &str {
        self.old.or(self.new).map_or("", |kernel| &kernel.symbol)
    }

    pub(crate) fn breaks(&self) -> bool {
        self.new.is_none() || self.changes.iter().any(|change| change.breaks)
    }
}

#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) kind: ChangeKind,
    /// Whether what is valid for the old kernel can be invalid for the new kernel.
    pub(crate) breaks: bool,
    pub(crate) old: Option<Side>,
    pub(crate) new: Option<Side>,
}

#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Side {
    /// The index of a parameter, from 0.
    pub(crate) index: Option<usize>,
    /// `float alpha, 4 bytes`, or the value of a limit.
    pub(crate) text: String,
    value: Value,
}

macro_rules! kinds {
    ($from:ident $to:ident $old:ident $new:ident: $($(#[$docs:meta])* $name:ident = $json:literal, $sentence:literal;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum ChangeKind {
            $($(#[$docs])* $name,)*
            Limit { name: &'static str, title: &'static str },
        }

        impl ChangeKind {
            const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $json,)*
                    Self::Limit { .. } => "limit",
                }
            }
        }

        impl Change {
            pub(crate) fn sentence(&self) -> String {
                let text = |side: &Option<Side>| side.as_ref().map_or("none", |side| &side.text).to_owned();
                let index = |side: &Option<Side>| number(side.as_ref().and_then(|side| side.index));
                let ($old, $new) = (text(&self.old), text(&self.new));
                let ($from, $to) = (index(&self.old), index(&self.new));
                match self.kind {
                    $(ChangeKind::$name => format!($sentence),)*
                    ChangeKind::Limit { title, .. } => format!("{title}: {} → {}", $old, $new),
                }
            }
        }
    };
}

kinds! { from to old new:
    Symbol = "symbol", "the symbol changed: {old} → {new}";
    Result = "result", "the returned type changed: {old} → {new}";
    Added = "parameter_added", "parameter {to} was added: {new}";
    Removed = "parameter_removed", "parameter {from} was removed: {old}";
    Moved = "parameter_moved", "parameter {from} moved to position {to}: {new}";
    Exchanged = "parameters_exchanged", "parameter {from} was exchanged with parameter {to}: {old}";
    Retyped = "parameter_retyped", "parameter {to} changed its type: {old} → {new}";
    /// The offset changed, although the parameters before it did not change.
    Offset = "parameter_offset", "parameter {to} changed its offset: {old}";
    Renamed = "parameter_renamed", "parameter {to} was renamed: {old} → {new}";
    MemberAdded = "member_added", "parameter {to}: a member was added: {new}";
    MemberRemoved = "member_removed", "parameter {from}: a member was removed: {old}";
    MemberMoved = "member_moved", "parameter {to}: a member moved: {old} → {new}";
    MemberRetyped = "member_retyped", "parameter {to}: a member changed its type: {old} → {new}";
    MemberRenamed = "member_renamed", "parameter {to}: a member was renamed: {old} → {new}";
    EnumeratorAdded = "enumerator_added", "parameter {to}: an enumerator was added: {new}";
    EnumeratorRemoved = "enumerator_removed", "parameter {from}: an enumerator was removed: {old}";
    EnumeratorChanged = "enumerator_changed", "parameter {to}: an enumerator changed its value: {old} → {new}";
    EnumeratorRenamed = "enumerator_renamed", "parameter {to}: an enumerator was renamed: {old} → {new}";
}

impl Side {
    pub(crate) fn parameter(index: usize, parameter: &Parameter<'_>) -> Self {
        let mut value = json::parameter(parameter);
        value["index"] = index.into();
        Self { index: Some(index), text: self::parameter(parameter), value }
    }

    pub(crate) fn text(text: String) -> Self {
        Self { index: None, value: Value::String(text.clone()), text }
    }

    /// Returns a change of a member, with its path: `params.cells.kind`.
    pub(crate) fn member(index: usize, path: &str, text: String, mut value: Value) -> Self {
        value["index"] = index.into();
        value["path"] = path.into();
        Self { index: Some(index), text, value }
    }
}

pub(super) fn parameter(parameter: &Parameter<'_>) -> String {
    let name = if parameter.name.is_empty() { String::new() } else { format!("`{}`: ", terminal(parameter.name)) };
    let size = count(parameter.size, "byte");
    let mut text = format!("{name}{}, {size}", types::spelling(parameter));
    if let Some(align) = parameter.align.map(Alignment::bytes).filter(|align| *align != parameter.size) {
        _ = write!(text, " aligned to {align}");
    }
    text
}

impl Change {
    pub(crate) fn new(kind: ChangeKind, breaks: bool, old: Option<Side>, new: Option<Side>) -> Self {
        Self { kind, breaks, old, new }
    }

    fn json(&self) -> Value {
        let side = |side: &Option<Side>| side.as_ref().map(|side| side.value.clone());
        let limit = match self.kind {
            ChangeKind::Limit { name, .. } => Some(name),
            _ => None,
        };
        json!({
            "kind": self.kind.name(),
            "limit": limit,
            "breaks": self.breaks,
            "old": side(&self.old),
            "new": side(&self.new),
        })
    }
}

/// The README of this crate has the schema.
pub(crate) fn json(changed: &[Changed<'_>], breaks: bool) -> Value {
    let kernel = |changed: &Changed<'_>| {
        let status = match (changed.old, changed.new) {
            (_, None) => "removed",
            (None, _) => "added",
            _ => "changed",
        };
        json!({
            "symbol": changed.symbol(),
            "status": status,
            "breaks": changed.breaks(),
            "changes": changed.changes.iter().map(Change::json).collect::<Vec<_>>(),
            "old": changed.old.map(json::kernel),
            "new": changed.new.map(json::kernel),
        })
    };
    json!({
        "schema": SCHEMA,
        "breaks": breaks,
        "kernels": changed.iter().map(kernel).collect::<Vec<_>>(),
    })
}

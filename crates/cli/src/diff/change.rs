//! The changes of a kernel, as data.

use crate::{
    escape::terminal,
    kernel::Kernel,
    show::{
        json::{self, SCHEMA},
        types,
    },
    style::count,
};
use kernel_args_abi::{Alignment, Parameter};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A kernel whose interface changed.
#[derive(Debug)]
pub(crate) enum Changed<'k> {
    Removed(&'k Kernel),
    Added(&'k Kernel),
    /// The kernel exists on both sides.
    Kept {
        old: &'k Kernel,
        new: &'k Kernel,
        changes: Vec<Change>,
    },
}

/// One change of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub(crate) kind: Kind,
    /// Whether arguments or a launch that are valid for the old kernel are invalid for the new kernel.
    pub(crate) breaks: bool,
    pub(crate) old: Option<Side>,
    pub(crate) new: Option<Side>,
}

/// One side of a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Side {
    /// The index of a parameter, from 0.
    pub(crate) index: Option<usize>,
    /// `float alpha, 4 bytes`, or the value of a limit.
    pub(crate) text: String,
    value: Value,
}

/// The kind of a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Symbol,
    Added,
    Removed,
    Moved,
    Exchanged,
    Retyped,
    /// The offset changed, although the parameters before it did not change.
    Offset,
    Renamed,
    MemberAdded,
    MemberRemoved,
    MemberMoved,
    MemberRetyped,
    MemberRenamed,
    EnumeratorAdded,
    EnumeratorRemoved,
    /// The value changed.
    EnumeratorChanged,
    EnumeratorRenamed,
    Limit {
        name: &'static str,
        title: &'static str,
    },
}

impl Kind {
    /// The name in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Added => "parameter_added",
            Self::Removed => "parameter_removed",
            Self::Moved => "parameter_moved",
            Self::Exchanged => "parameters_exchanged",
            Self::Retyped => "parameter_retyped",
            Self::Offset => "parameter_offset",
            Self::Renamed => "parameter_renamed",
            Self::MemberAdded => "member_added",
            Self::MemberRemoved => "member_removed",
            Self::MemberMoved => "member_moved",
            Self::MemberRetyped => "member_retyped",
            Self::MemberRenamed => "member_renamed",
            Self::EnumeratorAdded => "enumerator_added",
            Self::EnumeratorRemoved => "enumerator_removed",
            Self::EnumeratorChanged => "enumerator_changed",
            Self::EnumeratorRenamed => "enumerator_renamed",
            Self::Limit { .. } => "limit",
        }
    }
}

impl Side {
    pub(crate) fn parameter(index: usize, parameter: &Parameter<'_>) -> Self {
        let mut value = json::parameter(parameter);
        value["index"] = index.into();
        Self { index: Some(index), text: self::parameter(parameter), value }
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { index: None, value: Value::String(text.clone()), text }
    }

    /// A member or enumerator of the parameter with this index, by its path: `params.cells.kind`.
    pub(crate) fn member(index: usize, path: &str, text: String, value: Value) -> Self {
        let mut value = value;
        value["index"] = index.into();
        value["path"] = path.into();
        Self { index: Some(index), text, value }
    }
}

/// A parameter in a sentence: `alpha`: float, 4 bytes.
pub(super) fn parameter(parameter: &Parameter<'_>) -> String {
    let mut text = String::new();
    if !parameter.name.is_empty() {
        text = format!("`{}`: ", terminal(parameter.name));
    }
    let size = count(parameter.size as u64, "byte");
    _ = write!(text, "{}, {size}", types::spelling(parameter));
    if let Some(align) = parameter.align.map(Alignment::bytes).filter(|align| *align != parameter.size) {
        _ = write!(text, " aligned to {align}");
    }
    text
}

impl Change {
    pub(crate) fn new(kind: Kind, breaks: bool, old: Option<Side>, new: Option<Side>) -> Self {
        Self { kind, breaks, old, new }
    }

    fn json(&self) -> Value {
        let side = |side: &Option<Side>| side.as_ref().map(|side| side.value.clone());
        let limit = match self.kind {
            Kind::Limit { name, .. } => Some(name),
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

/// All changes. The README of this crate has the schema.
pub(crate) fn json(changed: &[Changed<'_>], breaks: bool) -> Value {
    let kernel = |changed: &Changed<'_>| {
        let (status, old, new) = match changed {
            Changed::Removed(old) => ("removed", Some(old), None),
            Changed::Added(new) => ("added", None, Some(new)),
            Changed::Kept { old, new, .. } => ("changed", Some(old), Some(new)),
        };
        let list: Vec<Value> = match changed {
            Changed::Kept { changes, .. } => changes.iter().map(Change::json).collect(),
            _ => Vec::new(),
        };
        json!({
            "symbol": old.or(new).map(|kernel| &kernel.symbol),
            "status": status,
            "breaks": changed.breaks(),
            "changes": list,
            "old": old.map(|kernel| json::kernel(kernel)),
            "new": new.map(|kernel| json::kernel(kernel)),
        })
    };
    json!({
        "schema": SCHEMA,
        "breaks": breaks,
        "kernels": changed.iter().map(kernel).collect::<Vec<_>>(),
    })
}

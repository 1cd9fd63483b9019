//! The text of a mismatch: the mistake, both sides, how to mend it.

use super::{
    hint::{self, Place},
    message::{Message, columns},
    rust::push_declaration,
    spelling::{push_cpp, push_layout},
};
use crate::{
    check::{Difference, Differences, Mismatch, Report, expected_offset},
    cpp::name,
    signature::Parameter,
};

/// The widest column that others are aligned with.
const WIDEST: usize = 48;

/// Appends a mismatch in a few lines, the last one without its end.
pub(crate) const fn mismatch<const N: usize, const M: usize>(
    message: &mut Message<M>,
    report: &Report<'_, N>,
    mismatch: Mismatch,
) {
    match mismatch {
        Mismatch::Differs {
            field,
            parameter,
            differences,
            ..
        } => {
            message.push_quoted(report.host().parameters[field].name);
            message.push(" does not fit parameter ");
            message.push_number(parameter);
            message.push(" of kernel ");
            message.push_quoted(report.kernel().name);
            push_sides(message, report, field, parameter, differences);
        }
        Mismatch::Missing { parameter, .. } => {
            message.push("kernel ");
            message.push_quoted(report.kernel().name);
            message.push(" takes one parameter more, number ");
            message.push_number(parameter);
            let kernel = &report.kernel().parameters[parameter];
            let side = Side::new(kernel, kernel.offset);
            side.push(message, "\n  kernel  ", side.widths());
        }
        Mismatch::Extra { field, .. } => {
            let host = &report.host().parameters[field];
            message.push_quoted(host.name);
            message.push(" is one field too many: kernel ");
            message.push_quoted(report.kernel().name);
            message.push(" has no parameter for it");
            let side = Side::new(host, None);
            side.push(message, "\n  host    ", side.widths());
        }
    }
    message.push("\n  ");
    reason(message, report, mismatch);
}

/// Appends why, and how to mend it, in one line without its end.
pub(super) const fn reason<const N: usize, const M: usize>(
    message: &mut Message<M>,
    report: &Report<'_, N>,
    mismatch: Mismatch,
) {
    let host = report.host().parameters;
    let kernel = report.kernel().parameters;
    match mismatch {
        Mismatch::Differs {
            field,
            exchanged: Some(other),
            ..
        } => {
            let (first, second) = if field < other {
                (field, other)
            } else {
                (other, field)
            };
            message.push_quoted(host[first].name);
            message.push(" and ");
            message.push_quoted(host[second].name);
            message.push(" look exchanged");
        }
        Mismatch::Differs {
            field,
            parameter,
            differences,
            exchanged: None,
        } => hint::push(
            message,
            Place {
                host,
                kernel,
                base: report.base(),
                field,
                parameter,
            },
            differences,
        ),
        Mismatch::Missing {
            before,
            moved: Some(field),
            ..
        } => {
            message.push_quoted(host[field].name);
            message.push(" would fit here: move it ");
            push_between(message, host, before);
        }
        Mismatch::Missing {
            parameter,
            before,
            moved: None,
        } => {
            message.push("add a field for it ");
            push_between(message, host, before);
            message.push(": ");
            if !push_declaration(message, "", None, &kernel[parameter]) {
                message.push("a type of ");
                push_layout(message, kernel[parameter].size, kernel[parameter].align);
            }
        }
        Mismatch::Extra {
            moved: Some(parameter),
            ..
        } => {
            message.push("it would fit parameter ");
            message.push_number(parameter);
            message.push(": the order of the fields is not the kernel's");
        }
        Mismatch::Extra { moved: None, .. } => {
            message.push("remove it: the kernel takes ");
            message.push_number(kernel.len());
            message.push(if kernel.len() == 1 {
                " parameter"
            } else {
                " parameters"
            });
            message.push(", the struct has ");
            message.push_number(host.len());
            message.push(if host.len() == 1 { " field" } else { " fields" });
        }
    }
}

const fn push_between<const M: usize>(
    message: &mut Message<M>,
    host: &[Parameter<'_>],
    before: usize,
) {
    if host.is_empty() {
        message.push("to the struct");
    } else if before == 0 {
        message.push("before ");
        message.push_quoted(host[0].name);
    } else if before >= host.len() {
        message.push("after ");
        message.push_quoted(host[host.len() - 1].name);
    } else {
        message.push("between ");
        message.push_quoted(host[before - 1].name);
        message.push(" and ");
        message.push_quoted(host[before].name);
    }
}

const fn push_sides<const N: usize, const M: usize>(
    message: &mut Message<M>,
    report: &Report<'_, N>,
    field: usize,
    parameter: usize,
    differences: Differences,
) {
    let (host, kernel) = (report.host().parameters, report.kernel().parameters);
    let expected = if differences.contains(Difference::Offset) {
        expected_offset(host, kernel, report.base(), field, parameter)
    } else {
        None
    };
    let mut left = Side::new(&host[field], expected);
    let right = Side::new(&kernel[parameter], kernel[parameter].offset);
    if kernel[parameter].cpp.is_unknown() {
        left.cpp = Message::new();
    }
    let (a, b) = (left.widths(), right.widths());
    let widths = (larger(a.0, b.0), larger(a.1, b.1));
    left.push(message, "\n  host    ", widths);
    right.push(message, "\n  kernel  ", widths);
}

/// One side's columns.
struct Side<'a> {
    parameter: &'a Parameter<'a>,
    /// The spelling in two parts; what was between them is left out.
    spelling: (&'a str, &'a str),
    cpp: Message<256>,
    offset: Option<usize>,
}

impl<'a> Side<'a> {
    const fn new(parameter: &'a Parameter<'a>, offset: Option<usize>) -> Self {
        let mut cpp = Message::new();
        if !parameter.cpp.is_unknown() {
            push_cpp(&mut cpp, parameter.cpp);
        }
        Self {
            parameter,
            spelling: shortened(parameter.spelling),
            cpp,
            offset,
        }
    }

    const fn widths(&self) -> (usize, usize) {
        let (spelling, cpp) = (self.spelling_columns(), columns(self.cpp.as_str()));
        (
            if spelling > WIDEST { WIDEST } else { spelling },
            if cpp > WIDEST { WIDEST } else { cpp },
        )
    }

    const fn spelling_columns(&self) -> usize {
        let (head, tail) = (columns(self.spelling.0), columns(self.spelling.1));
        if tail == 0 { head } else { head + 1 + tail }
    }

    const fn push<const M: usize>(
        &self,
        message: &mut Message<M>,
        label: &str,
        widths: (usize, usize),
    ) {
        message.push(label);
        if widths.0 > 0 {
            message.push(self.spelling.0);
            if !self.spelling.1.is_empty() {
                message.push("…");
                message.push(self.spelling.1);
            }
            message.push_padded("", (widths.0 + 2).saturating_sub(self.spelling_columns()));
        }
        if widths.1 > 0 {
            message.push_padded(self.cpp.as_str(), widths.1 + 2);
        }
        push_layout(message, self.parameter.size, self.parameter.align);
        if let Some(offset) = self.offset {
            message.push(", at byte ");
            message.push_number(offset);
        }
    }
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// PTX's declaration without most of a long mangled name: `.param .u64 ` and `_param_2`.
const fn shortened(spelling: &str) -> (&str, &str) {
    let bytes = spelling.as_bytes();
    if bytes.len() <= WIDEST {
        return (spelling, "");
    }
    let mut at = bytes.len();
    let mut tail = 0;
    while at > 0 && bytes[at - 1] != b' ' {
        at -= 1;
        if tail == 0 && name::starts_with(bytes.split_at(at).1, b"_param_") {
            tail = at;
        }
    }
    if tail > at {
        (spelling.split_at(at).0, spelling.split_at(tail).1)
    } else {
        (spelling, "")
    }
}

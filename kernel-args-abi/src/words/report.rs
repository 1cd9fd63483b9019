//! The texts of a report: for each mistake what is wrong, both sides, and what to write.

use super::{
    hint::{Hint, hint},
    message::Message,
    rust::types,
    side::Side,
    templates as say,
};
use crate::{
    check::{Difference, Differences, Mismatch, Report, expected_offset},
    signature::Parameter,
};

/// The room that is kept for the number of mistakes that are left out.
const AND_MORE: usize = 32;

impl<const N: usize> Report<'_, N> {
    /// What is wrong with a field, for an error at that field: both sides, and what to write. `None` where the field is
    /// right.
    #[must_use]
    pub const fn field_message(&self, field: usize) -> Option<Message> {
        match self.of_field(field) {
            Some(mismatch) => Some(self.message(mismatch)),
            None => None,
        }
    }

    /// The parameters that no field passes, for an error at the struct. `None` where there are none.
    #[must_use]
    pub const fn missing_message(&self) -> Option<Message> {
        let message = self.list(true);
        if message.is_empty() {
            None
        } else {
            Some(message)
        }
    }

    /// All [`mismatches`](Self::mismatches), for an error that belongs to no field. Empty where there are none.
    #[must_use]
    pub const fn whole_message(&self) -> Message {
        self.list(false)
    }

    /// One of [`mismatches`](Self::mismatches) in a few lines.
    #[must_use]
    pub const fn message(&self, mismatch: Mismatch) -> Message {
        let mut message = Message::new();
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        let kernel_name = self.kernel().name;
        match mismatch {
            Mismatch::Differs {
                field,
                parameter,
                differences,
                ..
            } => {
                say::differs(&mut message, host[field].name, parameter, kernel_name);
                self.push_sides(&mut message, field, parameter, differences);
            }
            Mismatch::Missing { parameter, .. } => {
                say::missing(&mut message, parameter, kernel_name);
                let side = Side::new(&kernel[parameter], kernel[parameter].offset);
                say::kernel_side(&mut message, side.line(side.widths()).as_str());
            }
            Mismatch::Extra { field, .. } => {
                say::extra(&mut message, host[field].name, kernel_name);
                let side = Side::new(&host[field], None);
                say::host_side(&mut message, side.line(side.widths()).as_str());
            }
        }
        say::help(&mut message, self.hint(mismatch).as_str());
        message
    }

    /// The cause of a mistake and what to write, in one line.
    pub(super) const fn hint(&self, mismatch: Mismatch) -> Hint {
        let mut text = Message::new();
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        match mismatch {
            Mismatch::Differs {
                field,
                differences,
                exchanged: Some(other),
                ..
            } if !matches!(differences.first(), Some(Difference::ParameterName)) => {
                let (first, second) = if field < other {
                    (field, other)
                } else {
                    (other, field)
                };
                say::exchanged(&mut text, host[first].name, host[second].name);
            }
            Mismatch::Differs {
                field,
                parameter,
                differences,
                ..
            } => return hint(self, field, parameter, differences),
            Mismatch::Missing {
                before,
                moved: Some(field),
                ..
            } => say::move_field(&mut text, host[field].name, between(host, before).as_str()),
            Mismatch::Missing {
                parameter,
                before,
                moved: None,
            } => say::add_field(
                &mut text,
                between(host, before).as_str(),
                types("", None, &kernel[parameter]).as_str(),
            ),
            Mismatch::Extra {
                moved: Some(parameter),
                ..
            } => say::fits_elsewhere(&mut text, parameter),
            Mismatch::Extra { moved: None, .. } => {
                say::remove_field(&mut text, kernel.len(), host.len());
            }
        }
        text
    }

    /// The mismatches one after another, as many as there is room for; the missing parameters alone, or all.
    const fn list(&self, missing_alone: bool) -> Message {
        let mut list = Message::new();
        let mut left_out = 0;
        let mut i = 0;
        while i < self.len() {
            let mismatch = self.mismatches()[i];
            i += 1;
            if missing_alone && !matches!(mismatch, Mismatch::Missing { .. }) {
                continue;
            }
            let message = self.message(mismatch);
            if left_out > 0 || !list.has_room_for(message.as_str(), AND_MORE) {
                left_out += 1;
                continue;
            }
            if !list.is_empty() {
                list.push("\n");
            }
            list.push(message.as_str());
        }
        if left_out > 0 {
            say::and_more(&mut list, left_out);
        }
        list
    }

    const fn push_sides(
        &self,
        message: &mut Message,
        field: usize,
        parameter: usize,
        differences: Differences,
    ) {
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        let expected = if differences.contains(Difference::Offset) {
            expected_offset(host, kernel, self.base(), field, parameter)
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
        say::host_side(message, left.line(widths).as_str());
        say::kernel_side(message, right.line(widths).as_str());
    }
}

/// Between which fields the field number `before` would stand.
const fn between(host: &[Parameter<'_>], before: usize) -> Message<320> {
    let mut text = Message::new();
    if host.is_empty() {
        say::to_the_struct(&mut text);
    } else if before == 0 {
        say::before_field(&mut text, host[0].name);
    } else if before >= host.len() {
        say::after_field(&mut text, host[host.len() - 1].name);
    } else {
        say::between_fields(&mut text, host[before - 1].name, host[before].name);
    }
    text
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

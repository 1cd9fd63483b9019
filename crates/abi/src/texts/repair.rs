//! Hints for unpaired fields and parameters, and for fields that are exchanged or have moved.

use super::{
    hint::{flat_field, hint},
    part_names::whole_array,
    rust::{is_index, types},
    templates as say,
};
use crate::{
    bytes::same,
    check::{Difference, Mismatch, Pairing, Report, is_made},
    message::{Hint, Message},
    signature::Parameter,
};

impl<const N: usize> Report<'_, N> {
    pub(super) const fn hint(&self, mismatch: Mismatch) -> Hint {
        let Pairing { host, kernel, .. } = self.pairing();
        if self.is_list()
            && let Some(hint) = self.argument_hint(mismatch)
        {
            return hint;
        }
        match mismatch {
            Mismatch::Differs { field, parameter, differences, exchanged: Some(other) }
                if !matches!(differences.first(), Some(Difference::ParameterName)) =>
            {
                let (first, second) = if field < other { (field, other) } else { (other, field) };
                let mut text = text!(exchanged, host[first].name, host[second].name);
                if self.of_field(other).is_none()
                    && !same(host[field].cpp_name(), kernel[parameter + other - field].name)
                {
                    say::or_in_order(&mut text, &hint(&self.pairing(), field, parameter, differences));
                }
                text
            }
            Mismatch::Differs { field, parameter, differences, .. } => {
                hint(&self.pairing(), field, parameter, differences)
            }
            Mismatch::Missing { before, moved: Some(field), .. } => {
                text!(move_field, host[field].name, &between(host, before))
            }
            Mismatch::Extra { field, moved: Some(parameter) } => {
                text!(move_away, parameter, &between(host, self.destination(field)))
            }
            Mismatch::Missing { parameter, before, moved: None } => self.add(mismatch, parameter, before),
            Mismatch::Extra { moved: None, .. } => self.remove(mismatch),
        }
    }

    /// Returns the hint for a parameter without a field: `before` is the index of the field before which one is
    /// missing.
    const fn add(&self, mismatch: Mismatch, parameter: usize, before: usize) -> Hint {
        let Pairing { host, kernel, .. } = self.pairing();
        if let Some(flat) = flat_field(&self.pairing()) {
            return text!(takes_fields, host[flat].name);
        }
        let ty = types("", None, &kernel[parameter]);
        let (first, last) = self.alike(mismatch);
        if first == last {
            let (place, name) = (between(host, before), kernel[parameter].name);
            let field = if is_made(name) { ty } else { types(name, None, &kernel[parameter]) };
            return text!(add_field, &place, &field);
        }
        let (from, to) = (host[before + first - parameter].name, host[before + last - parameter - 1].name);
        let others = types("", None, &kernel[if parameter == first { last } else { first }]);
        let have_one_type = same(ty.as_str(), others.as_str());
        if last == first + 1 && !have_one_type {
            let (before, after) = if parameter == first { (&ty, &others) } else { (&others, &ty) };
            return text!(add_before_or_after, from, before, after, first, last);
        }
        let Parameter { size, align, .. } = kernel[parameter];
        let either = if have_one_type { ty } else { text!(some_type, (size, align)) };
        if last == first + 1 {
            text!(add_beside, from, &either, first, last)
        } else {
            text!(add_among, from, to, &either, first, last)
        }
    }

    const fn remove(&self, mismatch: Mismatch) -> Hint {
        let Pairing { host, kernel, .. } = self.pairing();
        if let Mismatch::Extra { field, .. } = mismatch {
            if let Some(array) = whole_array(&self.pairing(), field) {
                return text!(remove_spread, array);
            }
            if host.len() <= kernel.len() && is_unknown(host[field].cpp_name(), kernel) {
                return text!(remove_unknown);
            }
        }
        if host.len() <= kernel.len() {
            return text!(no_parameter);
        }
        let (first, last) = self.alike(mismatch);
        let (one, other) = (host[first].name, host[last].name);
        if first == last {
            text!(remove_field, kernel.len(), host.len())
        } else if last == first + 1 {
            text!(remove_one, one, other, kernel.len(), host.len())
        } else {
            text!(remove_one_of, one, other, kernel.len(), host.len())
        }
    }
}

/// Returns whether all names of the kernel's parameters are known, and differ from this one.
const fn is_unknown(name: &str, kernel: &[Parameter<'_>]) -> bool {
    let is_it = any!(i < kernel.len(), is_made(kernel[i].name) || same(kernel[i].name, name));
    !is_it && !kernel.is_empty() && !is_index(name)
}

const fn between(host: &[Parameter<'_>], before: usize) -> Message<320> {
    match host.split_at_checked(before) {
        _ if host.is_empty() => text!(to_the_struct),
        Some(([], [next, ..])) => text!(before_field, next.name),
        Some(([.., previous], [next, ..])) => text!(between_fields, previous.name, next.name),
        _ => text!(after_field, host[host.len() - 1].name),
    }
}

//! Hints for unpaired fields and parameters, and for fields that are exchanged or have moved.

use super::{hint::hint, rust::types, templates as say};
use crate::{
    bytes::same,
    check::{Difference, Mismatch, Report, is_made},
    message::{Hint, Message},
    signature::Parameter,
};

impl<const N: usize> Report<'_, N> {
    pub(super) const fn hint(&self, mismatch: Mismatch) -> Hint {
        let mut text = Message::new();
        let host = self.host().parameters;
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
                say::exchanged(&mut text, host[first].name, host[second].name);
                if self.of_field(other).is_none()
                    && !same(host[field].cpp_name(), self.kernel().parameters[parameter + other - field].name)
                {
                    let declare = hint(self, field, parameter, differences);
                    say::or_in_order(&mut text, declare.as_str());
                }
            }
            Mismatch::Differs { field, parameter, differences, .. } => {
                return hint(self, field, parameter, differences);
            }
            Mismatch::Missing { before, moved: Some(field), .. } => {
                say::move_field(&mut text, host[field].name, between(host, before).as_str());
            }
            Mismatch::Extra { field, moved: Some(parameter) } => {
                say::move_away(&mut text, parameter, between(host, self.destination(field)).as_str());
            }
            Mismatch::Missing { parameter, before, moved: None } => return self.add(mismatch, parameter, before),
            Mismatch::Extra { moved: None, .. } => return self.remove(mismatch),
        }
        text
    }

    /// The hint for a parameter without a field: `before` is the index of the field before which one is missing.
    const fn add(&self, mismatch: Mismatch, parameter: usize, before: usize) -> Hint {
        let mut text = Message::new();
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        let ty = types("", None, &kernel[parameter]);
        let (first, last) = self.alike(mismatch);
        if first == last {
            let (place, name) = (between(host, before), kernel[parameter].name);
            let field = if is_made(name) { ty } else { types(name, None, &kernel[parameter]) };
            say::add_field(&mut text, place.as_str(), field.as_str());
        } else {
            let (from, to) = (before + first - parameter, before + last - parameter);
            let (from, to) = (host[from].name, host[to - 1].name);
            let mut either = Message::<768>::new();
            let others = types("", None, &kernel[if parameter == first { last } else { first }]);
            if last == first + 1 && !same(ty.as_str(), others.as_str()) {
                let (before, after) = if parameter == first { (&ty, &others) } else { (&others, &ty) };
                say::add_before_or_after(&mut text, from, before.as_str(), after.as_str(), first, last);
                return text;
            }
            if same(ty.as_str(), others.as_str()) {
                either = ty;
            } else {
                let Parameter { size, align, .. } = kernel[parameter];
                say::some_type(&mut either, (size, align));
            }
            if last == first + 1 {
                say::add_beside(&mut text, from, either.as_str(), first, last);
            } else {
                say::add_among(&mut text, from, to, either.as_str(), first, last);
            }
        }
        text
    }

    const fn remove(&self, mismatch: Mismatch) -> Hint {
        let mut text = Message::new();
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        if host.len() <= kernel.len() {
            say::no_parameter(&mut text);
            return text;
        }
        let (first, last) = self.alike(mismatch);
        let (one, other) = (host[first].name, host[last].name);
        if first == last {
            say::remove_field(&mut text, kernel.len(), host.len());
        } else if last == first + 1 {
            say::remove_one(&mut text, one, other, kernel.len(), host.len());
        } else {
            say::remove_one_of(&mut text, one, other, kernel.len(), host.len());
        }
        text
    }
}

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

//! Hints for a list of arguments, which has no fields to declare.

use super::{
    body,
    message::{Hint, Text},
    rust::{Declaration, is_index, types},
    spelling::push_separator,
    templates as say,
};
use crate::{
    bytes::same,
    check::{Difference, Differences, Mismatch, Report},
    signature::Parameter,
};

/// The name of the signature of a list of arguments. Its parameters have their indices as names.
pub const LIST: &str = "ArgList";

impl<const N: usize> Report<'_, N> {
    pub(super) const fn is_list(&self) -> bool {
        let host = self.host();
        same(host.name, LIST) && (host.parameters.is_empty() || is_index(host.parameters[0].name))
    }

    /// What to push instead. `None` if the hint for structs also applies to a list.
    pub(super) const fn argument_hint(&self, mismatch: Mismatch) -> Option<Hint> {
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        let mut text = Hint::new();
        match mismatch {
            Mismatch::Differs { exchanged: Some(_), .. }
            | Mismatch::Missing { moved: Some(_), .. }
            | Mismatch::Extra { moved: Some(_), .. } => return None,
            Mismatch::Differs { field, parameter, differences, .. }
                if !is_of_type(differences)
                    || body::contradicting(&host[field], &kernel[parameter], differences).is_some() =>
            {
                return None;
            }
            Mismatch::Differs { field, parameter, .. } => {
                let value = values(Some(&host[field]), &kernel[parameter]);
                say::push_argument(&mut text, value.as_str(), field);
            }
            Mismatch::Missing { parameter, before, .. } => {
                let value = values(None, &kernel[parameter]);
                say::push_argument(&mut text, value.as_str(), before);
            }
            Mismatch::Extra { .. } if host.len() > kernel.len() => {
                say::remove_argument(&mut text, kernel.len(), host.len());
            }
            Mismatch::Extra { .. } => say::remove_or_move_argument(&mut text),
        }
        Some(text)
    }
}

const fn is_of_type(differences: Differences) -> bool {
    matches!(
        differences.first(),
        Some(
            Difference::Size
                | Difference::Class
                | Difference::Pointer
                | Difference::Type
                | Difference::Signedness
                | Difference::Pointee
                | Difference::Constness
        )
    )
}

/// Values for a parameter: `` `2.0_f32` ``, `` `1_u32` or `1_i32` ``. Types, if they have no literals.
const fn values(host: Option<&Parameter<'_>>, kernel: &Parameter<'_>) -> Declaration {
    let spelled = types("", host, kernel);
    let mut values = Declaration::new();
    let mut rest = spelled.as_str().as_bytes();
    let mut count = 0;
    while let [b'`', after @ ..] = rest {
        let mut end = 0;
        while end < after.len() && after[end] != b'`' {
            end += 1;
        }
        let (ty, left) = after.split_at(end);
        if !push_value(&mut values, ty, count) {
            return spelled;
        }
        count += 1;
        // The separator: a comma, or "or".
        let mut left = left.split_at(1).1;
        while let [first, more @ ..] = left
            && *first != b'`'
        {
            left = more;
        }
        rest = left;
    }
    if count == 0 { spelled } else { values }
}

/// Appends a literal of a number type; `false` if `ty` is a different type.
const fn push_value(values: &mut Text, ty: &[u8], index: usize) -> bool {
    let is_number = match ty {
        [b'f', ..] => matches!(ty, b"f32" | b"f64"),
        [b'u' | b'i', rest @ ..] => !rest.is_empty() && rest[0].is_ascii_digit(),
        _ => false,
    };
    let Ok(name) = core::str::from_utf8(ty) else {
        return false;
    };
    if !is_number {
        return false;
    }
    if index > 0 {
        push_separator(values, index, index + 1);
    }
    say::literal(values, if ty[0] == b'f' { "2.0" } else { "1" }, name);
    true
}

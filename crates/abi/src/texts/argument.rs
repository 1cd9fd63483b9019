//! Hints for a list of arguments, which has no fields to declare.

use super::{
    body,
    rust::{Declaration, alternatives, is_index, types},
    spelling::push_separator,
    templates as say,
};
use crate::{
    bytes::same,
    check::{Difference, Differences, Mismatch, Report},
    message::Hint,
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
    let (offered, count) = alternatives(host, kernel);
    let (mut values, mut listed) = (Declaration::new(), Declaration::new());
    let mut i = 0;
    while i < count {
        let ty = offered[i];
        let one = match ty.as_bytes() {
            b"f32" | b"f64" => "2.0",
            [b'u' | b'i', b'0'..=b'9', ..] => "1",
            _ => return spelled,
        };
        push_separator(&mut values, i, i + 1);
        say::literal(&mut values, one, ty);
        push_separator(&mut listed, i, count);
        say::bare_type(&mut listed, ty);
        i += 1;
    }
    if count > 0 && same(listed.as_str(), spelled.as_str()) { values } else { spelled }
}

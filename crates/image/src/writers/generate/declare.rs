//! The declarations of types.

use super::{
    Content, Generated, StructMember, align,
    docs::{self, WIDTH},
    identifier::{distinct, is_snake, is_upper_camel, raw, unused, variable},
    ty::From,
    write::RustWriter,
};
use crate::prelude::*;
use crate::writers::layout::round_up;

impl RustWriter<'_, '_> {
    pub(super) fn definition(&mut self, id: usize) {
        let (definition, name) = (&self.definitions[id], &self.names.types[id]);
        self.line(0, "");
        self.docs(0, &docs::definition(definition));
        self.imports.add(From::Crate, "DeviceType");
        let derives = if self.options.without_prelude {
            "::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug"
        } else {
            "Clone, Copy, Debug"
        };
        self.line(0, &format!("#[derive({derives}, DeviceType)]"));
        let mut values: Vec<String> = self.krate().into_iter().collect();
        if !definition.cpp.is_empty() && definition.cpp != *name {
            values.push(format!("cpp = {:?}", definition.cpp));
        }
        self.attribute("device_type", &values);
        match &definition.body {
            Content::Fields(members) => self.structure(definition, name, members),
            Content::Enum(integer, values) => self.enumeration(name, integer, values),
            Content::Bits(integer, _) => {
                self.line(0, "#[repr(transparent)]");
                self.only_field(name, "bits", integer);
            }
            Content::Bytes(_) | Content::Pending => {
                self.repr(definition.align, 1);
                self.only_field(name, "bytes", &format!("[u8; {}]", definition.size));
            }
        }
    }

    fn only_field(&mut self, name: &str, field: &str, ty: &str) {
        self.line(0, &format!("pub struct {name} {{"));
        self.line(1, &format!("/// Its {field}."));
        self.field_attribute("device_type", None, field == "bytes", Vec::new());
        self.field(field, ty);
        self.line(0, "}");
    }

    /// `natural` is the alignment that follows from the members.
    fn repr(&mut self, align: usize, natural: usize) {
        if align == natural {
            self.line(0, "#[repr(C)]");
        } else {
            self.line(0, &format!("#[repr(C, align({align}))]"));
        }
    }

    fn structure(&mut self, definition: &Generated<'_>, name: &str, members: &[StructMember]) {
        let natural = members.iter().map(|member| align::layout(&member.ty, self.definitions).1);
        match definition.packed {
            Some(1) => self.line(0, "#[repr(C, packed)]"),
            Some(most) => self.line(0, &format!("#[repr(C, packed({most}))]")),
            None => self.repr(definition.align, natural.fold(1, usize::max)),
        }
        let is_odd = members.iter().any(|member| !is_snake(&member.name));
        self.allow(&[("non_snake_case", is_odd)], "the names are those in C++");
        self.line(0, &format!("pub struct {name} {{"));
        let names = distinct(members.iter().map(|member| (member.cpp_name.as_str(), member.name.clone())));
        let mut padding = padding(definition, members, self.definitions).into_iter().peekable();
        for (member, name) in members.iter().zip(names) {
            if let Some((from, to)) = padding.next_if(|(from, _)| *from < member.offset) {
                self.padding(from, to);
            }
            let is_own = member.name == member.cpp_name;
            self.docs(1, &[docs::member(&member.cpp)]);
            let renamed = Some(&member.cpp_name).filter(|name| !is_own && !name.is_empty());
            self.field_attribute("device_type", renamed, member.is_opaque, Vec::new());
            let ty = self.ty(&member.ty);
            self.field(&raw(name), &ty);
        }
        if members.is_empty() {
            self.line(1, "/// Not read.");
            self.field("unused", "u8");
            padding.next();
        }
        for (from, to) in padding {
            self.padding(from, to);
        }
        self.line(0, "}");
    }

    fn padding(&mut self, from: usize, to: usize) {
        self.line(1, "/// Padding.");
        self.field(&format!("_padding{from}"), &format!("[u8; {}]", to - from));
    }

    fn enumeration(&mut self, name: &str, integer: &str, values: &[(String, i128)]) {
        self.line(0, &format!("#[repr({integer})]"));
        let mut taken = BTreeSet::new();
        let named: Vec<(String, i128)> =
            values.iter().map(|(name, value)| (raw(unused(&variable(name), &mut taken)), *value)).collect();
        let mut first: Vec<&(String, i128)> = Vec::new();
        let mut others = Vec::new();
        let mut known = BTreeMap::new();
        for pair in &named {
            match *known.entry(pair.1.to_string()).or_insert(first.len()) {
                next if next == first.len() => first.push(pair),
                variant => others.push((&pair.0, &first[variant].0)),
            }
        }
        let lints = [
            ("clippy::enum_variant_names", have_common_words(&first)),
            ("clippy::upper_case_acronyms", first.iter().any(|(name, _)| name.len() > 2 && !has_lower_case(name))),
            ("non_camel_case_types", first.iter().any(|(name, _)| !is_upper_camel(name))),
        ];
        self.allow(&lints, "the names are those in C++");
        self.line(0, &format!("pub enum {name} {{"));
        for (name, value) in first {
            self.line(1, &format!("/// {value} in C++."));
            self.line(1, &format!("{name} = {value},"));
        }
        self.line(0, "}");
        if others.is_empty() {
            return;
        }
        self.line(0, "");
        let has_lower_case = others.iter().any(|(name, _)| has_lower_case(name));
        let lints = [("dead_code", true), ("non_upper_case_globals", has_lower_case)];
        self.allow(&lints, "the names are those in C++, used or not");
        self.line(0, &format!("impl {name} {{"));
        for (name, variant) in others {
            self.line(1, &format!("/// Another name of `{variant}`."));
            let (left, right) = (format!("pub const {name}: Self ="), format!("Self::{variant};"));
            if left.len() + right.len() + 5 <= WIDTH {
                self.line(1, &format!("{left} {right}"));
            } else {
                self.line(1, &left);
                self.line(2, &right);
            }
        }
        self.line(0, "}");
    }
}

/// Returns the bytes, from and to, for which a struct needs fields. Of a class without members the first is one byte,
/// which is not read.
pub(super) fn padding(
    definition: &Generated<'_>,
    members: &[StructMember],
    definitions: &[Generated<'_>],
) -> Vec<(usize, usize)> {
    let (mut end, mut found) = (0, Vec::new());
    for member in members {
        let (size, align) = align::layout(&member.ty, definitions);
        let align = definition.packed.map_or(align, |most| align.min(most));
        if round_up(end, align) != member.offset {
            found.push((end, member.offset));
        }
        end = member.offset + size;
    }
    if members.is_empty() {
        found.push((0, 1));
        end = 1;
    }
    if round_up(end, definition.align) != definition.size {
        found.push((end, definition.size));
    }
    found
}

fn has_lower_case(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_lowercase())
}

fn have_common_words(variants: &[&(String, i128)]) -> bool {
    let Some(((first, _), rest)) = variants.split_first() else {
        return false;
    };
    let (begin, end) = (first.get(..3), first.get(first.len().saturating_sub(3)..));
    variants.len() > 2
        && (begin.is_some_and(|word| rest.iter().all(|(name, _)| name.starts_with(word)))
            || end.is_some_and(|word| rest.iter().all(|(name, _)| name.ends_with(word))))
}

//! The types to write, each once.

use super::{
    Content, Generated, StructMember, UNKNOWN, Why,
    align::{self, Occurrence},
    identifier::{upper_camel, variable},
    options::Options,
    ty::{Leaf, Ty},
};
use crate::prelude::*;
use kernel_args_abi::{Members, Parameter};

pub(super) struct Types<'k, 'o> {
    pub(super) options: &'o Options<'o>,
    pub(super) all: Vec<Generated<'k>>,
    by_size: BTreeMap<usize, Vec<usize>>,
    /// By all properties that the source specifies.
    by_properties: BTreeMap<String, usize>,
    /// Their members have not been read.
    pub(super) waiting: Vec<usize>,
    /// As members, and as parameters of unknown alignment.
    occurrences: Vec<Occurrence>,
}

impl<'k, 'o> Types<'k, 'o> {
    pub(super) fn new(options: &'o Options<'o>) -> Self {
        Self {
            options,
            all: Vec::new(),
            by_size: BTreeMap::new(),
            by_properties: BTreeMap::new(),
            waiting: Vec::new(),
            occurrences: Vec::new(),
        }
    }

    pub(super) fn by_value(&mut self, of: &Parameter<'k>, hint: &str) -> usize {
        let id = self.add(Generated::of(of, hint));
        self.read(id);
        id
    }

    pub(super) fn add(&mut self, new: Generated<'k>) -> usize {
        let Generated { cpp, wanted, shape, size, known_align, .. } = &new;
        let name = if cpp.is_empty() { wanted } else { cpp };
        let properties = format!("{size} {known_align:?} {name}\0{shape}");
        if let Some(&id) = self.by_properties.get(&properties) {
            return id;
        }
        let id = self.find_or_push(new);
        self.by_properties.insert(properties, id);
        id
    }

    fn find_or_push(&mut self, new: Generated<'k>) -> usize {
        let of_size = self.by_size.entry(new.size).or_default();
        for &id in &*of_size {
            let old = &mut self.all[id];
            if !old.is(&new) {
                continue;
            }
            if new.cpp.len() > old.cpp.len() {
                old.cpp = new.cpp;
            }
            if old.shape == UNKNOWN && new.shape != UNKNOWN {
                (old.shape, old.body, old.source) = (new.shape, new.body, new.source);
            }
            old.known_align = old.known_align.or(new.known_align);
            return id;
        }
        let id = self.all.len();
        of_size.push(id);
        self.all.push(new);
        id
    }

    fn read(&mut self, id: usize) {
        let definition = &mut self.all[id];
        let (Content::Pending, Some(of)) = (&definition.body, definition.source.take()) else {
            return;
        };
        let outer = definition.wanted.clone();
        let body = if of.members.variant(0).is_some() {
            enumeration(of.size, of.members)
        } else if of.members.is_known() {
            Content::Fields(self.members(id, of.members, &outer))
        } else {
            Content::Bytes(of.members.why_opaque().map_or(Why::Unknown, Why::Opaque))
        };
        self.all[id].body = body;
    }

    fn members(&mut self, id: usize, members: Members<'k>, outer: &str) -> Vec<StructMember> {
        let mut end = 0;
        let mut read = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let offset = member.offset.unwrap_or(end);
            let name = if member.name.is_empty() { format!("anonymous{index}") } else { variable(member.name) };
            let hint = format!("{outer}{}", upper_camel(&name, ""));
            let ty = self.value(&member, members.referent(index), &hint);
            self.occurs(&ty, Some(id), offset, end);
            read.push(StructMember {
                cpp_name: member.name.to_owned(),
                name,
                is_opaque: member.cpp.is_unknown() && ty.is_bytes(),
                ty,
                offset,
                cpp: member.cpp.to_string(),
            });
            end = offset + member.size;
        }
        read
    }

    /// After a member or parameter that ends at `end`.
    pub(super) fn occurs(&mut self, ty: &Ty, container: Option<usize>, offset: usize, end: usize) {
        if let Some(content) = ty.contents() {
            self.occurrences.push(Occurrence { content, container, offset, end });
        }
    }

    pub(super) fn layout(&self, ty: &Ty) -> (usize, Option<usize>) {
        ty.layout(&|id| (self.all[id].size, self.all[id].known_align))
    }

    /// Marks the types that are reachable from `named`.
    pub(super) fn finish(mut self, mut named: Vec<usize>) -> Vec<Generated<'k>> {
        while let Some(id) = self.waiting.pop() {
            self.read(id);
        }
        align::resolve(&mut self.all, &self.occurrences);
        while let Some(id) = named.pop() {
            if core::mem::replace(&mut self.all[id].is_used, true) {
                continue;
            }
            if let Content::Fields(members) = &self.all[id].body {
                named.extend(members.iter().filter_map(|member| member.ty.named()));
            }
        }
        self.all
    }
}

/// Its integer has the size of the C++ enum and can represent every value.
fn enumeration(size: usize, members: Members<'_>) -> Content {
    let bits = size as u32 * 8;
    let is_negative = members.variants().any(|variant| variant.value < 0);
    let is_large = members.variants().any(|variant| variant.value >> (bits - 1) != 0);
    // The default integer type of a C++ enum is `int`.
    let is_signed = is_negative || !is_large && size >= 4;
    let is_signed = members.is_signed().unwrap_or(is_signed);
    let integer = Leaf::integer(is_signed, size).map_or("i32", |leaf| leaf.name);
    let values = members.variants().map(|variant| (variant.name.to_owned(), variant.value_in(size, is_signed)));
    Content::Enum(integer, values.collect())
}

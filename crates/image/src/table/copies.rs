//! Copies types into a table: each struct once, and each type behind a pointer once.

use super::types::{TypeWriter, opaque};
use crate::prelude::*;
use core::marker::PhantomData;
use kernel_args_abi::{
    Body, Meaning, Members, Parameter, Pointee,
    signature::{
        Referent,
        stored::{self, FIRST_TYPE, NOTHING, SURFACE, SURFACES, TEXTURE, TEXTURES},
    },
};

/// `'m` is the lifetime of the sources: what is copied is known by its address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies<'m> {
    structs: Map<u128, usize>,
    pointees: Map<u128, usize>,
    /// The positions of these types; 0 for a type that the source does not define.
    places: Vec<u32>,
    /// The index for all types that the sources declare, but do not define.
    declared: Option<usize>,
    /// Types behind pointers that are not copied yet: a struct may point to itself.
    pending: Vec<(usize, Parameter<'m>)>,
    sources: PhantomData<&'m ()>,
}

impl<'m> Copies<'m> {
    pub(crate) fn members(&mut self, types: &mut TypeWriter, members: Members<'m>) -> usize {
        let number = self.content(types, members);
        self.finish(types);
        number
    }

    /// Returns the referent of the pointer.
    pub(crate) fn pointee(&mut self, types: &mut TypeWriter, pointee: Pointee<'m>) -> usize {
        let referent = self.referent(pointee);
        self.finish(types);
        referent
    }

    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    fn content(&mut self, types: &mut TypeWriter, members: Members<'m>) -> usize {
        if let Some(why) = members.why_opaque() {
            return opaque(why);
        }
        match members.stands_for() {
            Some(Meaning::Texture) => return TEXTURES,
            Some(Meaning::Surface) => return SURFACES,
            _ => {}
        }
        if members.is_enum() {
            let places: Vec<u32> = members.variants().map(|variant| types.variant(variant)).collect();
            return types.enumeration(&places, members.is_signed());
        }
        if !members.is_known() {
            return 0;
        }
        let key = members.key();
        if let Some(&known) = key.and_then(|key| self.structs.get(&number(key))) {
            return known;
        }
        let mut places = Vec::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            let content = self.content(types, member.members);
            let referent = match members.referent(index) {
                Some(Referent::Texture) => TEXTURE,
                Some(Referent::Surface) => SURFACE,
                _ => self.referent(member.pointee),
            };
            places.push(types.record(&member, None, content, referent));
        }
        let structure = types.structure(&places);
        if let Some(key) = key {
            self.structs.insert(number(key), structure);
        }
        structure
    }

    fn referent(&mut self, pointee: Pointee<'m>) -> usize {
        let next = self.places.len();
        if let (Some(key), Some(ty)) = (pointee.key(), pointee.get()) {
            let index = *self.pointees.entry(number(key), next).0;
            if index == next {
                self.places.push(0);
                self.pending.push((index, ty));
            }
            return FIRST_TYPE + index;
        }
        if !pointee.is_declared() {
            return NOTHING;
        }
        let index = *self.declared.get_or_insert(next);
        if index == next {
            self.places.push(0);
        }
        FIRST_TYPE + index
    }

    fn finish(&mut self, types: &mut TypeWriter) {
        while let Some((index, ty)) = self.pending.pop() {
            let content = self.content(types, ty.members);
            let unnamed = Parameter { name: "", spelling: "", offset: None, ..ty };
            self.places[index] = types.record(&unnamed, None, content, NOTHING);
        }
    }
}

fn number((address, index): (usize, usize)) -> u128 {
    (address as u128) << 64 | index as u128
}

/// Parameters that own their texts and members. [`Parameter`] borrows them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParameterList {
    bytes: Vec<u8>,
    number: usize,
}

impl ParameterList {
    /// Copies these parameters.
    #[must_use]
    pub fn new(parameters: &[Parameter<'_>]) -> Self {
        Self::of_members(Members::of(parameters))
    }

    /// Returns a copy of the members, with what is known about the memory behind them.
    #[must_use]
    pub fn of_members(members: Members<'_>) -> Self {
        let mut types = TypeWriter::new();
        let mut copies = Copies::default();
        let number = copies.members(&mut types, members);
        Self { bytes: types.finish(copies.places()), number }
    }

    /// Returns what the code does with each parameter, and nothing else.
    pub(crate) fn of_bodies<'b>(bodies: impl Iterator<Item = Body<'b>>) -> Self {
        Self::new(&bodies.map(|body| Parameter { body, ..Parameter::record(0, 0) }).collect::<Vec<_>>())
    }

    /// Returns the parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter<'_>> {
        self.members().iter().collect()
    }

    /// Returns the parameters as the members of a struct.
    #[must_use]
    pub fn members(&self) -> Members<'_> {
        stored::members(&self.bytes, self.number)
    }
}

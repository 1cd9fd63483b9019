//! The Rust type of a C++ type.

use super::{
    Content, Generated, Why,
    cuda::builtin,
    define::Types,
    docs::{inferred_pointer, is_untyped_word},
    ty::{Leaf, Ty},
};
use crate::prelude::*;
use kernel_args_abi::{
    Class, CppBase, CppType, Parameter,
    cpp::name,
    signature::{Elements, Referent, SlotKind},
};

const TEXTURE: Ty = Ty::Leaf(Leaf::handle("TextureObject"));
const SURFACE: Ty = Ty::Leaf(Leaf::handle("SurfaceObject"));

/// In bytes. A larger type cannot be passed, and would occupy the host's stack.
const LARGEST: usize = 65_536;

impl<'k> Types<'k, '_> {
    /// By value. `hint` is a name for a type that has no C++ name.
    pub(super) fn value(&mut self, of: &Parameter<'k>, referent: Option<Referent<'k>>, hint: &str) -> Ty {
        array(self.element(of, referent, hint), of.cpp.extents)
    }

    fn element(&mut self, of: &Parameter<'k>, referent: Option<Referent<'k>>, hint: &str) -> Ty {
        let size = of.size / of.cpp.elements().max(1);
        let is_array = of.cpp.is_array();
        let class = match of.class {
            Class::Bytes if is_array => Class::Unknown,
            class => class,
        };
        let one =
            Parameter { size, class, cpp: of.cpp.element(), align: if is_array { None } else { of.align }, ..*of };
        if one.cpp.is_pointer() && size == 8 {
            return self.pointer(one.cpp, referent);
        }
        let used = of.body.at(0).filter(|_| is_untyped_word(of)).map(|slot| slot.kind);
        match (referent, used) {
            (Some(Referent::Texture), _) | (None, Some(SlotKind::Texture)) if size == 8 => return TEXTURE,
            (Some(Referent::Surface), _) | (None, Some(SlotKind::Surface)) if size == 8 => return SURFACE,
            _ => {}
        }
        match one.cpp.base {
            CppBase::Named(name) => self.by_name(name, &one, hint),
            CppBase::Float { bits: 16 } => self.half(&one),
            base => Leaf::of_base(base, Some(size)).map_or_else(|| self.unknown(&one, hint), Ty::Leaf),
        }
    }

    fn by_name(&mut self, name: &str, of: &Parameter<'k>, hint: &str) -> Ty {
        if let Some(row) = builtin(name, of) {
            return self.builtin(row);
        }
        let is_enum = of.members.variant(0).is_some();
        let may_be_struct = matches!(of.class, Class::Bytes | Class::Unknown) && !is_enum || of.members.is_known();
        if is_enum && matches!(of.size, 1 | 2 | 4 | 8) || may_be_struct {
            return Ty::Defined(self.by_value(of, hint));
        }
        Leaf::integer(false, of.size).map_or_else(|| self.unknown(of, hint), Ty::Leaf)
    }

    fn unknown(&mut self, of: &Parameter<'k>, hint: &str) -> Ty {
        if of.members.is_known() || of.members.why_opaque().is_some() {
            return Ty::Defined(self.by_value(&Parameter { cpp: CppType::UNKNOWN, ..*of }, hint));
        }
        if matches!(of.class, Class::Float) && of.size == 2 {
            return self.half(of);
        }
        if let Some(slot) = inferred_pointer(of) {
            let base = slot.elements.and_then(Elements::scalar);
            let to = base.map_or(Ty::Void, |base| self.pointee(base, None));
            return Ty::Pointer { to: Box::new(to), is_const: slot.is_only_read() };
        }
        let is_aligned = of.offset.is_none_or(|offset| offset % of.size.max(1) == 0);
        if is_aligned && let Some(ty) = Ty::of_class(of.class, of.size) {
            return ty;
        }
        match of.align {
            Some(align) => Ty::Defined(self.nameless(of.size, align.bytes())),
            None => Ty::bytes(of.size),
        }
    }

    pub(super) fn nameless(&mut self, size: usize, align: usize) -> usize {
        let definition = Generated {
            known_align: Some(align),
            body: Content::Bytes(Why::Nameless),
            ..Generated::new("", format!("Bytes{size}Align{align}"), size)
        };
        self.add(definition)
    }

    fn pointer(&mut self, cpp: CppType<'k>, referent: Option<Referent<'k>>) -> Ty {
        let mut ty = self.pointee(cpp.base, referent);
        for level in u8::from(cpp.base == CppBase::FunctionType)..cpp.depth {
            if level + 1 == cpp.depth && ty != Ty::Void {
                ty = array(ty, cpp.rows);
            }
            ty = Ty::Pointer { to: Box::new(ty), is_const: cpp.const_mask >> level & 1 == 1 };
        }
        ty
    }

    pub(super) fn pointee(&mut self, base: CppBase<'k>, referent: Option<Referent<'k>>) -> Ty {
        let ty = match referent {
            Some(Referent::Texture) => return TEXTURE,
            Some(Referent::Surface) => return SURFACE,
            Some(Referent::Type(ty)) => Some(ty),
            None => None,
        };
        let name = match base {
            CppBase::Named(name) => name,
            CppBase::Float { bits: 16 } => return self.half(&Parameter::record(0, 2)),
            base => return Leaf::of_base(base, None).map_or(Ty::Void, Ty::Leaf),
        };
        let Some(ty) = ty else {
            if let Some(row) = name::builtin(name) {
                return self.builtin(row);
            }
            let mut found = (0..self.all.len()).filter(|&id| {
                let cpp = &self.all[id].cpp;
                !cpp.is_empty() && name::agree(cpp, name)
            });
            // If two types have the name, either may be the pointee.
            return match (found.next(), found.next()) {
                (Some(id), None) => Ty::Defined(id),
                _ => Ty::Void,
            };
        };
        let of = Parameter { cpp: CppType::named(name), ..ty.parameter() };
        if let Some(row) = builtin(name, &of) {
            return self.builtin(row);
        }
        if of.members.variant(0).is_some() && matches!(of.size, 1 | 2 | 4 | 8) {
            return Ty::Defined(self.by_value(&of, ""));
        }
        if matches!(of.class, Class::Integer) {
            return Leaf::integer(false, of.size).map_or(Ty::Void, Ty::Leaf);
        }
        if of.size == 0 || of.size > LARGEST {
            return Ty::Void;
        }
        let id = self.add(Generated::of(&of, ""));
        self.waiting.push(id);
        Ty::Defined(id)
    }
}

fn array(mut ty: Ty, lengths: [u32; 3]) -> Ty {
    for length in lengths.into_iter().rev().filter(|&length| length > 0) {
        ty = Ty::Array(Box::new(ty), length as usize);
    }
    ty
}

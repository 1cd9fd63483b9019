//! Random signatures.

use crate::{
    Enum, Field, Pointee, Rng, Signature, Slot, Struct, Type,
    leaf::{LEAVES, Leaf, Scalar},
};

/// The kinds of signatures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Only parameters, up to the limit of 32,764 bytes.
    Plain,
    /// Echo kernels, with `out` first; at most 4,000 bytes, because each byte needs one or two instructions.
    Echo,
}

/// The maximum number of parameters, including `out`.
pub const MOST_PARAMETERS: usize = 64;

/// The maximum depth of nested structs and arrays.
const DEPTH: usize = 3;

/// The signatures 0 to `count - 1` of `seed`.
#[must_use]
pub fn signatures(seed: u64, shape: Shape, count: usize) -> Vec<Signature> {
    (0..count).map(|index| signature(seed, shape, index)).collect()
}

/// Signature `index` of `seed`.
#[must_use]
pub fn signature(seed: u64, shape: Shape, index: usize) -> Signature {
    let mut random = Random {
        rng: Rng::new(seed, index as u64),
        packing: Rng::new(!seed, index as u64),
        known: Vec::new(),
        prefix: format!("S{index}"),
        named: 0,
        most_named: 0,
    };
    let echo = shape == Shape::Echo;
    let rng = &mut random.rng;
    random.most_named = if rng.chance(10) { 12 } else { rng.below(5) };
    let count = match rng.below(40) {
        0 => MOST_PARAMETERS,
        1..=3 => 1 + rng.below(MOST_PARAMETERS),
        4..=15 => 1 + rng.below(16),
        _ => 1 + rng.below(6),
    } - usize::from(echo);
    let limit = match shape {
        Shape::Echo => 4000,
        Shape::Plain if rng.chance(6) => 32_764,
        Shape::Plain => 4096,
    };
    let mut signature = Signature { name: format!("echo_{index}"), parameters: Vec::new(), echo, open: 0 };
    if !echo {
        signature.name = format!("k{index}");
    }
    if limit > 4096 {
        // Above 4,352 bytes, sm_70 to sm_89 place the block at a different address. This covers sizes near that limit
        // and far above it.
        let len = 3000 + random.rng.below(if index.is_multiple_of(2) { 2000 } else { 24_000 });
        let bytes = Type::Array(Box::new(Type::named("u8")), len);
        signature.parameters.push(bytes);
    }
    // If a large parameter does not fit, a smaller one is tried.
    for _ in 0..count.max(1) {
        let parameter = random.parameter();
        signature.parameters.push(parameter);
        if signature.size() > limit || signature.all_parameters().len() > MOST_PARAMETERS {
            signature.parameters.pop();
        }
    }
    if signature.parameters.is_empty() {
        signature.parameters.push(Type::named("i32"));
    }
    if random.rng.chance(15) {
        signature.open = open(&signature, 1 + random.rng.below(3));
    }
    signature
}

/// How many of the first parameters can be type parameters of the Rust struct: an `Option` is not a device type.
fn open(signature: &Signature, most: usize) -> usize {
    let is_device_type = |ty: &&Type| !matches!(ty, Type::Pointer { optional: true, .. });
    let first = signature.parameters.iter().take(most);
    first.take_while(is_device_type).count()
}

struct Random {
    rng: Rng,
    /// Which structs are packed.
    packing: Rng,
    /// The named types so far.
    known: Vec<Type>,
    prefix: String,
    named: usize,
    /// The maximum number of defined types: each costs rustc time.
    most_named: usize,
}

impl Random {
    fn parameter(&mut self) -> Type {
        let mut parameter = self.ty(0);
        if let Type::Pointer { optional, .. } = &mut parameter {
            *optional = self.rng.chance(25);
        }
        parameter
    }

    fn ty(&mut self, depth: usize) -> Type {
        let kind = self.rng.below(if depth < DEPTH { 100 } else { 62 });
        let names = matches!(kind, 56..62 | 70..);
        let ty = match kind {
            _ if names && self.named >= self.most_named => {
                if self.known.is_empty() || depth > 0 {
                    Type::Leaf(self.rng.pick(LEAVES))
                } else {
                    self.rng.pick(&self.known).clone()
                }
            }
            0..46 => Type::Leaf(self.rng.pick(LEAVES)),
            46..56 => self.pointer(),
            56..60 => self.enumeration(),
            60..62 => self.alias(),
            62..70 => Type::Array(Box::new(self.ty(depth + 1)), 1 + self.rng.below(9)),
            70..88 => self.structure(depth),
            _ => self.instance(depth),
        };
        if ty.extent().size > 2048 {
            return Type::Leaf(self.rng.pick(LEAVES));
        }
        ty
    }

    fn name(&mut self) -> String {
        self.named += 1;
        format!("{}_{}", self.prefix, self.named)
    }

    fn pointer(&mut self) -> Type {
        let to = match self.rng.below(8) {
            0 => Pointee::Void,
            1 => Pointee::Type(Box::new(self.pointer())),
            2 if !self.known.is_empty() => Pointee::Type(Box::new(self.rng.pick(&self.known).clone())),
            _ => Pointee::Type(Box::new(Type::Leaf(self.rng.pick(LEAVES)))),
        };
        Type::Pointer { to, is_const: self.rng.chance(50), optional: false }
    }

    fn enumeration(&mut self) -> Type {
        let integers = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];
        let underlying = *self.rng.pick(&integers);
        let leaf = Leaf::named(underlying).expect("an integer of the table");
        let bits = 8 * leaf.size();
        // At most 2^62: in the range of every integer of that width, signed or unsigned.
        let largest = (1i64 << (bits - 1).min(62)) - 1;
        let mut values: Vec<i64> = vec![0, largest];
        for _ in 0..self.rng.below(4) {
            let value = i64::try_from(self.rng.next_u64() >> 2).expect("62 bits") & largest;
            let signed = underlying.starts_with('i') && self.rng.chance(50);
            values.push(if signed { -value } else { value });
        }
        values.sort_unstable();
        values.dedup();
        Type::Enum(Enum { name: self.name(), underlying: leaf, values, scoped: self.rng.chance(70) })
    }

    fn alias(&mut self) -> Type {
        let scalar = |leaf: &&Leaf| matches!(leaf.scalar, Scalar::Bits(_));
        let leaves: Vec<&'static Leaf> = LEAVES.iter().filter(scalar).collect();
        Type::Alias { name: self.name(), of: Box::new(Type::Leaf(leaves[self.rng.below(leaves.len())])) }
    }

    fn structure(&mut self, depth: usize) -> Type {
        if !self.known.is_empty() && self.rng.chance(15) {
            return self.rng.pick(&self.known).clone();
        }
        let count = 1 + self.rng.below(6);
        let fields = (0..count).map(|_| Field { ty: self.ty(depth + 1), slot: Slot::Own }).collect();
        self.finish(fields, Vec::new(), None)
    }

    /// A new generic struct with its first instance, or a further instance of an existing generic struct.
    fn instance(&mut self, depth: usize) -> Type {
        let generic = |ty: &&Type| matches!(ty, Type::Struct(s) if !s.arguments.is_empty());
        let generics: Vec<Type> = self.known.iter().filter(generic).cloned().collect();
        if !generics.is_empty()
            && self.rng.chance(40)
            && let Some(again) = self.instantiate(&generics, depth)
        {
            return again;
        }
        let arguments: Vec<Type> = (0..=self.rng.below(2)).map(|_| self.ty(depth + 1)).collect();
        let length = self.rng.chance(50).then(|| 1 + self.rng.below(5));
        // Each parameter has its own field, because rustc rejects unused parameters.
        let mut slots: Vec<Slot> = (0..arguments.len()).map(Slot::Argument).collect();
        if length.is_some() {
            slots.push(Slot::Array(self.rng.below(arguments.len())));
        }
        for _ in 0..self.rng.below(3) {
            slots.insert(self.rng.below(slots.len() + 1), Slot::Own);
        }
        let fields = slots
            .into_iter()
            .map(|slot| match slot {
                Slot::Own => Field { ty: self.ty(depth + 1), slot },
                slot => filled(slot, &arguments, length),
            })
            .collect();
        self.finish(fields, arguments, length)
    }

    fn instantiate(&mut self, generics: &[Type], depth: usize) -> Option<Type> {
        let Type::Struct(first) = self.rng.pick(generics) else {
            return None;
        };
        let mut again = first.clone();
        for argument in &mut again.arguments {
            *argument = self.ty(depth + 1);
        }
        again.length = first.length.map(|_| 1 + self.rng.below(5));
        for field in &mut again.fields {
            if field.slot != Slot::Own {
                *field = filled(field.slot, &again.arguments, again.length);
            }
        }
        // C++ rejects an `alignas` below the alignment of a field.
        let natural = again.fields.iter().map(|f| f.ty.extent().align).max()?;
        let allowed = again.align.is_none_or(|align| align >= natural);
        let small = again.extent().size <= 1024;
        let allowed = allowed && (again.packed.is_none() || again.fields.iter().all(|field| field.ty.can_be_packed()));
        (allowed && small).then(|| self.remember(again))
    }

    fn finish(&mut self, mut fields: Vec<Field>, arguments: Vec<Type>, length: Option<usize>) -> Type {
        let natural = fields.iter().map(|field| field.ty.extent().align).max();
        let align = self.rng.chance(20).then(|| 1usize << self.rng.below(8));
        let align = align.filter(|align| Some(*align) >= natural);
        let packed = (align.is_none() && self.packing.chance(25)).then(|| 1 << self.packing.below(4));
        if packed.is_some() && arguments.is_empty() {
            let scalars = ["u8", "i16", "f32", "f64", "u64", "half::f16"];
            for field in fields.iter_mut().filter(|field| !field.ty.can_be_packed()) {
                field.ty = Type::named(scalars[self.packing.below(scalars.len())]);
            }
        }
        let can_be_packed = fields.iter().all(|field| field.ty.can_be_packed());
        let packed = packed.filter(|_| can_be_packed);
        let structure = Struct { name: self.name(), align, packed, fields, arguments, length };
        self.remember(structure)
    }

    fn remember(&mut self, structure: Struct) -> Type {
        let ty = Type::Struct(structure);
        self.known.push(ty.clone());
        ty
    }
}

fn filled(slot: Slot, arguments: &[Type], length: Option<usize>) -> Field {
    let ty = match slot {
        Slot::Argument(i) => arguments[i].clone(),
        Slot::Array(i) => Type::Array(Box::new(arguments[i].clone()), length.unwrap_or(1)),
        Slot::Own => unreachable!("a type of its own is no argument"),
    };
    Field { ty, slot }
}

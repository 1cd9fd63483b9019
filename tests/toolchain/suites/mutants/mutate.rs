//! Makes one mistake in a correct struct.

use crate::mutants::{corpus::definitions, kind::Kind, retype};
use kernel_args_test_generator::{Rng, Type, leaf::LEAVES};

/// A field of a struct of arguments.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Field {
    /// `p3` for parameter 3 of the kernel, at any position.
    pub(crate) name: String,
    pub(crate) ty: Type,
}

/// A struct with one mistake or a different spelling.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    pub(crate) kind: Kind,
    pub(crate) fields: Vec<Field>,
    /// The names of the wrong fields.
    pub(crate) wrong: Vec<String>,
    /// The parameter that has no field.
    pub(crate) missing: Option<usize>,
    /// The struct with two exchanged members, by their names.
    pub(crate) exchanged: Option<Exchanged>,
}

/// Two members with the same type, in a struct with this name.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Exchanged {
    structure: String,
    members: [usize; 2],
}

impl Exchanged {
    /// The definition of a type, with the members exchanged if it is that struct.
    pub(crate) fn apply(&self, name: &str, definition: &str) -> String {
        if name != self.structure {
            return definition.to_owned();
        }
        let [a, b] = self.members.map(|member| format!("pub f{member}: "));
        let marked = definition.replace(&a, "pub f_: ").replace(&b, &a);
        marked.replace("pub f_: ", &b)
    }
}

/// The maximum size of a mutant in bytes, without padding.
const MOST_BYTES: usize = 30_000;

/// The fields of the correct struct.
pub(crate) fn fields(types: &[Type]) -> Vec<Field> {
    let field = |(i, ty): (usize, &Type)| Field { name: format!("p{i}"), ty: ty.clone() };
    types.iter().enumerate().map(field).collect()
}

/// Makes one mistake of this kind, if the signature permits it.
pub(crate) fn mutate(kind: Kind, types: &[Type], rng: &mut Rng) -> Option<Mutant> {
    let mut mutant = Mutant { kind, fields: fields(types), wrong: Vec::new(), missing: None, exchanged: None };
    let differ = |a: usize, b: usize| types[a].rust() != types[b].rust();
    let pairs = || (0..types.len()).flat_map(|a| (a + 1..types.len()).map(move |b| (a, b)));
    match kind {
        Kind::SwapNeighbours => mutant.swap(pairs().filter(|(a, b)| b - a == 1 && differ(*a, *b)).collect(), rng)?,
        Kind::SwapApart => mutant.swap(pairs().filter(|(a, b)| b - a > 1 && differ(*a, *b)).collect(), rng)?,
        Kind::SwapSameType => {
            mutant.swap(pairs().filter(|(a, b)| !differ(*a, *b)).collect(), rng)?;
        }
        Kind::Move => {
            let moves = (0..types.len()).flat_map(|a| (0..types.len()).map(move |b| (a, b)));
            let moves = moves.filter(|(a, b)| a.abs_diff(*b) > 1).filter(|(a, b)| {
                let between = &types[*a.min(b)..=*a.max(b)];
                between.iter().any(|ty| ty.rust() != types[*a].rust())
            });
            let (from, to) = pick(moves.collect(), rng)?;
            let field = mutant.fields.remove(from);
            mutant.fields.insert(to, field);
            // Among similar fields, a different order with equally few moves may also correct it.
            let names = mutant.fields[from.min(to)..=from.max(to)].iter();
            mutant.wrong = names.map(|field| field.name.clone()).collect();
        }
        Kind::Members => {
            let structs = types.iter().enumerate().filter_map(|(i, ty)| match ty {
                Type::Struct(of) if of.fields.len() > 1 => Some((i, of)),
                _ => None,
            });
            let (at, of) = pick(structs.collect(), rng)?;
            let members = of
                .fields
                .iter()
                .enumerate()
                .map(|(i, member)| Field { name: format!("p{at}m{i}"), ty: member.ty.clone() });
            let members: Vec<Field> = members.collect();
            mutant.wrong = members.iter().map(|member| member.name.clone()).collect();
            mutant.fields.splice(at..=at, members);
        }
        Kind::SwapMembers => {
            let pairs = types.iter().flat_map(exchangeable).collect();
            let exchanged = pick(pairs, rng)?;
            let holds = |ty: &Type| {
                let mut structs = exchangeable(ty).into_iter();
                structs.any(|other| other == exchanged)
            };
            let fields = mutant.fields.iter().filter(|field| holds(&field.ty));
            mutant.wrong = fields.map(|field| field.name.clone()).collect();
            mutant.exchanged = Some(exchanged);
        }
        Kind::Drop => {
            let at = rng.below(types.len());
            mutant.fields.remove(at);
            mutant.missing = Some(at);
        }
        Kind::Add => {
            let ty = if rng.chance(50) { rng.pick(types).clone() } else { Type::Leaf(rng.pick(LEAVES)) };
            let at = rng.below(types.len() + 1);
            let name = "added".to_owned();
            mutant.wrong.push(name.clone());
            mutant.fields.insert(at, Field { name, ty });
        }
        _ => mutant.retype(types, rng)?,
    }
    let types: Vec<Type> = mutant.fields.iter().map(|field| field.ty.clone()).collect();
    // Exceeding the maximum size of parameters is a different kind of error.
    let bytes: usize = types.iter().map(|ty| ty.extent().size).sum();
    if bytes > MOST_BYTES {
        return None;
    }
    definitions(&types).map(|_| mutant)
}

impl Mutant {
    fn swap(&mut self, pairs: Vec<(usize, usize)>, rng: &mut Rng) -> Option<()> {
        let (a, b) = pick(pairs, rng)?;
        self.wrong = vec![self.fields[b].name.clone(), self.fields[a].name.clone()];
        self.fields.swap(a, b);
        Some(())
    }

    fn retype(&mut self, types: &[Type], rng: &mut Rng) -> Option<()> {
        let found = types
            .iter()
            .enumerate()
            .flat_map(|(i, ty)| retype::replacements(self.kind, ty).into_iter().map(move |other| (i, other)))
            .collect();
        let (at, ty) = pick(found, rng)?;
        if !self.kind.is_right() {
            self.wrong.push(self.fields[at].name.clone());
        }
        self.fields[at].ty = ty;
        Some(())
    }
}

/// The pairs of members with the same type in the structs inside a value of this type.
fn exchangeable(ty: &Type) -> Vec<Exchanged> {
    match ty {
        Type::Alias { of, .. } | Type::Array(of, _) => exchangeable(of),
        Type::Struct(s) => {
            let mut found: Vec<Exchanged> = Vec::new();
            for field in &s.fields {
                found.extend(exchangeable(&field.ty));
            }
            for b in 0..s.fields.len() {
                for a in (0..b).filter(|&a| s.fields[a].ty.rust() == s.fields[b].ty.rust()) {
                    found.push(Exchanged { structure: s.name.clone(), members: [a, b] });
                }
            }
            found
        }
        Type::Leaf(_) | Type::Pointer { .. } | Type::Enum(_) => Vec::new(),
    }
}

fn pick<T>(mut choices: Vec<T>, rng: &mut Rng) -> Option<T> {
    (!choices.is_empty()).then(|| choices.swap_remove(rng.below(choices.len())))
}

//! Every struct of a run: correct structs, and structs with a mistake.

use crate::mutants::{
    corpus::{Kernel, SEED, definitions},
    kind::Kind,
    mutate::{self, Field, Mutant},
    reads, visible,
};
use kernel_args_test_generator::{Rng, Type};

/// A struct for a kernel.
pub(crate) struct Case {
    /// The number of the kernel.
    pub(crate) kernel: usize,
    /// The path of the struct in the generated crates: `k12::m1::Args`.
    pub(crate) module: String,
    /// `None`: the correct struct from the generator.
    pub(crate) kind: Option<Kind>,
    pub(crate) fields: Vec<Field>,
    /// The definitions of types that the module of the correct struct does not have.
    pub(crate) definitions: String,
    /// The names of the wrong fields.
    pub(crate) wrong: Vec<String>,
    /// The parameter that has no field.
    pub(crate) missing: Option<usize>,
    /// Whether the kernel receives different bytes than from the correct struct.
    pub(crate) changes_reads: bool,
}

impl Case {
    /// Whether every stage must accept it.
    pub(crate) fn is_right(&self) -> bool {
        self.kind.is_none_or(Kind::is_right)
    }

    /// Whether a stage with this source must reject it; otherwise the reason why not.
    pub(crate) fn promise(&self, source: visible::Source, kernels: &[Kernel]) -> Result<(), &'static str> {
        let kernel = &kernels[self.kernel];
        let types = &kernel.signature.parameters;
        if source == visible::Source::Debug && self.kind == Some(Kind::SwapMembers) {
            return Ok(());
        }
        visible::promise(source, kernel.linkage, &self.fields, types)
    }

    /// A name for messages.
    pub(crate) fn describe(&self, kernels: &[Kernel]) -> String {
        let kernel = &kernels[self.kernel];
        let list = |types: Vec<String>| types.join(", ");
        let fields = self.fields.iter();
        format!(
            "{} ({}), {}: struct of ({}) for {:?} kernel of ({})",
            kernel.name(),
            self.module,
            self.kind.map_or("right", Kind::word),
            list(fields.map(|field| format!("{}: {}", field.name, field.ty.rust())).collect()),
            kernel.linkage,
            list(kernel.signature.parameters.iter().map(Type::cpp).collect()),
        )
    }
}

/// The correct struct of every kernel, and `mistakes` mutants for every four kernels, with equal numbers of all kinds
/// if the signatures permit it; and a second correct spelling of every other struct.
pub(crate) fn cases(kernels: &[Kernel], mistakes: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut made = [0usize; Kind::MISTAKES.len()];
    let mut written = [0usize; Kind::RIGHT.len()];
    for (number, kernel) in kernels.iter().enumerate() {
        let types = &kernel.signature.parameters;
        let mut rng = Rng::new(SEED ^ 0x6b69_6e64, number as u64);
        let known = definitions(types).unwrap_or_default();
        let right = mutate::fields(types);
        cases.push(Case {
            kernel: number,
            module: kernel.name().to_owned(),
            kind: None,
            fields: right.clone(),
            definitions: known.iter().map(|(_, text)| text.as_str()).collect(),
            wrong: Vec::new(),
            missing: None,
            changes_reads: false,
        });
        let share = mistakes * (number + 1) / 4 - mistakes * number / 4;
        let mut mutants = choose(&Kind::MISTAKES, &mut made, share, types, &mut rng);
        mutants.extend(choose(&Kind::RIGHT, &mut written, number % 2, types, &mut rng));
        for (i, mutant) in mutants.into_iter().enumerate() {
            let own = mutant.fields.iter().map(|field| field.ty.clone());
            let mut own = definitions(&own.collect::<Vec<_>>()).unwrap_or_default();
            if let Some(exchanged) = &mutant.exchanged {
                for (name, text) in &mut own {
                    *text = exchanged.apply(name, text);
                }
            }
            // A struct that contains the struct or enum is also defined again.
            let all = mutant.exchanged.is_some() || mutant.kind == Kind::EnumValue;
            let new = own.iter().filter(|definition| all || !known.contains(definition));
            cases.push(Case {
                kernel: number,
                module: format!("{}::m{i}", kernel.name()),
                kind: Some(mutant.kind),
                changes_reads: reads::changes_what_is_read(&mutant, &right),
                fields: mutant.fields,
                definitions: new.map(|(_, text)| text.as_str()).collect(),
                wrong: mutant.wrong,
                missing: mutant.missing,
            });
        }
    }
    cases
}

/// Creates this many mutants, always of the kind with the fewest mutants.
fn choose<const N: usize>(
    kinds: &[Kind; N],
    made: &mut [usize; N],
    count: usize,
    types: &[Type],
    rng: &mut Rng,
) -> Vec<Mutant> {
    let mut order: Vec<usize> = (0..N).collect();
    order.sort_by_key(|i| made[*i]);
    let mut mutants = Vec::new();
    for i in order {
        if mutants.len() == count {
            break;
        }
        if let Some(mutant) = mutate::mutate(kinds[i], types, rng) {
            made[i] += 1;
            mutants.push(mutant);
        }
    }
    mutants
}

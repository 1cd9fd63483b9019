//! The names of the items for kernels in `kernels!`.
//!
//! The documentation of `kernels!` specifies the rules.

use super::identifier::{identifier, numbered, raw};
use crate::mangled::Demangled;
use crate::prelude::*;
use kernel_args_abi::keywords::{NEVER, is_never};

/// The names of a kernel.
#[derive(Clone, Debug)]
pub struct Kernel<'k> {
    /// The symbol.
    pub symbol: &'k str,
    /// The C++ name, if the symbol is mangled.
    pub demangled: Option<Demangled>,
}

/// An item of the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The Rust identifier: `saxpy`, `r#fn`.
    pub name: String,
    /// The kernels that the item represents.
    pub what: What,
}

/// The kernels that an item represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The kernel at this index.
    Kernel(usize),
    /// Several kernels: the index of the first one, and their number.
    Kernels(usize, usize),
}

/// The names of the module's other items.
const RESERVED: [&str; 9] =
    ["IMAGE", "KERNELS", "_", "__BYTES", "__TABLE", "__IMAGE", "__SUMMARY", "__VARIABLES", "__VARIABLE_TABLE"];

const LONGEST: usize = 100;

impl Kernel<'_> {
    fn base(&self) -> String {
        let name = match &self.demangled {
            Some(demangled) => demangled.name().rsplit("::").next().unwrap_or_default(),
            None => self.symbol,
        };
        match identifier(name) {
            name if name.is_empty() => "kernel".into(),
            name if name.starts_with(|c: char| c.is_ascii_digit()) => format!("_{name}"),
            name => name,
        }
    }

    fn is_instance(&self) -> bool {
        self.demangled.as_ref().is_some_and(|demangled| demangled.template_arguments().is_some())
    }

    /// Returns the scope if the symbol does not contain types.
    fn parameters(&self) -> String {
        let Some(demangled) = &self.demangled else {
            return String::new();
        };
        let text = demangled.text();
        let name = demangled.name();
        if !demangled.has_parameters() {
            return identifier(name.rsplit_once("::").map_or("", |(scope, _)| scope));
        }
        let after = text.find(name).map_or(text, |at| &text[at + name.len()..]);
        let arguments = demangled.template_arguments().map_or(0, |a| a.len() + 2);
        match identifier(after.get(arguments..).unwrap_or_default()) {
            none if none.is_empty() => "void".into(),
            types => types,
        }
    }

    fn suffixed(&self, base: &str, with_parameters: bool) -> String {
        let mut name = base.to_owned();
        let arguments = self.demangled.as_ref().and_then(Demangled::template_arguments);
        if let Some(arguments) = arguments {
            name = join(&name, &identifier(arguments));
        }
        if with_parameters || arguments.is_none() {
            name = join(&name, &self.parameters());
        }
        name
    }

    fn numbered(&self, name: &str) -> String {
        numbered(name, LONGEST, self.symbol)
    }
}

type Names = Map<Vec<u8>, ()>;

fn take(name: &mut String, taken: &mut Names) {
    while !taken.entry(name.as_bytes().into(), ()).1 {
        name.push('_');
    }
}

fn join(name: &str, suffix: &str) -> String {
    format!("{}_{suffix}", name.trim_end_matches('_'))
}

/// Returns the order of kernels in the table, and the items. Index `i` of an item means `kernels[order[i]]`.
#[must_use]
pub fn items(kernels: &[Kernel<'_>]) -> (Vec<usize>, Vec<Item>) {
    let bases: Vec<String> = kernels.iter().map(Kernel::base).collect();
    // Among equal names, `extern "C"` is first: its symbol is the name.
    let key = |i: usize| (&bases[i], kernels[i].demangled.is_some(), kernels[i].symbol);
    let order = order(kernels.len(), &|a, b| key(a).cmp(&key(b)));
    let mut taken = Map::default();
    for name in bases.iter().map(String::as_str).chain(RESERVED).chain(NEVER.iter().copied()) {
        taken.insert(name.into(), ());
    }
    let mut found = Vec::new();
    let mut suffixed = Vec::new();
    for group in order.chunk_by(|&a, &b| bases[a] == bases[b]) {
        let start = order.partition_point(|&i| bases[i] < bases[group[0]]);
        let (first, base) = (&kernels[group[0]], &bases[group[0]]);
        let alone = first.symbol == base || group.len() == 1 && !first.is_instance();
        let what = if alone { What::Kernel(start) } else { What::Kernels(start, group.len()) };
        let mut name = base.clone();
        if RESERVED.contains(&name.as_str()) || is_never(&name) {
            take(&mut name, &mut taken);
        }
        found.push(Item { name, what });
        suffixed.extend((start + usize::from(alone)..start + group.len()).map(|at| (base, at)));
    }
    found.extend(instances(kernels, &order, &suffixed, &mut taken));
    for item in &mut found {
        item.name = raw(core::mem::take(&mut item.name));
    }
    (order, found)
}

/// Returns the names of the items for variables: `TABLE` for `sim::table`, `BUFFER_7` for `buffer<7>`. `items` are the
/// items for kernels.
#[must_use]
pub fn variables(variables: &[Kernel<'_>], items: &[Item]) -> Vec<String> {
    let mut taken = Map::default();
    for name in items.iter().map(|item| item.name.as_str()).chain(RESERVED) {
        taken.insert(name.into(), ());
    }
    let mut names = Vec::with_capacity(variables.len());
    for variable in variables {
        let base = variable.base();
        let name = if variable.is_instance() { variable.suffixed(&base, false) } else { base };
        let mut name = screaming(&name);
        if name.len() > LONGEST {
            name = screaming(&variable.numbered(&name));
        }
        take(&mut name, &mut taken);
        names.push(name);
    }
    names
}

/// `TILE_SIZE` for `tileSize` and `tile_size`.
fn screaming(name: &str) -> String {
    let mut text = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && was_lower {
            text.push('_');
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        text.extend(c.to_uppercase());
    }
    text
}

fn instances(kernels: &[Kernel<'_>], order: &[usize], suffixed: &[(&String, usize)], taken: &mut Names) -> Vec<Item> {
    let mut counts = [Map::default(), Map::default()];
    let mut names = Vec::with_capacity(suffixed.len());
    for &(base, at) in suffixed {
        let both = [false, true].map(|with_parameters| kernels[order[at]].suffixed(base, with_parameters));
        for (counts, name) in counts.iter_mut().zip(&both) {
            *counts.entry(name.as_bytes().into(), 0_usize).0 += 1;
        }
        names.push((at, both));
    }
    let [shorts, longs] = counts;
    let is_free = |name: &str, counts: &Map<Vec<u8>, usize>, taken: &Names| {
        name.len() <= LONGEST && counts.get(name.as_bytes()) == Some(&1) && taken.get(name.as_bytes()).is_none()
    };
    let mut found = Vec::new();
    for (at, [short, long]) in names {
        let mut name = if is_free(&short, &shorts, taken) {
            short
        } else if is_free(&long, &longs, taken) && shorts.get(long.as_bytes()).is_none() {
            long
        } else {
            kernels[order[at]].numbered(&short)
        };
        take(&mut name, taken);
        found.push(Item { name, what: What::Kernel(at) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Item, Kernel, What, items, variables};
    use crate::mangled::Demangled;
    use proptest::prelude::*;
    use std::{borrow::ToOwned, collections::BTreeSet, string::String, vec::Vec};

    fn named(symbols: &[&str]) -> Vec<(String, Vec<String>)> {
        let kernels: Vec<_> =
            symbols.iter().map(|&symbol| Kernel { symbol, demangled: Demangled::new(symbol) }).collect();
        let (order, items) = items(&kernels);
        items
            .into_iter()
            .map(|Item { name, what }| {
                let places = match what {
                    What::Kernel(at) => at..at + 1,
                    What::Kernels(start, count) => start..start + count,
                };
                let symbols = places.map(|at| kernels[order[at]].symbol.to_owned());
                (name, symbols.collect())
            })
            .collect()
    }

    fn names(symbols: &[&str]) -> Vec<String> {
        named(symbols).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn each_name_follows_from_the_rules() {
        for (symbols, expected) in [
            // A kernel alone has its unqualified name.
            (&["saxpy"][..], &["saxpy"][..]),
            (&["_Z5saxpyifPKfPf"], &["saxpy"]),
            (&["_ZN3sim4stepEi"], &["step"]),
            // The name of an instance does not depend on the other instances.
            (&["_Z5saxpyIfEviT_PKS0_PS0_"], &["saxpy", "saxpy_float"]),
            // Keywords and items of the module are escaped.
            (&["fn"], &["r#fn"]),
            (&["self"], &["self_"]),
            (&["IMAGE"], &["IMAGE_"]),
            (&["KERNELS", "KERNELS_"], &["KERNELS__", "KERNELS_"]),
            (&["_"], &["__"]),
            (&["__SUMMARY"], &["__SUMMARY_"]),
            (&["$k%1"], &["k_1"]),
            (&["%9"], &["_9"]),
        ] {
            assert_eq!(names(symbols), expected);
        }
    }

    #[test]
    fn a_variable_has_a_name_that_rust_takes() {
        for (symbol, name) in [
            ("table", "TABLE"),
            ("_", "__"),
            ("$", "KERNEL"),
            ("self", "SELF"),
            ("__variables", "__VARIABLES_"),
            ("__variable_table", "__VARIABLE_TABLE_"),
            ("x; } fn evil() {", "X_FN_EVIL"),
        ] {
            assert_eq!(variables(&[Kernel { symbol, demangled: None }], &[]), [name]);
        }
    }

    #[test]
    fn overloads_and_instances_have_an_item_each_and_one_for_all() {
        let [double, float, overload] = ["_Z5saxpyIdEviT_PKS0_PS0_", "_Z5saxpyIfEviT_PKS0_PS0_", "_Z5saxpyifPKfPf"];
        let items = |items: &[(&str, &[&str])]| -> Vec<(String, Vec<String>)> {
            let owned = |symbols: &[&str]| symbols.iter().copied().map(String::from).collect();
            items.iter().map(|(name, symbols)| (String::from(*name), owned(symbols))).collect()
        };
        let expected = items(&[
            ("saxpy", &[double, float, overload]),
            ("saxpy_double", &[double]),
            ("saxpy_float", &[float]),
            ("saxpy_int_float_float_const_ptr_float_ptr", &[overload]),
        ]);
        assert_eq!(named(&[overload, float, double]), expected);
        // An `extern "C"` kernel with overloads keeps its name.
        assert_eq!(named(&["k", "_ZN1a1kEi"]), items(&[("k", &["k"]), ("k_int", &["_ZN1a1kEi"])]));
    }

    #[test]
    fn the_same_name_in_two_namespaces_gets_a_number_that_stays() {
        let both = names(&["_ZN1a1kEi", "_ZN1b1kEi"]);
        assert_eq!(both.len(), 3);
        assert_eq!(both[0], "k");
        assert!(both[1].starts_with("k_int_") && both[1] != both[2], "{both:?}");
        let three = names(&["_ZN1a1kEi", "_ZN1b1kEi", "_ZN1c1kEi"]);
        assert!(both.iter().all(|name| three.contains(name)), "{three:?}");
    }

    proptest! {
        /// For any symbols, each kernel has its own item with a valid Rust name.
        #[test]
        fn each_kernel_has_an_item_that_rust_takes(
            symbols in proptest::collection::btree_set(
                "[a-c_$%]{1,3}|_Z1[ab]I[fdi]E?v[if]|_Z1[ab][if]{1,2}|_ZN1[mn]1[ab]E[if]|fn|self|IMAGE", 1..20
            )
        ) {
            let symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
            let found = named(&symbols);
            let names: BTreeSet<_> = found.iter().map(|(name, _)| name).collect();
            prop_assert_eq!(names.len(), found.len());
            for (name, _) in &found {
                prop_assert!(syn::parse_str::<syn::Ident>(name).is_ok(), "{}", name);
            }
            for symbol in symbols {
                prop_assert!(found.iter().any(|(_, own)| own == &[symbol]), "{} in {:?}", symbol, found);
            }
        }
    }
}

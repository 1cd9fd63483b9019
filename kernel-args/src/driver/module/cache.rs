//! The functions that a module was asked for.

use crate::driver::function::{Chain, Function, Words};
use core::{
    any::TypeId,
    hash::{Hash, Hasher},
};
use std::boxed::Box;

/// How many chains there are: a module of a hundred kernels has one or two in each.
const CHAINS: usize = 64;

/// The functions that a module was asked for, by the type of their arguments and the name that was given. It is read without a
/// lock, and only grows: what it holds is verified, and stays right as long as the module is loaded.
pub(crate) struct KernelCache {
    chains: [Chain<Cached>; CHAINS],
}

struct Cached {
    hash: Words,
    /// The erased struct; `None` for an untyped function.
    arguments: Option<TypeId>,
    entry: Box<str>,
    function: Function,
}

impl Cached {
    fn is(&self, hash: Words, arguments: Option<TypeId>, entry: &str) -> bool {
        self.hash == hash && self.arguments == arguments && *self.entry == *entry
    }
}

impl KernelCache {
    pub(crate) const fn new() -> Self {
        Self {
            chains: [const { Chain::new() }; CHAINS],
        }
    }

    fn chain(&self, hash: Words) -> &Chain<Cached> {
        &self.chains[hash.top(CHAINS.ilog2())]
    }

    /// The function that was inserted for these.
    #[inline]
    pub(crate) fn get(&self, arguments: Option<TypeId>, entry: &str) -> Option<&Function> {
        let hash = hash(arguments, entry);
        self.chain(hash)
            .iter()
            .find(|cached| cached.is(hash, arguments, entry))
            .map(|cached| &cached.function)
    }

    /// Keeps a function, unless another thread was faster; returns the one that is kept.
    pub(crate) fn insert(
        &self,
        arguments: Option<TypeId>,
        entry: &str,
        function: &Function,
    ) -> &Function {
        let hash = hash(arguments, entry);
        let cached = Cached {
            hash,
            arguments,
            entry: entry.into(),
            function: function.clone(),
        };
        let same = |a: &Cached, b: &Cached| a.is(b.hash, b.arguments, &b.entry);
        &self.chain(hash).push(cached, same).function
    }
}

#[inline]
fn hash(arguments: Option<TypeId>, entry: &str) -> Words {
    let mut words = Words::new(0);
    arguments.hash(&mut words);
    words.write(entry.as_bytes());
    words
}

//! Finds functions that a module has returned.

use crate::driver::function::{AppendList, FastHasher, Function, Typed, Verified};
use core::{
    any::TypeId,
    hash::{Hash, Hasher},
};

/// The number of lists: a module with a hundred kernels has one or two in each.
const LISTS: usize = 64;

/// The functions that a module has returned, by the type of their arguments and the requested name. Lookups take no
/// lock. The cache only grows.
pub(crate) struct KernelCache {
    lists: [AppendList<Cached>; LISTS],
}

struct Cached {
    hash: FastHasher,
    entry: Box<str>,
    function: Verified,
}

impl Cached {
    fn is(&self, hash: FastHasher, entry: &str) -> bool {
        self.hash == hash && *self.entry == *entry
    }
}

impl KernelCache {
    pub(crate) const fn new() -> Self {
        Self { lists: [const { AppendList::new() }; LISTS] }
    }

    fn list(&self, hash: FastHasher) -> &AppendList<Cached> {
        &self.lists[hash.top(LISTS.ilog2())]
    }

    #[inline]
    fn find<'c, R>(&'c self, hash: FastHasher, entry: &str, is: impl Fn(&'c Verified) -> Option<R>) -> Option<R> {
        let mut chain = self.list(hash).iter();
        chain.find_map(|cached| cached.is(hash, entry).then(|| is(&cached.function)).flatten())
    }

    pub(crate) fn get(&self, entry: &str) -> Option<&Function> {
        self.find(hash(None, entry), entry, Verified::as_untyped)
    }

    #[inline]
    pub(crate) fn get_typed<E: 'static>(&self, entry: &str) -> Option<Typed<E>> {
        let hash = hash(Some(TypeId::of::<E>()), entry);
        self.find(hash, entry, Verified::as_typed)
    }

    /// Returns the function in the cache: another thread can be faster.
    pub(crate) fn insert(&self, entry: &str, function: &Function) -> Function {
        let kept = self.keep(entry, Verified::untyped(function));
        kept.as_untyped().unwrap_or(function).clone()
    }

    pub(super) fn get_verified(&self, entry: &str, erased: TypeId) -> Option<Verified> {
        let is = |one: &Verified| (one.arguments() == Some(erased)).then(|| one.clone());
        self.find(hash(Some(erased), entry), entry, is)
    }

    pub(super) fn keep(&self, entry: &str, function: Verified) -> &Verified {
        let cached = Cached { hash: hash(function.arguments(), entry), entry: entry.into(), function };
        let hash = cached.hash;
        let same = |a: &Cached, b: &Cached| a.is(b.hash, &b.entry) && a.function.arguments() == b.function.arguments();
        &self.list(hash).push(cached, same).function
    }
}

#[inline]
fn hash(arguments: Option<TypeId>, entry: &str) -> FastHasher {
    let mut hasher = FastHasher::new(0);
    arguments.hash(&mut hasher);
    hasher.write(entry.as_bytes());
    hasher
}

//! A list that only grows.

use std::sync::OnceLock;

/// A list that only grows. Any thread reads it without waiting; threads that append at the same time do so one after
/// another.
pub(crate) struct AppendList<T>(OnceLock<Box<Link<T>>>);

struct Link<T> {
    value: T,
    next: AppendList<T>,
}

impl<T> AppendList<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let mut next = self.0.get();
        std::iter::from_fn(move || {
            let link = next?;
            next = link.next.0.get();
            Some(&link.value)
        })
    }

    /// Appends `value`, unless the list contains a value that is the `same`; returns the value in the list.
    pub(crate) fn push(&self, value: T, same: impl Fn(&T, &T) -> bool) -> &T {
        let mut end = self;
        let mut new = Some(Box::new(Link { value, next: Self::new() }));
        loop {
            // The initialiser runs only if there is no link yet, and `new` is taken at most once.
            let link = end.0.get_or_init(|| new.take().expect("no link has taken it"));
            match &new {
                Some(new) if !same(&link.value, &new.value) => end = &link.next,
                _ => return &link.value,
            }
        }
    }
}

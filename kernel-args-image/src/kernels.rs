//! The kernels of an image.

use super::{
    Error,
    debug::{Debug, Part},
};
use crate::dwarf;
use crate::{
    cubin::{self, Cubin},
    mangled::Demangled,
    ptx,
};
use alloc::{borrow::Cow, vec::Vec};
use kernel_args_abi::{Class, Members, param_layout::Sm, signature};

/// The kernels of an image.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kernels<'a> {
    /// Of each PTX text.
    texts: Vec<ptx::Outline>,
    /// Of each cubin.
    cubins: Vec<Cubin<'a>>,
    /// Every kernel, in the order of its symbol; PTX before cubins, earlier ones first.
    index: Vec<Place>,
    debug: Debug,
}

/// Where a kernel is described.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// The number of a text, and of the kernel in it.
    Text(u32, u32),
    /// The number of a cubin, and of the kernel in it.
    Cubin(u32, u32),
}

impl Place {
    const fn part(self) -> Part {
        match self {
            Self::Text(text, _) => Part::Text(text),
            Self::Cubin(cubin, _) => Part::Cubin(cubin),
        }
    }
}

/// One kernel of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Kernel<'k> {
    /// Its symbol.
    pub name: &'k str,
    /// Its C++ name, where the symbol is mangled.
    pub demangled: Option<Demangled>,
    /// Its entry in PTX.
    pub entry: Option<ptx::Entry<'k>>,
    /// Its records in a cubin.
    pub records: Option<&'k cubin::Kernel<'k>>,
    /// Its parameters as debug information tells them: with the feature `debug-info`, and where the image has any.
    pub described: Members<'k>,
}

impl<'a> Kernels<'a> {
    /// Adds the kernels of a PTX text: how much memory they take.
    pub(super) fn add_text(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let text = ptx::Outline::read(bytes).map_err(Error::Ptx)?;
        let number = narrow(self.texts.len());
        let weight = if text.has_debug_info() {
            self.debug.add(Part::Text(number), bytes, text.symbols())
        } else {
            0
        };
        let kernels = 0..narrow(text.symbols().len());
        self.index
            .extend(kernels.map(|kernel| Place::Text(number, kernel)));
        let weight = weight + text.weight();
        self.texts.push(text);
        Ok(weight)
    }

    /// Adds the kernels of a cubin: how much memory they take.
    pub(super) fn add_cubin(&mut self, bytes: Cow<'a, [u8]>) -> Result<usize, Error> {
        let number = narrow(self.cubins.len());
        let (weight, cubin) = match bytes {
            Cow::Borrowed(bytes) => self.read_cubin(number, bytes)?,
            Cow::Owned(bytes) => {
                let (weight, cubin) = self.read_cubin(number, &bytes)?;
                (weight, cubin.into_owned())
            }
        };
        let kernels = 0..narrow(cubin.kernels.len());
        self.index
            .extend(kernels.map(|kernel| Place::Cubin(number, kernel)));
        let weight = weight + cubin.weight();
        self.cubins.push(cubin);
        Ok(weight)
    }

    /// Reads the cubin of this number: how much memory its debug information takes, and its kernels.
    fn read_cubin<'b>(
        &mut self,
        number: u32,
        bytes: &'b [u8],
    ) -> Result<(usize, Cubin<'b>), Error> {
        let cubin = cubin::parse(bytes).map_err(Error::Cubin)?;
        let kernels = cubin.kernels.iter().map(|kernel| &*kernel.name);
        let weight = self.debug.add(Part::Cubin(number), bytes, kernels);
        Ok((weight, cubin))
    }

    /// Why debug information of the image is not read, in whole or for single kernels. Their parameters are told without
    /// it.
    #[must_use]
    pub fn debug_errors(&self) -> impl ExactSizeIterator<Item = &dwarf::Error> {
        self.debug.errors.iter().map(|(_, error)| error)
    }

    /// Why debug information that the image has does not tell the parameters of one of its kernels: it cannot be read, or
    /// speaks of other parameters than the image. `None` where it tells them, and where there is none. Tables of lines,
    /// which list no parameters, are none.
    #[must_use]
    pub fn debug_error(&self, kernel: &Kernel<'_>) -> Option<dwarf::Error> {
        if kernel.described.is_known() {
            let tells_others = !kernel.described.is_empty()
                && !kernel.described.complete(&mut kernel.told_by_image());
            return tells_others.then(|| dwarf::Error::Kernel {
                name: kernel.name.into(),
                what: "it speaks of other parameters than the image has",
            });
        }
        let parts: Vec<Part> = self.places(kernel.name).map(Place::part).collect();
        let errors = self.debug.errors.iter();
        let mut own = errors.filter(|(part, error)| match error {
            dwarf::Error::Kernel { name, .. } => *name == kernel.name,
            _ => parts.contains(part),
        });
        own.next().map(|(_, error)| error.clone())
    }

    pub(super) fn sort(&mut self) {
        let mut index = core::mem::take(&mut self.index);
        index.sort_unstable_by(|a, b| (self.symbol(*a), a).cmp(&(self.symbol(*b), b)));
        self.index = index;
    }

    fn symbol(&self, place: Place) -> &str {
        #[cfg(test)]
        tests::count();
        match place {
            Place::Text(text, kernel) => self
                .texts
                .get(text as usize)
                .map_or("", |text| text.symbol(kernel as usize)),
            Place::Cubin(cubin, kernel) => self
                .records(cubin, kernel)
                .map_or("", |(_, kernel)| &kernel.name),
        }
    }

    fn records(&self, cubin: u32, kernel: u32) -> Option<(Sm, &cubin::Kernel<'a>)> {
        let cubin = self.cubins.get(cubin as usize)?;
        Some((cubin.sm, cubin.kernels.get(kernel as usize)?))
    }

    /// The same without the image.
    #[must_use]
    pub fn into_owned(self) -> Kernels<'static> {
        Kernels {
            texts: self.texts,
            cubins: self.cubins.into_iter().map(Cubin::into_owned).collect(),
            index: self.index,
            debug: self.debug,
        }
    }

    /// The declaration of a kernel, as [`ptx::Outline::declaration`] tells, where the image is one PTX text.
    #[must_use]
    pub fn declaration(&self, symbol: &str) -> Option<(usize, &[u8])> {
        match (self.texts.as_slice(), self.cubins.as_slice()) {
            ([text], []) => text.declaration(symbol),
            _ => None,
        }
    }

    /// Whether the texts and cubins of the image have this kernel with other parameters: another number of them, other sizes, or
    /// in PTX other alignments or classes. Offsets are not compared, since those of over-aligned parameters depend on the GPU.
    #[must_use]
    pub fn varies(&self, symbol: &str) -> bool {
        let (mut sizes, mut declared) = (None, None);
        let places = self.places(symbol).collect::<Vec<_>>();
        if places.len() < 2 {
            return false;
        }
        places.into_iter().any(|place| match place {
            Place::Text(text, kernel) => {
                let entry = self.texts.get(text as usize);
                let Some(entry) = entry.and_then(|text| text.nth(kernel as usize)) else {
                    return false;
                };
                let layouts = entry.parameters.iter().map(|p| (p.layout, p.class));
                let own = layouts.clone().map(|(layout, _)| layout.size());
                differs(&mut declared, layouts) || differs(&mut sizes, own)
            }
            Place::Cubin(cubin, kernel) => {
                let records = self.records(cubin, kernel);
                let parameters = records.map(|(_, kernel)| kernel.parameters.as_slice());
                let own = parameters.unwrap_or_default().iter().map(|p| p.size);
                differs(&mut sizes, own)
            }
        })
    }

    /// Where a kernel is described, PTX before cubins.
    fn places(&self, symbol: &str) -> impl Iterator<Item = Place> {
        let start = self
            .index
            .partition_point(|&place| self.symbol(place) < symbol);
        let rest = self.index.get(start..).unwrap_or_default().iter();
        rest.copied()
            .take_while(move |&place| self.symbol(place) == symbol)
    }

    /// The symbols of all kernels, each once, in alphabetical order.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        let symbols = self.index.iter().map(|&place| self.symbol(place));
        symbols.filter(move |&symbol| last.replace(symbol) != Some(symbol))
    }

    /// The kernel of this symbol, as the GPU generation `sm` would run it: the cubin for it, else the
    /// nearest older one of its major version. Without `sm`, the first cubin that has the kernel.
    #[must_use]
    pub fn kernel(&self, symbol: &str, sm: Option<Sm>) -> Option<Kernel<'_>> {
        let places = self.places(symbol).collect::<Vec<_>>();
        let places = || places.iter().copied();
        let entry = places().find_map(|place| match place {
            Place::Text(text, kernel) => self.texts.get(text as usize)?.nth(kernel as usize),
            Place::Cubin(..) => None,
        });
        let fitting = places().filter_map(|place| {
            let Place::Cubin(cubin, kernel) = place else {
                return None;
            };
            let (of, kernel) = self.records(cubin, kernel)?;
            let fits = sm.is_none_or(|sm| of.0 / 10 == sm.0 / 10 && of <= sm);
            fits.then_some((of, kernel, Part::Cubin(cubin)))
        });
        let records = match sm {
            Some(_) => fitting.max_by_key(|&(sm, ..)| sm),
            None => fitting.take(1).last(),
        };
        let text = places().find_map(|place| match place {
            Place::Text(text, _) => Some(Part::Text(text)),
            Place::Cubin(..) => None,
        });
        let part = records.map(|(.., part)| part).or(text);
        let records = records.map(|(_, kernel, _)| kernel);
        let name = match (&entry, records) {
            (Some(entry), _) => entry.name,
            (None, Some(records)) => &*records.name,
            (None, None) => return None,
        };
        Some(Kernel {
            name,
            demangled: Demangled::new(name),
            entry,
            records,
            described: self.debug.parameters(part, symbol),
        })
    }
}

/// Whether `found` is another list than the first one.
fn differs<T: PartialEq + Copy>(
    first: &mut Option<Vec<T>>,
    found: impl Iterator<Item = T> + Clone,
) -> bool {
    let first = first.get_or_insert_with(|| found.clone().collect());
    found.ne(first.iter().copied())
}

/// Counts of kernels and members: images are smaller than 2^32 times the smallest of either.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Why a kernel of one image does not describe that of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Undescribed {
    /// It has no debug information, or none that can be read.
    NoDebugInfo,
    /// It takes other parameters: another number of them, or other sizes, alignments or classes.
    OtherParameters,
}

impl<'k> Kernel<'k> {
    /// The kernel with the debug information that another image has of it: a debug build of the same source.
    ///
    /// # Errors
    /// Where `other` has none, or takes other parameters.
    pub fn described_by(self, other: &Kernel<'k>) -> Result<Self, Undescribed> {
        if !other.described.is_known() {
            return Err(Undescribed::NoDebugInfo);
        }
        let (mut own, others) = (self.told_by_image(), other.told_by_image());
        let unknown = |class: Class| matches!(class, Class::Unknown | Class::Bits);
        let same = own.len() == others.len()
            && own.iter().zip(&others).all(|(a, b)| {
                a.size == b.size
                    && (a.align == b.align || a.align.is_none() || b.align.is_none())
                    && (a.class == b.class || unknown(a.class) || unknown(b.class))
            });
        if !same || !other.described.complete(&mut own) {
            return Err(Undescribed::OtherParameters);
        }
        Ok(Self {
            described: other.described,
            ..self
        })
    }
}

impl Kernel<'_> {
    /// Whether it uses dynamic shared memory (`extern __shared__`); `None` where nothing tells: a cubin does not.
    #[must_use]
    pub fn dynamic_shared(&self) -> Option<bool> {
        let defined = self.entry.as_ref().filter(|entry| entry.is_defined);
        defined.map(|entry| entry.dynamic_shared)
    }

    /// The parameters in the common model. Sizes, alignments and classes are PTX's where the image has
    /// PTX; offsets are those of the cubin that [`Kernels::kernel`] chose; C++ types are the symbol's. Names, members and
    /// the types that the symbol does not tell are those of debug information, where it has as many parameters of the same
    /// sizes.
    #[must_use]
    pub fn parameters(&self) -> Vec<signature::Parameter<'_>> {
        let mut parameters = self.told_by_image();
        self.described.complete(&mut parameters);
        parameters
    }

    /// The parameters without debug information.
    pub(crate) fn told_by_image(&self) -> Vec<signature::Parameter<'_>> {
        let demangled = self.demangled.as_ref();
        let recorded = self
            .records
            .map(|records| records.signature_parameters(demangled));
        let Some(entry) = &self.entry else {
            return recorded.unwrap_or_default();
        };
        let mut parameters = entry.signature_parameters(demangled);
        let agrees = |recorded: &Vec<signature::Parameter<'_>>| {
            recorded.len() == parameters.len()
                && recorded
                    .iter()
                    .zip(&parameters)
                    .all(|(a, b)| a.size == b.size)
        };
        if let Some(recorded) = recorded.filter(agrees) {
            for (parameter, recorded) in parameters.iter_mut().zip(recorded) {
                parameter.offset = recorded.offset;
            }
        }
        parameters
    }
}

#[cfg(test)]
mod tests {
    use super::super::Image;
    use core::fmt::Write as _;
    use std::{cell::Cell, string::String};

    std::thread_local! {
        static SYMBOLS: Cell<u64> = const { Cell::new(0) };
    }

    /// A symbol is read, to be compared or told.
    pub(super) fn count() {
        SYMBOLS.set(SYMBOLS.get() + 1);
    }

    /// How many symbols are read while all of `count` kernels are looked up.
    fn reads(count: u64) -> u64 {
        let mut text = String::from(".version 9.0\n.target sm_90\n");
        for i in 0..count {
            writeln!(text, ".entry k{i}(){{}}").unwrap();
        }
        let kernels = Image::read(text.as_bytes()).unwrap().kernels().unwrap();
        SYMBOLS.set(0);
        let mut found = 0;
        for symbol in kernels.symbols() {
            found += u64::from(kernels.kernel(symbol, None).is_some());
        }
        assert_eq!(found, count);
        SYMBOLS.get()
    }

    /// What a linear search would read quadruples when the kernels double: 2 million for 2,000.
    #[test]
    fn looking_up_all_kernels_takes_a_logarithm_each() {
        for count in [500, 1_000, 2_000, 4_000] {
            let reads = reads(count);
            let each = u64::from(count.ilog2()) + 7;
            assert!(reads <= count * each, "{reads} for {count} kernels");
        }
    }
}

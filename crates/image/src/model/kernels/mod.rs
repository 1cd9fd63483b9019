//! The kernels and variables of an image.

mod same;

#[cfg(feature = "bodies")]
use crate::formats::ptx::Bodies;
use crate::prelude::*;
use crate::{
    code::target::Compatibility,
    formats::{
        cubin::{self, Cubin},
        detect::Error,
        dwarf::{self, DebugInfo, Sections},
        ptx::{Entry, Module, PointerAccess},
    },
    mangled::Demangled,
    model::{
        kernel::{Kernel, Variable},
        variants::{Variant, variants},
    },
    table::ParameterList,
};
use kernel_args_abi::{Body, Members, Sm};

/// The kernels of an image.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kernels<'a> {
    parts: Vec<Part<'a>>,
    /// Sorted by symbol. PTX is before cubins, and earlier parts are first.
    index: Vec<Place>,
    /// All variables, in that order.
    variables: Vec<Place>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Part<'a> {
    code: PartCode<'a>,
    debug_info: DebugInfo,
    /// What the code of each analysed kernel does with its parameters, and needs of the memory behind them.
    bodies: Map<u128, (ParameterList, Vec<PointerAccess>)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum PartCode<'a> {
    Text(Module),
    Cubin(Cubin<'a>),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    is_cubin: bool,
    is_variable: bool,
    part: u32,
    kernel: u32,
}

impl<'a> Kernels<'a> {
    /// Returns the kernels of a PTX text, which may end with NULs.
    ///
    /// # Errors
    /// If the text is not valid PTX.
    pub fn of_ptx(text: &[u8]) -> Result<Self, Error> {
        Self::of(|kernels| kernels.add_text(text))
    }

    /// Returns the kernels of a cubin.
    ///
    /// # Errors
    /// If the cubin is invalid.
    pub fn of_cubin(cubin: &'a [u8]) -> Result<Self, Error> {
        Self::of(|kernels| kernels.add_cubin(Cow::Borrowed(cubin)))
    }

    fn of(add: impl FnOnce(&mut Self) -> Result<usize, Error>) -> Result<Self, Error> {
        let mut kernels = Self::default();
        add(&mut kernels)?;
        kernels.sort();
        Ok(kernels)
    }

    /// Returns the memory that they use.
    pub(super) fn add_text(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let text = Module::read(bytes).map_err(Error::Ptx)?;
        let debug_info = if text.has_debug_info {
            DebugInfo::read(Sections::of_ptx(bytes), text.symbols(), text.variables())
        } else {
            Ok(DebugInfo::default())
        };
        let (weight, counts) = (text.weight(), [text.symbols().len(), text.variables().len()]);
        Ok(weight + self.add(PartCode::Text(text), counts, debug_info))
    }

    pub(super) fn add_cubin(&mut self, bytes: Cow<'a, [u8]>) -> Result<usize, Error> {
        fn read(bytes: &[u8]) -> Result<(Cubin<'_>, Result<DebugInfo, dwarf::Error>), Error> {
            let cubin = cubin::parse(bytes).map_err(Error::Cubin)?;
            let symbols = cubin.kernels.iter().map(|kernel| &*kernel.name);
            let variables = cubin.variables.iter().map(cubin::Variable::name);
            let debug_info = DebugInfo::read(Sections::of_cubin(bytes), symbols, variables);
            Ok((cubin, debug_info))
        }
        let (cubin, debug_info) = match bytes {
            Cow::Borrowed(bytes) => read(bytes)?,
            Cow::Owned(bytes) => {
                let (cubin, debug_info) = read(&bytes)?;
                (cubin.into_owned(), debug_info)
            }
        };
        let (weight, counts) = (cubin.weight(), [cubin.kernels.len(), cubin.variables.len()]);
        Ok(weight + self.add(PartCode::Cubin(cubin), counts, debug_info))
    }

    /// With this many kernels and variables. Returns the memory of its debug information. Debug information that cannot
    /// be read does not prevent reading the rest.
    fn add(
        &mut self,
        code: PartCode<'a>,
        [kernels, variables]: [usize; 2],
        debug_info: Result<DebugInfo, dwarf::Error>,
    ) -> usize {
        let place = |is_variable, kernel| Place {
            is_cubin: matches!(code, PartCode::Cubin(_)),
            is_variable,
            part: narrow(self.parts.len()),
            kernel,
        };
        self.index.extend((0..narrow(kernels)).map(|kernel| place(false, kernel)));
        self.variables.extend((0..narrow(variables)).map(|variable| place(true, variable)));
        let debug_info = debug_info.unwrap_or_else(DebugInfo::unread);
        let weight = debug_info.weight();
        self.parts.push(Part { code, debug_info, bodies: Map::default() });
        weight + size_of::<Part<'_>>()
    }

    pub(super) fn has_wanted(&self, part: usize, wanted: &mut impl FnMut(&str) -> bool) -> bool {
        match self.parts.get(part).map(|part| &part.code) {
            Some(PartCode::Text(module)) => cfg!(feature = "bodies") && module.symbols().any(wanted),
            _ => false,
        }
    }

    /// `text` is the text of this part. A kernel that uses none of its parameters shows nothing: descriptions without
    /// code contain such kernels.
    #[cfg(feature = "bodies")]
    pub(super) fn add_bodies(&mut self, part: usize, text: &[u8], wanted: &mut impl FnMut(&str) -> bool) {
        let Some(Part { code: PartCode::Text(module), bodies: known, .. }) = self.parts.get_mut(part) else {
            return;
        };
        let mut bodies = Bodies::new(text);
        for (kernel, symbol) in module.symbols().enumerate() {
            if wanted(symbol)
                && let Some(body) = bodies.kernel(module, symbol)
                && body.parameters().any(|body| !body.is_empty())
            {
                known.insert(kernel as u128, (ParameterList::of_bodies(body.parameters()), body.accesses().to_vec()));
            }
        }
    }

    /// Adds what `other`, which contains the same kernels, shows about their code: threads can analyse some of them
    /// each.
    #[doc(hidden)]
    pub fn add_bodies_of(&mut self, other: &Kernels<'_>) {
        for (own, other) in self.parts.iter_mut().zip(&other.parts) {
            own.bodies.extend(&other.bodies);
        }
    }

    fn bodies(&self, place: Place) -> Vec<Body<'_>> {
        let list = self.part(place).and_then(|part| part.bodies.get(&place.kernel.into()));
        list.into_iter().flat_map(|(list, _)| list.parameters()).map(|parameter| parameter.body).collect()
    }

    /// Returns what a kernel needs of the memory behind its pointers on the GPU `sm`: what PTX declares
    /// (`.ptr .align`), and what the accesses need, if its code was [analysed](crate::Image::add_bodies).
    #[cfg(feature = "bodies")]
    #[must_use]
    pub fn accesses(&self, symbol: &str, sm: Sm) -> Vec<PointerAccess> {
        let Some(place) = self.text_for(self.places(symbol).iter().copied(), Some(sm)) else {
            return Vec::new();
        };
        let entry = self.entry(place);
        let parameters = entry.iter().flat_map(|entry| &entry.parameters);
        let declared = parameters.enumerate().filter_map(|(parameter, declared)| {
            let align = declared.pointee?.align?;
            Some(PointerAccess { parameter, offset: 0, align, is_at_start: false, is_always: false })
        });
        let analysed = self.part(place).and_then(|part| part.bodies.get(&place.kernel.into()));
        declared.chain(analysed.into_iter().flat_map(|(_, needed)| needed).copied()).collect()
    }

    pub(super) fn sort(&mut self) {
        let mut lists = [core::mem::take(&mut self.index), core::mem::take(&mut self.variables)];
        for places in &mut lists {
            sort(places, &|a, b| (self.symbol(*a), a).cmp(&(self.symbol(*b), b)));
        }
        [self.index, self.variables] = lists;
    }

    /// Returns the GPU generation of each PTX text and cubin. For PTX, the lowest supported one.
    pub fn generations(&self) -> impl Iterator<Item = Option<Sm>> {
        self.parts.iter().map(|part| match &part.code {
            PartCode::Text(text) => text.gpu.map(|gpu| gpu.sm),
            PartCode::Cubin(cubin) => Some(cubin.sm),
        })
    }

    /// Returns the GPU generations of the texts and cubins with this kernel. Empty if the code for every generation has
    /// it.
    #[must_use]
    pub fn only_for(&self, symbol: &str) -> Vec<Sm> {
        let all: BTreeSet<_> = self.generations().collect();
        let of = |place: &Place| self.generations().nth(place.part as usize).flatten();
        let own: BTreeSet<_> = self.places(symbol).iter().map(of).collect();
        if own == all { Vec::new() } else { own.into_iter().flatten().collect() }
    }

    /// Returns why debug information could not be read, completely or for single kernels.
    pub fn debug_errors(&self) -> impl Iterator<Item = &dwarf::Error> {
        self.parts.iter().flat_map(|part| part.debug_info.errors())
    }

    /// Returns why the debug information about a kernel cannot be used: it cannot be read, or contains different
    /// parameters. `None` if it can be used, or does not exist. Line tables do not count.
    #[must_use]
    pub fn debug_error(&self, kernel: &Kernel<'_>) -> Option<dwarf::Error> {
        if kernel.debug_info.is_known() {
            let has_other_parameters = !kernel.debug_info.is_empty()
                && !kernel.debug_info.complete(&mut kernel.parameters_without_debug_info());
            return has_other_parameters.then(|| dwarf::Error::Kernel {
                name: kernel.name.into(),
                what: "it contains different parameters than the image",
            });
        }
        let mut errors = self
            .places(kernel.name)
            .iter()
            .filter_map(|&place| self.part(place))
            .flat_map(|part| part.debug_info.errors());
        errors.find(|error| !matches!(error, dwarf::Error::Kernel { name, .. } if *name != kernel.name)).cloned()
    }

    /// Returns why the image's debug information cannot be used for a variable, as [`debug_error`](Self::debug_error).
    #[must_use]
    pub fn variable_debug_error(&self, variable: &Variable<'_>) -> Option<dwarf::Error> {
        if variable.debug_info().is_known() {
            return self.debug_error(variable.as_list());
        }
        self.debug_errors().find(|error| !matches!(error, dwarf::Error::Kernel { .. })).cloned()
    }

    /// Returns a copy that does not borrow the image.
    #[must_use]
    pub fn into_owned(self) -> Kernels<'static> {
        let part = |part: Part<'_>| Part {
            code: match part.code {
                PartCode::Text(text) => PartCode::Text(text),
                PartCode::Cubin(cubin) => PartCode::Cubin(cubin.into_owned()),
            },
            debug_info: part.debug_info,
            bodies: part.bodies,
        };
        Kernels { parts: self.parts.into_iter().map(part).collect(), index: self.index, variables: self.variables }
    }

    /// [`Module::declaration`], if the image is one PTX text.
    #[must_use]
    pub fn declaration(&self, symbol: &str) -> Option<(usize, &[u8])> {
        match self.parts.as_slice() {
            [Part { code: PartCode::Text(text), .. }] => text.declaration(symbol),
            _ => None,
        }
    }

    /// Returns the symbols of all kernels, without duplicates, in alphabetical order.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        self.each(&self.index).map(|places| self.symbol(places[0]))
    }

    /// Returns the kernel with this symbol, as GPU generation `sm` runs it: from the cubin for `sm`, otherwise from the
    /// nearest older cubin of the same major version. Without `sm`, from the first cubin.
    #[must_use]
    pub fn kernel(&self, symbol: &str, sm: Option<Sm>) -> Option<Kernel<'_>> {
        let kernel = self.chosen(self.places(symbol), sm)?;
        Some(Kernel { demangled: Demangled::new(kernel.name), ..kernel }.with_checked_name())
    }

    /// Returns the kernel with this symbol once per list of parameters and limits: see [`variants()`]. A place is the
    /// index of the text or cubin.
    #[must_use]
    pub fn variants(&self, symbol: &str) -> Vec<Variant<usize>> {
        let mut seen = Vec::new();
        for place in self.places(symbol) {
            if let Some(kernel) = self.chosen(&[*place], None) {
                let sm = self.generations().nth(place.part as usize).flatten();
                kernel.observed(place.part as usize, sm).add_to(&mut seen);
            }
        }
        variants(Demangled::new(symbol).as_ref(), seen)
    }

    /// Returns the symbols of all variables, without duplicates, in alphabetical order.
    pub fn variable_symbols(&self) -> impl Iterator<Item = &str> {
        self.each(&self.variables).map(|places| self.symbol(places[0]))
    }

    /// Returns the variable with this symbol, from the code that [`kernel`](Self::kernel) chooses.
    #[must_use]
    pub fn variable(&self, symbol: &str, sm: Option<Sm>) -> Option<Variable<'_>> {
        let places = self.places_in(&self.variables, symbol);
        let list = self.chosen(places, sm)?;
        let space = places.iter().find_map(|place| match &self.part(*place)?.code {
            PartCode::Text(text) => Some(text.variable(place.kernel as usize)?.0),
            PartCode::Cubin(cubin) => Some(cubin.variables.get(place.kernel as usize)?.space),
        })?;
        Some(Variable { space, list: Kernel { demangled: Demangled::variable(list.name), ..list } })
    }

    /// Returns all kernels in alphabetical order, as [`kernel`](Self::kernel) returns them without a GPU generation,
    /// but without C++ names and the types that only symbols contain: demangling takes longer than all other steps.
    pub fn undemangled(&self) -> impl Iterator<Item = Kernel<'_>> {
        self.each(&self.index).filter_map(|places| self.chosen(places, None))
    }

    fn chosen(&self, places: &[Place], sm: Option<Sm>) -> Option<Kernel<'_>> {
        let places = || places.iter().copied();
        let text = self.text_for(places(), sm);
        let fitting = places().filter_map(|place| {
            let (of, kernel) = self.records(place)?;
            let fits = sm.is_none_or(|sm| of.0 / 10 == sm.0 / 10 && of <= sm);
            fits.then_some((of, kernel, place))
        });
        let chosen = match sm {
            Some(_) => fitting.max_by_key(|&(sm, ..)| sm),
            None => fitting.take(1).last(),
        };
        let entry = text.and_then(|place| self.entry(place));
        let bodies = text.map_or_else(Vec::new, |place| self.bodies(place));
        let records = chosen.map(|(_, kernel, _)| kernel);
        let name = match (&entry, records) {
            (Some(entry), _) => entry.name,
            (None, Some(records)) => &*records.name,
            (None, None) => return None,
        };
        // Prefer the debug information of the chosen part.
        let own = chosen.map(|(.., place)| place).or(text);
        let sizes = |place: Place| match (self.entry(place), self.records(place)) {
            (Some(entry), _) => entry.parameters.iter().map(|p| p.layout.size()).collect::<Vec<_>>(),
            (None, Some((_, kernel))) => kernel.parameters.iter().map(|p| p.size).collect(),
            (None, None) => Vec::new(),
        };
        // The debug information of another part counts if it has the same parameters.
        let is_same = |place: &Place| own.is_some_and(|own| own == *place || sizes(own) == sizes(*place));
        let mut lists = own.into_iter().chain(places().filter(is_same));
        let debug_info = lists.find_map(|place| {
            let debug_info = &self.part(place)?.debug_info;
            if place.is_variable { debug_info.variable(name) } else { debug_info.parameters(name) }
        });
        Some(Kernel {
            name,
            demangled: None,
            entry,
            records,
            debug_info: debug_info.unwrap_or(Members::UNKNOWN),
            bodies,
        })
    }

    /// Returns the text that the driver compiles for `sm`: of those that it can compile, the one for the newest GPUs.
    /// Otherwise the first.
    fn text_for(&self, places: impl Iterator<Item = Place>, sm: Option<Sm>) -> Option<Place> {
        let mut texts = places.filter(|place| !place.is_cubin).peekable();
        let first = texts.peek().copied();
        let target = |place: Place| match &self.part(place)?.code {
            PartCode::Text(text) => text.gpu,
            PartCode::Cubin(_) => None,
        };
        let runs = |place: &Place| {
            let target = target(*place).zip(sm);
            target.is_some_and(|(target, sm)| target.ptx_compiles_for(sm) == Compatibility::Yes)
        };
        texts.filter(runs).max_by_key(|place| target(*place)).or(first)
    }

    fn places(&self, symbol: &str) -> &[Place] {
        self.places_in(&self.index, symbol)
    }

    fn places_in<'i>(&self, index: &'i [Place], symbol: &str) -> &'i [Place] {
        let rest = &index[index.partition_point(|&place| self.symbol(place) < symbol)..];
        &rest[..rest.iter().take_while(|&&place| self.symbol(place) == symbol).count()]
    }

    fn each<'s>(&'s self, index: &'s [Place]) -> impl Iterator<Item = &'s [Place]> {
        index.chunk_by(|a, b| self.symbol(*a) == self.symbol(*b))
    }

    fn part(&self, place: Place) -> Option<&Part<'a>> {
        self.parts.get(place.part as usize)
    }

    fn entry(&self, place: Place) -> Option<Entry<'_>> {
        let PartCode::Text(text) = &self.part(place)?.code else {
            return None;
        };
        let index = place.kernel as usize;
        if place.is_variable { Some(text.variable(index)?.1) } else { text.nth(index) }
    }

    fn records(&self, place: Place) -> Option<(Sm, &cubin::Kernel<'a>)> {
        let PartCode::Cubin(cubin) = &self.part(place)?.code else {
            return None;
        };
        Some((cubin.sm, listed(cubin, place)?))
    }

    fn symbol(&self, place: Place) -> &str {
        #[cfg(test)]
        tests::count();
        match self.part(place).map(|part| &part.code) {
            Some(PartCode::Text(text)) => text.symbol(place.kernel as usize, place.is_variable),
            Some(PartCode::Cubin(cubin)) => listed(cubin, place).map_or("", |kernel| &kernel.name),
            None => "",
        }
    }
}

/// Returns the kernel at a place, or the variable as a list of one parameter.
fn listed<'c, 'a>(cubin: &'c Cubin<'a>, place: Place) -> Option<&'c cubin::Kernel<'a>> {
    let index = place.kernel as usize;
    if place.is_variable {
        return Some(&cubin.variables.get(index)?.list);
    }
    cubin.kernels.get(index)
}

#[cfg(test)]
mod tests {
    use crate::model::image::Image;
    use core::fmt::Write as _;
    use std::{cell::Cell, string::String};

    std::thread_local! {
        static SYMBOLS: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count() {
        SYMBOLS.set(SYMBOLS.get() + 1);
    }

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

    /// A linear search would read four times as many symbols for twice as many kernels: 2 million for 2,000.
    #[test]
    #[cfg_attr(miri, ignore = "7,500 kernels take Miri minutes")]
    fn looking_up_all_kernels_takes_a_logarithm_each() {
        for count in [500, 1_000, 2_000, 4_000] {
            let reads = reads(count);
            let each = u64::from(count.ilog2()) + 7;
            assert!(reads <= count * each, "{reads} for {count} kernels");
        }
    }
}

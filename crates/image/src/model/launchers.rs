//! The functions of a static library that launch kernels, from the debug information of its objects.
//!
//! Their parameters come from objects and archives of a host compiler (ELF, x86-64 or AArch64, DWARF 2 to 5), also from
//! shared libraries and programs. Functions are found by their symbols, so only `extern "C"` functions have one.
//!
//! A problem of one member or one function leaves the other functions readable. Memory and time are bounded as for
//! [`dwarf`].

use crate::prelude::*;
use crate::{
    formats::{
        archive::{self, Archive},
        dwarf::{Function, Functions, Sections},
        elf::{self, Elf},
    },
    mangled,
    model::{
        kernel::Kernel,
        launcher_error::{LauncherError, OtherFormat},
    },
};
use kernel_args_abi::{Members, Parameter, cpp::name, passing::Convention};

/// The functions of a library.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Launchers {
    objects: Vec<Object>,
    exports: BTreeMap<String, Export>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Object {
    /// ``member `a.o` ``, or empty for a file that is one object.
    name: String,
    functions: Result<Functions, LauncherError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Export {
    object: usize,
    /// A second object that defines the function too.
    second: Option<usize>,
    is_weak: bool,
}

/// A function of a library.
#[derive(Clone, Copy, Debug)]
pub struct Launcher<'l> {
    /// The symbol.
    pub symbol: &'l str,
    functions: &'l Functions,
    function: Function,
}

/// A list of values of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// All parameters.
    All,
    /// The parameters without the stream.
    WithoutStream,
    /// The returned value, or nothing.
    Result,
}

/// The longest symbol that is read, in bytes.
const LONGEST: usize = 4096;
const STB_WEAK: u8 = 2;
const STV_HIDDEN: [u8; 2] = [1, 2];

impl Launchers {
    /// Returns whether the bytes are an object or a library of a host, not an image for a GPU.
    #[must_use]
    pub fn is_library(bytes: &[u8]) -> bool {
        let is_object = || Elf::parse(bytes).is_ok_and(|elf| matches!(elf.machine(), elf::EM_X86_64 | elf::EM_AARCH64));
        bytes.starts_with(archive::MAGIC)
            || bytes.starts_with(archive::THIN)
            || bytes.starts_with(elf::MAGIC) && is_object()
    }

    /// Returns the functions of an object, a static library or a shared library.
    ///
    /// # Errors
    /// If the bytes have another format.
    pub fn read(bytes: &[u8]) -> Result<Self, LauncherError> {
        let mut launchers = Self::default();
        // Symbols can share their texts.
        let mut room = bytes.len().saturating_mul(4).saturating_add(1 << 20);
        if bytes.starts_with(archive::THIN) {
            return Err(LauncherError::ThinArchive);
        }
        let Some(archive) = Archive::new(bytes) else {
            if !bytes.starts_with(elf::MAGIC) {
                return Err(LauncherError::NoLibrary(OtherFormat::of(bytes)));
            }
            launchers.add(String::new(), bytes, &mut room)?;
            return Ok(launchers);
        };
        for member in archive {
            let (name, bytes) = member.map_err(LauncherError::InvalidArchive)?;
            let name = format!("member `{name}`");
            if let Err(error) = launchers.add(name.clone(), bytes, &mut room) {
                launchers.objects.push(Object { name, functions: Err(error) });
            }
        }
        Ok(launchers)
    }

    fn add(&mut self, name: String, bytes: &[u8], room: &mut usize) -> Result<(), LauncherError> {
        if !bytes.starts_with(elf::MAGIC) {
            return Err(LauncherError::NoObject(OtherFormat::of(bytes)));
        }
        let elf = Elf::parse(bytes).map_err(LauncherError::Invalid)?;
        if !matches!(elf.machine(), elf::EM_X86_64 | elf::EM_AARCH64) {
            return Err(LauncherError::Processor);
        }
        let (symbols, names) = elf.symbols().map_err(LauncherError::Invalid)?;
        let (mut own, mut is_slim) = (Vec::new(), false);
        for symbol in symbols {
            let Some(Ok(text)) = elf::name(names, symbol.name, LONGEST).map(core::str::from_utf8) else {
                continue;
            };
            is_slim |= text == "__gnu_lto_slim";
            let is_function = symbol.kind == elf::STT_FUNC && symbol.section != 0 && symbol.binding != 0;
            if !is_function || STV_HIDDEN.contains(&(symbol.other & 3)) && !elf.is_relocatable() {
                continue;
            }
            *room = room
                .checked_sub(text.len())
                .ok_or(LauncherError::Invalid("its symbols are longer than their table"))?;
            own.push((text, symbol.binding == STB_WEAK, (symbol.section, symbol.value)));
        }
        if is_slim {
            return Err(LauncherError::OnlyLto);
        }
        // The symbol of a C++ function is mangled. It can have an alias in C: an instance of a template.
        let is_plain = |text: &str| !text.starts_with("_Z");
        let places: BTreeSet<_> = own.iter().filter(|own| is_plain(own.0)).map(|own| own.2).collect();
        let wanted = own
            .iter()
            .filter(|own| is_plain(own.0) || elf.is_relocatable() && places.contains(&own.2))
            .map(|own| own.0);
        let convention = if elf.machine() == elf::EM_AARCH64 { Convention::Aapcs64 } else { Convention::SystemV };
        let mut functions = match Sections::of_object(&elf) {
            Ok(sections) if sections.is_empty() => Err(LauncherError::NoDebugInfo),
            Ok(sections) => Functions::read(&sections, wanted, convention).map_err(LauncherError::DebugInfo),
            Err(error) => Err(LauncherError::DebugInfo(error)),
        };
        if let (Ok(functions), true) = (&mut functions, elf.is_relocatable()) {
            functions.add_aliases(own.iter().map(|own| (own.0, own.2)));
        }
        let object = self.objects.len();
        self.objects.push(Object { name, functions });
        for (text, is_weak, _) in own {
            let new = Export { object, second: None, is_weak };
            let known = self.exports.entry(text.to_owned()).or_insert(new);
            if known.object != object && known.is_weak && !is_weak {
                *known = new;
            } else if known.object != object && !is_weak {
                known.second = Some(object);
            }
        }
        Ok(())
    }

    /// Returns the symbols of all functions, in alphabetical order.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        self.exports.keys().map(String::as_str)
    }

    /// Returns whether the library exports a function.
    #[must_use]
    pub fn exports(&self, symbol: &str) -> bool {
        self.exports.get(symbol).is_some_and(|export| !export.is_weak)
    }

    /// Returns the functions that are not mangled, whose names the compiler did not make. Each can be an error. Inline
    /// functions, and nvcc's host functions of kernels, are left out.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Result<Launcher<'_>, LauncherError>)> {
        let own = self.symbols().filter(|symbol| is_c(symbol) && self.exports(symbol));
        let functions = own.map(|symbol| (symbol, self.get(symbol)));
        functions.filter(|(_, launcher)| !launcher.as_ref().is_ok_and(Launcher::is_kernel))
    }

    /// Returns the objects that cannot be read, such as ``member `a.o` ``, and why.
    pub fn unread(&self) -> impl Iterator<Item = (&str, &LauncherError)> {
        self.objects.iter().filter_map(|object| Some((object.place(), object.functions.as_ref().err()?)))
    }

    /// Returns the function with this symbol.
    ///
    /// # Errors
    /// If the library does not export it, or Rust cannot call it.
    pub fn get(&self, symbol: &str) -> Result<Launcher<'_>, LauncherError> {
        let Some((symbol, export)) = self.exports.get_key_value(symbol) else {
            return Err(self.missing(symbol));
        };
        let object = &self.objects[export.object];
        if let Some(second) = export.second {
            return Err(LauncherError::Twice([object, &self.objects[second]].map(|object| object.place().into())));
        }
        let functions = object.functions.as_ref().map_err(|error| match object.name.as_str() {
            "" => error.clone(),
            member => LauncherError::Member { name: member.into(), error: Box::new(error.clone()) },
        })?;
        match functions.get(symbol) {
            Some(Ok(function)) => Ok(Launcher { symbol, functions, function }),
            Some(Err(what)) => Err(LauncherError::NotCallable(what.into())),
            None => Err(LauncherError::NotDescribed(object.place().into())),
        }
    }

    fn missing(&self, symbol: &str) -> LauncherError {
        let mangled = self.symbols().filter(|known| known.starts_with("_Z"));
        if let Some(found) = mangled::candidates(symbol, mangled).first() {
            let found = mangled::demangle(found).unwrap_or_default();
            return LauncherError::OnlyCpp { symbol: symbol.into(), found };
        }
        if let Some((place, error)) = self.unread().next() {
            return LauncherError::NotExportedByRest { place: place.into(), error: Box::new(error.clone()) };
        }
        let nearest = mangled::nearest(symbol, self.symbols().filter(|known| is_c(known)));
        LauncherError::NotExported { nearest: nearest.into_iter().map(Into::into).collect() }
    }
}

/// Returns whether it is the name of a function in C: not mangled, and not of a compiler.
fn is_c(symbol: &str) -> bool {
    !["_Z", "__", "_GLOBAL_", "_ITM_"].iter().any(|prefix| symbol.starts_with(prefix))
        && !["_init", "_fini", "_start"].contains(&symbol)
}

impl Object {
    fn place(&self) -> &str {
        if self.name.is_empty() { "the object" } else { &self.name }
    }
}

impl<'l> Launcher<'l> {
    /// Returns a list of values as a kernel that takes them.
    #[must_use]
    pub fn as_kernel(&self, list: List) -> Kernel<'l> {
        let number = match list {
            List::All => self.function.parameters,
            List::WithoutStream => self.function.without_stream,
            List::Result => self.function.result,
        };
        let debug_info = self.functions.list(number);
        Kernel { name: self.symbol, demangled: None, entry: None, records: None, debug_info, bodies: Vec::new() }
    }

    /// Returns the parameters in order: names, sizes, classes, C++ types, members and pointees.
    #[must_use]
    pub fn parameters(&self) -> Members<'l> {
        self.functions.list(self.function.parameters)
    }

    /// Returns the index of the parameter that is a stream: a `cudaStream_t` or `CUstream`, if there is exactly one.
    #[must_use]
    pub const fn stream(&self) -> Option<usize> {
        self.function.stream
    }

    #[cfg(feature = "generate")]
    pub(crate) const fn convention(&self) -> Convention {
        self.functions.convention
    }

    /// Returns whether nvcc has made it for a kernel. With the configuration of no launch, its call is an error.
    fn is_kernel(&self) -> bool {
        self.parameters().get(0).is_some_and(|parameter| parameter.name.starts_with("__cuda_"))
    }

    /// Returns the returned value.
    #[must_use]
    pub fn result(&self) -> Option<Parameter<'l>> {
        self.functions.list(self.function.result).iter().next()
    }

    /// Returns the returned type in C++: `cudaError_t`.
    #[must_use]
    pub fn result_type(&self) -> String {
        self.result().map_or("void".into(), |result| spelled(&result))
    }

    /// Returns the prototype in C++: `cudaError_t scale(float const* x, int n)`.
    #[must_use]
    pub fn prototype(&self) -> String {
        let parameters = self.parameters();
        let parameters: Vec<String> = parameters
            .iter()
            .map(|parameter| format!("{} {}", spelled(&parameter), parameter.name).trim_end().into())
            .collect();
        format!("{} {}({})", self.result_type(), self.symbol, parameters.join(", "))
    }
}

fn spelled(parameter: &Parameter<'_>) -> String {
    let text = parameter.cpp.to_string();
    match text.as_str() {
        _ if parameter.cpp.is_stream() => "cudaStream_t".into(),
        "?" => format!("{} bytes", parameter.size),
        name => name::status(name).map_or(text, Into::into),
    }
}

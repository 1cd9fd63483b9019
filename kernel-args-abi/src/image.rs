//! A compiled kernel image of any kind: PTX, a cubin, or a fat binary of both.

use crate::{
    cpp::mangled::Demangled,
    cubin::{self, Cubin},
    fatbin,
    param_layout::Sm,
    ptx, signature,
};
use alloc::{borrow::Cow, collections::BTreeSet, vec::Vec};
use core::fmt;

/// A compiled image, unpacked: its PTX texts and cubins. Nothing is parsed yet, see
/// [`kernels`](Self::kernels).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image<'a> {
    texts: Vec<Cow<'a, [u8]>>,
    cubins: Vec<Cow<'a, [u8]>>,
}

/// Why an image cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// It is neither PTX text, nor ELF, nor a fat binary: its first bytes.
    Unknown([u8; 4]),
    /// PTX that does not parse.
    Ptx(ptx::Error),
    /// A cubin that cannot be read.
    Cubin(cubin::Error),
    /// A fat binary that cannot be read, or has nothing in it that can be.
    Fatbin(fatbin::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(first) => write!(
                f,
                "neither PTX, nor a cubin, nor a fat binary: it begins with `{}`",
                first.escape_ascii()
            ),
            Self::Ptx(error) => write!(f, "PTX does not parse: {error}"),
            Self::Cubin(error) => error.fmt(f),
            Self::Fatbin(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Error {}

impl<'a> Image<'a> {
    /// Unpacks an image: PTX text (that may end with NULs), a cubin, or a fat binary.
    ///
    /// Members of a fat binary that are neither PTX nor a cubin are passed over, unless there is
    /// nothing else.
    ///
    /// # Errors
    /// Where it is none of these, or a member of a fat binary cannot be decompressed. All together may
    /// be [`fatbin::MEMBER_LIMIT`] bytes large.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut image = Self {
            texts: Vec::new(),
            cubins: Vec::new(),
        };
        if bytes.starts_with(b"\x7fELF") {
            image.cubins.push(Cow::Borrowed(bytes));
        } else if bytes.starts_with(&fatbin::MAGIC.to_le_bytes()) {
            image.unpack(bytes).map_err(Error::Fatbin)?;
        } else if is_text(bytes) {
            image.texts.push(Cow::Borrowed(bytes));
        } else {
            return match fatbin::members(bytes) {
                Err(fatbin::Error::Wrapper) => Err(Error::Fatbin(fatbin::Error::Wrapper)),
                _ => Err(Error::unknown(bytes)),
            };
        }
        Ok(image)
    }

    fn unpack(&mut self, bytes: &'a [u8]) -> Result<(), fatbin::Error> {
        let mut left = fatbin::MEMBER_LIMIT;
        let mut passed_over = None;
        for member in fatbin::members(bytes)? {
            let list = match member.kind {
                fatbin::Kind::Ptx => &mut self.texts,
                fatbin::Kind::Elf => &mut self.cubins,
                kind => {
                    passed_over = Some(kind);
                    continue;
                }
            };
            left = left
                .checked_sub(member.size)
                .ok_or(fatbin::Error::Size(member.size))?;
            list.push(member.bytes()?);
        }
        match passed_over {
            Some(kind) if self.texts.is_empty() && self.cubins.is_empty() => {
                Err(fatbin::Error::Kind(kind))
            }
            _ => Ok(()),
        }
    }

    /// Parses what was unpacked.
    ///
    /// # Errors
    /// Where a PTX text or a cubin is not as it should be.
    pub fn kernels(&self) -> Result<Kernels<'_>, Error> {
        let texts = self.texts.iter().map(|text| ptx::Module::parse_bytes(text));
        let cubins = self.cubins.iter().map(|bytes| cubin::parse(bytes));
        Ok(Kernels {
            modules: texts.collect::<Result<_, _>>().map_err(Error::Ptx)?,
            cubins: cubins.collect::<Result<_, _>>().map_err(Error::Cubin)?,
        })
    }
}

impl Error {
    #[cold]
    fn unknown(bytes: &[u8]) -> Self {
        let mut first = [0; 4];
        for (to, from) in first.iter_mut().zip(bytes) {
            *to = *from;
        }
        Self::Unknown(first)
    }
}

/// Whether the bytes up to the first NUL are text, as far as their beginning tells.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.iter().take(64).take_while(|&&b| b != 0);
    let mut start = start.peekable();
    start.peek().is_some() && start.all(|b| matches!(b, b'\t'..=b'\r' | b' '..=b'~' | 0x80..))
}

/// The kernels of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Kernels<'a> {
    /// Of each PTX text.
    pub modules: Vec<ptx::Module<'a>>,
    /// Of each cubin.
    pub cubins: Vec<Cubin<'a>>,
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
    pub entry: Option<&'k ptx::Entry<'k>>,
    /// Its records in a cubin.
    pub records: Option<&'k cubin::Kernel<'k>>,
}

impl Kernels<'_> {
    /// The symbols of all kernels, each once, in alphabetical order.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        let entries = self.modules.iter().flat_map(|module| &module.entries);
        let records = self.cubins.iter().flat_map(|cubin| &cubin.kernels);
        let names: BTreeSet<&str> = entries
            .map(|entry| entry.name)
            .chain(records.map(|kernel| kernel.name))
            .collect();
        names.into_iter()
    }

    /// The kernel of this symbol, as the GPU generation `sm` would run it: the cubin for it, else the
    /// nearest older one of its major version. Without `sm`, the first cubin that has the kernel.
    #[must_use]
    pub fn kernel(&self, symbol: &str, sm: Option<Sm>) -> Option<Kernel<'_>> {
        let entry = self.modules.iter().find_map(|module| module.entry(symbol));
        let fitting = self.cubins.iter().filter_map(|cubin| {
            let kernel = cubin.kernel(symbol)?;
            let fits = sm.is_none_or(|sm| cubin.sm.0 / 10 == sm.0 / 10 && cubin.sm <= sm);
            fits.then_some((cubin.sm, kernel))
        });
        let records = match sm {
            Some(_) => fitting.max_by_key(|&(sm, _)| sm),
            None => fitting.take(1).last(),
        };
        let records = records.map(|(_, kernel)| kernel);
        let name = match (entry, records) {
            (Some(entry), _) => entry.name,
            (None, Some(records)) => records.name,
            (None, None) => return None,
        };
        Some(Kernel {
            name,
            demangled: Demangled::new(name),
            entry,
            records,
        })
    }
}

impl Kernel<'_> {
    /// The parameters in the common model. Sizes, alignments and classes are PTX's where the image has
    /// PTX; offsets are those of the cubin that [`Kernels::kernel`] chose; C++ types are the symbol's.
    #[must_use]
    pub fn parameters(&self) -> Vec<signature::Parameter<'_>> {
        let demangled = self.demangled.as_ref();
        let recorded = self
            .records
            .map(|records| records.signature_parameters(demangled));
        let Some(entry) = self.entry else {
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

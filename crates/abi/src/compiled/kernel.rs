//! One kernel of an image.

use super::{
    decode::{BODY, DEBUG_INFO, Head, VARIES},
    image::CompiledImage,
    names::Names,
};
use crate::{
    class::Class,
    signature::{Members, Parameter},
};
use core::{fmt, ops::Range};

/// One kernel of an image that was read while a crate compiled: a constant in a module that `kernel_args::kernels!`
/// generates.
///
/// It is small and `Copy`. Its data is decoded on demand by `const` functions.
#[derive(Clone, Copy)]
pub struct CompiledKernel {
    pub(super) image: &'static CompiledImage,
    pub(super) index: u32,
    /// Empty if only the image's text of names contains it.
    pub(super) symbol: &'static str,
}

impl CompiledKernel {
    /// `symbol` is a separate literal, because rustc compares the whole literal to which a constant refers.
    #[doc(hidden)]
    pub const fn new(image: &'static CompiledImage, index: u32, symbol: &'static str) -> Self {
        Self { image, index, symbol }
    }

    pub(super) const fn head(&self) -> Head {
        Head::read(self.image, self.index as usize)
    }

    /// Returns the symbol that the driver uses: `_Z5saxpyifPKfPf`.
    #[must_use]
    pub const fn symbol(&self) -> &'static str {
        if self.symbol.is_empty() { self.names().symbol() } else { self.symbol }
    }

    /// Returns the readable name: `saxpy(int, float, float const*, float*)`. The symbol if that is not mangled.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.names().name()
    }

    /// Returns the image that contains the kernel, as in the file: PTX, a cubin or a fat binary.
    #[must_use]
    pub const fn image(&self) -> &'static [u8] {
        self.image.bytes
    }

    #[doc(hidden)]
    pub const fn compiled_image(&self) -> &'static CompiledImage {
        self.image
    }

    /// Returns the number of parameters.
    #[must_use]
    pub const fn parameter_count(&self) -> usize {
        self.head().parameters
    }

    /// Returns the parameter at `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[must_use]
    pub const fn parameter(&self, index: usize) -> Parameter<'static> {
        let mut head = self.head();
        assert!(index < head.parameters, "the kernel has no parameter of this index");
        let mut i = 0;
        while i < index {
            head.next_parameter();
            i += 1;
        }
        head.next_parameter()
    }

    /// Returns the variable that a table of variables has at this place, with its C++ name: its declaration, and its
    /// type from debug information.
    #[doc(hidden)]
    pub const fn variable(&self) -> Parameter<'static> {
        let parameter = self.parameter(0);
        let declared = Parameter { name: self.name(), members: Members::UNKNOWN, ..parameter };
        let debug = some!(parameter.members.get(0), declared);
        if debug.contradicts(&declared) {
            return declared;
        }
        let Parameter { cpp, members, pointee, .. } = debug;
        let class = if declared.class.same(Class::Unknown) { debug.class } else { declared.class };
        Parameter { class, cpp, members, pointee, ..declared }
    }

    /// Returns the parameters, in order.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = Parameter<'static>> + Clone {
        let mut head = self.head();
        (0..head.parameters).map(move |_| head.next_parameter())
    }

    /// Returns the parameters as an array, for a [`Signature`](crate::Signature).
    ///
    /// # Panics
    /// If the kernel does not have `N` parameters.
    #[must_use]
    pub const fn parameter_array<const N: usize>(&self) -> [Parameter<'static>; N] {
        assert!(self.parameter_count() == N, "the kernel has another number of parameters");
        self.kernels().parameters()
    }

    #[doc(hidden)]
    pub const fn has_bodies(&self) -> bool {
        self.head().flags & BODY != 0
    }

    /// Returns whether debug information provided names, C++ types and members of the parameters.
    #[must_use]
    pub const fn has_debug_info(&self) -> bool {
        self.head().flags & DEBUG_INFO != 0
    }

    /// Returns whether the kernel's parameters are different for different GPUs. Then no struct fits on every GPU, and
    /// these are the parameters for the first GPU.
    #[must_use]
    pub const fn varies(&self) -> bool {
        self.head().flags & VARIES != 0
    }

    #[doc(hidden)]
    pub const fn is_unchanged(&self) -> bool {
        self.head().is_unchanged()
    }

    /// Returns whether one of the kernel's names matches `pattern` (`*` matches any characters, `?` one byte) and ends
    /// with `suffix`.
    ///
    /// The names are the symbol and, for `void sim::step<float>(int)`, `sim::step<float>`, `step<float>`, `sim::step`
    /// and `step`.
    #[must_use]
    pub const fn matches(&self, pattern: &str, suffix: &str) -> bool {
        self.names().match_pattern(pattern, suffix)
    }

    /// In its readable name, the range of the qualified name, and of the template arguments. `None` if the symbol is
    /// not mangled.
    #[doc(hidden)]
    pub const fn name_parts(&self) -> Option<(Range<usize>, Option<Range<usize>>)> {
        let names = self.names();
        if !names.is_mangled() {
            return None;
        }
        let start = names.name.0;
        let (end, arguments_end) = (names.end - start, names.arguments_end - start);
        let arguments = if arguments_end > end { Some(end + 1..arguments_end - 1) } else { None };
        Some((names.qualified - start..end, arguments))
    }

    pub(super) const fn names(&self) -> Names {
        Names::read(self.image, self.index as usize)
    }

    /// Returns whether these fields fit all parameters: [`check::fits`](crate::check::fits) without a list of
    /// parameters.
    #[must_use]
    pub const fn fits(&self, fields: &[Parameter<'_>]) -> bool {
        self.head().fits(fields)
    }
}

pub(super) const NOTHING: Parameter<'static> = Parameter { offset: None, ..Parameter::record(0, 0) };

impl fmt::Debug for CompiledKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledKernel")
            .field("symbol", &self.symbol())
            .field("name", &self.name())
            .field("parameters", &self.parameter_count())
            .finish_non_exhaustive()
    }
}

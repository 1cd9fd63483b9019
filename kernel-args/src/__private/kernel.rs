//! The comparison of a struct with the kernel that it names, at compile time of the user's program.

use crate::marshal::{KernelArgs, Source};
pub use kernel_args_abi::compiled::{Absent, CompiledImage, of_length};
use kernel_args_abi::{
    Signature,
    check::{Report, Selection, report, select},
    compiled::{CompiledKernels, Readers, changed, fingerprint},
    texts::{Bound, Message, none_fits, templates},
};

/// The functions that read images when they are loaded.
#[cfg(feature = "cudarc")]
pub const READERS: Option<Readers> = Some(&crate::driver::image::READERS);
#[cfg(not(feature = "cudarc"))]
pub const READERS: Option<Readers> = None;

/// The differences between a struct and its kernel, and the binding of its types. `None` if it fits, or if no kernel
/// could be selected, which [`source`] and [`all_bound`](super::all_bound) report.
pub type Checked = Option<(Report<'static>, Option<Bound<'static>>)>;

#[derive(Clone, Copy)]
pub struct Named {
    kernels: CompiledKernels,
    pub symbol: Option<&'static str>,
}

impl Named {
    /// Returns the kernels that the struct must be compared with in full: this needs the list of their parameters, with
    /// names and types.
    pub const fn in_doubt(&self) -> CompiledKernels {
        match self.symbol {
            Some(_) => self.kernels.none(),
            None => self.kernels,
        }
    }

    pub const fn image(&self) -> &'static [u8] {
        self.kernels.image()
    }

    /// Returns the source of a kernel that matches its struct.
    pub const fn source(&self, image: &'static [u8], symbol: &'static str) -> Source {
        Source { image, entry: symbol, table: self.kernels.compiled_image(), summary: None }
    }
}

/// Returns the kernels that a struct without type parameters names.
#[track_caller]
pub const fn named<A: KernelArgs>(kernels: &CompiledKernels) -> Named {
    let named = named_generic(kernels);
    match named.symbol {
        Some(_) => named,
        None => Named { symbol: kernels.only_fitting(A::PARAMETERS), ..named },
    }
}

/// Returns the kernels that a generic struct names. It is compared once for each type that user code uses.
#[track_caller]
pub const fn named_generic(kernels: &CompiledKernels) -> Named {
    let mut i = 0;
    while let Some(kernel) = kernels.get(i) {
        if !kernel.is_unchanged() {
            changed()
        }
        i += 1;
    }
    Named { kernels: *kernels, symbol: if kernels.is_unknown() { UNKNOWN } else { None } }
}

/// The symbol of a kernel of an image that does not exist. Nothing is compared, and nothing is loaded.
const UNKNOWN: Option<&str> = Some("");

/// A kernel of an image that may not exist: it has no item if nothing describes it.
pub struct Unknown {
    all: CompiledKernels,
    name: &'static str,
}

impl Unknown {
    pub const fn new(all: CompiledKernels, name: &'static str) -> Self {
        Self { all, name }
    }

    /// Returns all kernels of the image: none.
    #[track_caller]
    pub const fn kernels(&self) -> CompiledKernels {
        if !self.all.is_unknown() {
            let mut message: Message = Message::new();
            templates::no_match(&mut message, self.name);
            push_nearest(&mut message, &self.all, self.name, "");
            message.fail()
        }
        self.all
    }
}

pub const fn compare<A: KernelArgs>(kernels: &'static [Signature<'static>]) -> Checked {
    match choose::<A>(kernels) {
        Some(index) => Some((report(&A::SIGNATURE, &kernels[index]), None)),
        None => None,
    }
}

/// Returns the kernel of a struct: the only kernel, or the kernel among several that the struct matches.
const fn choose<A: KernelArgs>(kernels: &'static [Signature<'static>]) -> Option<usize> {
    if kernels.len() == 1 {
        return Some(0);
    }
    match select(A::PARAMETERS, kernels) {
        Selection::One(index) => Some(index),
        _ => None,
    }
}

/// Reports a field that does not match its parameter. `is_generic` is true if its type contains a type parameter.
#[track_caller]
pub const fn field_fits(checked: &Checked, field: usize, is_generic: bool) {
    if let Some((report, bound)) = checked {
        let message = match bound {
            Some(bound) => {
                let bound = Bound { is_generic, is_wrong: is_generic && bound.is_wrong, ..*bound };
                report.field_message_bound(field, &bound)
            }
            None => report.field_message(field),
        };
        if let Some(message) = message {
            message.fail()
        }
    }
}

#[track_caller]
pub const fn nothing_missing(checked: &Checked) {
    if let Some((report, bound)) = checked {
        let message = match bound {
            Some(bound) => report.missing_message_bound(bound),
            None => report.missing_message(),
        };
        if let Some(message) = message {
            message.fail()
        }
    }
}

/// Returns the embedded image, if it is the image that was checked: first the derive reads the file, then rustc.
///
/// `length` is the length of the file that was checked. `parts` contains the position, the length and the fingerprint
/// of each declaration that was checked, or of the whole file if it contains no declarations. A constant that compares
/// a large file as a whole would take minutes.
#[track_caller]
pub const fn checked_image(image: &'static [u8], length: usize, parts: &[(usize, usize, u64)]) -> &'static [u8] {
    if image.len() != length {
        changed()
    }
    let mut i = 0;
    while i < parts.len() {
        let (at, length, print) = parts[i];
        if fingerprint(image.split_at(at).1.split_at(length).0) != print {
            changed()
        }
        i += 1;
    }
    image
}

/// Returns the source of the kernel that a struct is compared with in full.
#[track_caller]
pub const fn source<A: KernelArgs>(
    named: &Named,
    kernels: &'static [Signature<'static>],
    image: &'static [u8],
    compare_all: bool,
) -> Source {
    let Some(index) = choose::<A>(kernels) else {
        let mut message: Message<4096> = Message::new();
        match select(A::PARAMETERS, kernels) {
            Selection::Several { .. } => templates::several_fit(&mut message, A::NAME),
            _ => none_fits(&A::SIGNATURE, kernels).fail(),
        }
        push_kernels(&mut message, kernels);
        // If a struct names a file, its table contains no image.
        if named.kernels.image().is_empty() {
            templates::name_entry(&mut message);
        } else {
            templates::name_item(&mut message);
        }
        message.fail()
    };
    let kernel = named.kernels.get(index).expect("a kernel without a place in its table");
    if kernel.varies() {
        varies(kernel.name())
    }
    if compare_all {
        let report: Report<'_> = report(&A::SIGNATURE, &kernels[index]);
        if !report.is_empty() {
            report.whole_message().fail()
        }
    }
    named.source(image, kernel.symbol())
}

#[track_caller]
pub(super) const fn varies(kernel: &str) -> ! {
    fail!(differs_by_gpu(kernel))
}

pub(super) const fn push_nearest(message: &mut Message, kernels: &CompiledKernels, pattern: &str, suffix: &str) {
    let nearest = kernels.nearest(pattern, suffix);
    let (mut i, mut listed) = (0, false);
    while i < nearest.len() {
        if let Some(index) = nearest[i]
            && let Some(kernel) = kernels.get(index)
        {
            if !listed {
                templates::nearest_names(message);
                listed = true;
            }
            templates::kernel_in_list(message, kernel.name());
        }
        i += 1;
    }
}

/// Appends as many names of kernels as there is room for.
const fn push_kernels<const N: usize>(message: &mut Message<N>, kernels: &'static [Signature<'static>]) {
    let mut i = 0;
    while i < kernels.len() {
        if message.len() + ROOM > N {
            templates::and_more(message, kernels.len() - i);
            return;
        }
        templates::kernel_in_list(message, kernels[i].name);
        i += 1;
    }
}

/// The maximum length of one name and the text after the list, in bytes.
const ROOM: usize = 320;

#[cfg(test)]
mod tests {
    use super::{checked_image, fingerprint};

    const PTX: &[u8] = b".version 9.0 .target sm_90 .entry k(.param .u32 n) { ret; }";
    const DECLARATION: &[u8] = b" k(.param .u32 n) ";

    #[test]
    fn the_image_that_was_checked_is_embedded() {
        let part = (33, DECLARATION.len(), fingerprint(DECLARATION));
        assert_eq!(checked_image(PTX, PTX.len(), &[part]), PTX);
    }

    #[test]
    #[should_panic(expected = "changed while this crate was compiled")]
    fn a_file_of_another_length_is_refused() {
        let _ = checked_image(PTX, PTX.len() - 1, &[]);
    }

    #[test]
    #[should_panic(expected = "changed while this crate was compiled")]
    fn another_declaration_is_refused() {
        let part = (33, DECLARATION.len(), fingerprint(b" k(.param .f32 n) "));
        let _ = checked_image(PTX, PTX.len(), &[part]);
    }
}

//! The comparison of a struct with the kernel that it names, while the user's program compiles.

use crate::marshal::{KernelArgs, Source};
pub use kernel_args_abi::compiled::{CompiledImage, of_length};
use kernel_args_abi::{
    Signature,
    check::{Report, Selection, report, select},
    compiled::{CompiledKernels, Doubt, Readers, changed, fingerprint},
    texts::{Message, none_fits, templates},
};

/// What reads images when they are loaded.
#[cfg(feature = "cudarc")]
pub const READERS: Option<Readers> = Some(&crate::driver::READERS);
#[cfg(not(feature = "cudarc"))]
pub const READERS: Option<Readers> = None;

/// How a struct and its kernel differ; `None` where no kernel could be chosen, which is reported elsewhere.
pub type Checked = Option<Report<'static>>;

/// The kernels that a struct names.
#[derive(Clone, Copy)]
pub struct Named {
    kernels: CompiledKernels,
    /// The symbol of the only one, if the struct fits it.
    symbol: Option<&'static str>,
}

impl Named {
    /// Those that the struct has to be compared with in full. It takes a list of all their parameters, with texts.
    #[must_use]
    pub const fn in_doubt(&self) -> CompiledKernels {
        match self.symbol {
            Some(_) => self.kernels.none(),
            None => self.kernels,
        }
    }

    /// The symbol of the only one, if the struct fits it.
    #[must_use]
    pub const fn symbol(&self) -> Option<&'static str> {
        self.symbol
    }

    /// The image that they are in.
    #[must_use]
    pub const fn image(&self) -> &'static [u8] {
        self.kernels.image()
    }

    /// What was read of them.
    const fn table(&self) -> &'static CompiledImage {
        self.kernels.compiled_image()
    }
}

/// The kernels that a struct without type parameters names, if the image still declares them as it did when they were read.
///
/// # Panics
/// At compile time, where it does not.
#[must_use]
#[track_caller]
pub const fn named<A: KernelArgs>(kernels: &CompiledKernels) -> Named {
    Named {
        kernels: *kernels,
        symbol: match kernels.only_fitting(A::PARAMETERS) {
            Ok(symbol) => Some(symbol),
            Err(Doubt::Compare) => None,
            Err(Doubt::Changed) => changed(),
        },
    }
}

/// The same for a generic struct, which is compared for each type that is used.
///
/// # Panics
/// As [`named`].
#[must_use]
#[track_caller]
pub const fn named_generic(kernels: &CompiledKernels) -> Named {
    let mut i = 0;
    while let Some(kernel) = kernels.get(i) {
        if !kernel.is_unchanged() {
            changed()
        }
        i += 1;
    }
    Named {
        kernels: *kernels,
        symbol: None,
    }
}

/// Compares a struct with the kernel that it is meant for.
#[must_use]
pub const fn compare<A: KernelArgs>(kernels: &'static [Signature<'static>]) -> Checked {
    match choose::<A>(kernels) {
        Some(index) => Some(report(&A::SIGNATURE, &kernels[index])),
        None => None,
    }
}

/// The kernel that a struct is meant for: the only one, or the one of several that it fits.
const fn choose<A: KernelArgs>(kernels: &'static [Signature<'static>]) -> Option<usize> {
    if kernels.len() == 1 {
        return Some(0);
    }
    match select(A::PARAMETERS, kernels) {
        Selection::One(index) => Some(index),
        _ => None,
    }
}

/// Panics at the field where it does not fit its parameter.
///
/// # Panics
/// At compile time, with both sides and what to write.
#[track_caller]
pub const fn field_fits(checked: &Checked, field: usize) {
    if let Some(report) = checked
        && let Some(message) = report.field_message(field)
    {
        message.fail()
    }
}

/// Panics where the kernel takes parameters that no field passes.
///
/// # Panics
/// At compile time, with these parameters.
#[track_caller]
pub const fn nothing_missing(checked: &Checked) {
    if let Some(report) = checked
        && let Some(message) = report.missing_message()
    {
        message.fail()
    }
}

/// The image that is embedded, if it is the one that was checked: the derive and rustc read the file one after the other.
///
/// `length` is the file's. `parts` are what was checked of it: the place, the length and the fingerprint of each declaration, or
/// of all where there are none. To compare the whole of a large file would take minutes in a constant.
///
/// # Panics
/// At compile time, where the file has changed.
#[must_use]
#[track_caller]
pub const fn checked_image(
    image: &'static [u8],
    length: usize,
    parts: &[(usize, usize, u64)],
) -> &'static [u8] {
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

/// Where the kernel of a struct comes from that fits it.
#[must_use]
pub const fn source_of(named: &Named, image: &'static [u8], symbol: &'static str) -> Source {
    Source::new(image, symbol, named.table())
}

/// Where the kernel of a struct comes from that does not fit the only one.
///
/// # Panics
/// At compile time, where none of several kernels fits, or several do; and where a struct with type parameters
/// does not fit, since only a struct without is checked field by field.
#[must_use]
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
        // The table of a struct that names a file holds no image.
        if named.kernels.image().is_empty() {
            templates::name_entry(&mut message);
        } else {
            templates::name_item(&mut message);
        }
        message.fail()
    };
    let Some(kernel) = named.kernels.get(index) else {
        panic!("a kernel without a place in its table")
    };
    if kernel.varies() {
        varies(kernel.name())
    }
    if compare_all {
        fits(&compare::<A>(kernels));
    }
    Source::new(image, kernel.symbol(), named.table())
}

#[track_caller]
pub(super) const fn varies(kernel: &str) -> ! {
    let mut message: Message = Message::new();
    templates::differs_by_gpu(&mut message, kernel);
    message.fail()
}

/// Panics with everything that is wrong.
#[track_caller]
const fn fits(checked: &Checked) {
    if let Some(report) = checked
        && !report.is_empty()
    {
        report.whole_message().fail()
    }
}

/// Appends the names of kernels, as many as there is room for.
const fn push_kernels<const N: usize>(
    message: &mut Message<N>,
    kernels: &'static [Signature<'static>],
) {
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

/// The room that the name of one more kernel, and what follows the list, take at most.
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

//! The comparison of a struct with the PTX that it names, while the user's program compiles.

use crate::marshal::{KernelArgs, Source};
use kernel_args_abi::{
    Alignment, Class, CppType, Members, Parameter, Signature,
    check::{Report, Selection, report, select},
    words::{Message, none_fits, templates},
};

/// How a struct and its kernel differ; `None` where no kernel could be chosen, which is reported elsewhere.
pub type Checked = Option<Report<'static>>;

/// A parameter as PTX declares it.
#[must_use]
pub const fn kernel_parameter(
    name: &'static str,
    spelling: &'static str,
    size: usize,
    align: usize,
    class: Class,
    cpp: CppType<'static>,
) -> Parameter<'static> {
    Parameter {
        name,
        spelling,
        offset: None,
        size,
        align: Alignment::new(align),
        class,
        cpp,
        members: Members::UNKNOWN,
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

/// The PTX that is embedded, if it is the one that was checked: the derive and rustc read the file one after the other.
///
/// `length` is the file's, and `declarations` are the declarations that were checked, with the bytes at which they
/// stand in it. To compare the whole file would take minutes in a constant.
///
/// # Panics
/// At compile time, where the file has changed.
#[must_use]
#[track_caller]
pub const fn checked_ptx(
    ptx: &'static [u8],
    length: usize,
    declarations: &[(usize, &[u8])],
) -> &'static [u8] {
    const CHANGED: &str = "the PTX file changed while this crate was compiled: compile it again";
    assert!(ptx.len() == length, "{}", CHANGED);
    let mut i = 0;
    while i < declarations.len() {
        let (at, declaration) = declarations[i];
        let mut j = 0;
        while j < declaration.len() {
            assert!(ptx[at + j] == declaration[j], "{}", CHANGED);
            j += 1;
        }
        i += 1;
    }
    ptx
}

/// Where the kernel of a struct comes from.
///
/// # Panics
/// At compile time, where none of several kernels fits, or several do; and where a struct with type parameters
/// does not fit, since only a struct without is checked field by field.
#[must_use]
#[track_caller]
pub const fn source<A: KernelArgs>(
    ptx: &'static [u8],
    kernels: &'static [Signature<'static>],
    symbols: &'static [&'static str],
    compare_all: bool,
) -> Source {
    let Some(index) = choose::<A>(kernels) else {
        let mut message: Message<4096> = Message::new();
        match select(A::PARAMETERS, kernels) {
            Selection::Several { .. } => templates::several_fit(&mut message, A::NAME),
            _ => none_fits(&A::SIGNATURE, kernels).fail(),
        }
        push_kernels(&mut message, kernels);
        templates::name_entry(&mut message);
        message.fail()
    };
    if compare_all {
        fits(&compare::<A>(kernels));
    }
    Source::new(ptx, symbols[index])
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
    use super::checked_ptx;

    const PTX: &[u8] = b".version 9.0 .target sm_90 .entry k(.param .u32 n) { ret; }";
    const DECLARATION: (usize, &[u8]) = (33, b" k(.param .u32 n) ");

    #[test]
    fn the_ptx_that_was_checked_is_embedded() {
        assert_eq!(checked_ptx(PTX, PTX.len(), &[DECLARATION]), PTX);
    }

    #[test]
    #[should_panic(expected = "changed while this crate was compiled")]
    fn a_file_of_another_length_is_refused() {
        let _ = checked_ptx(PTX, PTX.len() - 1, &[DECLARATION]);
    }

    #[test]
    #[should_panic(expected = "changed while this crate was compiled")]
    fn another_declaration_is_refused() {
        let _ = checked_ptx(PTX, PTX.len(), &[(33, b" k(.param .f32 n) ")]);
    }
}

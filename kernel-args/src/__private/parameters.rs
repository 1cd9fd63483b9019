//! The parameters of a kernel, from the fields of a struct.

use super::TypeInfo;
use crate::marshal::KernelArgs;
use core::mem::MaybeUninit;
use kernel_args_abi::{
    Body, Class, CppType, Members, ParamLayout, Parameter, Pointee,
    param_layout::LIMIT,
    texts::{self, Message, templates},
};

#[track_caller]
pub const fn parameter(name: &'static str, spelling: &'static str, info: TypeInfo) -> FieldParameter {
    if info.layout.size() == 0 {
        fail!(parameter_without_bytes(name));
    }
    // Without calls: rustc evaluates this for each field of each type of a generic struct.
    FieldParameter(Parameter {
        name,
        kernel_name: "",
        has_implied_name: false,
        spelling,
        offset: Some(0),
        size: info.layout.size(),
        align: Some(info.layout.align()),
        class: info.class,
        cpp: info.cpp,
        members: info.members,
        pointee: info.pointee,
        body: Body::UNKNOWN,
        is_strict: false,
    })
}

/// Returns the spelling of a type that has a type parameter between `before` and `after`. The spelling contains the
/// actual type if the type of the whole determines it, or else the name of the type parameter.
pub const fn instantiated(before: &str, parameter: &str, after: &str, info: TypeInfo) -> Message<256> {
    texts::instantiated(before, parameter, after, info.name, info.cpp, info.layout.size())
}

/// The parameter of a field, before its offset is computed.
pub struct FieldParameter(Parameter<'static>);

impl FieldParameter {
    pub const fn strict_code(self) -> Self {
        Self(Parameter { is_strict: true, ..self.0 })
    }

    pub const fn typed(self) -> Parameter<'static> {
        self.0
    }

    /// Returns the parameter of a shared pointer that the kernel may write through: `#[kernel_args(shared_write)]`. It
    /// is compared as a pointer to memory that is not `const`.
    #[track_caller]
    pub const fn shared_write(self) -> Parameter<'static> {
        let Some(cpp) = self.0.cpp.to_mutable() else { fail!(not_shared(self.0.name, self.0.spelling)) };
        Parameter { cpp, ..self.0 }
    }

    /// Returns the parameter with only its size and alignment: `#[kernel_args(opaque)]`.
    pub const fn opaque(self) -> Parameter<'static> {
        Parameter {
            class: Class::Unknown,
            cpp: CppType::UNKNOWN,
            members: Members::UNKNOWN,
            pointee: Pointee::UNKNOWN,
            ..self.0
        }
    }
}

pub const fn place<const N: usize>(mut parameters: [Parameter<'static>; N]) -> [Parameter<'static>; N] {
    place_all(&mut parameters);
    parameters
}

/// Gives each parameter its offset by C's rule.
pub(super) const fn place_all(parameters: &mut [Parameter<'static>]) {
    if Parameter::place(parameters) {
        return;
    }
    let mut layout = ParamLayout::EMPTY;
    let mut i = 0;
    while i < parameters.len() {
        let (longer, offset) = push(layout, &parameters[i]);
        parameters[i].offset = Some(offset);
        layout = longer;
        i += 1;
    }
}

#[track_caller]
pub const fn param_layout(name: &'static str, parameters: &[Parameter<'static>]) -> ParamLayout {
    let mut layout = ParamLayout::EMPTY;
    let mut i = 0;
    while i < parameters.len() {
        layout = push(layout, &parameters[i]).0;
        i += 1;
    }
    if layout.size() > LIMIT {
        too_large(name, parameters, layout.size());
    }
    layout
}

pub const fn offset<A: KernelArgs>(index: usize) -> usize {
    A::PARAMETERS[index].offset.expect("a parameter without an offset")
}

/// Returns the offset of a parameter whose index is not a constant, of an element of an array.
#[inline(always)]
pub fn offset_at<A: KernelArgs>(index: usize) -> usize {
    A::PARAMETERS[index].offset.unwrap_or(0)
}

const fn push(layout: ParamLayout, parameter: &Parameter<'_>) -> (ParamLayout, usize) {
    if let Some(parameter) = parameter.layout()
        && let Ok(pushed) = layout.push(parameter)
    {
        return pushed;
    }
    panic!("the arguments of a kernel are larger than the address space")
}

#[track_caller]
const fn too_large(name: &str, parameters: &[Parameter<'static>], size: usize) -> ! {
    let mut message: Message = Message::new();
    templates::too_large(&mut message, name, size, LIMIT);
    // Fields with equal sizes keep the order of the struct.
    let mut last: Option<usize> = None;
    let mut listed = 0;
    while listed < 3 {
        let mut largest: Option<usize> = None;
        let mut i = 0;
        while i < parameters.len() {
            let candidate = parameters[i].size;
            let follows = match last {
                Some(last) => candidate < parameters[last].size || candidate == parameters[last].size && last < i,
                None => true,
            };
            if follows && (largest.is_none() || matches!(largest, Some(index) if parameters[index].size < candidate)) {
                largest = Some(i);
            }
            i += 1;
        }
        let Some(index) = largest else { break };
        let field = &parameters[index];
        templates::large_field(&mut message, field.name, field.spelling, field.size);
        last = largest;
        listed += 1;
    }
    templates::pass_pointer(&mut message);
    message.fail()
}

/// Room for the parameter bytes of one launch, in units of 8 bytes.
///
/// The driver copies parameters from host memory byte by byte, so their alignment does not matter here.
pub type ParamBuffer<const N: usize> = [MaybeUninit<u64>; N];

pub const fn param_buffer_len<A: KernelArgs>() -> usize {
    A::LAYOUT.size().div_ceil(8)
}

/// Evaluates the constants of a struct at compile time (its layout and the kernel that it names), and asserts that its
/// buffer has room for the parameters.
pub const fn evaluate<A: KernelArgs>() {
    let _ = A::SOURCE;
    assert!(
        size_of::<A::ParamBuffer>() >= A::LAYOUT.size()
            && size_of::<A::Each<usize>>() >= size_of::<usize>() * A::PARAMETERS.len(),
        "the parameter buffer of a struct is smaller than its parameters: please report this"
    );
}

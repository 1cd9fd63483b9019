//! One parameter of an `.entry`.

use super::{
    Error,
    lexer::{Lexer, Token},
};
use crate::prelude::*;
use kernel_args_abi::{Alignment, Class, Layout};

/// One parameter of a kernel, as PTX declares it. PTX ISA, "Kernel Function Parameters".
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Parameter<'a> {
    /// The name: `saxpy_param_2`.
    pub name: &'a str,
    /// On one line, without comments: `.param .u32 saxpy_param_2`.
    pub declaration: Cow<'a, str>,
    /// The type without the dot: `u32`. For an array, the type of its elements.
    pub scalar: &'a str,
    /// The number of elements of an array.
    pub length: Option<usize>,
    /// The total size, and the alignment: the natural one, or a larger one from `.align`.
    ///
    /// A `.texref`, `.samplerref` or `.surfref` has size 0: it is bound with the driver's texture functions.
    pub layout: Layout,
    /// The kind of value.
    pub class: Class,
    /// The value of `.ptr`.
    pub pointee: Option<Pointee>,
}

/// The memory behind a pointer parameter. PTX ISA, "Kernel Parameter Attribute: .ptr".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointee {
    /// The state space.
    pub space: Space,
    /// The alignment, if specified.
    pub align: Option<Alignment>,
}

/// A state space of a pointer parameter. PTX ISA, "State Spaces".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Space {
    /// Any state space: none is specified.
    Generic,
    /// `.global`.
    Global,
    /// `.const`.
    Const,
    /// `.local`.
    Local,
    /// `.shared`.
    Shared,
}

/// What a kernel needs of the memory behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PointerAccess {
    /// The index of the parameter.
    pub parameter: usize,
    /// The offset of the pointer in the parameter, in bytes: a multiple of 8.
    pub offset: usize,
    /// The alignment that every access needs: the least, if a kernel chooses between accesses. 1 if the kernel passes
    /// the pointer on or rounds it.
    pub align: Alignment,
    /// Whether an instruction accesses memory at a constant offset from the address that is not negative. Otherwise it
    /// can be the end of memory that the kernel reads backwards.
    pub is_at_start: bool,
    /// Whether every thread of every launch accesses memory at a constant offset: no jump is before the instruction.
    /// Then the address cannot be null.
    pub is_always: bool,
}

const SCALAR: &str = "a type such as `.u32`, `.f32` or `.b8`";
const ALIGNMENT: &str = "a power of two after `.align`";

impl<'a> Parameter<'a> {
    /// ```text
    /// { .param | .align N }  type  [ .ptr [space] ]  [ .align N ]  name  [ '[' N ']' ]
    /// ```
    /// The `.align` before the type applies to the parameter; the largest one counts. The `.align` after it applies to
    /// the pointee, with or without `.ptr`. (Observed with ptxas 13.0.)
    pub(super) fn parse(lexer: &mut Lexer<'a>) -> Result<Self, Error> {
        let (start, _) = lexer.peek_token()?;
        let (scalar, raised) = Self::scalar(lexer)?;
        let Some((class, natural)) = scalar_class(scalar) else {
            return Err(lexer.error_at(start, SCALAR, scalar));
        };
        let pointee = Pointee::parse(lexer)?;
        let (at, name) = lexer.identifier("the parameter's name")?;
        let length = Self::length(lexer)?;
        let align = raised.max(natural);
        let size = match class {
            None => Some(0),
            Some(_) => length.unwrap_or(1).checked_mul(natural.bytes()),
        };
        let Some(layout) = size.and_then(|size| Layout::new(size, align).ok()) else {
            return Err(lexer.error(at, "a parameter that fits in memory"));
        };
        let class = match class {
            None => Class::Unknown,
            Some(_) if length.is_some() => Class::Bytes,
            Some(Class::Float) => Class::Float,
            Some(_) if pointee.is_some() => Class::Pointer,
            Some(class) => class,
        };
        Ok(Self { name, declaration: declaration(lexer, start), scalar, length, layout, class, pointee })
    }

    fn scalar(lexer: &mut Lexer<'a>) -> Result<(&'a str, Alignment), Error> {
        const PARAM: &str = "`.param`, the space of a kernel's parameter";
        let mut raised = Alignment::ONE;
        let mut in_param = false;
        loop {
            match lexer.token()? {
                (_, Token::Directive("param")) => in_param = true,
                (_, Token::Directive("align")) => raised = raised.max(alignment(lexer)?),
                (_, Token::Directive(scalar)) if in_param => return Ok((scalar, raised)),
                (at, _) => return Err(lexer.error(at, if in_param { SCALAR } else { PARAM })),
            }
        }
    }

    fn length(lexer: &mut Lexer<'a>) -> Result<Option<usize>, Error> {
        const LENGTH: &str = "the number of elements, at least 1";
        if !lexer.take(b'[')? {
            return Ok(None);
        }
        let (at, _) = lexer.peek_token()?;
        let length = usize::try_from(lexer.integer(LENGTH)?).unwrap_or(usize::MAX);
        if length == 0 {
            return Err(lexer.error(at, LENGTH));
        }
        match lexer.token()? {
            (_, Token::Sign(b']')) => Ok(Some(length)),
            (at, _) => Err(lexer.error(at, "`]`")),
        }
    }
}

impl Pointee {
    /// `None` without `.ptr`.
    fn parse(lexer: &mut Lexer<'_>) -> Result<Option<Self>, Error> {
        let mut pointee = None;
        if lexer.peek_token()?.1 == Token::Directive("ptr") {
            lexer.token()?;
            let space = match lexer.peek_token()?.1 {
                Token::Directive("global") => Space::Global,
                Token::Directive("const") => Space::Const,
                Token::Directive("local") => Space::Local,
                Token::Directive("shared") => Space::Shared,
                _ => Space::Generic,
            };
            if space != Space::Generic {
                lexer.token()?;
            }
            pointee = Some(Self { space, align: None });
        }
        if lexer.peek_token()?.1 == Token::Directive("align") {
            lexer.token()?;
            let align = Some(alignment(lexer)?);
            pointee = pointee.map(|pointee| Self { align, ..pointee });
        }
        Ok(pointee)
    }
}

pub(super) fn alignment(lexer: &mut Lexer<'_>) -> Result<Alignment, Error> {
    let (at, _) = lexer.peek_token()?;
    let bytes = lexer.integer(ALIGNMENT)?;
    usize::try_from(bytes).ok().and_then(Alignment::new).ok_or_else(|| lexer.error(at, ALIGNMENT))
}

/// Returns the class, and the natural alignment, which equals the size. The class of an opaque type is `None`.
pub(super) fn scalar_class(scalar: &str) -> Option<(Option<Class>, Alignment)> {
    if matches!(scalar, "texref" | "samplerref" | "surfref") {
        return Some((None, Alignment::ONE));
    }
    let (kind, bits) = scalar.split_at_checked(1)?;
    let class = match (kind, bits) {
        ("b", "8" | "16" | "32" | "64" | "128") => Class::Bits,
        ("u" | "s", "8" | "16" | "32" | "64") => Class::Integer,
        ("f", "16" | "32" | "64") => Class::Float,
        _ => return None,
    };
    let bits: usize = bits.parse().ok()?;
    Some((Some(class), Alignment::new(bits / 8)?))
}

/// Returns the source from `start` to here: borrowed if it is one line with single spaces, otherwise rebuilt from its
/// tokens.
pub(super) fn declaration<'a>(lexer: &Lexer<'a>, start: usize) -> Cow<'a, str> {
    let end = lexer.at;
    let spelled = lexer.text(start, end);
    let is_printable = spelled.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'/');
    if is_printable && !spelled.is_empty() && !spelled.contains("  ") {
        return Cow::Borrowed(spelled);
    }
    let mut words = lexer.back_to(start);
    let mut text = String::new();
    let mut glued = true;
    while words.at < end {
        let Ok((at, token)) = words.token() else {
            break;
        };
        let sign = matches!(token, Token::Sign(_));
        if !glued && !sign {
            text.push(' ');
        }
        text.push_str(words.text(at, words.at));
        glued = sign;
    }
    Cow::Owned(text)
}

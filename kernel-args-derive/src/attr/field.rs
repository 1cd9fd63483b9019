//! `#[kernel_args(…)]` and `#[device_type(…)]` on a field.

use super::{FieldContracts, each, flag, set, takes_no_value};
use crate::{diagnostics::Diagnostics, texts};
use proc_macro2::Span;
use syn::{Attribute, LitStr, Token, meta::ParseNestedMeta, punctuated::Punctuated, spanned::Spanned};

#[derive(Default)]
pub(crate) struct FieldAttr {
    pub(crate) kind: FieldKind,
    pub(crate) names: Option<Names>,
    pub(crate) shape: Shape,
    pub(crate) contracts: FieldContracts,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum FieldKind {
    /// The field, with its type.
    #[default]
    Typed,
    /// The field, without its type: `opaque`.
    Opaque,
    /// A shared pointer, although the kernel writes through it: `shared_write`.
    SharedWrite,
    /// Nothing: `skip`.
    Skipped,
}

#[derive(Clone, Copy, Default)]
pub(crate) enum Shape {
    #[default]
    One,
    /// A parameter for each element of an array: `spread`.
    Spread(Span),
    /// The parameters of a struct of arguments: `flatten`.
    Flatten(Span),
}

pub(crate) enum Names {
    /// `name = "in"`, or `name = "shape{}"` for the elements of an array.
    One(LitStr),
    /// `name = ["nx", "ny"]`.
    List(Vec<LitStr>),
}

/// The place of the index in the name of an element.
pub(crate) const INDEX: &str = "{}";

const LONGEST: usize = 96;

impl FieldAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut field = Self::default();
        each(attrs, "kernel_args", diagnostics, |name, meta| match name {
            "opaque" => field.set_kind(FieldKind::Opaque, meta),
            "shared_write" => field.set_kind(FieldKind::SharedWrite, meta),
            "skip" => field.set_kind(FieldKind::Skipped, meta),
            "spread" => field.set_shape(Shape::Spread(meta.path.span()), meta),
            "flatten" => field.set_shape(Shape::Flatten(meta.path.span()), meta),
            "name" => set(&mut field.names, Names::parse(meta)?, meta),
            "crate" | "launcher" | "ptx" | "image" | "debug_info" | "entry" | "kernel" | "entries" | "except"
            | "strict_names" | "strict_code" | "bound" | "block" | "block_multiple_of" | "max_block"
            | "grid_covers" | "requires" | "shared" | "stream" => Err(meta.error(texts::BELONGS_ON_STRUCT)),
            _ if field.contracts.parse(name, meta)? => Ok(()),
            _ => Err(meta.error(texts::unknown(texts::UNKNOWN_ON_FIELD, name))),
        });
        field.check(diagnostics);
        field
    }

    fn set_kind(&mut self, kind: FieldKind, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        use FieldKind::{Opaque, Skipped, Typed};
        takes_no_value(meta)?;
        let problem = match (self.kind, kind) {
            (Typed, _) => {
                self.kind = kind;
                return Ok(());
            }
            (before, _) if before == kind => texts::DUPLICATE_ATTRIBUTE.into(),
            (Skipped, Opaque) | (Opaque, Skipped) => texts::skipped("opaque"),
            (Skipped, _) | (_, Skipped) => texts::skipped("shared_write"),
            _ => texts::OPAQUE_AND_SHARED_WRITE.into(),
        };
        Err(meta.error(problem))
    }

    fn set_shape(&mut self, shape: Shape, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        takes_no_value(meta)?;
        let problem = match (self.shape, shape) {
            (Shape::One, _) => {
                self.shape = shape;
                return Ok(());
            }
            (Shape::Spread(_), Shape::Flatten(_)) | (Shape::Flatten(_), Shape::Spread(_)) => texts::SPREAD_AND_FLATTEN,
            _ => texts::DUPLICATE_ATTRIBUTE,
        };
        Err(meta.error(problem))
    }

    /// Reports attributes that exclude each other.
    fn check(&mut self, diagnostics: &mut Diagnostics) {
        let is_skipped = self.kind == FieldKind::Skipped;
        if let Some(names) = self.names.as_ref().filter(|_| is_skipped) {
            diagnostics.error(names.span(), texts::skipped("name"));
        }
        match self.shape {
            Shape::One => {
                if let Some(names @ Names::List(_)) = &self.names
                    && !is_skipped
                {
                    diagnostics.error(names.span(), texts::NAMES_WITHOUT_SPREAD);
                }
            }
            Shape::Spread(span) | Shape::Flatten(span) if is_skipped => {
                diagnostics.error(span, texts::SKIP_AND_PARTS);
            }
            Shape::Flatten(span) => {
                if self.kind != FieldKind::Typed || self.names.is_some() || self.contracts.any() {
                    diagnostics.error(span, texts::FLATTEN_AND_FIELD);
                    self.contracts = FieldContracts::default();
                }
            }
            Shape::Spread(_) => {
                if let Some(narrowed) = self.contracts.narrowed.take() {
                    diagnostics.error(narrowed.span, texts::SPREAD_AND_AS);
                } else if let Some(Names::One(name)) = &self.names {
                    let text = name.value();
                    if text.matches(INDEX).count() != 1 {
                        diagnostics.error(name.span(), texts::element_name(&text.replace(INDEX, "")));
                    } else if text.len() > LONGEST {
                        diagnostics.error(name.span(), texts::LONG_ELEMENT_NAME);
                    }
                }
            }
        }
        self.contracts.check(is_skipped, diagnostics);
    }
}

impl Names {
    fn parse(meta: &ParseNestedMeta<'_>) -> syn::Result<Self> {
        let value = meta.value()?;
        let names = if value.peek(syn::token::Bracket) {
            let list;
            syn::bracketed!(list in value);
            Self::List(Punctuated::<LitStr, Token![,]>::parse_terminated(&list)?.into_iter().collect())
        } else {
            Self::One(value.parse()?)
        };
        match names.all().iter().find(|name| name.value().trim().is_empty()) {
            Some(empty) => Err(syn::Error::new(empty.span(), texts::EMPTY_NAME)),
            None => Ok(names),
        }
    }

    fn all(&self) -> &[LitStr] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::List(names) => names,
        }
    }

    fn span(&self) -> Span {
        self.all().first().map_or_else(Span::call_site, LitStr::span)
    }
}

#[derive(Default)]
pub(crate) struct MemberAttr {
    pub(crate) opaque: bool,
    pub(crate) name: Option<LitStr>,
}

impl MemberAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut member = Self::default();
        each(attrs, "device_type", diagnostics, |name, meta| match name {
            "opaque" => flag(&mut member.opaque, meta),
            "name" => match Names::parse(meta)? {
                Names::One(name) => set(&mut member.name, name, meta),
                Names::List(_) => Err(meta.error("expected string literal")),
            },
            "crate" | "cpp" | "skip_device_repr" => Err(meta.error(texts::DEVICE_TYPE_ON_FIELD)),
            _ => Err(meta.error(texts::unknown(texts::UNKNOWN_ON_MEMBER, name))),
        });
        member
    }
}

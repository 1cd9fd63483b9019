//! `#[kernel_args(len = "n")]` and the other contracts, on a field and on the struct.

use super::{Expression, set};
use crate::texts;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{
    Expr, Ident, LitStr, Token, Type, meta::ParseNestedMeta, parenthesized, parse::ParseStream,
    punctuated::Punctuated, spanned::Spanned,
};

/// The attributes of a field that are contracts.
pub(super) const ON_FIELD: [&str; 5] = ["len", "capacity", "multiple_of", "range", "as"];

/// The attributes of a struct that are contracts.
pub(super) const ON_STRUCT: [&str; 6] = [
    "block",
    "block_multiple_of",
    "max_block",
    "grid_covers",
    "shared",
    "stream",
];

/// A contract, and its text for errors.
pub(crate) struct Written<T> {
    pub(crate) value: T,
    /// `len = "rows * cols"`
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// The contracts of a field.
#[derive(Default)]
pub(crate) struct FieldContracts {
    pub(crate) len: Option<Written<Expression>>,
    /// The number of elements of a pointer's memory.
    pub(crate) capacity: Option<Written<Expression>>,
    pub(crate) multiple_of: Option<Written<Expression>>,
    pub(crate) range: Option<Written<Range>>,
    /// The type of the parameter.
    pub(crate) narrowed: Option<Written<Type>>,
}

/// `low..high`, `low..=high`, `low..`, …
pub(crate) struct Range {
    pub(crate) low: Option<Expression>,
    pub(crate) high: Option<Expression>,
    pub(crate) exclusive: bool,
}

/// The contracts of a struct.
#[derive(Default)]
pub(crate) struct StructContracts {
    pub(crate) block: Option<Written<Axes>>,
    pub(crate) block_multiple_of: Option<Written<Axes>>,
    pub(crate) max_block: Option<Written<Axes>>,
    pub(crate) grid_covers: Option<Written<Axes>>,
    pub(crate) shared: Option<Written<Expression>>,
    pub(crate) stream: Option<Written<()>>,
}

/// `256`, or one value for each axis: `(32, 8)`.
pub(crate) enum Axes {
    One(Expression),
    Each(Vec<Expression>),
}

impl FieldContracts {
    /// Parses one attribute; `false` if it is no contract.
    pub(super) fn parse(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
        let is = |name: &str| meta.path.is_ident(name);
        if is("len") {
            set(&mut self.len, written(meta, expression)?, meta)?;
        } else if is("capacity") {
            set(&mut self.capacity, written(meta, expression)?, meta)?;
        } else if is("multiple_of") {
            let of = written(meta, expression)?;
            positive([&of.value], of.span)?;
            set(&mut self.multiple_of, of, meta)?;
        } else if is("range") {
            let range = written(meta, Range::parse)?;
            range.value.check(range.span)?;
            set(&mut self.range, range, meta)?;
        } else if is("as") {
            let narrowed = written(meta, |input| match input.parse() {
                Ok(ty @ Type::Path(_)) => Ok(ty),
                _ => Err(syn::Error::new(meta.path.span(), texts::NO_NARROW_TYPE)),
            })?;
            set(&mut self.narrowed, narrowed, meta)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// An error if the contracts of a field exclude each other.
    pub(super) fn check(&self, is_skipped: bool) -> syn::Result<()> {
        match self {
            Self {
                capacity: Some(capacity),
                len: None,
                ..
            } => Err(syn::Error::new(capacity.span, texts::CAPACITY_WITHOUT_LEN)),
            Self {
                narrowed: Some(narrowed),
                ..
            } if is_skipped => Err(syn::Error::new(narrowed.span, texts::SKIP_AND_AS)),
            _ => Ok(()),
        }
    }
}

impl StructContracts {
    /// Parses one attribute; `false` if it is no contract.
    pub(super) fn parse(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
        let is = |name: &str| meta.path.is_ident(name);
        let slots = [
            ("block", &mut self.block),
            ("block_multiple_of", &mut self.block_multiple_of),
            ("max_block", &mut self.max_block),
            ("grid_covers", &mut self.grid_covers),
        ];
        if let Some((name, slot)) = slots.into_iter().find(|(name, _)| is(name)) {
            let axes = written(meta, Axes::parse)?;
            if name != "grid_covers" {
                positive(axes.value.all(), axes.span)?;
            }
            set(slot, axes, meta)?;
        } else if is("shared") {
            set(&mut self.shared, written(meta, expression)?, meta)?;
        } else if is("stream") {
            let stream = written(meta, |input| match input.parse::<Ident>() {
                Ok(required) if required == "required" => Ok(()),
                _ => Err(syn::Error::new(meta.path.span(), texts::STREAM_REQUIRED)),
            })?;
            set(&mut self.stream, stream, meta)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

/// The value of an attribute, with its text.
fn written<T>(
    meta: &ParseNestedMeta<'_>,
    parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Written<T>> {
    let input = meta.value()?;
    let ahead = input.fork();
    let span = input.span();
    let value = parse(input)?;
    let name = meta.path.to_token_stream();
    let tokens = before(&ahead, input)?;
    Ok(Written {
        value,
        text: format!("{name} = {}", crate::input::spelling(&tokens).replace(" . ", ".")),
        span,
    })
}

/// The tokens between two positions of the same input.
fn before(from: ParseStream<'_>, to: ParseStream<'_>) -> syn::Result<TokenStream> {
    let left = to.fork().parse::<TokenStream>()?.into_iter().count();
    let all: Vec<_> = from.parse::<TokenStream>()?.into_iter().collect();
    let len = all.len().saturating_sub(left);
    Ok(all.into_iter().take(len).collect())
}

/// An expression, in quotes or not.
fn expression(input: ParseStream<'_>) -> syn::Result<Expression> {
    if input.peek(LitStr) {
        return Expression::of_text(&input.parse()?);
    }
    let span = input.span();
    match input.parse::<Expr>() {
        Ok(expression) => Expression::new(&expression),
        Err(_) => Err(syn::Error::new(span, texts::NO_EXPRESSION)),
    }
}

/// An error if a value is a literal that is not positive.
fn positive<'e>(
    values: impl IntoIterator<Item = &'e Expression>,
    span: Span,
) -> syn::Result<()> {
    let mut constants = values.into_iter().filter_map(Expression::constant);
    match constants.any(|value| value <= 0) {
        true => Err(syn::Error::new(span, texts::NOT_POSITIVE)),
        false => Ok(()),
    }
}

impl Range {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            let range = text.parse_with(Self::parse_bounds);
            return range.map_err(|_| syn::Error::new(text.span(), texts::NO_RANGE));
        }
        let span = input.span();
        Self::parse_bounds(input).map_err(|_| syn::Error::new(span, texts::NO_RANGE))
    }

    fn parse_bounds(input: ParseStream<'_>) -> syn::Result<Self> {
        let bound = |input: ParseStream<'_>| Expression::new(&input.parse::<Expr>()?);
        let low = match input.peek(Token![..]) {
            true => None,
            false => Some(bound(input)?),
        };
        let exclusive = !input.peek(Token![..=]);
        if exclusive {
            input.parse::<Token![..]>()?;
        } else {
            input.parse::<Token![..=]>()?;
        }
        let is_over = input.is_empty() || input.peek(Token![,]);
        let high = match is_over && exclusive {
            true => None,
            false => Some(bound(input)?),
        };
        match (&low, &high) {
            (None, None) => Err(input.error(texts::NO_RANGE)),
            _ => Ok(Self {
                low,
                high,
                exclusive,
            }),
        }
    }

    /// An error if literals leave no value.
    fn check(&self, span: Span) -> syn::Result<()> {
        let bounds = [&self.low, &self.high].map(|bound| bound.as_ref()?.constant());
        match bounds {
            [Some(low), Some(high)] if low > high.saturating_sub(self.exclusive.into()) => {
                Err(syn::Error::new(span, texts::EMPTY_RANGE))
            }
            _ => Ok(()),
        }
    }
}

impl Axes {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            return match text.parse_with(Self::parse) {
                Ok(axes) => Ok(axes),
                Err(error) if error.to_string() == texts::TOO_MANY_AXES => Err(error),
                Err(_) => Expression::of_text(&text).map(Self::One),
            };
        }
        if !input.peek(syn::token::Paren) {
            return expression(input).map(Self::One);
        }
        let ahead = input.fork();
        let is_tuple = {
            let content;
            parenthesized!(content in ahead);
            Punctuated::<Value, Token![,]>::parse_terminated(&content)
                .is_ok_and(|values| values.len() > 1 || values.trailing_punct())
        };
        if !is_tuple {
            return expression(input).map(Self::One);
        }
        let content;
        let parentheses = parenthesized!(content in input);
        let values = Punctuated::<Value, Token![,]>::parse_terminated(&content)?;
        if values.len() > 3 {
            return Err(syn::Error::new(parentheses.span.join(), texts::TOO_MANY_AXES));
        }
        Ok(Self::Each(values.into_iter().map(|value| value.0).collect()))
    }

    pub(crate) fn all(&self) -> &[Expression] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Each(values) => values,
        }
    }
}

/// An expression, in quotes or not.
struct Value(Expression);

impl syn::parse::Parse for Value {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        expression(input).map(Self)
    }
}

//! `#[kernel_args(len = "n")]` and the other contracts, on a field and on the struct.

use super::{Expression, expression::spelled, set};
use crate::{diagnostics::Diagnostics, texts};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Expr, ExprLit, Ident, Lit, LitStr, Member, Token, Type,
    meta::ParseNestedMeta,
    parenthesized,
    parse::{Parse, ParseStream, Parser},
    spanned::Spanned,
};

const MOST_VALUES: usize = 12;

pub(crate) struct Written<T> {
    pub(crate) value: T,
    /// `len = "rows * cols"`
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Default)]
pub(crate) struct FieldContracts {
    pub(crate) len: Option<Written<Expression>>,
    /// The number of elements of a pointer's memory.
    pub(crate) capacity: Option<Written<Expression>>,
    pub(crate) multiple_of: Option<Written<Expression>>,
    pub(crate) range: Option<Written<Range>>,
    pub(crate) narrowed: Option<Written<Type>>,
}

pub(crate) struct Range {
    pub(crate) low: Option<Expression>,
    pub(crate) high: Option<Expression>,
    pub(crate) exclusive: bool,
}

#[derive(Default)]
pub(crate) struct StructContracts {
    pub(crate) block: Option<Written<Axes>>,
    pub(crate) block_multiple_of: Option<Written<Axes>>,
    pub(crate) max_block: Option<Written<Axes>>,
    pub(crate) grid_covers: Option<Written<Axes>>,
    pub(crate) requires: Vec<Written<Expression>>,
    pub(crate) shared: Option<Written<Expression>>,
    pub(crate) stream: Option<Written<Stream>>,
}

/// What `stream` specifies: a contract, or where a launcher takes its stream.
pub(crate) enum Stream {
    Required,
    None,
    /// Before the argument of this field.
    Before(Member),
}

impl Stream {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        match name.to_string().as_str() {
            "required" => Ok(Self::Required),
            "none" => Ok(Self::None),
            "before" => {
                let field;
                parenthesized!(field in input);
                field.parse().map(Self::Before)
            }
            _ => Err(input.error("")),
        }
    }
}

/// `256`, or one value for each axis: `(32, 8)`.
pub(crate) enum Axes {
    One(Expression),
    Each(Vec<Expression>),
}

impl FieldContracts {
    /// Returns whether `name` is a contract of a field.
    pub(super) fn parse(&mut self, name: &str, meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
        match name {
            "len" => set(&mut self.len, written(meta, expression)?, meta),
            "capacity" => set(&mut self.capacity, written(meta, expression)?, meta),
            "multiple_of" => {
                let of = written(meta, expression)?;
                positive([&of.value], of.span)?;
                set(&mut self.multiple_of, of, meta)
            }
            "range" => set(&mut self.range, written(meta, Range::parse)?, meta),
            "as" => {
                let narrowed = written(meta, |tokens, _| match syn::parse2(tokens) {
                    Ok(ty @ Type::Path(_)) => Ok(ty),
                    _ => Err(syn::Error::new(meta.path.span(), texts::NO_NARROW_TYPE)),
                })?;
                set(&mut self.narrowed, narrowed, meta)
            }
            _ => return Ok(false),
        }
        .map(|()| true)
    }

    pub(super) fn any(&self) -> bool {
        let Self { len, capacity, multiple_of, range, narrowed } = self;
        len.is_some() || capacity.is_some() || multiple_of.is_some() || range.is_some() || narrowed.is_some()
    }

    pub(super) fn check(&self, is_skipped: bool, diagnostics: &mut Diagnostics) {
        match self {
            Self { capacity: Some(capacity), len: None, .. } => {
                diagnostics.error(capacity.span, texts::CAPACITY_WITHOUT_LEN);
            }
            Self { narrowed: Some(narrowed), .. } if is_skipped => {
                diagnostics.error(narrowed.span, texts::skipped("as"));
            }
            _ => {}
        }
    }
}

impl StructContracts {
    /// Returns the contracts about the grid, the block and the shared memory, which a launcher chooses itself.
    pub(super) fn of_kernels(&self) -> impl Iterator<Item = Span> {
        let axes = self.axes().map(|axes| axes.span);
        axes.chain(self.shared.iter().map(|shared| shared.span))
    }

    pub(crate) fn axes(&self) -> impl Iterator<Item = &Written<Axes>> {
        [&self.block, &self.block_multiple_of, &self.max_block, &self.grid_covers].into_iter().flatten()
    }

    /// Returns whether `name` is a contract of a struct.
    pub(super) fn parse(&mut self, name: &str, meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
        match name {
            "requires" => self.requires.push(written(meta, condition)?),
            "shared" => set(&mut self.shared, written(meta, expression)?, meta)?,
            "stream" => {
                let stream = written(meta, |tokens, _| {
                    let stream = Stream::parse.parse2(tokens);
                    stream.map_err(|_| syn::Error::new(meta.path.span(), texts::STREAM_REQUIRED))
                })?;
                set(&mut self.stream, stream, meta)?;
            }
            _ => {
                let slot = match name {
                    "block" => &mut self.block,
                    "block_multiple_of" => &mut self.block_multiple_of,
                    "max_block" => &mut self.max_block,
                    "grid_covers" => &mut self.grid_covers,
                    _ => return Ok(false),
                };
                let axes = written(meta, Axes::parse)?;
                if name != "grid_covers" {
                    positive(axes.value.all(), axes.span)?;
                }
                set(slot, axes, meta)?;
            }
        }
        Ok(true)
    }
}

/// Returns the value of an attribute, with its text. `parse` gets its tokens and its place.
fn written<T>(
    meta: &ParseNestedMeta<'_>,
    parse: impl FnOnce(TokenStream, Span) -> syn::Result<T>,
) -> syn::Result<Written<T>> {
    let input = meta.value()?;
    let span = input.span();
    let mut tokens: Vec<TokenTree> = Vec::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.push(input.parse()?);
    }
    let text = match tokens.as_slice() {
        [TokenTree::Literal(text)] => text.to_string(),
        tokens => spelled(&tokens.iter().cloned().collect()),
    };
    let text = format!("{} = {text}", meta.path.to_token_stream());
    Ok(Written { value: parse(tokens.into_iter().collect(), span)?, text, span })
}

/// Parses tokens, or the tokens in a string literal.
fn unquoted<T: Parse>(tokens: TokenStream) -> syn::Result<T> {
    match syn::parse2::<LitStr>(tokens.clone()) {
        Ok(text) => text.parse(),
        Err(_) => syn::parse2(tokens),
    }
}

fn expression(tokens: TokenStream, span: Span) -> syn::Result<Expression> {
    Expression::number(&unquoted(tokens).map_err(|_| syn::Error::new(span, texts::NO_EXPRESSION))?)
}

fn condition(tokens: TokenStream, span: Span) -> syn::Result<Expression> {
    let tree = unquoted(tokens).map_err(|_| syn::Error::new(span, texts::NO_CONDITION))?;
    let condition = Expression::condition(&tree)?;
    if condition.places.len() > MOST_VALUES {
        return Err(syn::Error::new(span, texts::TOO_MANY_VALUES));
    }
    Ok(condition)
}

fn positive<'e>(values: impl IntoIterator<Item = &'e Expression>, span: Span) -> syn::Result<()> {
    let mut constants = values.into_iter().filter_map(|value| value.constant);
    if constants.any(|value| value <= 0) {
        return Err(syn::Error::new(span, texts::NOT_POSITIVE));
    }
    Ok(())
}

impl Range {
    fn parse(tokens: TokenStream, span: Span) -> syn::Result<Self> {
        let range = unquoted(tokens).and_then(Self::of_tokens).map_err(|_| syn::Error::new(span, texts::NO_RANGE))?;
        let bounds = [&range.low, &range.high].map(|bound| bound.as_ref()?.constant);
        match bounds {
            [Some(low), Some(high)] if low > high.saturating_sub(range.exclusive.into()) => {
                Err(syn::Error::new(span, texts::EMPTY_RANGE))
            }
            _ => Ok(range),
        }
    }

    /// syn reads `1..2` as one expression, so the bounds are separated first.
    fn of_tokens(tokens: TokenStream) -> syn::Result<Self> {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is =
            |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
        // The caller replaces the text.
        let none = || syn::Error::new(Span::call_site(), "");
        let dots = (0..tokens.len()).find(|at| is(*at, '.') && is(at + 1, '.')).ok_or_else(none)?;
        let exclusive = !is(dots + 2, '=');
        let (low, rest) = tokens.split_at(dots);
        let high = rest.get(if exclusive { 2 } else { 3 }..).unwrap_or_default();
        if high.is_empty() && (low.is_empty() || !exclusive) {
            return Err(none());
        }
        let bound = |tokens: &[TokenTree]| match tokens {
            [] => Ok(None),
            tokens => Expression::number(&syn::parse2(tokens.iter().cloned().collect())?).map(Some),
        };
        Ok(Self { low: bound(low)?, high: bound(high)?, exclusive })
    }
}

impl Axes {
    fn parse(tokens: TokenStream, span: Span) -> syn::Result<Self> {
        match unquoted(tokens).map_err(|_| syn::Error::new(span, texts::NO_EXPRESSION))? {
            Expr::Tuple(tuple) if tuple.elems.len() > 3 => {
                Err(syn::Error::new(tuple.paren_token.span.join(), texts::TOO_MANY_AXES))
            }
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                let each = tuple.elems.iter().map(|value| match value {
                    Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                        let value = text.parse().map_err(|_| syn::Error::new(text.span(), texts::NO_EXPRESSION))?;
                        Expression::number(&value)
                    }
                    value => Expression::number(value),
                });
                each.collect::<syn::Result<_>>().map(Self::Each)
            }
            value => Expression::number(&value).map(Self::One),
        }
    }

    pub(crate) fn all(&self) -> &[Expression] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Each(values) => values,
        }
    }
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use super::Range;

    fn parsed(text: &str) -> syn::Result<(Option<i128>, Option<i128>, bool)> {
        let range = Range::of_tokens(text.parse()?)?;
        let constant = |bound: &Option<super::Expression>| bound.as_ref()?.constant;
        Ok((constant(&range.low), constant(&range.high), range.exclusive))
    }

    #[test]
    fn a_range_has_the_syntax_of_rust() {
        for (text, expected) in [
            ("1..=65535", (Some(1), Some(65535), false)),
            ("-8..8", (Some(-8), Some(8), true)),
            ("1..", (Some(1), None, true)),
            ("..5", (None, Some(5), true)),
            ("..=-5", (None, Some(-5), false)),
        ] {
            assert_eq!(parsed(text).unwrap(), expected, "{text}");
        }
        assert!(parsed("0..a.len() - shape[0]").is_ok());
        for text in ["", "5", "..", "..=", "1..=", "1.5..2", "a..b..c", "1...5"] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }
}

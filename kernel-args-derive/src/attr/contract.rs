//! `#[kernel_args(len = "n")]` and the other contracts, on a field and on the struct.

use super::{Expression, expression::spelled, set};
use crate::texts;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Expr, Ident, LitStr, Token, Type, meta::ParseNestedMeta, parenthesized, parse::ParseStream, punctuated::Punctuated,
    spanned::Spanned,
};

pub(super) const ON_FIELD: [&str; 5] = ["len", "capacity", "multiple_of", "range", "as"];

pub(super) const ON_STRUCT: [&str; 7] =
    ["block", "block_multiple_of", "max_block", "grid_covers", "requires", "shared", "stream"];

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
    pub(crate) stream: Option<Written<()>>,
}

/// `256`, or one value for each axis: `(32, 8)`.
pub(crate) enum Axes {
    One(Expression),
    Each(Vec<Expression>),
}

impl FieldContracts {
    pub(super) fn parse(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
        let is = |name: &str| meta.path.is_ident(name);
        let slots = [("len", &mut self.len), ("capacity", &mut self.capacity), ("multiple_of", &mut self.multiple_of)];
        if let Some((name, slot)) = slots.into_iter().find(|(name, _)| is(name)) {
            let value = written(meta, expression)?;
            if name == "multiple_of" {
                positive([&value.value], value.span)?;
            }
            set(slot, value, meta)?;
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

    pub(super) fn any(&self) -> bool {
        let Self { len, capacity, multiple_of, range, narrowed } = self;
        [len, capacity, multiple_of].iter().any(|contract| contract.is_some()) || range.is_some() || narrowed.is_some()
    }

    pub(super) fn check(&self, is_skipped: bool) -> syn::Result<()> {
        match self {
            Self { capacity: Some(capacity), len: None, .. } => {
                Err(syn::Error::new(capacity.span, texts::CAPACITY_WITHOUT_LEN))
            }
            Self { narrowed: Some(narrowed), .. } if is_skipped => {
                Err(syn::Error::new(narrowed.span, texts::SKIP_AND_AS))
            }
            _ => Ok(()),
        }
    }
}

impl StructContracts {
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
        } else if is("requires") {
            self.requires.push(written(meta, condition)?);
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
    let text = match before(&ahead, input)?.as_slice() {
        [TokenTree::Literal(text)] => text.to_string(),
        tokens => spelled(&tokens.iter().cloned().collect()),
    };
    Ok(Written { value, text: format!("{name} = {text}"), span })
}

fn before(from: ParseStream<'_>, to: ParseStream<'_>) -> syn::Result<Vec<TokenTree>> {
    let left = to.fork().parse::<TokenStream>()?.into_iter().count();
    let mut tokens: Vec<_> = from.parse::<TokenStream>()?.into_iter().collect();
    tokens.truncate(tokens.len().saturating_sub(left));
    Ok(tokens)
}

fn expression(input: ParseStream<'_>) -> syn::Result<Expression> {
    Expression::number(&tree(input, texts::NO_EXPRESSION)?)
}

fn condition(input: ParseStream<'_>) -> syn::Result<Expression> {
    let span = input.span();
    let condition = Expression::condition(&tree(input, texts::NO_CONDITION)?)?;
    if condition.places.len() > MOST_VALUES {
        return Err(syn::Error::new(span, texts::TOO_MANY_VALUES));
    }
    Ok(condition)
}

fn tree(input: ParseStream<'_>, otherwise: &str) -> syn::Result<Expr> {
    let span = input.span();
    let parsed = if input.peek(LitStr) { input.parse::<LitStr>()?.parse() } else { input.parse() };
    parsed.map_err(|_| syn::Error::new(span, otherwise))
}

fn positive<'e>(values: impl IntoIterator<Item = &'e Expression>, span: Span) -> syn::Result<()> {
    let mut constants = values.into_iter().filter_map(|value| value.constant);
    if constants.any(|value| value <= 0) {
        return Err(syn::Error::new(span, texts::NOT_POSITIVE));
    }
    Ok(())
}

impl Range {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let span = input.span();
        let tokens = if input.peek(LitStr) {
            input.parse::<LitStr>()?.parse::<TokenStream>()?
        } else {
            let mut tokens = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) {
                tokens.extend([input.parse::<TokenTree>()?]);
            }
            tokens
        };
        Self::of_tokens(tokens).map_err(|_| syn::Error::new(span, texts::NO_RANGE))
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

    fn check(&self, span: Span) -> syn::Result<()> {
        let bounds = [&self.low, &self.high].map(|bound| bound.as_ref()?.constant);
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
                Err(error) if error.to_string() != texts::TOO_MANY_AXES => match text.parse() {
                    Ok(expression) => Expression::number(&expression).map(Self::One),
                    Err(_) => Err(syn::Error::new(text.span(), texts::NO_EXPRESSION)),
                },
                axes => axes,
            };
        }
        let tuple = |input: ParseStream<'_>| {
            let content;
            let parentheses = parenthesized!(content in input);
            let values = Punctuated::<Value, Token![,]>::parse_terminated(&content)?;
            Ok::<_, syn::Error>((values, parentheses.span.join()))
        };
        let is_tuple = |(values, _): (Punctuated<_, _>, _)| values.len() > 1 || values.trailing_punct();
        if !input.peek(syn::token::Paren) || !tuple(&input.fork()).is_ok_and(is_tuple) {
            return expression(input).map(Self::One);
        }
        let (values, span) = tuple(input)?;
        if values.len() > 3 {
            return Err(syn::Error::new(span, texts::TOO_MANY_AXES));
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

struct Value(Expression);

impl syn::parse::Parse for Value {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        expression(input).map(Self)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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

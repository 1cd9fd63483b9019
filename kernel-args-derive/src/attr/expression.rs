//! The expressions of contracts: `rows * cols`, `n.div_ceil(4)`, `block.x * 4 <= n || is_last`.
//!
//! An expression becomes calls of methods that the numbers of both computations have, on one variable for each place.

use crate::{input::name, texts};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{BinOp, Expr, ExprBinary, Lit, UnOp, ext::IdentExt, spanned::Spanned};

pub(crate) struct Expression {
    pub(crate) code: TokenStream,
    /// Each place once, in order.
    pub(crate) places: Vec<Place>,
    /// The value, if it is a literal.
    pub(crate) constant: Option<i128>,
    /// Whether it consists of sums and products.
    pub(crate) only_grows: bool,
    /// Whether it is one place, and its own value.
    pub(crate) is_place: bool,
}

const INTEGERS: [&str; 11] = ["", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    Integer,
    /// `x.len()`: the number of elements of a field.
    Elements,
    /// A `bool`.
    Truth,
    /// An integer or a `bool`: two places that are compared with `==` or `!=`.
    Either,
}

/// A field, a constant, or the grid or block of the launch: `n`, `dims.x`, `shape[0]`, `TILE`, `block.x`.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) root: Root,
    /// The members and elements after the root: `.x`, `[0]`.
    pub(crate) rest: TokenStream,
    pub(crate) read: Read,
    pub(crate) span: Span,
}

#[derive(Clone)]
pub(crate) enum Root {
    /// A single name: a field, or a constant.
    Name(Ident),
    /// `self.n`: a field.
    Field(String),
    /// A constant.
    Path(TokenStream),
}

impl Expression {
    pub(crate) fn number(expression: &Expr) -> syn::Result<Self> {
        let wrong = |text: &str| Err(syn::Error::new(expression.span(), text));
        let unsupported = || wrong(texts::NO_EXPRESSION);
        match bare(expression) {
            condition if is_condition(condition) => wrong(&texts::condition_as_number(&written(condition))),
            Expr::Lit(literal) => match &literal.lit {
                // `256x1` is a number with a suffix.
                Lit::Int(number) if !INTEGERS.contains(&number.suffix()) => unsupported(),
                Lit::Int(number) => match number.base10_parse() {
                    Ok(number) => Ok(Self::literal(number)),
                    Err(_) => Err(syn::Error::new(number.span(), texts::NUMBER_TOO_LARGE)),
                },
                _ => unsupported(),
            },
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let of = Self::number(&unary.expr)?;
                let constant = of.constant.and_then(i128::checked_neg);
                Ok(Self { constant, ..of.apply("neg", None) })
            }
            Expr::Binary(binary) => {
                let name = match binary.op {
                    BinOp::Add(_) => "add",
                    BinOp::Sub(_) => "sub",
                    BinOp::Mul(_) => "mul",
                    BinOp::Div(_) => "div",
                    BinOp::Rem(_) => "rem",
                    _ => return unsupported(),
                };
                Ok(Self::number(&binary.left)?.apply(name, Some(Self::number(&binary.right)?)))
            }
            Expr::MethodCall(call) if call.turbofish.is_none() => {
                let arguments: Vec<&Expr> = call.args.iter().collect();
                let name = call.method.to_string();
                match (name.as_str(), arguments.as_slice()) {
                    ("len", []) => Self::place(&call.receiver, Read::Elements).map_or_else(unsupported, Ok),
                    ("div_ceil" | "min" | "max", [by]) => {
                        Ok(Self::number(&call.receiver)?.apply(&name, Some(Self::number(by)?)))
                    }
                    _ => match ["div_ceil", "len", "min", "max"].into_iter().find(|known| texts::is_near(&name, known))
                    {
                        Some(near) if near != name => {
                            Err(syn::Error::new(call.method.span(), texts::unknown_method(&name, near)))
                        }
                        _ => unsupported(),
                    },
                }
            }
            Expr::Cast(_) => wrong(texts::CAST_IN_CONTRACT),
            other => Self::place(other, Read::Integer).map_or_else(unsupported, Ok),
        }
    }

    pub(crate) fn condition(expression: &Expr) -> syn::Result<Self> {
        let wrong = |text: &str| Err(syn::Error::new(expression.span(), text));
        match bare(expression) {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                Ok(Self::condition(&unary.expr)?.apply("not", None))
            }
            Expr::Binary(binary) if is_condition(bare(expression)) => Self::comparison(binary),
            Expr::Assign(_) => wrong(texts::ASSIGNMENT),
            other => match Self::place(other, Read::Truth) {
                Some(place) => Ok(place),
                // What is wrong inside of it is reported first.
                None => match Self::number(other) {
                    Ok(_) => wrong(&texts::number_as_condition(&written(other))),
                    Err(error) if error.to_string() != texts::NO_EXPRESSION => Err(error),
                    Err(_) => wrong(texts::NO_CONDITION),
                },
            },
        }
    }

    fn comparison(ExprBinary { left, op, right, .. }: &ExprBinary) -> syn::Result<Self> {
        let both = |of: fn(&Expr) -> syn::Result<Self>| Ok::<_, syn::Error>((of(left)?, of(right)?));
        let name = match op {
            BinOp::And(_) => "and",
            BinOp::Or(_) => "or",
            BinOp::Eq(_) | BinOp::Ne(_) => {
                let (a, b) = match (Self::place(left, Read::Either), Self::place(right, Read::Either)) {
                    (Some(a), Some(b)) => (a, b),
                    _ if is_condition(bare(left)) || is_condition(bare(right)) => both(Self::condition)?,
                    _ => both(Self::number)?,
                };
                let equal = a.apply("equal", Some(b));
                return Ok(if matches!(op, BinOp::Eq(_)) { equal } else { equal.apply("not", None) });
            }
            _ => {
                let (a, b) = both(Self::number)?;
                return Ok(match op {
                    BinOp::Lt(_) => a.apply("less", Some(b)),
                    BinOp::Gt(_) => b.apply("less", Some(a)),
                    BinOp::Le(_) => b.apply("less", Some(a)).apply("not", None),
                    _ => a.apply("less", Some(b)).apply("not", None),
                });
            }
        };
        let (a, b) = both(Self::condition)?;
        Ok(a.apply(name, Some(b)))
    }

    pub(crate) fn literal(number: u64) -> Self {
        let function = Ident::new("__number", Span::mixed_site());
        Self {
            code: quote!(#function(#number)),
            places: Vec::new(),
            constant: Some(number.into()),
            only_grows: true,
            is_place: false,
        }
    }

    fn place(expression: &Expr, read: Read) -> Option<Self> {
        let (root, rest) = Root::of(expression)?;
        let place = Place { root, rest, read, span: expression.span() };
        let code = place.variable().into_token_stream();
        let is_place = read != Read::Elements;
        Some(Self { code, places: vec![place], constant: None, only_grows: true, is_place })
    }

    fn apply(self, method: &str, argument: Option<Self>) -> Self {
        let name = Ident::new(method, Span::call_site());
        let (receiver, only_grows) = (self.code, matches!(method, "add" | "mul") && self.only_grows);
        let argument = argument.unwrap_or_else(|| Self { code: TokenStream::new(), ..Self::literal(0) });
        let mut places = self.places;
        for place in argument.places {
            if !places.iter().any(|one| one.variable() == place.variable()) {
                places.push(place);
            }
        }
        let (code, only_grows) = (argument.code, only_grows && argument.only_grows);
        Self { code: quote!(#receiver.#name(#code)), places, constant: None, only_grows, is_place: false }
    }

    pub(crate) fn is_literal(&self) -> bool {
        self.constant.is_some_and(|value| value >= 0)
    }
}

impl Place {
    pub(crate) fn written(&self) -> String {
        let root = match &self.root {
            Root::Name(ident) => ident.unraw().to_string(),
            Root::Field(name) => format!("self.{name}"),
            Root::Path(path) => path.to_string(),
        };
        let suffix = if self.read == Read::Elements { ".len()" } else { "" };
        format!("{root}{}{suffix}", self.rest).replace(' ', "")
    }

    pub(crate) fn variable(&self) -> Ident {
        let mut name = String::from(match self.read {
            Read::Integer => "__value_",
            Read::Elements => "__elements_",
            Read::Truth => "__truth_",
            Read::Either => "__either_",
        });
        for c in self.written().chars() {
            if c.is_alphanumeric() || c == '_' {
                name.push(c);
            } else {
                name.extend(["_", &u32::from(c).to_string(), "_"]);
            }
        }
        Ident::new(&name, Span::mixed_site())
    }
}

impl Root {
    fn of(expression: &Expr) -> Option<(Self, TokenStream)> {
        match bare(expression) {
            Expr::Path(path) if path.qself.is_none() => match path.path.get_ident() {
                Some(ident) if ident == "self" => None,
                Some(ident) => Some((Self::Name(ident.clone()), TokenStream::new())),
                None => Some((Self::Path(path.to_token_stream()), TokenStream::new())),
            },
            Expr::Field(field) => match bare(&field.base) {
                Expr::Path(path) if path.path.is_ident("self") => {
                    Some((Self::Field(name(&field.member)), TokenStream::new()))
                }
                base => {
                    let (root, rest) = Self::of(base)?;
                    let member = &field.member;
                    Some((root, quote!(#rest.#member)))
                }
            },
            Expr::Index(index) => match bare(&index.index) {
                Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)) => {
                    let (root, rest) = Self::of(&index.expr)?;
                    Some((root, quote!(#rest[#literal])))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        other => other,
    }
}

fn is_condition(expression: &Expr) -> bool {
    use BinOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    match expression {
        Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)),
        Expr::Binary(binary) => {
            matches!(binary.op, And(_) | Or(_) | Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
        }
        _ => false,
    }
}

fn written(expression: &Expr) -> String {
    spelled(&expression.to_token_stream())
}

pub(super) fn spelled(tokens: &TokenStream) -> String {
    let spaced = tokens.to_string();
    let tight = [(" . ", "."), (" :: ", "::"), (" ,", ","), ("( ", "("), (" )", ")"), ("! ", "!")];
    tight.iter().fold(spaced, |text, (spaced, tight)| text.replace(spaced, tight))
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use super::Expression;

    fn parsed(text: &str, parse: fn(&syn::Expr) -> syn::Result<Expression>) -> syn::Result<String> {
        let expression = parse(&syn::parse_str(text)?)?;
        let tight = expression.code.to_string().replace([' '], "").replace("__value_", "").replace("__number", "");
        Ok(tight.replace("u64", ""))
    }

    #[test]
    fn expressions_have_the_precedence_of_rust() {
        for (text, expected) in [
            ("n", "n"),
            ("rows * cols + 1", "rows.mul(cols).add((1))"),
            ("a - b - c", "a.sub(b).sub(c)"),
            ("a / (b + c) % d", "a.div(b.add(c)).rem(d)"),
            ("(n + 3).div_ceil(TILE).max(a.min(b))", "n.add((3)).div_ceil(TILE).max(a.min(b))"),
            ("-5", "(5).neg()"),
            ("self.0 * self.1.x", "self_46_0.mul(self_46_1_46_x)"),
            ("shape[0] * tiles::N", "shape_91_0_93_.mul(tiles_58__58_N)"),
            ("x.len() - 1", "__elements_x_46_len_40__41_.sub((1))"),
            ("r#type * 0x10_usize", "type.mul((16))"),
        ] {
            assert_eq!(parsed(text, Expression::number).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn conditions_have_the_precedence_of_rust() {
        for (text, expected) in [
            ("!f", "__truth_f.not()"),
            ("a + 1 < b && f || c > d", "a.add((1)).less(b).and(__truth_f).or(d.less(c))"),
            ("a <= b", "b.less(a).not()"),
            ("a >= 1", "a.less((1)).not()"),
            ("a != 1", "a.equal((1)).not()"),
            ("f == (a < 1)", "__truth_f.equal(a.less((1)))"),
            ("f == g", "__either_f.equal(__either_g)"),
            ("!(a < b || f)", "a.less(b).or(__truth_f).not()"),
        ] {
            assert_eq!(parsed(text, Expression::condition).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        for text in [
            "",
            "n +",
            "n & 2",
            "1.5",
            "n as u64",
            "f(n)",
            "n.abs()",
            "x[i]",
            "self",
            "!n",
            "\"n\"",
            "n; m",
            "{ n }",
            "m!()",
            "18446744073709551616",
            "n == 1",
            "n.len(1)",
            "256x1",
            "(a < b) + 1",
            "true",
            "a.max(b < c)",
        ] {
            assert!(parsed(text, Expression::number).is_err(), "{text}");
        }
        for text in [
            "",
            "n + 1",
            "1",
            "x.len()",
            "-n",
            "a < b < c",
            "(a < b) < c",
            "a && b + 1",
            "a = b",
            "a | b < c",
            "true",
            "a as bool",
        ] {
            assert!(parsed(text, Expression::condition).is_err(), "{text}");
        }
    }
}

//! The expressions of contracts: `rows * cols`, `n.div_ceil(4)`, `block.x * 4`.

use crate::texts;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{BinOp, Expr, Ident, Lit, LitStr, Member, UnOp, ext::IdentExt, spanned::Spanned};

/// An expression of integers.
pub(crate) enum Expression {
    Number(u64),
    Negative(Box<Self>),
    Operation(Operation, Box<[Self; 2]>),
    Place(Place),
    /// `x.len()`: the number of elements of a field.
    Elements(Place),
}

/// The suffixes of literals that are integers.
const INTEGERS: [&str; 11] = ["", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];

/// An operation of two integers, and the function that computes it.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    DivCeil,
}

impl Operation {
    pub(crate) fn function(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Sub => "sub",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::DivCeil => "div_ceil",
        }
    }
}

/// A field, a constant, or the grid or block of the launch: `n`, `dims.x`, `shape[0]`, `TILE`, `block.x`.
pub(crate) struct Place {
    pub(crate) root: Root,
    /// The members and elements after the root: `.x`, `[0]`.
    pub(crate) rest: TokenStream,
    pub(crate) span: Span,
}

/// What a place begins with.
pub(crate) enum Root {
    /// A single name: a field, or a constant.
    Name(Ident),
    /// `self.n`: a field.
    Field(String),
    /// The path of a constant.
    Path(TokenStream),
}

impl Expression {
    /// An expression in quotes.
    pub(crate) fn of_text(text: &LitStr) -> syn::Result<Self> {
        match text.parse::<Expr>() {
            Ok(expression) => Self::new(&expression),
            Err(_) => Err(syn::Error::new(text.span(), texts::NO_EXPRESSION)),
        }
    }

    pub(crate) fn new(expression: &Expr) -> syn::Result<Self> {
        let unsupported = || Err(syn::Error::new(expression.span(), texts::NO_EXPRESSION));
        let two = |operation, a: &Expr, b: &Expr| {
            let both = [Self::new(a)?, Self::new(b)?];
            Ok(Self::Operation(operation, Box::new(both)))
        };
        match bare(expression) {
            Expr::Lit(literal) => match &literal.lit {
                // `256x1` is a number with a suffix.
                Lit::Int(number) if !INTEGERS.contains(&number.suffix()) => unsupported(),
                Lit::Int(number) => match number.base10_parse() {
                    Ok(number) => Ok(Self::Number(number)),
                    Err(_) => Err(syn::Error::new(number.span(), texts::NUMBER_TOO_LARGE)),
                },
                _ => unsupported(),
            },
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) => Ok(Self::Negative(Box::new(Self::new(&unary.expr)?))),
                _ => unsupported(),
            },
            Expr::Binary(binary) => {
                let operation = match binary.op {
                    BinOp::Add(_) => Operation::Add,
                    BinOp::Sub(_) => Operation::Sub,
                    BinOp::Mul(_) => Operation::Mul,
                    BinOp::Div(_) => Operation::Div,
                    _ => return unsupported(),
                };
                two(operation, &binary.left, &binary.right)
            }
            Expr::MethodCall(call) if call.turbofish.is_none() => {
                let arguments: Vec<&Expr> = call.args.iter().collect();
                match (call.method.to_string().as_str(), arguments.as_slice()) {
                    ("len", []) => match Place::new(&call.receiver) {
                        Some(place) => Ok(Self::Elements(place)),
                        None => unsupported(),
                    },
                    ("div_ceil", [by]) => two(Operation::DivCeil, &call.receiver, by),
                    _ => unsupported(),
                }
            }
            other => match Place::new(other) {
                Some(place) => Ok(Self::Place(place)),
                None if matches!(other, Expr::Cast(_)) => {
                    Err(syn::Error::new(expression.span(), texts::CAST_IN_CONTRACT))
                }
                None => unsupported(),
            },
        }
    }

    /// The value, if it is a literal.
    pub(crate) fn constant(&self) -> Option<i128> {
        match self {
            Self::Number(number) => Some((*number).into()),
            Self::Negative(of) => of.constant()?.checked_neg(),
            _ => None,
        }
    }

    /// Whether it consists of sums and products.
    pub(crate) fn only_grows(&self) -> bool {
        match self {
            Self::Operation(Operation::Add | Operation::Mul, both) => both.iter().all(Self::only_grows),
            Self::Operation(..) | Self::Negative(_) => false,
            Self::Number(_) | Self::Place(_) | Self::Elements(_) => true,
        }
    }

    /// All places in it, in order, and whether their number of elements is meant.
    pub(crate) fn places(&self) -> Vec<(&Place, bool)> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Negative(of) => of.places(),
            Self::Operation(_, both) => both.iter().flat_map(Self::places).collect(),
            Self::Place(place) => vec![(place, false)],
            Self::Elements(place) => vec![(place, true)],
        }
    }
}

impl Place {
    fn new(expression: &Expr) -> Option<Self> {
        let (root, rest) = Root::of(expression)?;
        Some(Self { root, rest, span: expression.span() })
    }

    /// As the user wrote it.
    pub(crate) fn written(&self) -> String {
        let root = match &self.root {
            Root::Name(ident) => ident.unraw().to_string(),
            Root::Field(name) => format!("self.{name}"),
            Root::Path(path) => path.to_string(),
        };
        format!("{root}{}", self.rest).replace(' ', "")
    }
}

impl Root {
    /// The root of a place, and the rest.
    fn of(expression: &Expr) -> Option<(Self, TokenStream)> {
        match bare(expression) {
            Expr::Path(path) if path.qself.is_none() => match path.path.get_ident() {
                Some(ident) if ident == "self" => None,
                Some(ident) => Some((Self::Name(ident.clone()), TokenStream::new())),
                None => Some((Self::Path(path.to_token_stream()), TokenStream::new())),
            },
            Expr::Field(field) => match bare(&field.base) {
                Expr::Path(path) if path.path.is_ident("self") => {
                    let name = match &field.member {
                        Member::Named(ident) => ident.unraw().to_string(),
                        Member::Unnamed(index) => index.index.to_string(),
                    };
                    Some((Self::Field(name), TokenStream::new()))
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

/// The expression without parentheses.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        other => other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Expression, Operation};

    /// The expression with all operations as functions.
    fn shown(expression: &Expression) -> String {
        match expression {
            Expression::Number(number) => number.to_string(),
            Expression::Negative(of) => format!("neg({})", shown(of)),
            Expression::Operation(operation, both) => {
                let [a, b] = &**both;
                format!("{}({}, {})", operation.function(), shown(a), shown(b))
            }
            Expression::Place(place) => place.written(),
            Expression::Elements(place) => format!("len({})", place.written()),
        }
    }

    fn parsed(text: &str) -> syn::Result<String> {
        Expression::of_text(&syn::LitStr::new(text, proc_macro2::Span::call_site()))
            .map(|expression| shown(&expression))
    }

    #[test]
    fn expressions_have_the_precedence_of_rust() {
        for (text, expected) in [
            ("n", "n"),
            ("rows * cols + 1", "add(mul(rows, cols), 1)"),
            ("a - b - c", "sub(sub(a, b), c)"),
            ("a / (b + c)", "div(a, add(b, c))"),
            ("(n + 3).div_ceil(TILE)", "div_ceil(add(n, 3), TILE)"),
            ("-5", "neg(5)"),
            ("self.0 * self.1.x", "mul(self.0, self.1.x)"),
            ("shape[0] * dims.x * tiles::N", "mul(mul(shape[0], dims.x), tiles::N)"),
            ("x.len() - 1", "sub(len(x), 1)"),
            ("r#type * 0x10_usize", "mul(type, 16)"),
        ] {
            assert_eq!(parsed(text).unwrap(), expected, "{text}");
        }
        assert_eq!(Operation::DivCeil.function(), "div_ceil");
    }

    #[test]
    fn what_is_no_expression_of_integers_is_an_error() {
        for text in [
            "",
            "n +",
            "n % 2",
            "1.5",
            "n as u64",
            "f(n)",
            "n.max(1)",
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
        ] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }
}

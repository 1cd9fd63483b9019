//! The productions of the ABI's grammar that consist of a code, operands and a text.

use crate::mangled::tree::ASSIGNMENT;

/// A code, its operands, a text, and the precedence of an expression.
///
/// | operand | |
/// |---|---|
/// | `t` `n` `e` | a type, name, expression |
/// | `i` `d` `o` | an identifier, a dimension, the symbol of an operator |
/// | `c` `v` | the type of a conversion, its value or values up to `E` |
/// | `x` `l` | expressions or declarations up to `E` |
/// | `m` `k` | expressions up to `_`, expressions after `pi` up to `E` |
/// | `p` `s` | the pattern of an expansion, a pack |
/// | `N` `Y` | an offset, the name of a template parameter |
/// | `_` `E` | the letter itself: not shown |
///
/// The text has a `%` for each operand that is shown, or a number: `%1` is the second operand. `%B` is in parentheses
/// unless its precedence is below 1, and `%C` is in parentheses unless its precedence is below 2.
pub(super) type Production = (&'static str, &'static str, &'static str, u8);

/// The types that substitutions can refer to.
pub(super) const TYPES: [Production; 9] = [
    ("C", "t", "% complex", 0),
    ("G", "t", "% imaginary", 0),
    ("Dt", "eE", "decltype(%)", 0),
    ("DT", "eE", "decltype(%)", 0),
    ("Dv", "d_t", "%1 vector[%0]", 0),
    ("Ts", "n", "struct %", 0),
    ("Tu", "n", "union %", 0),
    ("Te", "n", "enum %", 0),
    ("u", "i", "%", 0),
];

pub(super) const OTHER_TYPES: [Production; 5] = [
    ("DB", "d_", "_BitInt(%)", 0),
    ("DU", "d_", "unsigned _BitInt(%)", 0),
    ("DF", "d_", "_Float%", 0),
    ("Dk", "n", "% auto", 0),
    ("DK", "n", "% decltype(auto)", 0),
];

/// The built-in types of C++: each code and, after `=`, the name.
pub(super) const BUILTIN: &str = "v=void,w=wchar_t,b=bool,c=char,a=signed char,h=unsigned char,s=short,\
    t=unsigned short,i=int,j=unsigned int,l=long,m=unsigned long,x=long long,y=unsigned long long,\
    n=__int128,o=unsigned __int128,f=float,d=double,e=long double,g=__float128,z=...,Da=auto,\
    Dc=decltype(auto),Dd=decimal64,De=decimal128,Df=decimal32,Dh=half,Di=char32_t,Dn=std::nullptr_t,\
    Ds=char16_t,Du=char8_t,DF16_=_Float16,DF16b=std::bfloat16_t";

pub(super) const EXCEPTIONS: [Production; 2] = [("Do", "", " noexcept", 0), ("DO", "eE", " noexcept(%)", 0)];

pub(super) const DECLARATIONS: [Production; 4] = [
    ("Ty", "Y", "typename %", 0),
    ("Tk", "nY", "% %", 0),
    ("Tn", "Yt", "%1 %0", 0),
    ("Tt", "Yl", "template<%1> typename %0", 0),
];

pub(super) const EXPRESSIONS: [Production; 31] = [
    ("at", "t", "alignof (%)", 2),
    ("az", "e", "alignof (%)", 2),
    ("st", "t", "sizeof (%)", 2),
    ("sz", "e", "sizeof (%)", 2),
    ("sZ", "s", "sizeof...(%)", 0),
    ("ti", "t", "typeid (%)", 1),
    ("te", "e", "typeid (%)", 1),
    ("nx", "e", "noexcept (%)", 2),
    ("cc", "te", "const_cast<%>(%)", 1),
    ("dc", "te", "dynamic_cast<%>(%)", 1),
    ("rc", "te", "reinterpret_cast<%>(%)", 1),
    ("sc", "te", "static_cast<%>(%)", 1),
    ("cv", "cv", "(%)(%)", 3),
    ("ix", "ee", "%B[%]", 1),
    ("qu", "eee", "%Q ? % : %S", 16),
    ("cl", "ex", "%(%)", 1),
    ("cp", "ex", "(%)(%)", 1),
    ("dl", "e", "delete %", 2),
    ("da", "e", "delete[] %", 2),
    ("nw", "mtk", "new% %%", 2),
    ("na", "mtk", "new[]% %%", 2),
    ("il", "x", "{%}", 0),
    ("tl", "tx", "%{%}", 0),
    ("tr", "", "throw", 0),
    ("tw", "e", "throw %", 0),
    ("so", "teNE", "%1.<%0 at offset %2>", 0),
    ("sp", "p", "%", 0),
    ("fl", "op", "(... %0 (%1))", 0),
    ("fr", "op", "((%1) %0 ...)", 0),
    ("fL", "oep", "(%1E %0 ... %0 (%2))", 0),
    ("fR", "ope", "((%1) %0 ... %0 %2E)", 0),
];

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fixity {
    Prefix,
    Postfix,
    Binary,
    /// An operator that is an expression of [`EXPRESSIONS`], or only the name of a function.
    Name,
}

/// Operators by kind and precedence: the code of two letters, then the symbol.
const OPERATORS: [(Fixity, u8, &str); 18] = [
    (Fixity::Prefix, 2, "ad& co~ de* ng- nt! ps+"),
    (Fixity::Postfix, 1, "mm-- pp++"),
    (Fixity::Binary, 1, "dt. pt->"),
    (Fixity::Binary, 4, "ds.* pm->*"),
    (Fixity::Binary, 5, "ml* rm%"),
    (Fixity::Binary, 6, "mi- pl+"),
    (Fixity::Binary, 7, "ls<< rs>>"),
    (Fixity::Binary, 8, "ss<=>"),
    (Fixity::Binary, 9, "ge>= gt> le<= lt<"),
    (Fixity::Binary, 10, "eq== ne!="),
    (Fixity::Binary, 11, "an&"),
    (Fixity::Binary, 12, "eo^"),
    (Fixity::Binary, 13, "or|"),
    (Fixity::Binary, 14, "aa&&"),
    (Fixity::Binary, 15, "oo||"),
    // llvm-cxxfilt also gives division this precedence.
    (Fixity::Binary, ASSIGNMENT, "aN&= aS= dV/= dv/ eO^= lS<<= mI-= mL*= oR|= pL+= rM%= rS>>="),
    (Fixity::Binary, 18, "cm,"),
    (Fixity::Name, 0, "awco_await cl() ix[] qu? nwnew nanew[] dldelete dadelete[]"),
];

pub(super) fn operator(rest: &str) -> Option<(Fixity, u8, &'static str)> {
    let code = rest.get(..2)?;
    OPERATORS.iter().find_map(|&(kind, precedence, operators)| {
        let symbol = operators.split(' ').find_map(|operator| operator.strip_prefix(code))?;
        Some((kind, precedence, symbol))
    })
}

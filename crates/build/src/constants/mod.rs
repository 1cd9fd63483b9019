//! Constants of a source that become Rust constants.
//!
//! C++ evaluates them: the source is compiled once more, followed by a global variable for the type and one for the
//! value of each constant, and both are read from the PTX. The description of the source then contains a line for each:
//!
//! ```text
//! // const TILE: i32 = 16
//! ```

use crate::{identifier::module_name, texts};
use kernel_args_image::quoted;
use std::{fmt::Write as _, path::Path};

const DECLARATIONS: &str = include_str!("read.cuh");

pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) expression: String,
}

impl Constant {
    /// Reads `TILE`, `sim::Mode::Fast` or `NAME = EXPRESSION`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let is_name =
            |name: &str| !name.is_empty() && name != "_" && module_name(name).trim_start_matches("r#") == name;
        let is_path = text.trim_start_matches("::").split("::").all(is_name);
        let (name, expression) = match text.split_once('=') {
            None if is_path => (text.rsplit("::").next().unwrap_or_default(), text.as_str()),
            Some((name, expression)) if is_name(name.trim_end()) => (name.trim_end(), expression.trim_start()),
            _ => return Err(texts::no_constant(&text)),
        };
        if expression.is_empty() || expression.starts_with('=') {
            return Err(texts::no_constant(&text));
        }
        Ok(Self { name: module_name(name), expression: expression.into() })
    }

    pub(crate) fn line(&self) -> String {
        format!("constant {} = {}", self.name, self.expression)
    }
}

pub(crate) fn expressions(constants: &[Constant]) -> Vec<String> {
    constants.iter().map(|constant| constant.expression.clone()).collect()
}

/// Returns the text that follows a source. An error in an expression names it as the file.
pub(crate) fn source(constants: &[Constant]) -> String {
    let mut text = format!("\n{DECLARATIONS}");
    for (at, Constant { expression, .. }) in constants.iter().enumerate() {
        let file = expression.replace('\\', "\\\\").replace('"', "\\\"");
        for (ty, what) in [("unsigned", "kind"), ("auto", "value")] {
            let _ = write!(
                text,
                "extern \"C\" __device__ constexpr {ty} kernel_args_{what}_{at} = kernel_args_constants::kernel_args_{what}(\n\
                 #line 1 \"constant {file}\"\n{expression}\n);\n"
            );
        }
    }
    text
}

/// Returns the lines of the description. `None` if the PTX does not contain a constant.
pub(crate) fn lines(ptx: &[u8], constants: &[Constant]) -> Option<String> {
    let ptx = String::from_utf8_lossy(ptx);
    let mut lines = String::new();
    for (at, Constant { name, .. }) in constants.iter().enumerate() {
        let kind = initialiser(&ptx, &format!("kernel_args_kind_{at}"))?;
        let value = initialiser(&ptx, &format!("kernel_args_value_{at}"))?;
        let _ = writeln!(lines, "// const {name}: {}", rust(kind.parse().ok()?, value)?);
    }
    Some(lines)
}

/// Returns the value of `.global .align 8 .u64 name = 16;`, which is 0 if it is not written.
fn initialiser<'p>(ptx: &'p str, name: &str) -> Option<&'p str> {
    ptx.lines().find_map(|line| {
        let declaration = line.trim().strip_suffix(';')?;
        let (declared, value) = declaration.split_once('=').unwrap_or((declaration, "0"));
        let is_it = declared.contains(".global") && declared.split_whitespace().last() == Some(name);
        is_it.then(|| value.trim())
    })
}

/// Returns the type and the literal in Rust, of a kind in `read.cuh`.
fn rust(kind: u32, value: &str) -> Option<String> {
    // A value from 2^63 is written as a negative number.
    let number = || value.parse::<i64>().map(i64::cast_unsigned).or_else(|_| value.parse()).ok();
    let bits = kind % 100 * 8;
    Some(match kind {
        1 | 2 | 4 | 8 => format!("u{bits} = {}", number()?),
        101 | 102 | 104 | 108 => format!("i{bits} = {}", number()?.cast_signed()),
        204 | 208 => {
            let value = match value.strip_prefix("0d") {
                Some(hex) => f64::from_bits(u64::from_str_radix(hex, 16).ok()?),
                None => value.parse().ok()?,
            };
            match value {
                _ if value.is_nan() => format!("f{bits} = f{bits}::NAN"),
                f64::INFINITY => format!("f{bits} = f{bits}::INFINITY"),
                f64::NEG_INFINITY => format!("f{bits} = f{bits}::NEG_INFINITY"),
                #[allow(clippy::cast_possible_truncation, reason = "the value was converted from a `float`")]
                _ if bits == 32 => format!("f32 = {:?}", value as f32),
                _ => format!("f64 = {value:?}"),
            }
        }
        301 => format!("bool = {}", number()? != 0),
        _ => return None,
    })
}

/// Returns the Rust items. `None` if the description does not contain one of them.
pub(crate) fn items(description: &[u8], constants: &[Constant], source: &Path) -> Option<String> {
    let description = String::from_utf8_lossy(description);
    let mut items = String::new();
    for Constant { name, expression } in constants {
        let start = format!("// const {name}: ");
        let found = description.lines().find_map(|line| line.strip_prefix(&start))?;
        let (ty, value) = found.split_once(" = ")?;
        // The description can be a committed file.
        let is_literal = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":_.+-".contains(&byte));
        if !is_literal(ty) || !is_literal(value) {
            return None;
        }
        let docs = format!("{} in {}.", quoted(expression), quoted(&texts::path(source)));
        let _ = write!(
            items,
            "\n        #[doc = {docs:?}]\n        \
             #[allow(non_upper_case_globals, clippy::approx_constant, clippy::unreadable_literal)]\n        \
             pub const {name}: ::core::primitive::{ty} = {value};",
            value = value.replace("f32::", "::core::primitive::f32::").replace("f64::", "::core::primitive::f64::"),
        );
    }
    Some(items)
}

#[cfg(test)]
mod tests {
    use super::{Constant, items, lines};
    use std::path::Path;

    fn constants(texts: &[&str]) -> Vec<Constant> {
        let all = texts.iter().map(|text| Constant::parse(text));
        all.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn values_are_read_from_ptx() {
        let constants = constants(&["A", "n::type", "C = 1 / 0.0", "D = x", "E=f"]);
        let ptx = "\t.global .align 4 .u32 kernel_args_kind_0 = 8;\n\
            .visible .global .align 8 .u64 kernel_args_value_0 = -1;\n\
            .global .align 4 .u32 kernel_args_kind_1 = 104;\n.global .align 8 .u64 kernel_args_value_1;\n\
            .global .align 4 .u32 kernel_args_kind_2 = 208;\n.global .align 8 .f64 kernel_args_value_2 = 0dFFF0000000000000;\n\
            .global .align 4 .u32 kernel_args_kind_3 = 204;\n.global .align 8 .f64 kernel_args_value_3 = 0d7FF8000000000000;\n\
            .global .align 4 .u32 kernel_args_kind_4 = 204;\n.global .align 8 .f64 kernel_args_value_4 = 0d3EE4F8B580000000;\n";
        let lines_ = lines(ptx.as_bytes(), &constants).unwrap();
        assert_eq!(
            lines_,
            "// const A: u64 = 18446744073709551615\n// const r#type: i32 = 0\n// const C: f64 = f64::NEG_INFINITY\n\
             // const D: f32 = f32::NAN\n// const E: f32 = 1e-5\n"
        );
        let text = items(lines_.as_bytes(), &constants, Path::new("a\"b.cu")).unwrap();
        assert!(text.contains("#[doc = \"`n::type` in `a\\\"b.cu`.\"]"), "{text}");
        assert!(text.contains("pub const C: ::core::primitive::f64 = ::core::primitive::f64::NEG_INFINITY;"), "{text}");
        for missing in ["", &ptx.replace("kind_4", "kind_5"), &ptx.replace("= 8;", "= 16;")] {
            assert_eq!(lines(missing.as_bytes(), &constants), None);
        }
        let some = lines_.replace("const E", "const F");
        assert_eq!(items(some.as_bytes(), &constants, Path::new("a.cu")), None);
        // A committed description is no source of other items.
        let evil = lines_.replace("= 0", "= 0; fn evil() {} const X: i32 = 0");
        assert_eq!(items(evil.as_bytes(), &constants, Path::new("a.cu")), None);
    }
}

//! What the derive emits, as golden files to read: for a plain struct, one with an image, one with a pattern, one for a
//! launcher.
//!
//! `KERNEL_ARGS_BLESS=1` writes the files.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use std::{env, fs, path::Path};

/// The most columns of a line, if it can be broken.
const WIDTH: usize = 110;
/// After these words, `::` begins a path.
const WORDS: [&str; 14] =
    ["as", "const", "else", "for", "if", "impl", "in", "match", "mut", "return", "static", "unsafe", "use", "where"];

/// Formats tokens with a line for each statement and each long argument. rustfmt is not on every machine.
fn print(tokens: TokenStream, indent: usize, out: &mut String) {
    let mut line = String::new();
    let mut before: Option<TokenTree> = None;
    for token in tokens {
        let is_word = |token: &TokenTree| match token {
            TokenTree::Ident(word) => WORDS.contains(&word.to_string().as_str()),
            TokenTree::Punct(punct) => punct.spacing() == Spacing::Alone && !"&<!#>".contains(punct.as_char()),
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Literal(_) => false,
        };
        let is_glued = match (&before, &token) {
            (None, _) => true,
            (Some(TokenTree::Punct(a)), TokenTree::Punct(b)) if a.spacing() == Spacing::Joint => b.as_char() != '\'',
            (Some(TokenTree::Punct(punct)), _) if punct.spacing() == Spacing::Joint => "':&".contains(punct.as_char()),
            (Some(TokenTree::Punct(punct)), TokenTree::Group(group)) => {
                group.delimiter() != Delimiter::Brace && "#!&>".contains(punct.as_char())
            }
            (Some(TokenTree::Punct(punct)), TokenTree::Ident(_) | TokenTree::Literal(_))
                if "&<!.:".contains(punct.as_char()) =>
            {
                punct.as_char() != ':' || line.ends_with("::")
            }
            (Some(word), TokenTree::Punct(punct)) => match punct.as_char() {
                ',' | ';' | '.' | '?' | '>' | '!' => true,
                ':' | '<' => !is_word(word),
                _ => false,
            },
            (Some(word), TokenTree::Group(group)) => group.delimiter() != Delimiter::Brace && !is_word(word),
            _ => false,
        };
        if !is_glued {
            line.push(' ');
        }
        let mut is_end = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
        match &token {
            TokenTree::Group(group) => {
                let is_block = group.delimiter() == Delimiter::Brace;
                let [open, close] = match group.delimiter() {
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::None => ["", ""],
                };
                let mut inside = String::new();
                print(group.stream(), 0, &mut inside);
                let flat = inside.trim_end();
                let is_list = !is_block && flat.contains(", ");
                let fits = !flat.contains('\n') && indent * 4 + line.len() + flat.len() <= WIDTH;
                if flat.is_empty() || (fits || !is_list) && !is_block || fits && !flat.contains(';') && flat.len() < 60
                {
                    let space = if is_block && !flat.is_empty() { " " } else { "" };
                    line.extend([open, space, flat, space, close]);
                } else {
                    line.push_str(open);
                    line.push('\n');
                    for part in if is_block { vec![group.stream()] } else { split(group.stream()) } {
                        print(part, 1, &mut line);
                    }
                    line.push_str(close);
                }
                let is_attribute = matches!(&before, Some(TokenTree::Punct(punct)) if punct.as_char() == '#');
                is_end = is_attribute || is_block && line.contains('\n');
            }
            other => line.push_str(&other.to_string()),
        }
        before = Some(token);
        if is_end {
            flush(&mut line, indent, out);
            before = None;
        }
    }
    flush(&mut line, indent, out);
}

/// Returns the arguments of a list, each with its comma.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let (mut parts, mut depth) = (vec![TokenStream::new()], 0);
    for token in tokens {
        let character = if let TokenTree::Punct(punct) = &token { punct.as_char() } else { ' ' };
        depth += i32::from(character == '<') - i32::from(character == '>');
        parts.last_mut().expect("a part").extend([token]);
        if character == ',' && depth <= 0 {
            parts.push(TokenStream::new());
        }
    }
    parts
}

fn flush(line: &mut String, indent: usize, out: &mut String) {
    for line in line.lines() {
        let is_alone = [";", ",", "?"].contains(&line) && out.ends_with("}\n");
        if is_alone {
            out.pop();
        } else {
            out.push_str(&"    ".repeat(indent));
        }
        out.push_str(line);
        out.push('\n');
    }
    line.clear();
}

/// Compares the output for a struct with its golden file.
fn compare(name: &str, text: &str) {
    let input = syn::parse_str(text).expect("a struct");
    let mut output = format!("// The output of the derive for:\n// {}\n", text.trim().replace('\n', "\n// "));
    print(super::kernel_args(&input), 0, &mut output);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = output.replace(&root.join("src").display().to_string().escape_debug().to_string(), "src");
    assert!(!output.contains("compile_error"), "{output}");
    let golden = root.join(format!("src/expand/tests/{name}.expanded"));
    if env::var_os("KERNEL_ARGS_BLESS").is_some() {
        fs::write(&golden, &output).expect("the golden file is written");
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    assert!(output == expected, "{name}.expanded differs; KERNEL_ARGS_BLESS=1 writes it:\n{output}");
}

#[test]
fn a_plain_struct() {
    compare("plain", "struct Axpy<'a> { n: u32, alpha: f32, y: &'a mut CudaSlice<f32> }");
}

#[test]
fn a_struct_with_an_image() {
    compare(
        "image",
        "#[kernel_args(ptx = \"src/expand/tests/axpy.ptx\", entry = \"axpy_f32\")]\n\
         struct Axpy<'a> { n: u32, alpha: f32, y: &'a mut CudaSlice<f32> }",
    );
}

#[test]
fn a_struct_with_a_pattern() {
    compare(
        "pattern",
        "#[kernel_args(kernel = kernels, entries = \"axpy_*\", T = f32 => \"_f32\", T = f64 => \"_f64\")]\n\
         struct Axpy<'a, T> { n: u32, alpha: T, y: &'a mut CudaSlice<T> }",
    );
}

#[test]
fn a_struct_for_a_launcher() {
    compare(
        "launcher",
        "#[kernel_args(launcher = ffi::axpy)]\nstruct Axpy<'a> { n: u32, alpha: f32, y: &'a mut CudaSlice<f32> }",
    );
}

//! The input of `kernels! { … }`.

#[cfg(feature = "generate")]
use super::generate::{Pointers, parse as parse_generate};
use crate::{
    path::{DebugInfoOption, ImagePath},
    texts,
};
use proc_macro2::TokenStream;
use syn::{
    Attribute, Ident, LitStr, Path, Token, Visibility, braced,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream},
};

/// `crate = path; pub mod name = "image.ptx"; …`
pub(crate) struct Input {
    pub(crate) krate: Path,
    pub(crate) modules: Vec<Module>,
}

/// `pub mod name = "image.ptx", debug_info = "image.debug.ptx";`
pub(crate) struct Module {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) image: ImagePath,
    /// Whether structs are generated, and with which pointers.
    pub(crate) generate: Option<Pointers>,
    pub(crate) debug_info: Option<DebugInfoOption>,
    /// `absent("src/kernels.cu", "PATH: has no `nvcc`")`, the source and what was tried, which the build script writes
    /// if no compiler made the image: the file only describes its kernels.
    pub(crate) absent: Option<[LitStr; 2]>,
    /// `constants { pub const TILE: i32 = 16; }`, which the build script writes for the constants of the source.
    pub(crate) constants: TokenStream,
}

#[cfg(not(feature = "generate"))]
pub(crate) enum Pointers {}

/// Without the feature `generate` the option is an error.
#[cfg(not(feature = "generate"))]
fn parse_generate(option: &Ident, _: ParseStream<'_>) -> syn::Result<Pointers> {
    Err(syn::Error::new(option.span(), texts::GENERATE_FEATURE))
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut krate = syn::parse_quote!(::kernel_args);
        if input.peek(Token![crate]) && input.peek2(Token![=]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            krate = input.call(Path::parse_mod_style)?;
            input.parse::<Token![;]>()?;
        }
        let mut modules = Vec::new();
        while !input.is_empty() {
            modules.push(input.parse()?);
        }
        if modules.is_empty() {
            return Err(syn::Error::new(input.span(), texts::NO_MODULE));
        }
        Ok(Self { krate, modules })
    }
}

impl Parse for Module {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let no_module = |error: syn::Error| syn::Error::new(error.span(), texts::NO_MODULE);
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<Token![mod]>().map_err(no_module)?;
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>().map_err(no_module)?;
        let image: ImagePath = input.parse()?;
        let (mut debug_info, mut generate, mut absent, mut constants) = (None, None, None, TokenStream::new());
        while input.peek(Token![,]) && input.peek2(Ident::peek_any) && !input.peek2(Token![mod]) {
            input.parse::<Token![,]>()?;
            let option = input.call(Ident::parse_any)?;
            let content;
            let is_again = match option.to_string().as_str() {
                "debug_info" => {
                    input.parse::<Token![=]>()?;
                    debug_info.replace(input.parse()?).is_some()
                }
                "generate" => generate.replace(parse_generate(&option, input)?).is_some(),
                "absent" => {
                    parenthesized!(content in input);
                    let source = content.parse()?;
                    content.parse::<Token![,]>()?;
                    absent.replace([source, content.parse()?]).is_some()
                }
                "constants" => {
                    braced!(content in input);
                    constants = content.parse()?;
                    false
                }
                _ => return Err(syn::Error::new(option.span(), texts::UNKNOWN_OPTION)),
            };
            if is_again {
                return Err(syn::Error::new(option.span(), texts::DUPLICATE_OPTION));
            }
        }
        input.parse::<Token![;]>().map_err(|_| syn::Error::new(image.span, texts::NO_SEMICOLON))?;
        Ok(Self { attributes, visibility, name, image, generate, debug_info, absent, constants })
    }
}

#[allow(clippy::unwrap_used, clippy::panic)]
#[cfg(all(test, feature = "generate"))]
mod tests {
    use super::{DebugInfoOption, Input};

    #[test]
    fn several_modules_and_their_attributes_are_read() {
        let input: Input = syn::parse_str(
            r#"crate = a::b; #[cfg(x)] /// Docs.
               pub(crate) mod one = "one.ptx"; mod two = concat!("two", ".ptx"), debug_info = concat!("two", ".debug.ptx");
               mod three = "three.ptx", generate, debug_info = if_readable; mod four = "4.ptx", generate(pointers = raw), absent("4.cu", "PATH: x"), constants { pub const N: u8 = 1; };"#,
        )
        .unwrap();
        let names: Vec<_> = input.modules.iter().map(|module| module.name.to_string()).collect();
        assert_eq!(names, ["one", "two", "three", "four"]);
        assert_eq!(input.modules[0].attributes.len(), 2);
        let debug_info = &input.modules[1].debug_info;
        assert!(input.modules[0].debug_info.is_none());
        assert!(matches!(debug_info, Some(DebugInfoOption::File(_))));
        let debug_info = &input.modules[2].debug_info;
        assert!(matches!(debug_info, Some(DebugInfoOption::IfReadable(_))));
        let generates: Vec<_> = input.modules.iter().map(|module| module.generate.is_some()).collect();
        assert_eq!(generates, [false, false, true, true]);
        let absent: Vec<_> =
            input.modules.iter().filter_map(|module| Some(module.absent.as_ref()?[0].value())).collect();
        assert_eq!(absent, ["4.cu"]);
        let constants = input.modules.iter().map(|module| module.constants.to_string());
        assert_eq!(constants.collect::<Vec<_>>(), ["", "", "", "pub const N : u8 = 1 ;"]);
    }

    #[test]
    fn what_is_no_module_says_what_to_write() {
        for written in [
            "",
            "crate = a;",
            r#""k.ptx""#,
            r#"pub one = "k.ptx";"#,
            "mod one;",
            "mod one { }",
            r#"mod one = "k.ptx""#,
            r#"mod one = "k.ptx", mod two = "l.ptx";"#,
            r#"mod one = "k.ptx", debug = "l.ptx";"#,
            r#"mod one = "k.ptx", debug_info = path;"#,
            r#"mod one = "k.ptx", generate(raw);"#,
            r#"mod one = "k.ptx", generate(pointers = smart);"#,
            r#"mod one = "k.ptx", generate(pointers = raw, all);"#,
            r#"mod one = "k.ptx", debug_info = "l.ptx" mod two = "m.ptx";"#,
        ] {
            let Err(error) = syn::parse_str::<Input>(written) else {
                panic!("{written} was accepted");
            };
            assert!(error.to_string().contains("help: write"), "{written}: {error}");
        }
    }
}

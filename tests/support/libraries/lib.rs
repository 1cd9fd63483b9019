//! The libraries that cargo passes to rustc for a crate. Tests use them to compile programs without building a library twice.

use proc_macro::{Literal, Punct, Spacing, TokenStream, TokenTree};
use std::env;

/// The rustc options for the libraries of the current crate, as a list of texts: `--extern` with `NAME=PATH`, and `-L` with a
/// folder.
///
/// A macro runs in the compiler's process, so it can read the compiler's arguments.
#[proc_macro]
pub fn libraries(_: TokenStream) -> TokenStream {
    let mut list = TokenStream::new();
    let arguments: Vec<String> = env::args().collect();
    for pair in arguments.windows(2) {
        if pair[0] != "--extern" && pair[0] != "-L" {
            continue;
        }
        // A library is compiled against the metadata of its dependencies. To link a program, the `rlib` next to it is needed.
        let value = pair[1].strip_suffix(".rmeta");
        let value = value.map_or_else(|| pair[1].clone(), |path| format!("{path}.rlib"));
        for text in [&pair[0], &value] {
            list.extend([TokenTree::from(Literal::string(text)), Punct::new(',', Spacing::Alone).into()]);
        }
    }
    [
        TokenTree::from(Punct::new('&', Spacing::Alone)),
        proc_macro::Group::new(proc_macro::Delimiter::Bracket, list).into(),
    ]
    .into_iter()
    .collect()
}

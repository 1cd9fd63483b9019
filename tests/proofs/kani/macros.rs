//! The attributes of the stub in `kani.rs`: each returns its function.

use proc_macro::TokenStream;

/// A function that Kani proves.
#[proc_macro_attribute]
pub fn proof(_: TokenStream, function: TokenStream) -> TokenStream {
    function
}

/// The number of iterations to which Kani unrolls loops.
#[proc_macro_attribute]
pub fn unwind(_: TokenStream, function: TokenStream) -> TokenStream {
    function
}

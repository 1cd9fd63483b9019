//! The items for global variables: a constant for each, whose type `Module::global` compares with the Rust type of its
//! call.

use super::{docs, tokens};
use crate::image::{DebugInfo, File};
use kernel_args_image::items::{self as names, Item};
use kernel_args_image::{Encoder, Variable};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use std::fmt::Write;
use syn::Path;

pub(super) struct Variables<'f> {
    pub(super) all: Vec<Variable<'f>>,
    /// Whether each has other sizes on other GPUs.
    varies: Vec<bool>,
    names: Vec<String>,
}

impl<'f> Variables<'f> {
    /// `None` if the image has no variables. `items` are the items for kernels.
    pub(super) fn read(file: &'f File, debug_info: &'f DebugInfo, items: &[Item]) -> Option<Self> {
        let kernels = &file.kernels;
        let symbols: Vec<&str> = kernels.variable_symbols().collect();
        let of = |symbol: &&str| Some(debug_info.of_variable(kernels.variable(symbol, None)?));
        let all: Vec<Variable<'_>> = symbols.iter().filter_map(of).collect();
        let named: Vec<names::Kernel<'_>> = all
            .iter()
            .map(|variable| names::Kernel { symbol: variable.symbol(), demangled: variable.demangled().cloned() })
            .collect();
        (!all.is_empty()).then(|| Self {
            names: names::variables(&named, items),
            varies: all.iter().map(|variable| kernels.variable_varies(variable.symbol())).collect(),
            all,
        })
    }

    /// Returns the table, in which each variable is a list with one parameter.
    pub(super) fn table(&self, krate: &Path) -> TokenStream {
        let mut encoder = Encoder::new();
        for (variable, varies) in self.all.iter().zip(&self.varies) {
            encoder.push_variable(variable, *varies);
        }
        let (table, texts) = encoder.finish();
        let size = table.len();
        let table = Literal::byte_string(&table);
        quote! {
            static __VARIABLE_TABLE: [#krate::__private::core::primitive::u8; #size] = *#table;
            static __VARIABLES: #krate::__private::CompiledImage =
                #krate::__private::CompiledImage::table(&__VARIABLE_TABLE, #texts);
        }
    }

    pub(super) fn items(&self, krate: &Path) -> TokenStream {
        let krate = krate.to_token_stream().to_string();
        let (mut types, mut constants) = (String::new(), String::new());
        for (at, (variable, name)) in self.all.iter().zip(&self.names).enumerate() {
            let docs = docs::variable(variable, self.varies.get(at) == Some(&true));
            let symbol = variable.symbol();
            let _ = write!(
                types,
                "#[allow(non_camel_case_types)]#[derive(Clone,Copy,Debug)]pub struct {name};\
                 impl {krate}::__private::GlobalName for {name}{{\
                 const VARIABLE: {krate}::__private::Option<{krate}::image::CompiledKernel>=\
                 {krate}::__private::Option::Some({krate}::image::CompiledKernel::new(&super::__VARIABLES,{at},{symbol:?}));\
                 fn name(&self)->&{krate}::__private::core::primitive::str{{{symbol:?}}}}}"
            );
            let _ = write!(constants, "#[doc={docs:?}]pub const {name}:__variables::{name}=__variables::{name};");
        }
        tokens(&format!("#[doc(hidden)]pub mod __variables{{{types}}}{constants}"))
    }
}

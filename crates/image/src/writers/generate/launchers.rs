//! Declarations of host functions, and a struct of arguments for each.

use super::{
    Content, Generated, Options, UNKNOWN, align, declare, define,
    fields::{self, Field},
    identifier::{is_identifier, is_snake, raw},
    names,
    options::Kernel,
    ty::{Leaf, Ty},
    write::RustWriter,
};
use crate::model::launchers::{Launcher, Launchers, List};
use crate::prelude::*;
use crate::writers::escape::{quoted, rust_comment};
use kernel_args_abi::{CppBase, Parameter, passing::Passing};

/// Generates the declarations of the functions of a library, as a block with the attribute `launchers`, a struct with
/// `#[derive(KernelArgs)]` for each, and their types. `library` is the path for the attribute, a Rust expression.
/// `None` is for a library that no compiler has made: each function is then one of Rust that panics with this text.
///
/// A comment names each function that Rust cannot call, with the reason.
#[must_use]
pub fn of_launchers(launchers: &Launchers, library: Result<&str, &str>, options: &Options<'_>) -> String {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for (symbol, launcher) in launchers.functions() {
        match launcher {
            _ if !is_identifier(symbol) => refused.push((symbol, NO_IDENTIFIER.into())),
            Ok(launcher) => {
                let lists = [List::All, List::WithoutStream].map(|list| launcher.as_kernel(list));
                found.push((launcher, lists));
            }
            Err(error) => refused.push((symbol, error.to_string())),
        }
    }
    let kernels: Vec<_> =
        found.iter().map(|(_, lists)| lists.each_ref().map(|list| Kernel::new(list, false))).collect();
    let mut types = define::Types::new(options);
    let mut fields = Vec::new();
    // A second pass knows the types that only a later function contains.
    for _ in 0..2 {
        let read = kernels.iter().map(|lists| lists.each_ref().map(|list| fields::of_kernel(list, &mut types)));
        fields = read.collect();
    }
    let used = fields.iter().flatten().flatten().flatten().filter_map(|field| field.ty.named());
    let definitions = types.finish(used.collect());
    let symbols = found.iter().map(|(launcher, _)| launcher.symbol);
    let names = names::names(symbols.clone(), symbols, &definitions);
    let mut writer = RustWriter::new(&definitions, &names, options);
    let mut declared = Vec::new();
    for ((launcher, _), [all, _]) in found.iter().zip(&fields) {
        let all = all.as_ref().map_err(|what| String::from(*what));
        match all.and_then(|all| callable(launcher, all, &definitions).map(|()| all)) {
            Ok(all) => declared.push((launcher, all)),
            Err(what) => refused.push((launcher.symbol, what)),
        }
    }
    let refused_texts = refused.iter().map(|(symbol, what)| (format!("`{symbol}` is not declared"), what.clone()));
    let unread = launchers
        .unread()
        .map(|(place, error)| (format!("The functions of {place} are not declared"), error.to_string()));
    for (who, what) in refused_texts.chain(unread) {
        let what = what.lines().next().unwrap_or_default();
        writer.line(0, "");
        writer.line(0, &format!("// {}: {}", rust_comment(&who), rust_comment(what)));
    }
    writer.block(&declared, library);
    for ((launcher, _), ([all, fields], name)) in found.iter().zip(fields.iter_mut().zip(&names.kernels)) {
        if refused.iter().any(|(symbol, _)| *symbol == launcher.symbol) {
            continue;
        }
        let mut naming = vec![format!("launcher = {}", raw(launcher.symbol.into()))];
        let after = launcher.stream().map(|stream| all.as_ref().ok().and_then(|all| all.get(stream + 1)));
        match after {
            None => naming.push("stream = none".into()),
            Some(Some(next)) => naming.push(format!("stream = before({})", next.name)),
            Some(None) => {}
        }
        for field in fields.iter_mut().flatten() {
            field.is_opaque |= writer.is_spelled_otherwise(&field.ty);
        }
        let is_status = match launcher.result() {
            None => true,
            Some(result) => result_leaf(&result).is_some_and(|leaf| matches!(leaf.name, "i32" | "u32")),
        };
        if !is_status {
            *fields = Err(NO_STATUS);
        }
        writer.kernel(&[quoted(&launcher.prototype())], naming, fields, ("", name));
    }
    writer.finish()
}

const PADDING: &str = "has padding, or a class without members, next to floating-point numbers: Rust passes its fields for them in other registers";
const NO_IDENTIFIER: &str = "its symbol is not an identifier of Rust";
const NO_STATUS: &str =
    "It has no struct for `launch!`, because it does not return a status: nothing, or 32 bits, such as `cudaError_t`.";

/// Returns the returned number. `None` is a pointer.
fn result_leaf(result: &Parameter<'_>) -> Option<Leaf> {
    match result.cpp.base {
        _ if result.cpp.is_pointer() => None,
        CppBase::Named(_) => Leaf::integer(false, result.size),
        base => Leaf::of_base(base, Some(result.size)),
    }
}

/// Whether Rust has all types that are passed by value: bytes are not passed like the members of a union.
fn callable(launcher: &Launcher<'_>, fields: &[Field], definitions: &[Generated<'_>]) -> Result<(), String> {
    for (field, parameter) in fields.iter().zip(launcher.parameters().iter()) {
        let passing = Passing::of(&parameter);
        let mut padded = passing;
        pad(&mut padded, &field.ty, 0, definitions);
        if !padded.is_like(&passing, launcher.convention()) {
            return Err(format!("`{}` {PADDING}", field.name));
        }
    }
    let mut types: Vec<(&str, &Ty)> = fields.iter().map(|field| (field.name.as_str(), &field.ty)).collect();
    while let Some((name, ty)) = types.pop() {
        let Some(definition) = ty.contents().map(|id| &definitions[id]) else { continue };
        match &definition.body {
            Content::Bytes(_) | Content::Pending => {
                let cpp = if definition.cpp.is_empty() { "a type" } else { &definition.cpp };
                return Err(format!("`{name}` contains `{cpp}`, whose members Rust cannot declare"));
            }
            Content::Fields(members)
                if members.iter().any(|member| member.cpp == UNKNOWN && member.ty.contents().is_none()) =>
            {
                return Err(format!(
                    "`{name}` contains `{}`, which has a member without a type in Rust",
                    definition.cpp
                ));
            }
            Content::Fields(members) => types.extend(members.iter().map(|member| (name, &member.ty))),
            Content::Enum(..) | Content::Bits(..) => {}
        }
    }
    Ok(())
}

/// Adds the bytes that Rust declares for padding, and for a class without members.
fn pad(passing: &mut Passing, ty: &Ty, start: usize, definitions: &[Generated<'_>]) {
    match ty {
        Ty::Array(of, count) => {
            let (size, _) = align::layout(of, definitions);
            let places = (0..*count).map(|index| start + index * size);
            for at in places.take_while(|at| Passing::counts(*at) && size > 0) {
                pad(passing, of, at, definitions);
            }
        }
        Ty::Defined(id) => {
            let definition = &definitions[*id];
            let Content::Fields(members) = &definition.body else { return };
            for (from, to) in declare::padding(definition, members, definitions) {
                passing.add_bytes(start + from, to - from);
            }
            for member in members {
                pad(passing, &member.ty, start + member.offset, definitions);
            }
        }
        _ => {}
    }
}

impl RustWriter<'_, '_> {
    fn block(&mut self, declared: &[(&Launcher<'_>, &Vec<Field>)], library: Result<&str, &str>) {
        let krate = self.options.krate;
        if let Ok(library) = library
            && !declared.is_empty()
        {
            self.line(0, "");
            let own = self.krate().map_or_else(String::new, |own| format!(", {own}"));
            self.line(0, &format!("#[{krate}::launchers(library = {library}{own})]"));
            let is_odd = declared.iter().any(|(launcher, _)| !is_snake(launcher.symbol));
            self.allow(&[("non_snake_case", is_odd)], "the names are those in C");
            self.line(0, "unsafe extern \"C\" {");
        }
        for (launcher, fields) in declared {
            let depth = usize::from(library.is_ok());
            self.docs(depth, &[quoted(&launcher.prototype())]);
            let mut arguments: Vec<String> = Vec::new();
            for (index, field) in fields.iter().enumerate() {
                let is_stream = launcher.stream() == Some(index);
                let ty = if is_stream { format!("{krate}::launcher::Stream") } else { self.raw_type(&field.ty) };
                let name = if library.is_ok() { &field.name } else { "_" };
                arguments.push(format!("{name}: {ty}"));
            }
            let result = launcher.result().map_or_else(String::new, |result| {
                let ty = result_leaf(&result)
                    .map_or_else(|| "*mut ::core::ffi::c_void".into(), |leaf| self.ty(&Ty::Leaf(leaf)));
                format!(" -> {ty}")
            });
            let (before, end) = match library {
                Ok(_) => ("pub fn", String::from(";")),
                Err(what) => ("pub unsafe fn", format!(" {{\n    ::core::panic!(\"{{}}\", {what:?})\n}}")),
            };
            let name = raw(launcher.symbol.into());
            self.line(depth, &format!("{before} {name}({}){result}{end}", arguments.join(", ")));
        }
        if library.is_ok() && !declared.is_empty() {
            self.line(0, "}");
        }
    }

    /// Returns whether `launch!` does not see that the field's pointer is the function's: a pointer in an array, or
    /// behind two pointers.
    fn is_spelled_otherwise(&mut self, ty: &Ty) -> bool {
        let Ty::Pointer { to, .. } = ty else { return false };
        let behind = if let Ty::Pointer { to, .. } = &**to { to } else { to };
        self.raw_type(behind) != self.ty(behind)
    }

    fn raw_type(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Pointer { to, is_const } => {
                let sigil = if *is_const { "*const" } else { "*mut" };
                format!("{sigil} {}", self.raw_type(to))
            }
            Ty::Array(of, count) => format!("[{}; {count}]", self.raw_type(of)),
            ty => self.ty(ty),
        }
    }
}

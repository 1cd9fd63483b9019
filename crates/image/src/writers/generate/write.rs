//! The generated text, formatted like rustfmt's output.

use super::{
    Generated,
    docs::{self, WIDTH},
    fields::{Field, Fields, Generic, PARAMETER},
    identifier::is_snake,
    imports::Imports,
    names::TypeNames,
    options::{Kernel, Naming, Options, Pointers},
    ty::{From, Leaf, Ty},
};
use crate::prelude::*;
use crate::writers::escape::{quoted, rust_comment};
use core::fmt::Write as _;

/// rustfmt's `attr_fn_like_width`.
const ATTRIBUTE_WIDTH: usize = 70;

pub(super) struct RustWriter<'a, 'k> {
    pub(super) definitions: &'a [Generated<'k>],
    pub(super) names: &'a TypeNames,
    pub(super) options: &'a Options<'a>,
    text: String,
    pub(super) imports: Imports,
}

pub(super) fn write<'a, 'k: 'a>(
    kernels: impl ExactSizeIterator<Item = ((&'a Kernel<'k>, &'a str), Fields)>,
    generics: &[Generic],
    definitions: &[Generated<'_>],
    names: &TypeNames,
    options: &Options<'_>,
) -> String {
    let mut writer = RustWriter::new(definitions, names, options);
    let (own, of_generics) = names.kernels.split_at(kernels.len());
    for (((kernel, item), fields), name) in kernels.zip(own) {
        let mut values = Vec::new();
        match options.naming {
            Naming::None => {}
            Naming::Items("") => values.push(format!("kernel = {item}")),
            Naming::Items(module) => values.push(format!("kernel = {module}::{item}")),
            Naming::Image { path, debug_info } => {
                values.push(format!("ptx = {path}"));
                values.extend(debug_info.map(|path| format!("debug_info = {path}")));
                values.push(format!("entry = {:?}", kernel.symbol));
            }
        }
        writer.kernel(&docs::kernel(kernel), values, &fields, (item, name));
    }
    for (generic, name) in generics.iter().zip(of_generics) {
        writer.generic(generic, name);
    }
    writer.finish()
}

impl<'a, 'k> RustWriter<'a, 'k> {
    pub(super) fn new(definitions: &'a [Generated<'k>], names: &'a TypeNames, options: &'a Options<'a>) -> Self {
        Self { definitions, names, options, text: String::new(), imports: Imports::default() }
    }

    /// Returns the text with the types and the imports.
    pub(super) fn finish(mut self) -> String {
        let mut types: Vec<usize> = (0..self.definitions.len()).filter(|&id| self.definitions[id].is_used).collect();
        sort(&mut types, &|&a, &b| self.names.types[a].cmp(&self.names.types[b]));
        for id in types {
            self.definition(id);
        }
        let Self { text, imports, options, .. } = self;
        let mut whole = String::new();
        if !options.source.is_empty() {
            let _ = writeln!(whole, "// {}", rust_comment(&docs::head(options.source)));
            whole.push('\n');
        }
        imports.write(&mut whole, options);
        // An empty line precedes an item.
        if whole.is_empty() {
            return text.trim_start().into();
        }
        whole + &text
    }
}

impl RustWriter<'_, '_> {
    pub(super) fn line(&mut self, depth: usize, line: &str) {
        if line.is_empty() {
            self.text.push('\n');
        } else {
            let _ = writeln!(self.text, "{:1$}{line}", "", 4 * depth);
        }
    }

    pub(super) fn docs(&mut self, depth: usize, lines: &[String]) {
        for line in lines {
            self.line(depth, format!("/// {}", rust_comment(line)).trim_end());
        }
    }

    /// `#[name(a, b)]`, on one line or with one value per line.
    pub(super) fn attribute(&mut self, name: &str, values: &[String]) {
        if values.is_empty() {
            return;
        }
        let line = values.join(", ");
        let longest = match values {
            [_] => WIDTH - name.len() - "#[()]".len(),
            _ => ATTRIBUTE_WIDTH,
        };
        if line.len() <= longest {
            return self.line(0, &format!("#[{name}({line})]"));
        }
        self.line(0, &format!("#[{name}("));
        for (i, value) in values.iter().enumerate() {
            let comma = if i + 1 == values.len() { "" } else { "," };
            self.line(1, &format!("{value}{comma}"));
        }
        self.line(0, ")]");
    }

    /// Allows the lints that are needed.
    pub(super) fn allow(&mut self, lints: &[(&str, bool)], reason: &str) {
        let mut values: Vec<String> = Vec::new();
        values.extend(lints.iter().filter(|(_, is_needed)| *is_needed).map(|(lint, _)| String::from(*lint)));
        if !values.is_empty() {
            values.push(format!("reason = {reason:?}"));
            self.attribute("allow", &values);
        }
    }

    fn contracts(&self, item: &str, field: Option<&str>) -> impl Iterator<Item = String> {
        let on = field.map_or_else(|| item.into(), |field| format!("{item}.{field}"));
        let of_this = self.options.contracts.iter().filter(move |one| one.0 == on);
        of_this.map(|(on, contract)| {
            self.options.used.map(|used| used.borrow_mut().insert(on.clone()));
            contract.clone()
        })
    }

    pub(super) fn field_attribute(&mut self, of: &str, name: Option<&String>, is_opaque: bool, others: Vec<String>) {
        let name = name.map(|name| format!("name = {name:?}"));
        let opaque = is_opaque.then(|| String::from("opaque"));
        let values: Vec<String> = name.into_iter().chain(opaque).chain(others).collect();
        if !values.is_empty() {
            self.line(1, &format!("#[{of}({})]", values.join(", ")));
        }
    }

    pub(super) fn field(&mut self, name: &str, ty: &str) {
        let line = format!("pub {name}: {ty},");
        if line.len() + 4 <= WIDTH {
            self.line(1, &line);
        } else {
            self.line(1, &format!("pub {name}:"));
            self.line(2, &format!("{ty},"));
        }
    }

    pub(super) fn krate(&self) -> Option<String> {
        let krate = self.options.krate;
        let is_usual = krate.trim_start_matches("::") == "kernel_args";
        (!is_usual).then(|| format!("crate = {krate}"))
    }

    /// `naming` is how the struct names its kernel.
    pub(super) fn kernel(&mut self, docs: &[String], naming: Vec<String>, fields: &Fields, (item, name): (&str, &str)) {
        self.line(0, "");
        let fields = match fields {
            Ok(fields) => fields,
            Err(why) => {
                for line in docs {
                    self.line(0, &format!("// {}", rust_comment(line)));
                }
                return self.line(0, &format!("// {why}"));
            }
        };
        self.docs(0, docs);
        self.derive(item, naming);
        if fields.is_empty() {
            return self.line(0, &format!("pub struct {name} {{}}"));
        }
        self.fields((item, name), fields, None);
    }

    fn derive(&mut self, item: &str, values: Vec<String>) {
        self.imports.add(From::Crate, "KernelArgs");
        self.line(0, "#[derive(KernelArgs)]");
        let values = self.krate().into_iter().chain(values).chain(self.contracts(item, None));
        let values: Vec<String> = values.collect();
        self.attribute("kernel_args", &values);
    }

    fn generic(&mut self, generic: &Generic, name: &str) {
        let Generic { item, template, fields, bindings } = generic;
        self.line(0, "");
        let types: Vec<String> = bindings.iter().map(|(ty, _)| self.ty(ty)).collect();
        let example = format!("{} finds one.", quoted(&format!("module.family::<{name}<{}>>({template:?})", types[0])));
        self.docs(0, &[format!("All instances of the template {}.", quoted(template)), example]);
        self.imports.add(From::Crate, "DeviceType");
        let module = match self.options.naming {
            Naming::Items(module) if !module.is_empty() => module,
            _ => "self",
        };
        let mut values = vec![format!("kernel = {module}"), format!("entries = {:?}", format!("{template}<*>"))];
        values.extend(types.iter().zip(bindings).map(|(ty, (_, suffix))| format!("{PARAMETER} = {ty} => {suffix:?}")));
        self.derive(item, values);
        self.fields((item, name), fields, Some("DeviceType"));
    }

    fn fields(&mut self, (item, name): (&str, &str), fields: &[Field], bound: Option<&str>) {
        let is_odd = fields.iter().any(|field| !is_snake(&field.name));
        self.allow(&[("non_snake_case", is_odd)], "the names are those in C++");
        let parameter = bound.map(|bound| format!("{PARAMETER}: {bound}"));
        let lifetime = fields.iter().any(|field| self.borrows(&field.ty)).then(|| String::from("'a"));
        let parameters: Vec<String> = lifetime.into_iter().chain(parameter).collect();
        let parameters = if parameters.is_empty() { String::new() } else { format!("<{}>", parameters.join(", ")) };
        self.line(0, &format!("pub struct {name}{parameters} {{"));
        for field in fields {
            self.docs(1, core::slice::from_ref(&field.doc));
            let contracts: Vec<String> = self.contracts(item, Some(&field.name)).collect();
            let is_wide = contracts.iter().any(|contract| contract.trim_start().starts_with("as "));
            self.field_attribute("kernel_args", field.renamed.as_ref(), field.is_opaque, contracts);
            let ty = if is_wide { String::from("usize") } else { self.field_type(&field.ty) };
            self.field(&field.name, &ty);
        }
        self.line(0, "}");
    }

    fn borrows(&self, ty: &Ty) -> bool {
        let is_typed = matches!(ty, Ty::Pointer { to, .. } if **to != Ty::Void);
        (is_typed || self.options.textures && object(ty).is_some())
            && matches!(self.options.pointers, Pointers::Slices | Pointers::Views)
    }

    fn field_type(&mut self, ty: &Ty) -> String {
        if let Some(object) = object(ty).filter(|_| self.borrows(ty)) {
            self.imports.add(From::Texture, object);
            return format!("&'a {object}");
        }
        match ty {
            Ty::Pointer { to, is_const } if self.borrows(ty) => {
                let (name, reference) = match (self.options.pointers, is_const) {
                    (Pointers::Views, true) => ("CudaView", ""),
                    (Pointers::Views, false) => ("CudaViewMut", ""),
                    (_, true) => ("CudaSlice", "&'a "),
                    (_, false) => ("CudaSlice", "&'a mut "),
                };
                self.imports.add(From::Driver, name);
                let lifetime = if reference.is_empty() { "'a, " } else { "" };
                format!("{reference}{name}<{lifetime}{}>", self.ty(to))
            }
            Ty::Pointer { to, .. } if **to != Ty::Void && self.options.pointers == Pointers::Retained => {
                self.imports.add(From::Crate, "Retained");
                format!("Retained<{}>", self.ty(ty))
            }
            ty => self.ty(ty),
        }
    }

    pub(super) fn ty(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Leaf(Leaf { name, from, .. }) => {
                let krate = name.split_once("::").map_or(*name, |(krate, _)| krate);
                self.imports.add(*from, krate);
                String::from(*name)
            }
            Ty::Void => {
                self.imports.add(From::Core, "c_void");
                String::from("c_void")
            }
            Ty::Pointer { to, is_const } => {
                let name = if *is_const { "DevicePointer" } else { "DevicePointerMut" };
                self.imports.add(From::Crate, name);
                format!("{name}<{}>", self.ty(to))
            }
            Ty::Array(of, count) => format!("[{}; {count}]", self.ty(of)),
            Ty::Defined(id) => self.names.types[*id].clone(),
        }
    }
}

/// Returns the tracked type of an object.
fn object(ty: &Ty) -> Option<&'static str> {
    match ty {
        Ty::Leaf(leaf) => leaf.name.strip_suffix("Object"),
        _ => None,
    }
}

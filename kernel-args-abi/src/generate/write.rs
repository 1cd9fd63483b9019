//! The text, as rustfmt has it.

use super::{
    Kernel, Naming, Options, Pointers, align,
    define::{Body, Definition, Member},
    docs::{self, WIDTH},
    fields::{Field, Fields},
    identifier::{free, is_snake, is_upper_camel, raw, variable},
    names::Names,
    ty::{From, Leaf, Ty},
};
use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::fmt::Write as _;

/// How long a list in an attribute is at most on one line, in characters: rustfmt's `attr_fn_like_width`.
const ATTRIBUTE_WIDTH: usize = 70;

/// What the text is written with.
struct Writer<'a, 'k> {
    definitions: &'a [Definition<'k>],
    names: &'a Names,
    options: &'a Options<'a>,
    text: String,
    imports: Imports,
}

/// The names that the text uses.
#[derive(Default)]
struct Imports {
    core: BTreeSet<&'static str>,
    krate: BTreeSet<&'static str>,
    external: BTreeSet<&'static str>,
    is_slice: bool,
}

/// The whole text.
pub(super) fn write<'a, 'k: 'a>(
    kernels: impl ExactSizeIterator<Item = ((&'a Kernel<'k>, &'a str), Fields)>,
    definitions: &[Definition<'_>],
    names: &Names,
    options: &Options<'_>,
) -> String {
    let mut writer = Writer {
        definitions,
        names,
        options,
        text: String::new(),
        imports: Imports::default(),
    };
    for (((kernel, item), fields), name) in kernels.zip(&names.kernels) {
        writer.kernel(kernel, item, &fields, name);
    }
    let mut types: Vec<usize> = (0..definitions.len())
        .filter(|&id| definitions[id].is_used)
        .collect();
    types.sort_by_key(|&id| &names.types[id]);
    for id in types {
        writer.definition(id);
    }
    let Writer { text, imports, .. } = writer;
    let mut whole = String::new();
    if !options.source.is_empty() {
        for line in docs::head(options.source) {
            let _ = writeln!(whole, "{line}");
        }
        whole.push('\n');
    }
    imports.write(&mut whole, options);
    whole + &text
}

impl Imports {
    fn write(&self, text: &mut String, options: &Options<'_>) {
        let krate = options.krate;
        let core = if options.without_prelude {
            "::core"
        } else {
            "core"
        };
        import(text, &format!("{core}::ffi"), &self.core);
        if !self.core.is_empty() {
            text.push('\n');
        }
        if self.is_slice {
            import(
                text,
                &format!("{krate}::external::cudarc::driver"),
                &["CudaSlice"].into(),
            );
        }
        import(text, &format!("{krate}::external"), &self.external);
        import(text, krate, &self.krate);
    }
}

/// `use path::{A, B};`
fn import(text: &mut String, path: &str, names: &BTreeSet<&str>) {
    let list: Vec<&str> = names.iter().copied().collect();
    match list.as_slice() {
        [] => return,
        [name] => {
            let _ = writeln!(text, "use {path}::{name};");
            return;
        }
        names => {
            let line = format!("use {path}::{{{}}};", names.join(", "));
            if line.len() < WIDTH - 1 {
                let _ = writeln!(text, "{line}");
                return;
            }
        }
    }
    let _ = writeln!(text, "use {path}::{{");
    let mut line = String::from("   ");
    for name in list {
        if line.len() + name.len() + " ,".len() >= WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from("   ");
        }
        let _ = write!(line, " {name},");
    }
    let _ = writeln!(text, "{line}\n}};");
}

impl Writer<'_, '_> {
    fn line(&mut self, depth: usize, line: &str) {
        if line.is_empty() {
            self.text.push('\n');
        } else {
            let _ = writeln!(self.text, "{:1$}{line}", "", 4 * depth);
        }
    }

    fn docs(&mut self, depth: usize, lines: &[String]) {
        for line in lines {
            self.line(depth, format!("/// {}", one_line(line)).trim_end());
        }
    }

    /// `#[name(a, b)]`, on one line or one for each.
    fn attribute(&mut self, name: &str, values: &[String]) {
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

    /// `pub name: Type,`
    fn field(&mut self, name: &str, ty: &str) {
        let line = format!("pub {name}: {ty},");
        if line.len() + 4 <= WIDTH {
            self.line(1, &line);
        } else {
            self.line(1, &format!("pub {name}:"));
            self.line(2, &format!("{ty},"));
        }
    }

    /// `crate = path`, where the derives need to be told.
    fn krate(&self) -> Option<String> {
        let krate = self.options.krate;
        let is_usual = krate.trim_start_matches("::") == "kernel_args";
        (!is_usual).then(|| format!("crate = {krate}"))
    }

    fn kernel(&mut self, kernel: &Kernel<'_>, item: &str, fields: &Fields, name: &str) {
        self.line(0, "");
        let fields = match fields {
            Fields::Struct(fields) => fields,
            Fields::None(why) => {
                for line in docs::kernel(kernel) {
                    self.line(0, &format!("// {}", one_line(&line)));
                }
                return self.line(0, &format!("// {why}"));
            }
        };
        self.docs(0, &docs::kernel(kernel));
        self.imports.krate.insert("KernelArgs");
        self.line(0, "#[derive(KernelArgs)]");
        let mut values: Vec<String> = self.krate().into_iter().collect();
        match self.options.naming {
            Naming::None => {}
            Naming::Items("") => values.push(format!("kernel = {item}")),
            Naming::Items(module) => values.push(format!("kernel = {module}::{item}")),
            Naming::Image { path, debug_info } => {
                values.push(format!("ptx = {path}"));
                values.extend(debug_info.map(|path| format!("debug_info = {path}")));
                values.push(format!("entry = {:?}", kernel.symbol));
            }
        }
        self.attribute("kernel_args", &values);
        if fields.iter().any(|field| !is_snake(&field.name)) {
            self.line(
                0,
                "#[allow(non_snake_case, reason = \"the names are those in C++\")]",
            );
        }
        let is_slice = |field: &Field| self.is_slice(&field.ty);
        let lifetime = if fields.iter().any(is_slice) {
            "<'a>"
        } else {
            ""
        };
        if fields.is_empty() {
            return self.line(0, &format!("pub struct {name} {{}}"));
        }
        self.line(0, &format!("pub struct {name}{lifetime} {{"));
        for field in fields {
            self.docs(1, core::slice::from_ref(&field.doc));
            let mut values: Vec<String> = Vec::new();
            if let Some(name) = &field.renamed {
                values.push(format!("name = {name:?}"));
            }
            if field.is_opaque {
                values.push(String::from("opaque"));
            }
            if !values.is_empty() {
                self.line(1, &format!("#[kernel_args({})]", values.join(", ")));
            }
            let ty = self.field_type(&field.ty);
            self.field(&field.name, &ty);
        }
        self.line(0, "}");
    }

    /// Whether a field of this type is a slice.
    fn is_slice(&self, ty: &Ty) -> bool {
        let is_typed = matches!(ty, Ty::Pointer { to, .. } if **to != Ty::Void);
        is_typed && self.options.pointers == Pointers::Slices
    }

    /// The type of a field of a kernel's struct.
    fn field_type(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Pointer { to, is_const } if self.is_slice(ty) => {
                self.imports.is_slice = true;
                let to = self.ty(to);
                let mutable = if *is_const { "" } else { "mut " };
                format!("&'a {mutable}CudaSlice<{to}>")
            }
            ty => self.ty(ty),
        }
    }

    fn ty(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Leaf(leaf) => self.leaf(*leaf),
            Ty::Void => {
                self.imports.core.insert("c_void");
                String::from("c_void")
            }
            Ty::Pointer { to, is_const } => {
                let name = if *is_const {
                    "DevicePointer"
                } else {
                    "DevicePointerMut"
                };
                self.imports.krate.insert(name);
                format!("{name}<{}>", self.ty(to))
            }
            Ty::Array(of, count) => format!("[{}; {count}]", self.ty(of)),
            Ty::Defined(id) => self.names.types[*id].clone(),
        }
    }

    fn leaf(&mut self, leaf: Leaf) -> String {
        match leaf.from {
            From::Language => false,
            From::Core => self.imports.core.insert(leaf.name),
            From::Crate => self.imports.krate.insert(leaf.name),
            From::Half => self.imports.external.insert("half"),
            From::Float8 => self.imports.external.insert("float8"),
        };
        leaf.name.to_string()
    }

    fn definition(&mut self, id: usize) {
        let (definition, name) = (&self.definitions[id], &self.names.types[id]);
        self.line(0, "");
        self.docs(0, &docs::definition(definition));
        self.imports.krate.insert("DeviceType");
        self.line(
            0,
            if self.options.without_prelude {
                "#[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, DeviceType)]"
            } else {
                "#[derive(Clone, Copy, Debug, DeviceType)]"
            },
        );
        let mut values: Vec<String> = self.krate().into_iter().collect();
        if !definition.cpp.is_empty() && definition.cpp != *name {
            values.push(format!("cpp = {:?}", definition.cpp));
        }
        self.attribute("device_type", &values);
        match &definition.body {
            Body::Fields(members) => self.structure(definition, name, members),
            Body::Enum(integer, values) => self.enumeration(name, integer, values),
            Body::Bits(integer, _) => {
                self.line(0, "#[repr(transparent)]");
                self.line(0, &format!("pub struct {name} {{"));
                self.line(1, "/// Its bits.");
                self.field("bits", integer);
                self.line(0, "}");
            }
            Body::Bytes(_) | Body::Pending => {
                self.repr(definition.align, 1);
                self.line(0, &format!("pub struct {name} {{"));
                self.line(1, "/// Its bytes.");
                self.field("bytes", &format!("[u8; {}]", definition.size));
                self.line(0, "}");
            }
        }
    }

    /// `natural` is the alignment that the members give.
    fn repr(&mut self, align: usize, natural: usize) {
        if align == natural {
            self.line(0, "#[repr(C)]");
        } else {
            self.line(0, &format!("#[repr(C, align({align}))]"));
        }
    }

    fn structure(&mut self, definition: &Definition<'_>, name: &str, members: &[Member]) {
        let natural = members
            .iter()
            .map(|member| align::layout(&member.ty, self.definitions).1);
        self.repr(definition.align, natural.fold(1, usize::max));
        if members.iter().any(|member| !is_snake(&member.name)) {
            self.line(
                0,
                "#[allow(non_snake_case, reason = \"the names are those in C++\")]",
            );
        }
        self.line(0, &format!("pub struct {name} {{"));
        let mut end = 0;
        let own: BTreeSet<&str> = members.iter().map(|member| &*member.cpp_name).collect();
        let mut taken = BTreeSet::new();
        for member in members {
            let (size, align) = align::layout(&member.ty, self.definitions);
            if align::up(end, align) != member.offset {
                self.padding(end, member.offset);
            }
            end = member.offset + size;
            let is_own = member.name == member.cpp_name;
            let is_taken = |name: &str| {
                let is_another = !is_own || name != member.name;
                is_another && own.contains(name) || taken.contains(name)
            };
            let name = free(&member.name, is_taken);
            self.docs(1, &[docs::member(&member.cpp)]);
            if !is_own && !member.cpp_name.is_empty() {
                self.line(1, &format!("#[device_type(name = {:?})]", member.cpp_name));
            }
            let ty = self.ty(&member.ty);
            taken.insert(name.clone());
            self.field(&raw(name), &ty);
        }
        if members.is_empty() {
            self.line(1, "/// Not read.");
            self.field("unused", "u8");
            end = 1;
        }
        if align::up(end, definition.align) != definition.size {
            self.padding(end, definition.size);
        }
        self.line(0, "}");
    }

    fn padding(&mut self, from: usize, to: usize) {
        self.line(1, "/// Padding.");
        self.field(&format!("_padding{from}"), &format!("[u8; {}]", to - from));
    }

    fn enumeration(&mut self, name: &str, integer: &str, values: &[(String, i128)]) {
        self.line(0, &format!("#[repr({integer})]"));
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut named: Vec<(String, i128)> = Vec::new();
        for (name, value) in values {
            let name = free(&variable(name), |name| taken.contains(name));
            taken.insert(name.clone());
            named.push((raw(name), *value));
        }
        let mut first: Vec<&(String, i128)> = Vec::new();
        let mut others = Vec::new();
        let mut known = alloc::collections::BTreeMap::new();
        for pair in &named {
            match known.get(&pair.1) {
                Some(variant) => others.push((&pair.0, *variant)),
                None => {
                    known.insert(pair.1, &pair.0);
                    first.push(pair);
                }
            }
        }
        let mut lints = Vec::new();
        if have_common_words(&first) {
            lints.push("clippy::enum_variant_names");
        }
        if first.iter().any(|(name, _)| is_acronym(name)) {
            lints.push("clippy::upper_case_acronyms");
        }
        if first.iter().any(|(name, _)| !is_upper_camel(name)) {
            lints.push("non_camel_case_types");
        }
        if !lints.is_empty() {
            let mut values: Vec<String> = lints.into_iter().map(String::from).collect();
            values.push(String::from("reason = \"the names are those in C++\""));
            self.attribute("allow", &values);
        }
        self.line(0, &format!("pub enum {name} {{"));
        for (name, value) in first {
            self.line(1, &format!("/// {value} in C++."));
            self.line(1, &format!("{name} = {value},"));
        }
        self.line(0, "}");
        if others.is_empty() {
            return;
        }
        self.line(0, "");
        let mut lints = vec![String::from("dead_code")];
        if others.iter().any(|(name, _)| has_lower_case(name)) {
            lints.push(String::from("non_upper_case_globals"));
        }
        lints.push(String::from(
            "reason = \"the names are those in C++, used or not\"",
        ));
        self.attribute("allow", &lints);
        self.line(0, &format!("impl {name} {{"));
        for (name, variant) in others {
            self.line(1, &format!("/// Another name of `{variant}`."));
            let (left, right) = (
                format!("pub const {name}: Self ="),
                format!("Self::{variant};"),
            );
            if left.len() + right.len() + 5 <= WIDTH {
                self.line(1, &format!("{left} {right}"));
            } else {
                self.line(1, &left);
                self.line(2, &right);
            }
        }
        self.line(0, "}");
    }
}

fn has_lower_case(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_lowercase())
}

/// Whether clippy takes a name for an acronym.
fn is_acronym(name: &str) -> bool {
    name.len() > 2 && !has_lower_case(name)
}

/// A line of a comment. A name in an image may have any characters: none may end the comment, or show it other than it is.
fn one_line(text: &str) -> String {
    let is_odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(is_odd, "\u{fffd}")
}

/// Whether all variants may begin or end with the same word.
fn have_common_words(variants: &[&(String, i128)]) -> bool {
    let Some(((first, _), rest)) = variants.split_first() else {
        return false;
    };
    let begins = |length| first.get(..length);
    let ends = |length: usize| first.get(first.len().saturating_sub(length)..);
    variants.len() > 2
        && (begins(3).is_some_and(|word| rest.iter().all(|(name, _)| name.starts_with(word)))
            || ends(3).is_some_and(|word| rest.iter().all(|(name, _)| name.ends_with(word))))
}

//! The text of a header.

use super::{
    Base, CppMember, Declared, Definition, Prototype, TypeUse, collect::Collector, error::HeaderError, names::segments,
};
use crate::prelude::*;
use crate::writers::{escape::cpp_comment, layout::bytes};
use kernel_args_abi::{CppBase, Opaque};

pub(super) fn write(collector: &Collector<'_, '_>, kernels: &[Prototype], left_out: &[HeaderError]) -> String {
    let mut own = BTreeSet::new();
    own.extend(collector.definitions.iter().map(|known| known.path.name()));
    let mut writer = HeaderWriter { text: String::new(), namespace: String::new(), own, collector };
    writer.head();
    writer.assumptions();
    writer.forward_declarations(kernels);
    for definition in &collector.definitions {
        writer.definition(definition);
    }
    writer.enter("");
    writer.kernels(kernels, left_out);
    if writer.has_offsets() {
        writer.line("\n#undef KERNEL_ARGS_OFFSET_OF");
    }
    if let Some(guard) = collector.header.guard {
        writer.line(&format!("\n#endif // {guard}"));
    }
    writer.text
}

pub(super) struct HeaderWriter<'c, 'h, 'a> {
    pub(super) text: String,
    namespace: String,
    own: BTreeSet<&'c str>,
    pub(super) collector: &'c Collector<'h, 'a>,
}

fn because(text: &str) -> String {
    format!("\"kernel-args: {text}\"")
}

impl HeaderWriter<'_, '_, '_> {
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// `float const* x`, `float rows[2][3]`, `float (*x)[4]`. The names of the neighbouring members or parameters hide
    /// types.
    pub(super) fn declare(&self, namespace: &str, hidden: &BTreeSet<&str>, ty: &TypeUse, name: &str) -> String {
        let base = match &ty.base {
            Base::Bytes(_) => "unsigned char".into(),
            Base::Known(base, _) if hidden.contains(&**base) || self.own.contains(&**base) => format!("::{base}"),
            Base::Known(base, _) => base.clone(),
            Base::Own(path) => {
                let full = path.full();
                let is_visible = |name: &str| !full.contains('<') && !hidden.contains(name);
                if namespace.is_empty() && is_visible(full.split("::").next().unwrap_or(full)) {
                    full.into()
                } else if path.namespace() == namespace && is_visible(path.name()) {
                    path.name().into()
                } else {
                    format!("::{full}")
                }
            }
        };
        let shape = ty.shape.to_string();
        let shape = &shape[CppBase::Unknown.spelling().len()..];
        let array = shape.find("(*").map(|at| at + 2);
        let (before, after) = shape.split_at(array.or_else(|| shape.find('[')).unwrap_or(shape.len()));
        let space = if array.is_none() { " " } else { "" };
        format!("{base}{before}{space}{name}{after}")
    }

    pub(super) fn has_offsets(&self) -> bool {
        self.collector.definitions.iter().any(|definition| matches!(definition.kind, Declared::Struct(_)))
    }

    pub(super) fn extent(&mut self, name: &str, size: usize, align: Option<usize>) {
        let (holds, aligned) = align.map_or_else(Default::default, |align| {
            (format!(" && alignof({name}) == {align}"), format!(", aligned to {align}"))
        });
        let because = because(&format!("`{name}` has {}{aligned}", bytes(size)));
        self.line(&format!("static_assert(sizeof({name}) == {size}{holds}, {because});"));
    }

    pub(super) fn enter(&mut self, namespace: &str) {
        if namespace == self.namespace {
            return;
        }
        if !self.namespace.is_empty() {
            let close = "}".repeat(segments(&self.namespace).count());
            self.line(&format!("\n{close} // namespace {}", self.namespace));
        }
        if !namespace.is_empty() {
            let open: Vec<String> = segments(namespace).map(|name| format!("namespace {name} {{")).collect();
            self.line(&format!("\n{}", open.join(" ")));
        }
        self.namespace = namespace.into();
    }

    fn definition(&mut self, definition: &Definition) {
        if definition.kind == Declared::Included {
            return;
        }
        let namespace = definition.path.namespace();
        self.enter(namespace);
        self.line("");
        let name = definition.path.name();
        let alignas = alignas(definition.alignas);
        match &definition.kind {
            Declared::Struct(members) => {
                if let Some(pack) = definition.pack {
                    self.line(&format!("#pragma pack(push, {pack})"));
                }
                self.line(&format!("struct {alignas}{name} {{"));
                self.members(members, namespace, definition.size);
                self.line("};");
                if definition.pack.is_some() {
                    self.line("#pragma pack(pop)");
                }
            }
            Declared::Enum { underlying, variants } => {
                self.line(&format!("enum class {name} : {underlying} {{"));
                for (variant, value) in variants {
                    let value = literal(*value, definition.size);
                    self.line(&format!("    {} = {value},{}", variant.name, note(variant.was.as_deref())));
                }
                self.line("};");
            }
            Declared::Opaque(why) => {
                let what = match why {
                    Some(Opaque::Union) => "A union",
                    Some(Opaque::BitFields) => "A struct with bit fields",
                    Some(Opaque::Bases) => "A class with base classes or virtual functions",
                    _ => "A type with unknown members",
                };
                let size = definition.size;
                self.line(&format!(
                    "// {what}: its bytes.\nstruct {alignas}{name} {{\n    unsigned char bytes[{size}];\n}};"
                ));
            }
            Declared::Included => {}
        }
        self.extent(name, definition.size, definition.align.filter(|_| definition.has_source_align));
        if let Declared::Struct(members) = &definition.kind {
            for CppMember { name: member, offset, size, .. } in members {
                let member = &member.name;
                let line = format!(
                    "static_assert(KERNEL_ARGS_OFFSET_OF({name}, {member}) == {offset} && sizeof({name}::{member}) == {size}, {});",
                    because(&format!("`{name}::{member}` has {}, at byte {offset}", bytes(*size)))
                );
                self.line(&line);
            }
        }
    }

    fn members(&mut self, members: &[CppMember], namespace: &str, size: usize) {
        let mut hidden = BTreeSet::new();
        hidden.extend(members.iter().map(|member| member.name.name.as_str()));
        let mut end = 0;
        for member in members {
            self.padding(member.offset - end);
            end = member.offset + member.size;
            let alignas = alignas(member.alignas);
            let declaration = self.declare(namespace, &hidden, &member.ty, &member.name.name);
            let note = note(member.name.was.as_deref());
            self.line(&format!("    {alignas}{declaration};{note}"));
        }
        self.padding(size - end);
    }

    fn padding(&mut self, count: usize) {
        if count > 0 {
            self.line(&format!("    // {} of padding", bytes(count)));
        }
    }
}

fn alignas(align: Option<usize>) -> String {
    align.map_or(String::new(), |align| format!("alignas({align}) "))
}

pub(super) fn note(was: Option<&str>) -> String {
    match was {
        Some("") | None => String::new(),
        Some(was) => {
            let note = format!("`{was}`, which is not a valid C++ name");
            format!(" // {}", cpp_comment(&note))
        }
    }
}

/// In an enum of `size` bytes.
fn literal(value: i128, size: usize) -> String {
    match size {
        8 if value == i128::from(i64::MIN) => format!("-{}ll - 1", i64::MAX),
        8 if value > i128::from(i64::MAX) => format!("{value}ull"),
        8 => format!("{value}ll"),
        _ => value.to_string(),
    }
}

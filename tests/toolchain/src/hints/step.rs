//! A hint, followed as a user does who changes only what it names.

use super::source::{Field, Item, mentions, parts};
use serde_json::Value;

/// A mistake that rustc reports, with its hint.
#[derive(Debug)]
pub(super) struct Mistake {
    /// The first line: `` `x` does not match parameter 1 of kernel `k` ``.
    pub(super) what: String,
    /// The Rust type of the field, with types instead of type parameters. Empty without a field.
    host: String,
    pub(super) hint: String,
    /// The position of the derive.
    derive: Option<usize>,
}

/// All mistakes in these messages.
pub(super) fn mistakes(messages: &[Value]) -> Vec<Mistake> {
    let mut found = vec![];
    for error in messages.iter().filter(|message| message["level"] == "error") {
        let spans = error["spans"].as_array().into_iter().flatten();
        let derive = spans
            .filter(|span| span["expansion"]["macro_decl_name"] != Value::Null)
            .find_map(|span| usize::try_from(span["expansion"]["span"]["byte_start"].as_u64()?).ok());
        let text = error["message"].as_str().unwrap_or_default();
        let text = text.strip_prefix("evaluation panicked: ").unwrap_or(text);
        let (mut what, mut host) = ("", "");
        for line in text.lines() {
            let side = line.trim_start();
            if let Some(hint) = side.strip_prefix("help: ") {
                let (what, host, hint) = (what.to_owned(), host.to_owned(), hint.to_owned());
                found.push(Mistake { what, host, hint, derive });
            } else if let Some(ty) = side.strip_prefix("host    ") {
                host = ty.split("  ").next().unwrap_or_default();
            } else if !line.starts_with(' ') {
                (what, host) = (line, "");
            }
        }
    }
    found
}

/// The texts in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The first text in backticks.
fn first_quoted(text: &str) -> Result<&str, String> {
    quoted(text).first().copied().ok_or_else(|| format!("nothing in backticks: {text}"))
}

/// The number after a text.
fn number(text: &str, before: &str) -> Option<usize> {
    let (_, rest) = text.split_once(before)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The hint without what can be done instead.
fn first_of(hint: &str) -> &str {
    const ALTERNATIVES: [&str; 7] = [
        "; or, ",
        "; or use ",
        "; here `",
        "; if the kernel only reads",
        "; where the type is inferred",
        "; for memory that is shared",
        "; `#[kernel_args(opaque)]`",
    ];
    let ends = ALTERNATIVES.iter().filter_map(|text| hint.find(text));
    &hint[..ends.min().unwrap_or(hint.len())]
}

impl Mistake {
    /// The program after it has followed the hint.
    pub(super) fn follow(&self, source: &str) -> Result<String, String> {
        let hint = first_of(&self.hint);
        if hint.contains("``") {
            return Err(format!("an empty name: {hint}"));
        }
        let text = match self.derive.and_then(|derive| Item::after(source, derive)) {
            Some(own) if self.what.starts_with("this struct has ") => attribute(source, &own, hint),
            Some(arguments) => self.follow_in(source, arguments, hint),
            None => self.follow_in_variable(source, hint),
        }?;
        if text == source {
            return Err(format!("it names what is there already: {hint}"));
        }
        Ok(with_imports(source, text))
    }

    /// The field that does not fit, without its parts.
    fn field(&self) -> Result<&str, String> {
        let name = match self.what.split_once("but `") {
            Some((_, rest)) if !self.what.starts_with('`') => {
                first_quoted(rest).and(Ok(rest)).map_or("", |rest| rest.split('`').next().unwrap_or_default())
            }
            _ => first_quoted(&self.what)?,
        };
        Ok(whole(name))
    }

    fn follow_in(&self, source: &str, mut arguments: Item, hint: &str) -> Result<String, String> {
        if let Some(changed) = self.order(&mut arguments, hint)? {
            return Ok(changed.write(source));
        }
        if hint.contains("`#[kernel_args(flatten)]`") {
            let at = arguments.position(first_quoted(hint)?)?;
            let ty = arguments.fields[at].ty.clone();
            "#[kernel_args(flatten)] ".clone_into(&mut arguments.fields[at].before);
            let changed = arguments.write(source);
            let own = Item::within(&changed, &ty).ok_or("no struct of the program")?;
            return Ok(own.with_attribute(&changed, "#[derive(KernelArgs)]"));
        }
        let at = arguments.position(self.field()?)?;
        let ty = arguments.fields[at].ty.clone();
        if hint.contains("remove `spread`") {
            arguments.fields[at].before.clear();
            return Ok(arguments.write(source));
        }
        if hint.contains("put the fields in the kernel's order")
            && let (Some(to), Some(index)) = (number(hint, "parameter "), number(hint, "field "))
        {
            let mut inner = Item::within(source, &ty).ok_or("no struct of the program")?;
            let from = inner.position(first_quoted(hint)?.split('.').nth(1).unwrap_or_default())?;
            let field = inner.fields.remove(from);
            inner.fields.insert((from + to).saturating_sub(index).min(inner.fields.len()), field);
            return Ok(inner.write(source));
        }
        if hint.contains("swap them") {
            let mut inner = Item::within(source, &ty).ok_or("no struct of the program")?;
            let names = quoted(hint).into_iter().filter_map(|name| name.split('.').nth(1));
            let places: Vec<usize> = names.map(|name| inner.position(name)).collect::<Result<_, _>>()?;
            inner.fields.swap(places[0], places[1]);
            return Ok(inner.write(source));
        }
        // The type that a type parameter is here.
        let own = if Item::within(source, &ty).is_none() { &self.host } else { &ty };
        if hint.contains("this struct has `")
            || hint.contains("the kernel's struct has")
            || hint.contains("the kernel's `")
        {
            return members(source, own, hint);
        }
        if let Some((_, names)) = hint.split_once("write the kernel's names on the array, `") {
            let names = names.split('`').next().unwrap_or_default();
            arguments.fields[at].before = format!("#[kernel_args(spread, {names})] ");
            return Ok(arguments.write(source));
        }
        if hint.contains(" in its `#[kernel_args(") {
            let (_, narrow) = hint.split_once("write `").ok_or("no `as`")?;
            let narrow = narrow.split('`').next().unwrap_or_default();
            arguments.fields[at].before = format!("#[kernel_args({narrow})] ");
            return Ok(arguments.write(source));
        }
        if let Some((_, attribute)) = hint.split_once("write `#[kernel_args(") {
            let attribute = attribute.split('`').next().unwrap_or_default();
            let before = &mut arguments.fields[at].before;
            // An attribute with another value is replaced.
            let key = attribute.split(['=', ')']).next().unwrap_or_default().trim_end();
            if before.contains(key) {
                before.clear();
            }
            *before = format!("#[kernel_args({attribute} {before}");
            return Ok(arguments.write(source));
        }
        if hint.contains("write the kernel's value") {
            let mut enums = quoted(hint).into_iter().filter_map(|name| Item::named(source, name));
            return attribute(source, &enums.next().ok_or("no enum of the program")?, hint);
        }
        if hint.contains("write `#[") || hint.contains("remove `align`") {
            return attribute(source, &Item::within(source, &ty).ok_or("no struct of the program")?, hint);
        }
        let Some((_, declare)) = hint.split_once("declare ") else {
            return Err(format!("it names nothing to write: {hint}"));
        };
        let declared = first_quoted(declare)?;
        if let Some((name, _)) = declared.split_once(": ") {
            let field = &mut arguments.fields[at];
            if name.trim_start_matches("r#") != field.name {
                return Err(format!("`{name}` is not `{}`", field.name));
            }
            let (_, new) = declared.split_once(": ").unwrap_or_default();
            field.ty = self.generic(&field.ty, new);
            return Ok(arguments.write(source));
        }
        let (_, of_part) = declare.split_once(" as ").ok_or_else(|| format!("no type: {hint}"))?;
        if of_part.starts_with("a struct of") {
            let name = format!("Own{}", source.len());
            arguments.fields[at].ty.clone_from(&name);
            return Ok(arguments.write(source) + &own_struct(&name, of_part)?);
        }
        let new = first_quoted(of_part)?;
        if let Some((_, member)) = declared.split_once('.') {
            let mut inner = Item::within(source, &ty).ok_or("no struct of the program")?;
            let at = inner.position(whole(member))?;
            inner.fields[at].ty = with_elements(&inner.fields[at].ty, new);
            return Ok(inner.write(source));
        }
        arguments.fields[at].ty = with_elements(&ty, new);
        Ok(arguments.write(source))
    }

    /// Fields that move, are added or are removed. `None` for other hints.
    fn order(&self, arguments: &mut Item, hint: &str) -> Result<Option<Item>, String> {
        let fields = &arguments.fields;
        if hint.contains("swap them") && !quoted(hint)[0].contains('.') {
            let names = quoted(hint);
            let [first, second, ..] = names[..] else {
                return Err(format!("no two fields: {hint}"));
            };
            let (first, second) = (arguments.position(whole(first))?, arguments.position(whole(second))?);
            arguments.fields.swap(first, second);
        } else if hint.starts_with("remove it") {
            let at = arguments.position(self.field()?)?;
            arguments.fields.remove(at);
        } else if let Some((_, place)) = hint.split_once("move it ") {
            let moved = if hint.contains("would fit here") { first_quoted(hint)? } else { self.field()? };
            let from = arguments.position(moved)?;
            let (mut to, field) = (place_of(arguments, place)?, fields[from].clone());
            if to > from {
                to -= 1;
            }
            arguments.fields.remove(from);
            arguments.fields.insert(to, field);
        } else if let Some((_, place)) = hint.split_once("add a field for it ") {
            let (place, types) = place.split_once(", `").or_else(|| place.split_once(": `")).ok_or("no type")?;
            let new = types.split('`').next().unwrap_or_default();
            let at = place_of(arguments, place)?;
            let added = format!("added_{}", fields.len());
            let (name, ty) = new.split_once(": ").unwrap_or((added.as_str(), new));
            if fields.iter().any(|field| field.name == name.trim_start_matches("r#")) {
                return Err(format!("the struct has `{name}` already"));
            }
            arguments.fields.insert(at, Field::new(name.trim_start_matches("r#"), &self.generic("T", ty)));
        } else if hint.starts_with("remove `#[") {
            let at = arguments.position(self.field()?)?;
            arguments.fields[at].before.clear();
        } else if hint.starts_with("remove `") {
            let at = arguments.position(first_quoted(hint)?)?;
            arguments.fields.remove(at);
        } else if hint.contains("put the fields in the kernel's order")
            && !quoted(hint)[0].contains('.')
            && let Some(to) = number(hint, "parameter ")
        {
            let from = arguments.position(whole(first_quoted(hint)?))?;
            let field = arguments.fields.remove(from);
            arguments.fields.insert(to.min(arguments.fields.len()), field);
        } else {
            return Ok(None);
        }
        Ok(Some(arguments.clone()))
    }

    /// The type in a hint, with the type parameter that the hint names.
    fn generic(&self, old: &str, new: &str) -> String {
        let new = with_lifetime(new);
        let Some((_, bound)) = self.hint.rsplit_once("; here `") else {
            return new;
        };
        match quoted(&format!("`{bound}"))[..] {
            [parameter, ty] if mentions(old, parameter) => {
                let short = ty.rsplit("::").next().unwrap_or_default();
                new.replace(&format!("half::{short}"), parameter).replace(ty, parameter)
            }
            _ => new,
        }
    }

    /// A hint for the type of a global variable.
    fn follow_in_variable(&self, source: &str, hint: &str) -> Result<String, String> {
        if let Some((_, used)) = source.split_once("::<") {
            let ty = parts(used).first().map_or("", |ty| ty.split('>').next().unwrap_or_default());
            return members(source, ty, hint);
        }
        Err(format!("no struct at the error: {}", self.what))
    }
}

/// `item` of `item.n[0]`, `r#in` of `r#in`.
fn whole(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or_default()
}

/// The type with other elements, if it is an array.
fn with_elements(ty: &str, element: &str) -> String {
    match (ty.strip_prefix('['), ty.rsplit_once(';')) {
        (Some(_), Some((_, length))) => format!("[{element};{length}"),
        _ => with_lifetime(element),
    }
}

/// A borrow in a field has a lifetime: rustc asks for it.
fn with_lifetime(ty: &str) -> String {
    let ty = ty.replace("CudaSlice<…>", "CudaSlice<u8>");
    match ty.strip_prefix('&') {
        Some(rest) if !rest.starts_with('\'') => format!("&'a {rest}"),
        _ => ty,
    }
}

/// The position that "before `x`" and similar texts name.
fn place_of(item: &Item, place: &str) -> Result<usize, String> {
    if place.starts_with("to the struct") || place.starts_with("at the end") {
        return Ok(item.fields.len());
    }
    let name = whole(first_quoted(place)?);
    let at = item.position(name)?;
    Ok(if place.starts_with("before ") { at } else { at + 1 })
}

/// "a struct of 16 bytes, aligned to 4, with `#[derive(…)]`, `#[repr(C)]` and …".
fn own_struct(name: &str, text: &str) -> Result<String, String> {
    let size = number(text, "a struct of ").ok_or("no size")?;
    let align = number(text, "aligned to ").ok_or("no alignment")?;
    let attributes = quoted(text).into_iter().filter(|part| part.starts_with("#["));
    let attributes: Vec<&str> = attributes.collect();
    Ok(format!(
        "\n{}\nstruct {name} {{\n    own: [u{}; {}],\n}}\n",
        attributes.join("\n"),
        align.min(8) * 8,
        size / align.min(8)
    ))
}

/// An attribute on a struct or enum of the program, or the value of a variant.
fn attribute(source: &str, own: &Item, hint: &str) -> Result<String, String> {
    let (_, write) = hint.split_once("write ").unwrap_or_default();
    if hint.contains("write the kernel's value") {
        let mut values = quoted(hint).into_iter().filter_map(|part| part.split_once(" = "));
        let (name, value) = values.next().ok_or("no value")?;
        let mut own = own.clone();
        let last = quoted(hint).last().and_then(|last| last.split_once(" = ")).map_or(name, |(name, _)| name);
        let at = own.position(last)?;
        value.clone_into(&mut own.fields[at].ty);
        return Ok(own.write(source));
    }
    if hint.contains("remove `align`") {
        return own.with_repr(source, "#[repr(C)]");
    }
    let attribute = first_quoted(write)?;
    if attribute.starts_with("#[repr(") {
        return own.with_repr(source, attribute);
    }
    Ok(own.with_attribute(source, attribute))
}

/// A hint for the members of a struct, which is in this type.
fn members(source: &str, ty: &str, hint: &str) -> Result<String, String> {
    let path = match hint.split_once("this one has `").or_else(|| hint.split_once("this one's `")) {
        Some((_, rest)) => rest.split('`').next().unwrap_or_default(),
        None => first_quoted(hint)?,
    };
    let path = path.split(':').next().unwrap_or_default();
    let mut own = Item::within(source, ty).ok_or_else(|| format!("`{ty}` is no struct of the program"))?;
    let inner: Vec<&str> = path.split('.').collect();
    let is_relative = hint.contains("this struct has `") || inner.len() > 1 && own.position(whole(inner[0])).is_ok();
    let outer = own.clone();
    let steps = inner.iter().skip(usize::from(!is_relative && inner.len() > 1));
    let mut spelled = ty.to_owned();
    for step in steps.take(inner.len().saturating_sub(if is_relative { 1 } else { 2 })) {
        let at = own.position(whole(step))?;
        spelled = own.instantiate(source, &spelled, &own.fields[at].ty);
        // The hint names a member that the program can change.
        let Some(next) = Item::within(source, &spelled) else { break };
        own = next;
    }
    let tail = |from: &str| hint.rsplit_once(from).map(|(_, rest)| rest);
    if let Some(write) = tail("write `#[repr(").map(|rest| rest.split('`').next().unwrap_or_default()) {
        return own.with_repr(source, &format!("#[repr({write}"));
    }
    if let Some(order) = tail("put the members in the kernel's order, ") {
        let names: Vec<&str> = quoted(order);
        let rank = |field: &Field| names.iter().position(|name| *name == field.name).unwrap_or(names.len());
        own.fields.sort_by_key(rank);
    } else if let Some(added) = tail(": add `") {
        let (member, place) = added.split_once('`').ok_or("no member")?;
        let (name, ty) = member.split_once(": ").ok_or_else(|| format!("no type: {hint}"))?;
        if own.position(name).is_ok() {
            return Err(format!("the struct has `{name}` already"));
        }
        let at = place_of(&own, place.trim_start())?;
        own.fields.insert(at, Field::new(name, ty));
    } else if let Some(moved) = tail(": move `") {
        let (name, place) = moved.split_once("` ").ok_or("no place")?;
        let field = own.fields.remove(own.position(name)?);
        let at = place_of(&own, place)?;
        own.fields.insert(at, field);
    } else if let Some(removed) = tail(": remove `") {
        let at = own.position(removed.split('`').next().unwrap_or_default())?;
        own.fields.remove(at);
    } else if let Some(exchanged) = tail(": exchange ") {
        let names = quoted(exchanged);
        let (first, second) = (own.position(names[0])?, own.position(names[1])?);
        own.fields.swap(first, second);
    } else if let Some(all) = tail(": declare the members as the kernel's struct does: ") {
        // `a: u32`, or `a` with a type of 4 bytes.
        let new = all.split('`').collect::<Vec<_>>();
        own.fields = new[1..].chunks(2).filter_map(|chunk| member(chunk[0], chunk.get(1).copied()?)).collect();
    } else if let Some(declare) = tail("declare `") {
        let (name, ty) = declare.split('`').next().and_then(|text| text.split_once(": ")).ok_or("no type")?;
        if own.position(name).is_err() {
            own = outer;
        }
        let at = own.position(name)?;
        ty.clone_into(&mut own.fields[at].ty);
    } else if hint.contains("write `#[device_type(name = ") {
        let (_, attribute) = hint.rsplit_once("write `").ok_or("no attribute")?;
        let at = own.position(inner.last().copied().unwrap_or_default())?;
        own.fields[at].before = attribute.split('`').next().unwrap_or_default().to_owned() + " ";
    } else {
        return Err(format!("it names nothing to write: {hint}"));
    }
    Ok(own.write(source))
}

/// A member that a hint lists; what follows can be its size.
fn member(name: &str, after: &str) -> Option<Field> {
    if let Some((name, ty)) = name.split_once(": ") {
        return Some(Field::new(name, ty));
    }
    let size = number(after, "with a type of ")?;
    Some(Field::new(
        name,
        &if size.is_power_of_two() && size <= 8 { format!("u{}", 8 * size) } else { format!("[u8; {size}]") },
    ))
}

/// The changed program with the imports of the types that it did not name before.
fn with_imports(before: &str, mut text: String) -> String {
    const MODULES: [(&str, &[&str]); 3] = [
        ("cudarc::driver", &["CudaSlice", "CudaView", "CudaViewMut"]),
        (
            "kernel_args",
            &["DevicePointer", "DevicePointerMut", "DeviceType", "SurfaceObject", "TensorMap", "TextureObject"],
        ),
        (
            "kernel_args::vector",
            &[
                "Float2",
                "Float3",
                "Float4",
                "Int2",
                "Int4",
                "Uint2",
                "Uint4",
                "Double2",
                "CuFloatComplex",
                "CuDoubleComplex",
            ],
        ),
    ];
    for (module, names) in MODULES {
        for name in names {
            if mentions(&text, name) && !mentions(before, name) {
                text.extend(["\nuse ", module, "::", name, ";\n"]);
            }
        }
    }
    text
}

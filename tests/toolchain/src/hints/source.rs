//! The source of a program, as far as hints change it: its structs, their attributes and their fields.

use std::ops::Range;

/// A struct or an enum of a program.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) name: String,
    /// The position of `struct` or `enum`, where an attribute can be added.
    at: usize,
    /// The end of its name, where type parameters begin.
    after_name: usize,
    /// What is between the brackets.
    body: Range<usize>,
    is_tuple: bool,
    pub(super) fields: Vec<Field>,
}

/// A field of a struct, or a variant of an enum.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Its attributes, comments and visibility.
    pub(super) before: String,
    /// Empty for a field of a tuple struct.
    pub(super) name: String,
    /// The type of a field. For a variant, its value.
    pub(super) ty: String,
}

impl Field {
    pub(super) fn new(name: &str, ty: &str) -> Self {
        Self { before: String::new(), name: name.to_owned(), ty: ty.to_owned() }
    }

    fn parse(text: &str, is_tuple: bool) -> Self {
        let mut rest = text.trim();
        while let Some(next) = after_attribute(rest) {
            rest = next.trim_start();
        }
        let (before, _) = text.trim().split_at(text.trim().len() - rest.len());
        let colon = rest.find(':').filter(|_| !is_tuple);
        let (name, ty) = match (colon, rest.split_once('=')) {
            (Some(colon), _) => (&rest[..colon], &rest[colon + 1..]),
            (None, Some(variant)) if !is_tuple => variant,
            _ if is_tuple => ("", rest),
            _ => (rest, ""),
        };
        Self {
            before: before.to_owned(),
            name: name.trim().trim_start_matches("r#").to_owned(),
            ty: ty.trim().to_owned(),
        }
    }

    fn text(&self, is_enum: bool) -> String {
        let Self { before, name, ty } = self;
        let raw = if ["in", "type", "as", "ref", "box"].contains(&name.as_str()) { "r#" } else { "" };
        match (name.is_empty(), is_enum) {
            (true, _) => format!("{before}{ty}"),
            (_, true) if ty.is_empty() => format!("{before}{name}"),
            (_, true) => format!("{before}{name} = {ty}"),
            (_, false) => format!("{before}{raw}{name}: {ty}"),
        }
    }
}

/// What follows an attribute, a comment or a visibility at the beginning of a text.
fn after_attribute(text: &str) -> Option<&str> {
    if text.starts_with("//") {
        return Some(text.split_once('\n').map_or("", |(_, rest)| rest));
    }
    if let Some(rest) = text.strip_prefix("#[") {
        return Some(&rest[closing(rest, ']')? + 1..]);
    }
    if let Some(rest) = text.strip_prefix("pub(") {
        return Some(&rest[closing(rest, ')')? + 1..]);
    }
    text.strip_prefix("pub ")
}

/// The position of the bracket that closes, in the text after the bracket that opens.
fn closing(text: &str, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, c) in text.char_indices() {
        match c {
            c if c == close && depth == 0 => return Some(i),
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The parts between the outermost commas.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut is_comment) = (vec![], 0, 0_usize, false);
    for (i, c) in text.char_indices() {
        match c {
            '\n' => is_comment = false,
            _ if is_comment => {}
            '/' if text[i..].starts_with("//") => is_comment = true,
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found.retain(|part| !part.trim().is_empty());
    found
}

/// Whether a name occurs in the text as a whole word.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// The structs and enums of a program.
pub(super) fn items(source: &str) -> Vec<Item> {
    let mut items = vec![];
    for keyword in ["struct ", "enum "] {
        for (at, _) in source.match_indices(keyword) {
            let line = source[..at].rfind('\n').map_or(0, |end| end + 1);
            let is_item = ["", "pub", "pub(crate)"].contains(&source[line..at].trim());
            if let Some(item) = is_item.then(|| item(source, at, keyword)).flatten() {
                items.push(item);
            }
        }
    }
    items.sort_by_key(|item| item.at);
    items
}

fn item(source: &str, at: usize, keyword: &str) -> Option<Item> {
    let start = at + keyword.len();
    let len = source[start..].find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let after_name = start + len;
    let mut open = after_name;
    if source[open..].starts_with('<') {
        open += closing(&source[open + 1..], '>')? + 2;
    }
    open += source[open..].find(['{', '(', ';'])?;
    let is_tuple = source[open..].starts_with('(');
    let end = if source[open..].starts_with(';') {
        open
    } else {
        open + 1 + closing(&source[open + 1..], if is_tuple { ')' } else { '}' })?
    };
    let body = (open + 1).min(end)..end;
    let fields = parts(&source[body.clone()]).into_iter().map(|part| Field::parse(part, is_tuple)).collect();
    Some(Item { name: source[start..after_name].to_owned(), at, after_name, body, is_tuple, fields })
}

impl Item {
    /// The first item after a position, such as the position of its derive.
    pub(super) fn after(source: &str, position: usize) -> Option<Self> {
        items(source).into_iter().find(|item| item.at >= position)
    }

    /// The first item of the program that a type contains: `Record` in `&'a CudaSlice<Record>`.
    pub(super) fn within(source: &str, ty: &str) -> Option<Self> {
        let all = items(source);
        let mut words = ty.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.find_map(|word| all.iter().find(|item| item.name == word).cloned())
    }

    /// The type with arguments instead of the item's type parameters: `Cell<f32>` for `T1`, if the item is
    /// `Grid<u8, Cell<f32>>`.
    pub(super) fn instantiate(&self, source: &str, spelled: &str, ty: &str) -> String {
        let list = |text: &str| -> Vec<String> {
            let Some(open) = text.find('<') else { return vec![] };
            let end = closing(&text[open + 1..], '>').map_or(text.len(), |end| open + 1 + end);
            parts(&text[open + 1..end]).into_iter().map(|part| part.trim().to_owned()).collect()
        };
        let parameters = list(&source[self.after_name..self.body.start]);
        let named = parameters.iter().zip(list(spelled)).find(|(parameter, _)| *parameter == ty);
        named.map_or_else(|| ty.to_owned(), |(_, argument)| argument)
    }

    /// The item of this name.
    pub(super) fn named(source: &str, name: &str) -> Option<Self> {
        items(source).into_iter().find(|item| item.name == name)
    }

    /// The position of a field with this name, or of this index in a tuple struct.
    pub(super) fn position(&self, name: &str) -> Result<usize, String> {
        let index = name.parse().ok().filter(|index| self.is_tuple && *index < self.fields.len());
        let named = self.fields.iter().position(|field| field.name == name.trim_start_matches("r#"));
        index.or(named).ok_or_else(|| format!("`{}` has no field `{name}`", self.name))
    }

    /// The source with these fields, attributes and type parameters.
    pub(super) fn write(&self, source: &str) -> String {
        let is_enum = source[self.at..].starts_with("enum");
        let fields = self.fields.iter().map(|field| format!("\n    {},", field.text(is_enum)));
        let mut text = source.to_owned();
        let is_unit = source[self.body.end..].starts_with(';');
        let fields: String = fields.collect();
        if is_unit {
            text.replace_range(self.body.end..=self.body.end, &format!(" {{{fields}\n}}"));
        } else {
            text.replace_range(self.body.clone(), &format!("{fields}\n"));
        }
        let borrows = !is_enum && self.fields.iter().any(|field| field.ty.contains("&'a "));
        if borrows && !source[self.after_name..self.body.start].contains("'a") {
            let has_parameters = source[self.after_name..].starts_with('<');
            let (at, lifetime) = if has_parameters { (self.after_name + 1, "'a, ") } else { (self.after_name, "<'a>") };
            text.insert_str(at, lifetime);
        }
        text
    }

    /// The source with an attribute on this item.
    pub(super) fn with_attribute(&self, source: &str, attribute: &str) -> String {
        let mut text = source.to_owned();
        let line = source[..self.at].rfind('\n').map_or(0, |end| end + 1);
        text.insert_str(line, &format!("{attribute}\n"));
        text
    }

    /// The source with another `repr` of this item.
    pub(super) fn with_repr(&self, source: &str, repr: &str) -> Result<String, String> {
        let start = source[..self.at].rfind("#[repr(").ok_or("there is no `repr`")?;
        let end = start + source[start..].find(']').ok_or("there is no `repr`")? + 1;
        let mut text = source.to_owned();
        text.replace_range(start..end, repr);
        Ok(text)
    }
}

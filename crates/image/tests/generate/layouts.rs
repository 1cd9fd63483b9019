//! The offsets of generated fields, compared with an independent computation of `repr(C)`.

use crate::{
    model::{Cpp, kernels, places},
    with_items,
};
use kernel_args_image::generate::{self, items};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The items of a text, with the data for their layout.
struct Text {
    types: BTreeMap<String, Item>,
}

#[derive(Debug, Default)]
struct Item {
    /// The `align` of a `repr`, or the size of an enum's integer.
    align: usize,
    integer: Option<String>,
    fields: Vec<(String, String)>,
    kernel: Option<String>,
}

impl Text {
    /// Parses the output of [`generate::rust`].
    fn read(text: &str) -> Self {
        let text =
            text.replace(":\n        ", ": ").replace("kernel_args(\n    ", "kernel_args(").replace("\n)]", ")]");
        let mut types = BTreeMap::new();
        let mut item = Item::default();
        let mut name = None;
        for line in text.lines() {
            let line = line.trim_end();
            if let Some(kernel) = line.strip_prefix("#[kernel_args(kernel = ") {
                item.kernel = kernel.strip_suffix(")]").map(str::to_owned);
            } else if let Some(repr) = line.strip_prefix("#[repr(") {
                let repr = repr.strip_suffix(")]").unwrap();
                match repr.strip_prefix("C, align(") {
                    Some(align) => item.align = align.strip_suffix(')').unwrap().parse().unwrap(),
                    None if repr == "C" || repr == "transparent" => {}
                    None => item.integer = Some(repr.to_owned()),
                }
            } else if let Some(declared) = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum ")) {
                name = Some(declared.split([' ', '<']).next().unwrap().to_owned());
            } else if let Some(field) = line.strip_prefix("    pub ")
                && !field.starts_with("const ")
            {
                let (name, ty) = field.strip_suffix(',').unwrap().split_once(": ").unwrap();
                item.fields.push((name.to_owned(), ty.to_owned()));
            }
            if (line == "}" || line.ends_with(" {}"))
                && let Some(name) = name.take()
            {
                let old = types.insert(name, std::mem::take(&mut item));
                assert!(old.is_none(), "two items of one name in\n{text}");
            }
        }
        Self { types }
    }

    /// Size and alignment of a type.
    fn layout(&self, ty: &str) -> (usize, usize) {
        if let Some(array) = ty.strip_prefix('[') {
            let (of, count) = array.strip_suffix(']').unwrap().rsplit_once("; ").unwrap();
            let (size, align) = self.layout(of);
            return (size * count.parse::<usize>().unwrap(), align);
        }
        if let Some(item) = self.types.get(ty) {
            if let Some(integer) = &item.integer {
                return self.layout(integer);
            }
            let offsets = self.offsets(ty);
            let last = offsets.last().unwrap();
            let fields = item.fields.iter().map(|(_, ty)| self.layout(ty).1);
            let align = fields.fold(item.align.max(1), usize::max);
            let end = last.0 + self.layout(&last.1).0;
            return (end.next_multiple_of(align), align);
        }
        let size = match ty {
            "bool" | "c_char" | "i8" | "u8" | "float8::F8E4M3" => 1,
            "i16" | "u16" | "half::f16" => 2,
            "i32" | "u32" | "f32" => 4,
            "Float4" | "Double2" | "i128" | "u128" => 16,
            "i64" | "u64" | "f64" | "TextureObject" | "SurfaceObject" => 8,
            _ if ty.starts_with("&'a ") || ty.starts_with("DevicePointer") => 8,
            _ => panic!("what is `{ty}`?"),
        };
        (size, size)
    }

    /// The offsets and types of a struct's fields.
    fn offsets(&self, name: &str) -> Vec<(usize, String)> {
        let mut end = 0_usize;
        let mut offsets = Vec::new();
        for (_, ty) in &self.types[name].fields {
            let (size, align) = self.layout(ty);
            let offset = end.next_multiple_of(align);
            offsets.push((offset, ty.clone()));
            end = offset + size;
        }
        offsets
    }

    /// Asserts that a type and its members have the layout of the C++ type.
    fn compare(&self, rust: &str, cpp: &Cpp) -> Result<(), TestCaseError> {
        let (size, _) = self.layout(rust);
        prop_assert_eq!(size, cpp.size(), "{} for {:?}", rust, cpp);
        match cpp {
            Cpp::Array(of, _) => {
                let element = rust.strip_prefix('[').and_then(|array| array.rsplit_once("; "));
                // Elements without a name, with another size, are bytes.
                if let Some((element, _)) = element
                    && self.layout(element).0 == of.size()
                {
                    self.compare(element, of)?;
                }
            }
            Cpp::Struct(_, members, _) if !members.is_empty() => {
                let named = &self.types[rust];
                let offsets = self.offsets(rust);
                let own: Vec<_> =
                    named.fields.iter().zip(&offsets).filter(|((name, _), _)| !name.starts_with("_padding")).collect();
                prop_assert_eq!(own.len(), members.len(), "{} for {:?}", rust, cpp);
                for ((_, (offset, ty)), (place, member)) in own.into_iter().zip(places(members)) {
                    prop_assert_eq!(*offset, place, "{} for {:?}", rust, cpp);
                    self.compare(ty, member)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Every parameter and every member at every depth. For parameters, also the alignment.
    #[test]
    fn fields_have_the_offsets_of_the_kernel(model in kernels()) {
        let kernels = model.kernels();
        let text = generate::rust(&kernels, &[], &with_items());
        let read = Text::read(&text);
        let named: Vec<_> = kernels
            .iter()
            .map(|kernel| items::Kernel { symbol: kernel.symbol, demangled: kernel.demangled.cloned() })
            .collect();
        let (order, items) = items::items(&named);
        for (at, &index) in order.iter().enumerate() {
            let item = items.iter().find(|item| item.what == items::What::Kernel(at)).unwrap();
            let one = &model.0[index];
            let (name, written) = read
                .types
                .iter()
                .find(|(_, written)| written.kernel.as_deref() == Some(item.name.as_str()))
                .unwrap();
            prop_assert_eq!(written.fields.len(), one.parameters.len());
            let places = places(&one.parameters);
            for ((offset, ty), (place, cpp)) in read.offsets(name).into_iter().zip(places) {
                read.compare(&ty, cpp)?;
                prop_assert_eq!(offset, place, "{} in\n{}", &ty, &text);
                if one.tells_alignment {
                    prop_assert_eq!(read.layout(&ty).1, cpp.align(), "{} in\n{}", &ty, &text);
                }
            }
        }
    }
}

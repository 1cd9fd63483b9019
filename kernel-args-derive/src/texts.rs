//! The error texts of the macros: what is wrong, then `help:` with the code to write on a separate line.

use std::fmt::Display;

macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $ty:ty),*): $text:literal;)*) => {
        $($(#[$doc])* pub(crate) fn $name($($parameter: $ty),*) -> String { format!($text) })*
    };
}

#[cfg(feature = "kernels")]
mod file;

#[cfg(feature = "kernels")]
pub(crate) use file::*;

/// Texts without parameters: what is wrong, and the help.
macro_rules! texts {
    ($($(#[$attr:meta])* $name:ident: $problem:literal, $help:literal;)*) => {
        $($(#[$attr])* pub(crate) const $name: &str = concat!($problem, "\nhelp: ", $help);)*
    };
}

#[cfg(all(feature = "kernels", feature = "debug-info"))]
texts! {
    LAUNCHERS_OPTION: "this attribute names the library that contains the functions",
        "write `#[kernel_args::launchers(library = \"liblaunchers.a\")]`, or `library = [\"first.o\", \"second.o\"]`; also `crate = path`, and \
        `allow(const)` if `*const T` may be declared for `T*`";
    NOT_A_BLOCK: "this attribute belongs on a block of declarations",
        "write it on `unsafe extern \"C\" { … }`";
    ON_DECLARED: "unknown attribute", "a declaration takes `#[kernel_args(skip)]`, which leaves it unchecked";
    VARIADIC: "a launcher takes a fixed list of parameters",
        "declare it in a block of its own, without this attribute, or write `#[kernel_args(skip)]` on it";
}

texts! {
    #[cfg(not(feature = "kernels"))]
    KERNELS_FEATURE: "images of kernels are read while a crate is compiled only with the feature `kernels` of `kernel-args`",
        "enable the feature: `cargo add kernel-args --features kernels`";
    #[cfg(not(feature = "generate"))]
    GENERATE_FEATURE: "structs are generated only with the feature `generate` of `kernel-args`",
        "enable the feature: `cargo add kernel-args --features generate`; or remove `generate`";
    DUPLICATE_ATTRIBUTE: "duplicate attribute", "keep one";
    #[cfg(not(all(feature = "kernels", feature = "debug-info")))]
    LAUNCHERS_FEATURE: "libraries are read only with the features `kernels` and `debug-info` of `kernel-args`",
        "enable the features: `cargo add kernel-args --features kernels,debug-info`";
    UNKNOWN_ON_STRUCT: "unknown attribute",
        "a struct takes `kernel = module::name`, `entries = \"pattern\"`, `except = \"pattern\"`, `strict_names`, `strict_code`, `ptx = \"kernels.ptx\"`, `debug_info = \"kernels.debug.ptx\"`, `entry = \"name\"`, `bound = \"T: DeviceType\"`, \
        `crate = path`, for a function that launches kernels `launcher = path`, and the contracts `block`, `block_multiple_of`, `max_block`, `grid_covers`, `requires`, `shared` and `stream = required`";
    UNKNOWN_ON_FIELD: "unknown attribute",
        "a field takes `skip`, `opaque`, `shared_write`, `spread`, `flatten`, `name = \"name_in_the_kernel\"`, and the contracts `len`, `multiple_of`, `range` and `as`";
    UNKNOWN_ON_MEMBER: "unknown attribute",
        "a field of a device type takes `opaque` or `name = \"name_in_the_kernel\"`";
    UNKNOWN_ON_DEVICE_TYPE: "unknown attribute",
        "a device type takes `cpp = \"its::Name\"`, `crate = path` and `skip_device_repr`";
    BELONGS_ON_FIELD: "this attribute has no meaning on a struct", "write it on a field";
    BELONGS_ON_STRUCT: "this attribute has no meaning on a field", "write it on the struct";
    DEVICE_TYPE_ON_VARIANT: "`#[device_type(…)]` has no meaning on a variant", "write it on the enum";
    DEVICE_TYPE_ON_FIELD: "this attribute has no meaning on a field", "write it on the struct or enum";
    EMPTY_NAME: "the name is empty", "write the name of the kernel's parameter or member";
    TAKES_NO_VALUE: "this attribute takes no value", "write its name alone";
    OPAQUE_AND_SHARED_WRITE: "`shared_write` has no effect on an opaque field, whose type is not compared",
        "remove one of the two";
    SPREAD_AND_FLATTEN: "`spread` is for an array, `flatten` for a struct with `#[derive(KernelArgs)]`",
        "keep the one that fits the type of the field";
    SKIP_AND_PARTS: "this attribute has no effect on a skipped field, which is not a parameter",
        "remove one of the two";
    FLATTEN_AND_FIELD: "`flatten` inserts the fields of a struct, so no other attribute applies to this field",
        "write `name`, `opaque`, `shared_write` and contracts on the fields of that struct";
    SPREAD_AND_AS: "`as` is for a field that is one parameter",
        "declare the elements of the array with the type of the kernel's parameters";
    NAMES_WITHOUT_SPREAD: "a field that is one parameter has one name",
        "write `name = \"name_in_the_kernel\"`, or `spread` if each element of the array is a parameter";
    LONG_ELEMENT_NAME: "this name is too long",
        "list the names of the elements: `name = [\"first\", \"second\"]`";
    NOT_AN_ARRAY: "only an array can be spread: each of its elements is a parameter",
        "write an array, `[T; N]`; `flatten` inserts the fields of a struct with `#[derive(KernelArgs)]`; if the number of parameters is \
        known only at run time, use an `ArgList` and its method `spread`";
    FLATTENED_PARAMETER: "the parameters of this type parameter are unknown here, so they cannot be counted",
        "write the struct whose fields are inserted, which may have type parameters itself: `Common<T>`";
    NO_EXPRESSION: "this is not an expression of integers that a contract can compute",
        "use fields, integers and constants with `+`, `-`, `*`, `/`, `%`, parentheses, `a.div_ceil(b)`, `a.min(b)`, `a.max(b)` and \
        `slice.len()`, such as `\"rows * cols\"`; `block.x` and `grid.x` are the block and the grid of the launch";
    ASSIGNMENT: "`=` is an assignment, not a comparison", "write `==`";
    NO_CONDITION: "this is not a condition that a contract can compute",
        "compare integers with `==`, `!=`, `<`, `<=`, `>` and `>=`, and combine conditions and `bool` fields with `&&`, `||` and `!`, such as \
        `\"grid.x * block.y >= rows\"`";
    TOO_MANY_VALUES: "an error of this contract could not show all values that it uses",
        "use at most 12 fields, lengths, constants, and extents of the grid and block; a condition can be split into several `requires`";
    CAST_IN_CONTRACT: "a contract computes with all integer types at once, without overflow",
        "remove the cast";
    NUMBER_TOO_LARGE: "this number exceeds 64 bits", "write a smaller number";
    NO_NARROW_TYPE: "`as` takes the integer type of the kernel's parameter",
        "write `as = i32` for C's `int`, `as = u32` for `unsigned`";
    CAPACITY_WITHOUT_LEN: "`capacity` is the number of elements that `len` is compared with, but there is no `len`",
        "add `len = \"…\"`, the number of elements that the kernel accesses";
    STREAM_REQUIRED: "the only contract about streams is `stream = required`: each launch names its stream",
        "write `stream = required`; the launch names the stream: `launch!(…, stream = &stream)`; with `launcher = path` on the struct, \
        `stream = before(field)` or `stream = none` for a function that does not take its stream last";
    LAUNCHER_AND_KERNEL: "`launcher` names a function of the host, and this struct also names a kernel",
        "keep one: `launch!` calls the launcher, or launches the kernel";
    LAUNCHER_AND_GRID: "a launcher chooses the grid, the block and the shared memory itself, so no contract can be about them",
        "write contracts of the arguments: `len`, `range`, `multiple_of`, and `requires` with fields";
    LAUNCHER_AND_PARTS: "a field of a launcher's struct is one argument of the function",
        "write a field for each argument";
    NOT_POSITIVE: "this number must be positive", "write 1 or more";
    NO_RANGE: "this is not a range of integers",
        "write `range = \"1..=65535\"`, `\"0..n\"`, `\"1..\"` or `\"..=10\"`";
    EMPTY_RANGE: "no value is in this range", "write the smaller number first";
    TOO_MANY_AXES: "a grid and a block have at most three axes", "write `(x, y, z)`";
    ENTRY_WITHOUT_PTX: "`entry` names a kernel in a PTX file, but no file is named",
        "add `ptx = \"kernels.ptx\"`";
    DEBUG_INFO_WITHOUT_PTX: "`debug_info` is about the debug information of an image, but no image is named",
        "add `ptx = \"kernels.ptx\"`";
    KERNEL_AND_DEBUG_INFO: "`debug_info` belongs to the module that `kernel` names",
        "write it there: `kernels! { pub mod module = \"kernels.ptx\", debug_info = \"kernels.debug.ptx\"; }`";
    ENTRIES_WITHOUT_MODULE: "`entries` is a pattern for kernel names, but no image is named",
        "add `kernel = module`, the module that `kernels!` generates for the image";
    KERNEL_AND_PTX: "`kernel` names the image as well as the kernel", "remove `ptx` and `entry`, or `kernel`";
    KERNEL_AND_ENTRY: "`kernel` names the kernel itself",
        "write `kernel = module::name`, or `kernel = module, entries = \"pattern\"` for several";
    BINDING_WITHOUT_ENTRIES: "a type is bound to a suffix of kernel names, but there is no pattern for the kernels",
        "add `entries = \"pattern\"`";
    EXCEPT_WITHOUT_ENTRIES: "`except` leaves out kernels that match `entries`, but there is no pattern for the kernels",
        "add `entries = \"pattern\"`";
    NO_PATTERN: "this list has no pattern", "write patterns for names of kernels: `[\"uneg_*\", \"uexp_*\"]`";
    UNKNOWN_AFTER_SUFFIX: "a binding ends with its suffix, or with a condition",
        "if the image may lack these kernels, write `T = f32 => \"_f32\" if_present`; if code for GPUs before sm_89 lacks them, write \
        `T = f32 => \"_f32\" if sm >= 89`";
    KERNEL_IN_QUOTES: "`kernel` takes the path of an item, not text",
        "write `kernel = module::name` without quotes; for a file, write `ptx = \"kernels.ptx\", entry = \"name\"`";
    NO_SUFFIX: "this binding has no suffix of the kernel names", "add the suffix: `T = f32 => \"_f32\"`";
    NOT_A_PATH: "the macro cannot evaluate this path",
        "write a string literal, or `concat!` and `env!` of string literals: `concat!(env!(\"OUT_DIR\"), \"/kernels.ptx\")`";
    REPEATED_ATTRIBUTE: "an attribute in this type can be a macro, which rustc would expand once for each use of the type in the derived code",
        "move the expression into a constant outside of the item: `const LENGTH: usize = …;`";
    ARGUMENTS_IN_ENUM: "an enum cannot hold the arguments of a kernel",
        "derive `KernelArgs` on a struct with one field for each parameter; an enum that is one argument takes \
        `#[derive(DeviceType)]`";
    ARGUMENTS_IN_UNION: "a union cannot hold the arguments of a kernel",
        "derive `KernelArgs` on a struct with one field for each parameter";
    LIFETIME: "a device type cannot borrow: the GPU cannot access host memory",
        "use `DevicePointer<T>` for a pointer to device memory";
    UNION: "a union cannot be a device type: the compiler does not know which of its bytes are initialised",
        "write a struct with an array of bytes";
    EMPTY_STRUCT: "an empty struct has no bytes in Rust, but C++ gives it one", "write a field `unused: u8`";
    ENUM_WITH_DATA: "C++ has no enum with data",
        "pass a struct with a tag and the data, or one kernel argument for each";
    EMPTY_ENUM: "an enum without variants has no values, so it cannot be passed", "add a variant";
    NO_MODULE: "`kernels!` takes modules, each with the path of an image",
        "write `pub mod saxpy = \"ptx/saxpy.ptx\";`";
    NO_SEMICOLON: "a module in `kernels!` ends with `;`", "write `;` after the path or the last option";
    #[cfg(feature = "generate")]
    UNKNOWN_IN_GENERATE: "unknown option",
        "write `generate`; for device pointers instead of slices, `generate(pointers = raw)`; with the feature `cudarc` also \
        `generate(pointers = views)` for slices and views, and `generate(pointers = retained)` for the nodes of graphs";
    UNKNOWN_OPTION: "unknown option",
        "write `debug_info = \"kernels.debug.ptx\"`, `debug_info = if_readable`, `generate`, or nothing";
    DUPLICATE_OPTION: "this option is given twice", "keep one";
}

/// Returns an error about an unknown word, with the first similar one of the words that its help lists.
pub(crate) fn unknown(text: &str, word: &str) -> String {
    let known = text.split('`').skip(1).step_by(2).filter_map(|part| part.split(' ').next());
    match known.into_iter().find(|known| is_near(word, known)) {
        Some(known) => text.replacen("help: ", &format!("help: write `{known}`; "), 1),
        None => text.to_owned(),
    }
}

/// Returns whether two words differ in at most two neighbouring letters, or the longer word begins with the shorter
/// word.
pub(crate) fn is_near(word: &str, known: &str) -> bool {
    const MEANINGFUL: usize = 3;
    let begins = |long: &str, short: &str| short.len() >= MEANINGFUL && long.starts_with(short);
    let same = |pair: &(u8, u8)| pair.0 == pair.1;
    let prefix = word.bytes().zip(known.bytes()).take_while(same).count();
    let rest = word.bytes().skip(prefix).rev().zip(known.bytes().skip(prefix).rev());
    let kept = prefix + rest.take_while(same).count();
    begins(word, known) || begins(known, word) || kept >= MEANINGFUL && word.len().max(known.len()) - kept <= 2
}

pub(crate) fn unknown_in_contract(name: &str, fields: &[&str]) -> String {
    format!("this struct has no field `{name}`\n{}", usable_in_contract(fields))
}

/// `fields` are the ones whose type fits.
pub(crate) fn wrong_type_in_contract(name: &str, ty: &str, is_condition: bool, fields: &[&str]) -> String {
    if is_condition {
        let bools = match fields {
            [] => String::new(),
            fields => format!(", or use {}", quoted(fields)),
        };
        return format!(
            "`{name}` has the type `{ty}`, but a condition is expected here\nhelp: compare it, such as `{name} > 0`{bools}"
        );
    }
    format!("`{name}` has the type `{ty}`, but a contract computes with integers\n{}", usable_in_contract(fields))
}

fn usable_in_contract(fields: &[&str]) -> String {
    let fields = match fields {
        [] => String::new(),
        fields => format!("its fields {}, ", quoted(fields)),
    };
    format!("help: use {fields}constants in upper case, and the launch's `block.x`, `grid.x` and the like")
}

fn quoted(names: &[impl Display]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

pub(crate) fn len_of_value(name: &str, slice: Option<&str>, text: &str) -> String {
    let slice = slice.map_or_else(|| "of the slice".to_owned(), |slice| format!("`{slice}`"));
    format!(
        "`len` is for a field that points to memory, but `{name}` does not\n\
         help: write it on the field {slice}: `#[kernel_args({text})]`"
    )
}

pub(crate) fn unset_variable(name: &str) -> String {
    let help = if name == "OUT_DIR" {
        "this package needs a build script, `build.rs`, for which cargo sets it"
    } else {
        "set it for cargo, or have the build script print `cargo::rustc-env`"
    };
    format!("the environment variable `{name}` is not set while this crate is compiled\nhelp: {help}")
}

formats! {
    no_argument(name: &str):
        "`{name}` is no field that the launcher takes\n\
        help: name the field whose argument follows the stream; without `stream = …`, the stream is the last argument";
    skipped(attribute: &str):
        "`{attribute}` has no effect on a skipped field, which is not a parameter\nhelp: remove one of the two";
    element_name(name: &str):
        "each element of a spread array has its own name\n\
        help: write `{{}}` once, where the kernel's names have the index: `name = \"{name}{{}}\"`; or list the names: \
        `name = [\"first\", \"second\"]`";
    repeated_macro(name: &syn::Ident):
        "the derived code uses this type several times, and `{name}!` could expand to another type each time\n\
        help: expand it once, outside of the item: `type Name = {name}!(…);`, or `const LENGTH: usize = {name}!(…);` for a number";
    condition_as_number(written: &str):
        "`{written}` is true or false, but a number is expected here\n\
        help: compare numbers, and combine conditions with `&&`, `||` and `!`; only `requires` takes a condition";
    number_as_condition(written: &str):
        "`{written}` is a number, but a condition is expected here\n\
        help: compare it, such as `{written} > 0`";
    unknown_method(method: &str, near: &str):
        "contracts have no method `{method}`\nhelp: write `{near}`";
    len_is_a_method(written: &str):
        "`{written}` is not a member of the slice\n\
        help: write `{written}()`, its number of elements";
    unbound(parameter: &syn::Ident):
        "no type is bound to `{parameter}`, so the matching kernels are unknown\n\
        help: bind each type to the suffix of its kernels' names: `{parameter} = f32 => \"_f32\"`";
    without_repr(name: &syn::Ident):
        "without `repr(C)` Rust may reorder the fields of `{name}`\n\
        help: write `#[repr(C)]` on the struct, or `#[repr(transparent)]` if it has one field";
    enum_without_repr(name: &syn::Ident):
        "Rust does not define the size of `{name}`\n\
        help: write `#[repr(i32)]`, or the underlying type of the C++ enum (`int` by default)";
    aligned_enum(align: usize):
        "a C++ enum cannot have an explicit alignment\n\
        help: remove `align({align})`";
}

#[cfg(test)]
mod tests {
    use super::{UNKNOWN_ON_FIELD, UNKNOWN_ON_STRUCT, is_near, unknown};

    #[test]
    fn the_nearest_word_is_named() {
        for (text, word, known) in [
            (UNKNOWN_ON_STRUCT, "enty", "entry"),
            (UNKNOWN_ON_STRUCT, "debuginfo", "debug_info"),
            (UNKNOWN_ON_FIELD, "lenght", "len"),
            (UNKNOWN_ON_FIELD, "rename", "name"),
        ] {
            let text = unknown(text, word);
            assert!(text.contains(&format!("help: write `{known}`; a ")), "{text}");
        }
        assert_eq!(unknown(UNKNOWN_ON_FIELD, "ignore"), UNKNOWN_ON_FIELD);
        assert!(is_near("divceil", "div_ceil") && !is_near("pow", "max"));
    }
}

//! The error texts of the macros: what is wrong, then `help:` with the code to write on a separate line.

#[cfg(feature = "kernels")]
pub(crate) use crate::image::texts::*;

#[cfg(not(feature = "kernels"))]
pub(crate) const KERNELS_FEATURE: &str = "images of kernels are read while a crate is compiled only with the feature `kernels` of `kernel-args`\n\
    help: enable the feature: `cargo add kernel-args --features kernels`";
#[cfg(not(feature = "generate"))]
pub(crate) const GENERATE_FEATURE: &str = "structs are generated only with the feature `generate` of `kernel-args`\n\
    help: enable the feature: `cargo add kernel-args --features generate`; or remove `generate`";

pub(crate) const DUPLICATE_ATTRIBUTE: &str = "duplicate attribute\n\
    help: keep one";
pub(crate) const UNKNOWN_ON_STRUCT: &str = "unknown attribute\n\
    help: a struct takes `kernel = module::name`, `entries = \"pattern\"`, `except = \"pattern\"`, `strict_names`, `strict_code`, `ptx = \"kernels.ptx\"`, `debug_info = \"kernels.debug.ptx\"`, `entry = \"name\"`, `bound = \"T: DeviceType\"`, \
    `crate = path`, and the contracts `block`, `block_multiple_of`, `max_block`, `grid_covers`, `requires`, `shared` and `stream = required`";
pub(crate) const UNKNOWN_ON_FIELD: &str = "unknown attribute\n\
    help: a field takes `skip`, `opaque`, `shared_write`, `spread`, `flatten`, `name = \"name_in_the_kernel\"`, and the contracts `len`, `multiple_of`, `range` and `as`";
pub(crate) const UNKNOWN_ON_MEMBER: &str = "unknown attribute\n\
    help: a field of a device type takes `opaque` or `name = \"name_in_the_kernel\"`";
pub(crate) const UNKNOWN_ON_DEVICE_TYPE: &str = "unknown attribute\n\
    help: a device type takes `cpp = \"its::Name\"`, `crate = path` and `skip_device_repr`";
pub(crate) const BELONGS_ON_FIELD: &str = "this attribute has no meaning on a struct\n\
    help: write it on a field";
pub(crate) const BELONGS_ON_STRUCT: &str = "this attribute has no meaning on a field\n\
    help: write it on the struct";
pub(crate) const DEVICE_TYPE_ON_VARIANT: &str = "`#[device_type(…)]` has no meaning on a variant\n\
    help: write it on the enum";
pub(crate) const DEVICE_TYPE_ON_FIELD: &str = "this attribute has no meaning on a field\n\
    help: write it on the struct or enum";
pub(crate) const EMPTY_NAME: &str = "the name is empty\n\
    help: write the name of the kernel's parameter or member";
pub(crate) const SKIP_AND_NAME: &str = "`name` has no effect on a skipped field, which is not a parameter\n\
    help: remove one of the two";
pub(crate) const TAKES_NO_VALUE: &str = "this attribute takes no value\n\
    help: write its name alone";
pub(crate) const SKIP_AND_OPAQUE: &str = "`opaque` has no effect on a skipped field, which is not a parameter\n\
    help: remove one of the two";
pub(crate) const SKIP_AND_SHARED_WRITE: &str = "`shared_write` has no effect on a skipped field, which is not a parameter\n\
    help: remove one of the two";
pub(crate) const OPAQUE_AND_SHARED_WRITE: &str = "`shared_write` has no effect on an opaque field, whose type is not compared\n\
    help: remove one of the two";
pub(crate) const SPREAD_AND_FLATTEN: &str = "`spread` is for an array, `flatten` for a struct with `#[derive(KernelArgs)]`\n\
    help: keep the one that fits the type of the field";
pub(crate) const SKIP_AND_PARTS: &str = "this attribute has no effect on a skipped field, which is not a parameter\n\
    help: remove one of the two";
pub(crate) const FLATTEN_AND_FIELD: &str = "`flatten` inserts the fields of a struct, so no other attribute applies to this field\n\
    help: write `name`, `opaque`, `shared_write` and contracts on the fields of that struct";
pub(crate) const SPREAD_AND_AS: &str = "`as` is for a field that is one parameter\n\
    help: declare the elements of the array with the type of the kernel's parameters";
pub(crate) const NAMES_WITHOUT_SPREAD: &str = "a field that is one parameter has one name\n\
    help: write `name = \"name_in_the_kernel\"`, or `spread` if each element of the array is a parameter";
pub(crate) const LONG_ELEMENT_NAME: &str = "this name is too long\n\
    help: list the names of the elements: `name = [\"first\", \"second\"]`";
pub(crate) const NOT_AN_ARRAY: &str = "only an array can be spread: each of its elements is a parameter\n\
    help: write an array, `[T; N]`; `flatten` inserts the fields of a struct with `#[derive(KernelArgs)]`; if the number of parameters is \
    known only at run time, use an `ArgList` and its method `spread`";
pub(crate) const FLATTENED_PARAMETER: &str = "the parameters of this type parameter are unknown here, so they cannot be counted\n\
    help: write the struct whose fields are inserted, which may have type parameters itself: `Common<T>`";
pub(crate) const SKIP_AND_AS: &str = "`as` has no effect on a skipped field, which is not a parameter\n\
    help: remove one of the two";
pub(crate) const NO_EXPRESSION: &str = "this is not an expression of integers that a contract can compute\n\
    help: use fields, integers and constants with `+`, `-`, `*`, `/`, `%`, parentheses, `a.div_ceil(b)`, `a.min(b)`, `a.max(b)` and \
    `slice.len()`, such as `\"rows * cols\"`; `block.x` and `grid.x` are the block and the grid of the launch";
pub(crate) const NO_CONDITION: &str = "this is not a condition that a contract can compute\n\
    help: compare integers with `==`, `!=`, `<`, `<=`, `>` and `>=`, and combine conditions and `bool` fields with `&&`, `||` and `!`, such as \
    `\"grid.x * block.y >= rows\"`";
pub(crate) const TOO_MANY_VALUES: &str = "an error of this contract could not show all values that it uses\n\
    help: use at most 12 fields, lengths, constants, and extents of the grid and block; a condition can be split into several `requires`";
pub(crate) const CAST_IN_CONTRACT: &str = "a contract computes with all integer types at once, without overflow\n\
    help: remove the cast";
pub(crate) const NUMBER_TOO_LARGE: &str = "this number exceeds 64 bits\n\
    help: write a smaller number";
pub(crate) const NO_NARROW_TYPE: &str = "`as` takes the integer type of the kernel's parameter\n\
    help: write `as = i32` for C's `int`, `as = u32` for `unsigned`";
pub(crate) const CAPACITY_WITHOUT_LEN: &str = "`capacity` is the number of elements that `len` is compared with, but there is no `len`\n\
    help: add `len = \"…\"`, the number of elements that the kernel accesses";
pub(crate) const STREAM_REQUIRED: &str = "the only contract about streams is `stream = required`: each launch names its stream\n\
    help: write `stream = required`; the launch names the stream: `launch!(…, stream = &stream)`";
pub(crate) const NOT_POSITIVE: &str = "this number must be positive\n\
    help: write 1 or more";
pub(crate) const NO_RANGE: &str = "this is not a range of integers\n\
    help: write `range = \"1..=65535\"`, `\"0..n\"`, `\"1..\"` or `\"..=10\"`";
pub(crate) const EMPTY_RANGE: &str = "no value is in this range\n\
    help: write the smaller number first";
pub(crate) const TOO_MANY_AXES: &str = "a grid and a block have at most three axes\n\
    help: write `(x, y, z)`";
pub(crate) const ENTRY_WITHOUT_PTX: &str = "`entry` names a kernel in a PTX file, but no file is named\n\
    help: add `ptx = \"kernels.ptx\"`";
pub(crate) const DEBUG_INFO_WITHOUT_PTX: &str = "`debug_info` is about the debug information of an image, but no image is named\n\
    help: add `ptx = \"kernels.ptx\"`";
pub(crate) const KERNEL_AND_DEBUG_INFO: &str = "`debug_info` belongs to the module that `kernel` names\n\
    help: write it there: `kernels! { pub mod module = \"kernels.ptx\", debug_info = \"kernels.debug.ptx\"; }`";
pub(crate) const ENTRIES_WITHOUT_MODULE: &str = "`entries` is a pattern for kernel names, but no image is named\n\
    help: add `kernel = module`, the module that `kernels!` generates for the image";
pub(crate) const KERNEL_AND_PTX: &str = "`kernel` names the image as well as the kernel\n\
    help: remove `ptx` and `entry`, or `kernel`";
pub(crate) const KERNEL_AND_ENTRY: &str = "`kernel` names the kernel itself\n\
    help: write `kernel = module::name`, or `kernel = module, entries = \"pattern\"` for several";
pub(crate) const BINDING_WITHOUT_ENTRIES: &str = "a type is bound to a suffix of kernel names, but there is no pattern for the kernels\n\
    help: add `entries = \"pattern\"`";
pub(crate) const EXCEPT_WITHOUT_ENTRIES: &str = "`except` leaves out kernels that match `entries`, but there is no pattern for the kernels\n\
    help: add `entries = \"pattern\"`";
pub(crate) const NO_PATTERN: &str = "this list has no pattern\n\
    help: write patterns for names of kernels: `[\"uneg_*\", \"uexp_*\"]`";
pub(crate) const UNKNOWN_AFTER_SUFFIX: &str = "a binding ends with its suffix, or with a condition\n\
    help: if the image may lack these kernels, write `T = f32 => \"_f32\" if_present`; if code for GPUs before sm_89 lacks them, write \
    `T = f32 => \"_f32\" if sm >= 89`";
pub(crate) const KERNEL_IN_QUOTES: &str = "`kernel` takes the path of an item, not text\n\
    help: write `kernel = module::name` without quotes; for a file, write `ptx = \"kernels.ptx\", entry = \"name\"`";
pub(crate) const NO_SUFFIX: &str = "this binding has no suffix of the kernel names\n\
    help: add the suffix: `T = f32 => \"_f32\"`";
pub(crate) const NOT_A_PATH: &str = "the macro cannot evaluate this path\n\
    help: write a string literal, or `concat!` and `env!` of string literals: `concat!(env!(\"OUT_DIR\"), \"/kernels.ptx\")`";

pub(crate) const REPEATED_ATTRIBUTE: &str = "an attribute in this type can be a macro, which rustc would expand once for each use of the type in the derived code\n\
    help: move the expression into a constant outside of the item: `const LENGTH: usize = …;`";

pub(crate) fn element_name(name: &str) -> String {
    format!(
        "each element of a spread array has its own name\n\
         help: write `{{}}` once, where the kernel's names have the index: `name = \"{name}{{}}\"`; or list the names: \
         `name = [\"first\", \"second\"]`"
    )
}

pub(crate) fn repeated_macro(name: &syn::Ident) -> String {
    format!(
        "the derived code uses this type several times, and `{name}!` could expand to another type each time\n\
         help: expand it once, outside of the item: `type Name = {name}!(…);`, or `const LENGTH: usize = {name}!(…);` for a number"
    )
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

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

pub(crate) fn condition_as_number(written: &str) -> String {
    format!(
        "`{written}` is true or false, but a number is expected here\n\
         help: compare numbers, and combine conditions with `&&`, `||` and `!`; only `requires` takes a condition"
    )
}

pub(crate) fn number_as_condition(written: &str) -> String {
    format!(
        "`{written}` is a number, but a condition is expected here\n\
         help: compare it, such as `{written} > 0`"
    )
}

pub(crate) fn len_of_value(name: &str, slice: Option<&str>, text: &str) -> String {
    let slice = slice.map_or_else(|| "of the slice".to_owned(), |slice| format!("`{slice}`"));
    format!(
        "`len` is for a field that points to memory, but `{name}` does not\n\
         help: write it on the field {slice}: `#[kernel_args({text})]`"
    )
}

pub(crate) fn len_is_a_method(written: &str) -> String {
    format!(
        "`{written}` is not a member of the slice\n\
         help: write `{written}()`, its number of elements"
    )
}

pub(crate) fn unbound(parameter: &syn::Ident) -> String {
    format!(
        "no type is bound to `{parameter}`, so the matching kernels are unknown\n\
         help: bind each type to the suffix of its kernels' names: `{parameter} = f32 => \"_f32\"`"
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

pub(crate) const ARGUMENTS_IN_ENUM: &str = "an enum cannot hold the arguments of a kernel\n\
    help: derive `KernelArgs` on a struct with one field for each parameter; an enum that is one argument takes \
    `#[derive(DeviceType)]`";
pub(crate) const ARGUMENTS_IN_UNION: &str = "a union cannot hold the arguments of a kernel\n\
    help: derive `KernelArgs` on a struct with one field for each parameter";

pub(crate) const LIFETIME: &str = "a device type cannot borrow: the GPU cannot access host memory\n\
    help: use `DevicePointer<T>` for a pointer to device memory";
pub(crate) const UNION: &str = "a union cannot be a device type: the compiler does not know which of its bytes are initialised\n\
    help: write a struct with an array of bytes";
pub(crate) const EMPTY_STRUCT: &str = "an empty struct has no bytes in Rust, but C++ gives it one\n\
    help: write a field `unused: u8`";
pub(crate) const ENUM_WITH_DATA: &str = "C++ has no enum with data\n\
    help: pass a struct with a tag and the data, or one kernel argument for each";
pub(crate) const EMPTY_ENUM: &str = "an enum without variants has no values, so it cannot be passed\n\
    help: add a variant";

pub(crate) fn without_repr(name: &syn::Ident) -> String {
    format!(
        "without `repr(C)` Rust may reorder the fields of `{name}`\n\
         help: write `#[repr(C)]` on the struct, or `#[repr(transparent)]` if it has one field"
    )
}

pub(crate) fn enum_without_repr(name: &syn::Ident) -> String {
    format!(
        "Rust does not define the size of `{name}`\n\
         help: write `#[repr(i32)]`, or the underlying type of the C++ enum (`int` by default)"
    )
}

pub(crate) fn aligned_enum(align: usize) -> String {
    format!(
        "a C++ enum cannot have an explicit alignment\n\
         help: remove `align({align})`"
    )
}
pub(crate) const NO_MODULE: &str = "`kernels!` takes modules, each with the path of an image\n\
    help: write `pub mod saxpy = \"ptx/saxpy.ptx\";`";
pub(crate) const NO_SEMICOLON: &str = "a module in `kernels!` ends with `;`\n\
    help: write `;` after the path or the last option";
#[cfg(feature = "generate")]
pub(crate) const UNKNOWN_IN_GENERATE: &str = "unknown option\n\
    help: write `generate`; for device pointers instead of slices, `generate(pointers = raw)`; with the feature `cudarc` also \
    `generate(pointers = views)` for slices and views, and `generate(pointers = retained)` for the nodes of graphs";
pub(crate) const UNKNOWN_OPTION: &str = "unknown option\n\
    help: write `debug_info = \"kernels.debug.ptx\"`, `debug_info = if_readable`, `generate`, or nothing";
pub(crate) const DUPLICATE_OPTION: &str = "this option is given twice\n\
    help: keep one";

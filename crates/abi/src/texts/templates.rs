//! Every sentence that users read, in one list. The words of a `str` are selected by the caller.
//!
//! A row is a function of its placeholders: it appends the text to a [`Message`](super::Message). A placeholder without
//! a kind is a name from the user's program. An error shows what is wrong, then both sides, then `help:` with the code
//! to write.

use super::spelling::{LONGEST_NAME, push_count, push_cpp, push_layout};
use crate::{
    bytes::{find, same},
    cpp::CppType,
    layout::Alignment,
    message::Text,
};

macro_rules! templates {
    ($($name:ident($($value:ident $(: $kind:ident)?),*) = $template:literal;)*) => {
        $(
            /// Appends the text of this row.
            pub const fn $name(
                message: &mut Text,
                $($value: templates!(@type $($kind)?)),*
            ) {
                fill(message, $template, &[$((stringify!($value), templates!(@value $($kind)? $value))),*]);
            }
        )*

        #[cfg(test)]
        const ALL: &[(&str, &str, &[&str])] = &[$((stringify!($name), $template, &[$(stringify!($value)),*])),*];
    };
    (@type) => { &str };
    (@type text) => { &Text };
    (@type str) => { &str };
    (@type integer) => { i128 };
    (@type cpp) => { CppType<'_> };
    (@type layout) => { (usize, Option<Alignment>) };
    (@type $count:ident) => { usize };
    (@value $value:ident) => { Placeholder::Name($value) };
    (@value text $value:ident) => { Placeholder::Text($value.text()) };
    (@value str $value:ident) => { Placeholder::Text($value) };
    (@value number $value:ident) => { Placeholder::Number($value) };
    (@value integer $value:ident) => { Placeholder::Integer($value) };
    (@value bindings $value:ident) => { Placeholder::Count($value, "more bindings") };
    (@value kernels $value:ident) => { Placeholder::Count($value, "more kernels") };
    (@value cpp $value:ident) => { Placeholder::Cpp($value) };
    (@value layout $value:ident) => { Placeholder::Layout($value.0, $value.1) };
    (@value bytes $value:ident) => { Placeholder::Count($value, "bytes") };
    (@value parameters $value:ident) => { Placeholder::Count($value, "parameters") };
    (@value fields $value:ident) => { Placeholder::Count($value, "fields") };
}

templates! {
    // What is wrong: the launch of a launcher.
    other_launcher(arguments, launcher, function) = "`launch!` names `{function}`, but `{arguments}` holds the arguments of `{launcher}`\nhelp: write `{launcher}` by the name that `launcher = …` has on the struct, or pass the arguments of `{function}`";
    launcher_without_stream(launcher) = "the launcher `{launcher}` takes a stream, but this launch names none\nhelp: add `stream = &stream`";
    launcher_on_default_stream(launcher) = "the launcher `{launcher}` takes no stream: it uses the default stream, and ignores the stream of the caller\nhelp: write `default_stream = true` instead of `stream = …`; the launch then tracks its arguments on the default stream";
    // What is wrong: a struct and a kernel.
    differs(field, index: number, kernel) = "`{field}` does not match parameter {index} of kernel `{kernel}`";
    missing(index: number, kernel) = "no field for parameter {index} of kernel `{kernel}`";
    missing_either(first: number, last: number, kernel) = "no field for parameter {first} or {last} of kernel `{kernel}`";
    missing_one_of(first: number, last: number, kernel) = "no field for one of the parameters {first} to {last} of kernel `{kernel}`";
    wrong_number_of_names(field, len: number, names: number, form: str) = "`{field}` has {len} elements, but `name` lists {names}\nhelp: write one name for each element, or one name with the index in it: `name = \"{form}\"`";
    kernel_does(kernel, what: text, field, ty) = "kernel `{kernel}` {what}, but `{field}` is `{ty}`";
    these_bytes() = "these bytes";
    parameter_at(index: number) = "parameter {index}";
    writes_through(value: text) = "writes through {value}";
    accesses_elements(elements: text, value: text) = "accesses {elements} through {value}";
    uses_integer(value: text) = "uses {value} as an integer";
    accesses_memory(value: text) = "accesses memory through {value}";
    loads_addresses(value: text) = "loads addresses through {value}";
    uses_addresses(value: text) = "uses what it loads through {value} as an address";
    uses_object(value: text, object: str) = "uses {value} as a {object} object";
    uses_handle(value: text, object: str) = "uses {value} as a {object}";
    in_code(what: text, evidence: text) = "the kernel {what} ({evidence})";
    extra(field, kernel) = "`{field}` has no parameter in kernel `{kernel}`";
    host_side(side: text) = "\n  host    {side}";
    kernel_side(side: text) = "\n  kernel  {side}";
    binding_side(written: str) = "\n  binding {written}";
    and_more_bindings(count: bindings) = "\n  and {count}";
    and_more_kernels(count: kernels) = "\n  and {count} of the patterns";
    at_byte(offset: number) = ", at byte {offset}";
    help(hint: text) = "\n  help: {hint}";
    and_more(count: number) = "\n… and {count} more";
    mismatch_table(kernel) = "kernel `{kernel}` does not take these arguments";
    match_table(kernel) = "kernel `{kernel}` takes these arguments";
    row_left_out() = "\n  … 1 row that fits";
    rows_left_out(count: number) = "\n  … {count} rows that fit";

    // Help: fields in another order, or another number of them.
    exchanged(first, second) = "`{first}` and `{second}` look exchanged: swap them";
    or_in_order(declare: text) = "; or, if the order of the fields is right, {declare}";
    move_field(field, place: text) = "`{field}` would fit here: move it {place}";
    move_away(index: number, place: text) = "it fits parameter {index}: move it {place}";
    add_field(place: text, types: text) = "add a field for it {place}: {types}";
    add_beside(field, types: text, first: number, last: number) = "add a field for it before or after `{field}`: {types} (parameters {first} and {last} are alike, so either may be missing)";
    add_before_or_after(field, before: text, after: text, first: number, last: number) = "add a field for it before `{field}`, {before}, or after it, {after} (parameters {first} and {last} are alike, so either may be missing)";
    add_among(first_field, last_field, types: text, first: number, last: number) = "add a field for it before `{first_field}`, after `{last_field}` or between them: {types} (parameters {first} to {last} are alike, so any of them may be missing)";
    or_spread() = "; or, if the next parameters are its other elements, write `#[kernel_args(spread)]` on it";
    remove_field(parameters: parameters, fields: fields) = "remove it: the kernel takes {parameters}, the struct has {fields}";
    remove_unknown() = "remove it: no parameter of the kernel has this name";
    remove_spread(parameter: number) = "the kernel takes the whole array as parameter {parameter}: remove `spread` from its `#[kernel_args(…)]`";
    remove_one(first, last, parameters: parameters, fields: fields) = "remove `{first}` or `{last}`, which are alike: the kernel takes {parameters}, the struct has {fields}";
    remove_one_of(first, last, parameters: parameters, fields: fields) = "remove one of the fields `{first}` to `{last}`, which are alike: the kernel takes {parameters}, the struct has {fields}";
    no_parameter() = "remove it, or move it to where the kernel takes it";
    to_the_struct() = "to the struct";
    before_field(next) = "before `{next}`";
    after_field(previous) = "after `{previous}`";
    between_fields(previous, next) = "between `{previous}` and `{next}`";

    // Help: what to declare.
    here_bound(name, ty) = "; here `{name}` is `{ty}`";
    correct_binding(types: text, written: str) = "with this suffix the kernel takes {types} here: correct the type or the suffix of `{written}`";
    declare(types: text) = "declare {types}";
    narrow(types: text) = "write {types} in its `#[kernel_args(…)]`";
    narrow_to(ty: str) = "`as = {ty}`";
    not_narrowed(declare: text) = "remove `as` from its `#[kernel_args(…)]`, and {declare}";
    field_type(field, ty: str) = "`{field}: {ty}`";
    position_type(field, ty: str) = "field {field} as `{ty}`";
    part_type(field, ty: str) = "`{field}` as `{ty}`";
    raw_field_type(field, ty: str) = "`r#{field}: {ty}`";
    bare_type(ty: str) = "`{ty}`";
    some_struct(layout: layout) = "a `#[repr(C)]` struct of {layout}";
    some_type(layout: layout) = "a type of {layout}";
    own_struct(before: text, layout: layout, name) = "{before}a struct of {layout}, with `#[derive(Clone, Copy, DeviceType)]`, `#[repr(C)]` and `#[device_type(cpp = \"{name}\")]`";
    field_as(field) = "`{field}` as";
    some_member(member, layout: layout) = "`{member}` with a type of {layout}";

    // Help: a list of arguments.
    push_argument(values: text, index: number) = "push {values} as argument {index}";
    literal(value: str, ty: str) = "`{value}_{ty}`";
    remove_argument(parameters: parameters, arguments: number) = "remove it: the kernel takes {parameters}, the list has {arguments} arguments";
    remove_or_move_argument() = "remove it, or push it where the kernel takes it";

    // Help: a value of another size or kind.
    // `what` is a few words, which `hint.rs` selects.
    takes(what: str) = "the kernel takes {what}";
    takes_object(object: str) = "the kernel takes a {object} object";
    takes_fields(field) = "the kernel takes the members of `{field}` as separate parameters: write `#[kernel_args(flatten)]` on it, and `#[derive(KernelArgs)]` on its type";
    takes_half() = "half precision has 2 bytes";
    takes_f32(declare: text) = "C's `float` is f32: {declare}; where the type is inferred, write `2.0f32`";
    takes_double() = "C's `double` is f64";
    takes_builtin(cpp: cpp) = "the kernel takes CUDA's `{cpp}`";
    or_cpp(ty, cpp: cpp) = "; or, if `{ty}` has the same layout, write `#[device_type(cpp = \"{cpp}\")]` on it";
    takes_vector(layout: layout) = "the kernel takes a vector or struct of {layout}";
    takes_struct(layout: layout) = "the kernel takes a struct or vector of {layout}";
    struct_sizes(kernel: bytes, ty, host: number) = "the kernel's struct has {kernel}, `{ty}` has {host}";
    compare_fields() = ": compare their fields one by one";
    sizes(field, host: bytes, kernel: number) = "`{field}` has {host}, the kernel takes {kernel}";
    enum_size(ty, host: bytes, kernel: number, repr: str) = "`{ty}` has {host}, the kernel takes {kernel}: write `#[repr({repr})]` on it";
    bool_for_int() = "`bool` has 1 byte on the device too, C's `int` has 4";
    wide_for_int(ty) = "`{ty}` has 8 bytes, C's `int` has 4";
    narrow_for_int() = "C's `int` has 4 bytes";

    // Help: a type of the right size.
    takes_signedness(cpp: cpp) = "the kernel takes it as `{cpp}`";
    takes_pointee(cpp: cpp) = "the kernel takes a `{cpp}`";
    takes_mut() = "the kernel may write through it";
    or_opaque_reads() = "; if the kernel only reads, `#[kernel_args(opaque)]` on the field turns this check off";
    takes_named(cpp: cpp, ty, name) = "the kernel takes a `{cpp}`: if `{ty}` is that struct, write `#[device_type(cpp = \"{name}\")]` on it";
    or_opaque() = "; `#[kernel_args(opaque)]` on the field turns this check off";
    or_shared_write() = "; for memory that is shared on purpose, such as a counter, write `#[kernel_args(shared_write)]` on the field";
    exchange_members(first, second) = ": exchange `{first}` and `{second}`";
    elements_of_type(cpp: str) = "`{cpp}` elements";
    integers_of_size(size: bytes) = "integers of {size}";
    elements_of_size(size: bytes) = "elements of {size}";
    slice_of(elements: text) = "a slice of {elements}";
    instruction(opcode) = "`{opcode}`";
    instruction_at(opcode, file, line: number) = "`{opcode}` at {file}:{line}";
    tensor_map(field, ty: str) = "`CUtensorMap` is aligned to 64 bytes by CUDA 12 and to 128 by CUDA 13: declare `{field}: {ty}`";
    aligned(align: number) = "the kernel aligns it to {align}";
    aligned_as_vector(types: text) = ", as CUDA aligns vectors and complex numbers: use {types}";
    align_more(align: number) = ": if it is your struct, write `#[repr(C, align({align}))]` on it";
    align_less(align: number, ty) = ", less than `{ty}`: remove `align` from its `repr`, or use members that are aligned to at most {align}, such as arrays";
    align_struct(field, layout: layout, repr: text) = ": declare `{field}` as a struct of {layout}, with `#[derive(Clone, Copy, DeviceType)]` and `#[repr({repr})]`";
    repr_c() = "C";
    repr_align(align: number) = ", align({align})";
    other_offset(offset: number, align: number, expected: number) = "the kernel has it at byte {offset}, where a type aligned to {align} would be at {expected}";
    because(hint: text) = "; {hint}";

    // Help: members of a struct, and names.
    member_at(member: text, at: number) = "`{member}` at byte {at}";
    members_differ(kernel: text, cpp: cpp, host: text, ty) = "the kernel's struct has {kernel} ({cpp}), this one has {host} (`{ty}`)";
    member_places(kernel: text, host: text) = "the kernel's struct has {kernel}, this one has {host}";
    member_in_code(member: text, at: number, ty, hint: text) = "this struct has `{member}: {ty}` at byte {at}, but {hint}";
    pointee(path: text) = "`{path}`";
    pointee_sizes(kernel: text, kernel_size: bytes, host: text, host_size: number) = "the kernel's `{kernel}` has {kernel_size}, this one's `{host}` has {host_size}";
    member_missing(kernel: text, cpp: cpp, at: number) = "the kernel's struct has `{kernel}` ({cpp}) at byte {at}, this one has no such member there";
    then(declare: text) = ": {declare}";
    in_kernel_order(names: text) = ": put the members in the kernel's order, {names}";
    add_member(member: text, place: text) = ": add {member} {place}";
    at_end() = "at the end";
    remove_member(member) = ": remove `{member}`, which the kernel's struct does not have";
    move_member(member, next) = ": move `{member}` before `{next}`, as both structs have it";
    pad_before(name: text, bytes: number, next) = ": add `{name}: [u8; {bytes}]` before `{next}`";
    pad_end(name: text, bytes: number) = ": add `{name}: [u8; {bytes}]` at the end";
    declare_as_kernel(members: text) = ": declare the members as the kernel's struct does{members}";
    member_elsewhere_in_kernel(host: text, kernel: text, at: number) = "the kernel's struct has `{kernel}` at byte {at}, where this one has `{host}`, the name of another member of the kernel's struct";
    or_rename_member(kernel: text, rename: text) = "; or, if this one is `{kernel}`, {rename}";
    parameter_elsewhere(field, parameter: number, index: number, name, rename: text) = "`{field}` is parameter {parameter} of the kernel, but here it is field {index}: put the fields in the kernel's order; or, if this one is the kernel's `{name}`, {rename}";
    member_named_otherwise(host: text, name, kernel: text, at: number, names: text, write: text) = "the kernel's struct has `{kernel}` at byte {at}, where this one has `{host}` with `name = \"{name}\"`; the kernel's members are {names}: put the fields in the kernel's order, or {write}";
    named_elsewhere(field, name, parameter: number, index: number) = "`{field}` has `name = \"{name}\"`, which is parameter {parameter} of the kernel, but here it is field {index}";
    order_or(write: text) = ": put the fields in the kernel's order, or {write}";
    unknown_parameter(name, names: text, write: text) = "the kernel has no parameter `{name}`; it has {names}: {write}";
    listed(name) = "`{name}`";
    more_names(count: number) = " and {count} more";
    rename_to(name, write: text) = "rename it to `{name}` or {write}";
    rename_to_raw(name, write: text) = "rename it to `r#{name}` or {write}";
    write_name(attribute: str, name) = "write `#[{attribute}(name = \"{name}\")]` on it";
    list_names(names: text) = "write the kernel's names on the array, `name = [{names}]`";
    quoted(name) = "\"{name}\"";
    name_elements(form: str) = "write the kernel's names on the array: `name = \"{form}\"`, or a list, `name = [\"nx\", \"ny\"]`";
    remove_name(attribute: str) = "remove `name` from its `#[{attribute}(…)]`";

    // Help: variants of an enum.
    in_member(member: text, hint: text) = "in {member}: {hint}";
    variant(name, value: integer) = "{name} = {value}";
    variant_differs(kernel: text, ty, host: text) = "the kernel's enum has `{kernel}`, `{ty}` has `{host}`: write the kernel's value";
    unknown_variant(ty, host: text, variants: text) = "`{ty}` has `{host}`, a value that the kernel's enum does not have; it has {variants}: write one of these values, or remove the variant";

    // A global variable.
    variable_differs(ty, variable) = "`{ty}` is not the type of the variable `{variable}`";
    type_differs(variable) = "this is not the type of the variable `{variable}`";
    image_side(side: text) = "\n  image   {side}";
    variable_type(cpp: cpp, ty: text) = "the variable is `{cpp}`: use `{ty}`";
    variable_size(size: bytes) = "the variable has {size}: use a type of this size";
    variable_class(class: str, size: bytes) = "the image declares {class} of {size}: use such a type";
    variable_aligned(align: number) = "the image aligns the variable to {align}: use a type that needs no more";
    or_bytes() = "; or use `[u8]`: `module.global_bytes` returns any variable without comparing its type";

    // The declaration of a host function that launches kernels.
    argument_differs(argument, index: number, launcher) = "`{argument}` does not match parameter {index} of launcher `{launcher}`";
    argument_passed(argument, index: number, launcher) = "C passes `{argument}`, parameter {index} of launcher `{launcher}`, in other registers than this type";
    leave_out_padding() = "declare its members only: C does not pass padding, and passes floating-point numbers unlike bytes";
    no_argument(index: number, launcher) = "no argument for parameter {index} of launcher `{launcher}`";
    argument_extra(argument, launcher) = "`{argument}` has no parameter in launcher `{launcher}`";
    rust_side(side: text) = "\n  Rust  {side}";
    cpp_side(side: text) = "\n  C++   {side}";
    add_argument(types: text, place: text) = "add {types} {place}";
    move_argument(index: number) = "it fits parameter {index}: move it there";
    remove_declared(parameters: parameters, arguments: number) = "remove it: the launcher takes {parameters}, the declaration has {arguments}";
    argument_elsewhere(argument, parameter: number, index: number, name) = "`{argument}` is parameter {parameter} of the launcher, but here it is argument {index}: put the arguments in the launcher's order, or name this one `{name}`";
    field_elsewhere(field, name) = "`{field}` is passed as the launcher's `{name}`\n  help: put the fields in the launcher's order; or, if this one is `{name}`, rename it or write `#[kernel_args(name = \"{name}\")]` on it";
    or_allow_const() = "; `allow(const)` in `#[kernel_args::launchers(…)]` turns this check off";
    result_differs(launcher) = "the returned type does not match launcher `{launcher}`";
    result_ignored(launcher) = "launcher `{launcher}` returns a value, which the declaration lacks";
    result_extra(launcher) = "launcher `{launcher}` returns nothing";
    declare_result(ty: str) = "declare `-> {ty}`";
    remove_result() = "remove the returned type";

    // A layout as a table.
    layout_title(name, parameters: parameters) = "`{name}`: {parameters}";
    layout_size(size: bytes) = ", {size}";
    fields_left_out(count: number) = "\n     … {count} more fields";
    map_title() = "\n\n   byte  (`.` is padding)";

    // What is wrong: a struct that is passed to a kernel.
    parameter_without_bytes(field) = "`{field}` has no bytes, so it cannot be a kernel parameter\n  help: write `#[kernel_args(skip)]` on it";
    not_shared(field, ty) = "`{field}` is `{ty}`, which is no shared pointer, so `shared_write` has no effect\n  help: remove `#[kernel_args(shared_write)]`";
    argument_without_bytes() = "a value without bytes cannot be a kernel parameter\n  help: do not push it";
    too_large(name, size: bytes, limit: number) = "the arguments of `{name}` have {size}, but a kernel takes at most {limit} (4096 before CUDA 12.1 or below sm_70); the largest fields:";
    large_field(field, ty, size: bytes) = "\n  `{field}: {ty}` has {size}";
    pass_pointer() = "\n  help: pass a device pointer to the data instead: `&CudaSlice<T>`";
    none_fits(name) = "none of these kernels takes the fields of `{name}`:";
    several_fit(name) = "several of these kernels take the fields of `{name}`:";
    kernel_in_list(kernel) = "\n  {kernel}";
    nearest(kernel) = "\nthe nearest is `{kernel}`:";
    name_entry() = "\n  help: set `entry` to the intended kernel";

    // What is wrong: a struct that is passed by value.
    member_without_bytes(field, ty) = "`{field}: {ty}` has no bytes in Rust, but C++ has no type of size zero\n  help: remove the field";
    member_elsewhere(field, ty, host: number, device: number, align: number) = "`{field}: {ty}` is at offset {host} on the host but at {device} on the device, which aligns it to {align}\n  help: use a type with that alignment on the host too, or add explicit padding before it";
    member_elsewhere_builtin(field, ty, host: number, device: number, align: number, other: str) = "`{field}: {ty}` is at offset {host} on the host but at {device} on the device, which aligns it to {align}\n  help: use `{other}`, which has this alignment on the host too; types of other crates convert to it with `.into()`";
    struct_without_bytes() = "this struct has no bytes in Rust, but C++ has no type of size zero\n  help: write a field `unused: u8`";
    struct_size(host: bytes, device: number, align: number) = "this struct has {host} on the host but {device} on the device, which aligns it to {align}\n  help: write `#[repr(C, align({align}))]` on it, and the same alignment in C++";

    // What is wrong: the kernel that a struct names.
    image_changed() = "the image changed while this crate was compiled\n  help: compile it again";
    differs_by_gpu(kernel) = "the image has different parameters for kernel `{kernel}` on different GPUs, so no struct fits it on every GPU\n  help: declare the same parameters for every GPU, or compile an image for each and load the kernel with `Module::kernel`";
    name_item() = "\n  help: name the item of the intended kernel; its name contains the types";
    unbound_types(name) = "no binding of `{name}` has these types; the bindings are";
    bound_types(written: str) = "\n  {written}";
    bind_types() = "\n  help: bind each type to the suffix of its kernels' names: `T = f32 => \"_f32\"`; if the image may lack these kernels, write `if_present` after the suffix";
    left_out(name) = "no binding of `{name}` takes these kernels, which match `entries`:";
    bind_or_except(kernel) = "\n  help: bind their type to the suffix of their names: `T = f32 => \"_f32\"`, or leave them out: `except = \"{kernel}\"`";
    names_no_pattern(name) = "`{name}` names no family of kernels";
    name_pattern() = "\n  help: write `#[kernel_args(kernel = module, entries = \"affine_*\", T = f32 => \"_f32\")]` on it, or call `module.kernel` with the name of the kernel";
    must_have(first: number) = "\n  help: `if sm >= {first}` allows this only if all code of the image is for older GPUs; this image has code for sm_{first} or a newer GPU. Write `if_present` if any image may lack these kernels";
    may_lack(written: str) = "\n  help: if the image may lack these kernels, write `{written} if_present`, or `{written} if sm >= 89` if only newer GPUs have them";
    no_match(pattern) = "no kernel of this image has a name that matches `{pattern}`";
    no_match_with_suffix(pattern, suffix) = "no kernel of this image has a name that matches `{pattern}` and ends with `{suffix}`";
    nearest_names() = "; the nearest are";
}

#[derive(Clone, Copy)]
pub(super) enum Placeholder<'a> {
    /// A name from the user's program. A long name keeps both ends.
    Name(&'a str),
    Text(&'a str),
    Number(usize),
    Integer(i128),
    /// A number of things: `1 byte`, `4 bytes`.
    Count(usize, &'static str),
    /// A C++ type: `float const*`.
    Cpp(CppType<'a>),
    /// Size and alignment: `4 bytes, aligned to 4`.
    Layout(usize, Option<Alignment>),
}

/// Appends `template`, with each `{placeholder}` replaced by its value.
#[cold]
pub(super) const fn fill(message: &mut Text, template: &str, values: &[(&str, Placeholder<'_>)]) {
    let mut rest = template;
    while let Some((before, name, after)) = split(rest) {
        message.push(before);
        let mut i = 0;
        while i < values.len() {
            if same(values[i].0, name) {
                push(message, values[i].1);
            }
            i += 1;
        }
        rest = after;
    }
    message.push(rest);
}

const fn push(message: &mut Text, value: Placeholder<'_>) {
    match value {
        Placeholder::Name(name) => message.push_shortened(name, LONGEST_NAME),
        Placeholder::Text(text) => message.push(text),
        Placeholder::Number(number) => message.push_number(number),
        Placeholder::Integer(number) => message.push_integer(number),
        Placeholder::Count(count, of) => push_count(message, count, of),
        Placeholder::Cpp(cpp) => push_cpp(message, cpp),
        Placeholder::Layout(size, align) => push_layout(message, size, align),
    }
}

pub(super) const fn split(template: &str) -> Option<(&str, &str, &str)> {
    let (open, close) = (some!(find(template.as_bytes(), b"{")), some!(find(template.as_bytes(), b"}")));
    let (before, rest) = template.split_at(open);
    let (placeholder, after) = rest.split_at(close + 1 - open);
    let name = placeholder.split_at(1).1;
    Some((before, name.split_at(name.len() - 1).0, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use std::collections::BTreeSet;

    fn is_filled(template: &str, values: &[&str]) -> bool {
        let mut names = BTreeSet::new();
        let mut rest = template;
        while let Some((before, name, after)) = split(rest) {
            assert!(!before.contains('}') && names.len() <= values.len(), "{template}");
            names.insert(name);
            rest = after;
        }
        !rest.contains(['{', '}']) && names == values.iter().copied().collect()
    }

    #[test]
    fn each_placeholder_has_a_value_and_each_value_a_placeholder() {
        for (name, template, values) in ALL {
            assert!(is_filled(template, values), "{name}: {template}");
        }
        assert!(is_filled("{a} and {b} and {a}", &["b", "a"]));
        assert!(!is_filled("{a} and {b}", &["a"]));
        assert!(!is_filled("{a}", &["a", "b"]));
        assert!(!is_filled("{a} {", &["a"]) && !is_filled("{a} }", &["a"]));
    }

    #[test]
    fn each_template_is_unique_and_ends_in_no_full_stop() {
        let mut seen = BTreeSet::new();
        for (name, template, _) in ALL {
            assert!(seen.insert(template), "{name} is another's text");
            assert!(!template.ends_with(['.', ' ', '\n']), "{name}: {template}");
            assert_eq!(template.matches('`').count() % 2, 0, "{name}: {template}");
        }
    }

    #[test]
    fn a_name_of_10_kilobytes_leaves_room() {
        let name = "x".repeat(10_000);
        let mut message = Message::<1024>::new();
        member_elsewhere(&mut message, &name, &name, 1, 2, 3);
        assert!(!message.is_truncated() && message.as_str().ends_with("before it"));
    }
}

//! The texts of the errors that the derives report, apart from those about a PTX file: what is wrong, then, on a line of its
//! own, what to write.

pub(crate) const DUPLICATE_ATTRIBUTE: &str = "duplicate attribute\n\
    help: keep one";
pub(crate) const UNKNOWN_ON_STRUCT: &str = "unknown attribute\n\
    help: a struct takes `ptx = \"kernels.ptx\"`, `entry = \"name\"`, `bound = \"T: DeviceType\"` and `crate = path`";
pub(crate) const UNKNOWN_ON_FIELD: &str = "unknown attribute\n\
    help: a field takes `skip` or `opaque`";
pub(crate) const UNKNOWN_ON_DEVICE_TYPE: &str = "unknown attribute\n\
    help: a device type takes `cpp = \"its::Name\"`, `crate = path` and `skip_device_repr`";
pub(crate) const BELONGS_ON_FIELD: &str = "this attribute has no meaning on a struct\n\
    help: write it on a field";
pub(crate) const BELONGS_ON_STRUCT: &str = "this attribute has no meaning on a field\n\
    help: write it on the struct";
pub(crate) const DEVICE_TYPE_INSIDE: &str = "`#[device_type(…)]` has no meaning on a field or variant\n\
    help: write it on the struct or enum";
pub(crate) const TAKES_NO_VALUE: &str = "this attribute takes no value\n\
    help: write its name alone";
pub(crate) const SKIP_AND_OPAQUE: &str = "`opaque` has no effect on a skipped field, which is not a parameter\n\
    help: remove one of the two";
pub(crate) const ENTRY_WITHOUT_PTX: &str = "`entry` names a kernel in a PTX file, but no file is named\n\
    help: add `ptx = \"kernels.ptx\"`";

pub(crate) const ARGUMENTS_IN_ENUM: &str = "an enum cannot hold the arguments of a kernel\n\
    help: derive `KernelArgs` on a struct with one field for each parameter; an enum that is one argument takes \
    `#[derive(DeviceType)]`";
pub(crate) const ARGUMENTS_IN_UNION: &str = "a union cannot hold the arguments of a kernel\n\
    help: derive `KernelArgs` on a struct with one field for each parameter";

pub(crate) const LIFETIME: &str = "a device type cannot borrow: the GPU cannot access host memory\n\
    help: use `DevicePointer<T>` for a pointer to device memory";
pub(crate) const UNION: &str = "a union cannot be a device type: the compiler does not know which of its bytes are initialised\n\
    help: write a struct with an array of bytes";
pub(crate) const PACKED: &str = "a packed struct has another layout on the device\n\
    help: write `#[repr(C)]`, and declare the kernel's struct without packing";
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
         help: write `#[repr(i32)]`, or the underlying type of the C++ enum (`int` where it does not name one)"
    )
}

pub(crate) fn aligned_enum(align: usize) -> String {
    format!(
        "C++ has no enum with an alignment of its own\n\
         help: remove `align({align})`"
    )
}

//! Macros that contain a derive, or an attribute of it, and take the rest. The tokens of one struct then have different
//! hygiene.

/// The derive is the macro's, everything else is the user's.
#[macro_export]
macro_rules! args {
    ($item:item) => {
        #[derive(kernel_args::KernelArgs)]
        $item
    };
}

/// Derives `DeviceType`.
#[macro_export]
macro_rules! device {
    ($item:item) => {
        #[derive(Clone, Copy, kernel_args::DeviceType)]
        $item
    };
}

/// Calls the macros above.
#[macro_export]
macro_rules! nested {
    ($($item:item)*) => {
        $($crate::args! { $item })*
    };
}

/// Attributes of the macro's user next to the macro's derive.
#[macro_export]
macro_rules! with_attributes {
    ([$($args:meta),*] $args_item:item [$($device:meta),*] $device_item:item) => {
        #[derive(kernel_args::KernelArgs)]
        $(#[$args])*
        $args_item

        #[derive(Clone, Copy, kernel_args::DeviceType)]
        $(#[$device])*
        $device_item
    };
}

/// The struct is the macro's, its parts are the user's.
#[macro_export]
macro_rules! parts {
    (
        $derive:path, $(#[$meta:meta])* $vis:vis $name:ident<$($lifetime:lifetime),*; $($param:ident: $bound:path),*>
        { $($(#[$of_field:meta])* $field:ident: $ty:ty),* $(,)? }
    ) => {
        #[derive($derive)]
        $(#[$meta])*
        $vis struct $name<$($lifetime,)* $($param: $bound),*> {
            $($(#[$of_field])* $vis $field: $ty,)*
        }
    };
}

/// Fields of the macro between fields of the user.
#[macro_export]
macro_rules! mixed {
    ($name:ident, $field:ident: $($ty:tt)*) => {
        #[derive(kernel_args::KernelArgs)]
        pub(crate) struct $name {
            pub(crate) hidden: u8,
            pub(crate) $field: $($ty)*,
            pub(crate) last: u8,
        }
    };
}

/// Lengths as every fragment that can be an expression.
#[macro_export]
macro_rules! lengths {
    ($name:ident, $expr:expr, $literal:literal, $block:block, $path:path, $tt:tt, $of:ident) => {
        #[derive(kernel_args::KernelArgs)]
        pub(crate) struct $name {
            pub(crate) expr: [u8; $expr],
            pub(crate) literal: [u8; $literal],
            pub(crate) block: [u8; $block],
            pub(crate) path: [u8; $path],
            pub(crate) tt: [u8; $tt],
            pub(crate) generic: $of<u8, $literal>,
            pub(crate) generic_block: $of<u8, $block>,
            pub(crate) tuple: $of<$of<u8, { $expr }>, $tt>,
        }
    };
}

/// Tuple structs, for both derives.
#[macro_export]
macro_rules! tuples {
    ($args:ident, $device:ident, $($ty:ty),*) => {
        #[derive(Clone, Copy, kernel_args::DeviceType)]
        #[repr(C)]
        pub(crate) struct $device($(pub(crate) $ty),*);

        #[derive(kernel_args::KernelArgs)]
        pub(crate) struct $args($(pub(crate) $ty,)* pub(crate) $device);
    };
}

/// Variants and their values.
#[macro_export]
macro_rules! variants {
    ($name:ident: $int:ident { $($variant:ident = $value:expr),* }) => {
        #[derive(Clone, Copy, kernel_args::DeviceType)]
        #[repr($int)]
        pub(crate) enum $name { $($variant = $value),* }
    };
}

/// The values of attributes.
#[macro_export]
macro_rules! named {
    ($name:ident, $kernel:path, $spelled:literal, $ty:ty) => {
        #[derive(kernel_args::KernelArgs)]
        #[kernel_args(kernel = $kernel)]
        pub(crate) struct $name {
            n: u32,
            #[kernel_args(opaque)]
            alpha: $ty,
            #[kernel_args(name = $spelled)]
            x: kernel_args::DevicePointer<$ty>,
            y: kernel_args::DevicePointerMut<$ty>,
            #[kernel_args(skip)]
            label: &'static str,
        }
    };
    ($name:ident by $image:expr, $entry:literal) => {
        #[derive(kernel_args::KernelArgs)]
        #[kernel_args(ptx = $image, entry = $entry)]
        pub(crate) struct $name(u32, f32, kernel_args::DevicePointer<f32>, kernel_args::DevicePointerMut<f32>);
    };
}

/// A family of kernels, with the bindings of its user.
#[macro_export]
macro_rules! family {
    ($name:ident, $module:path, $pattern:literal, $($ty:ty => $suffix:literal),*) => {
        #[derive(kernel_args::KernelArgs)]
        #[kernel_args(kernel = $module, entries = $pattern, $(T = $ty => $suffix),*)]
        pub(crate) struct $name<T: kernel_args::DeviceType> {
            n: i32,
            alpha: T,
            x: kernel_args::DevicePointer<T>,
            y: kernel_args::DevicePointerMut<T>,
        }
    };
}

/// A constant is bound.
#[macro_export]
macro_rules! family_of_length {
    ($name:ident, $module:ident, $($length:expr => $suffix:expr),*) => {
        #[derive(kernel_args::KernelArgs)]
        #[kernel_args(kernel = $module, entries = "saxpy<float>", $(N = $length => $suffix),*)]
        pub(crate) struct $name<const N: usize> {
            n: i32,
            alpha: f32,
            x: kernel_args::DevicePointer<f32>,
            y: kernel_args::DevicePointerMut<f32>,
        }
    };
}

/// A module of kernels.
#[macro_export]
macro_rules! module {
    ($(#[$meta:meta])* $vis:vis $name:ident = $image:expr) => {
        kernel_args::kernels! { $(#[$meta])* $vis mod $name = $image; }
    };
}

/// A macro that defines a macro that contains a derive.
#[macro_export]
macro_rules! define {
    ($define:ident, $($extra:tt)*) => {
        macro_rules! $define {
            ($field:ident: $ty:ty) => {
                #[derive(kernel_args::KernelArgs)]
                pub(crate) struct $define {
                    pub(crate) extra: $($extra)*,
                    pub(crate) $field: $ty,
                }
            };
        }
    };
}

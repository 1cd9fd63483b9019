//! The compile errors of `launch!`: wrong syntax, and options that it does not have.

/// The call of a launch with `node`, which needs the feature `graphs`.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "graphs")]
macro_rules! __capture {
    ($($arguments:tt)*) => {
        $crate::Kernel::capture($($arguments)*)
    };
}

#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "graphs"))]
macro_rules! __capture {
    ($($arguments:tt)*) => {
        $crate::__private::core::compile_error!("`node` needs the feature `graphs` of `kernel-args`")
    };
}

/// The call of a launcher: its function, whether the options name the stream and the default stream, the stream and the
/// arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! __call_launcher {
    ($func:expr, $names_stream:literal, $names_default:literal, $stream:expr, $args:expr) => {{
        struct __Name;
        impl $crate::__private::LauncherName for __Name {
            const NAME: &'static $crate::__private::core::primitive::str = $crate::__private::core::stringify!($func);
        }
        $crate::__private::call_launcher::<__Name, $names_stream, $names_default, _, _>(&$func, $stream, $args)
    }};
}

/// A launch without a grid and a block that does not name its stream alone: `[names of options] function, arguments`.
#[doc(hidden)]
#[macro_export]
macro_rules! __launcher_options {
    ([] $func:expr, $args:expr) => {
        $crate::__call_launcher!($func, false, false, $crate::__private::Option::None, $args)
    };
    ([default_stream $($rest:ident)*] $func:expr, $args:expr) => {
        ::core::compile_error!(
            "`default_stream` has no other value than `true`, and excludes `stream`\n\
             help: write `default_stream = true` for a launcher that takes no stream; otherwise `stream = &stream`"
        )
    };
    ([stream $option:ident $($rest:ident)*] $func:expr, $args:expr) => {
        $crate::__launcher_options!([$option] $func, $args)
    };
    ([$option:ident $($rest:ident)*] $func:expr, $args:expr) => {
        ::core::compile_error!(::core::concat!(
            "`",
            ::core::stringify!($option),
            "` needs a grid and a block: a launcher chooses it itself\n\
             help: for a kernel, write `launch!(func, grid, block, args, ",
            ::core::stringify!($option),
            " = …)`; for a launcher, only `stream = &stream`"
        ))
    };
}

/// A launch whose options are listed, marked if no option names its stream: `[names of options] launch`.
#[doc(hidden)]
#[macro_export]
macro_rules! __launch_stream {
    ([] $launch:expr) => {
        $crate::__private::WithoutStream($launch)
    };
    ([stream $($rest:ident)*] $launch:expr) => {
        $launch
    };
    ([$option:ident $($rest:ident)*] $launch:expr) => {
        $crate::__launch_stream!([$($rest)*] $launch)
    };
}

/// Expands to a launch if each of its options exists and is given once: `[names of options] launch`.
#[doc(hidden)]
#[macro_export]
macro_rules! __launch_options {
    ([] $launch:expr) => {
        $launch
    };
    ([$option:ident $($rest:ident)*] $launch:expr) => {
        $crate::__launch_option! { $option $option
            { $crate::__launch_options!(@once $option [$($rest)*] [$($rest)*] $launch) }
            { $crate::__launch_options!(@unknown $option) }
        }
    };
    (@once $option:ident [] [$($rest:ident)*] $launch:expr) => {
        $crate::__launch_options!([$($rest)*] $launch)
    };
    (@once $option:ident [$other:ident $($left:ident)*] $rest:tt $launch:expr) => {
        $crate::__launch_option! { $option $other
            { $crate::__launch_options!(@twice $option $other) }
            { $crate::__launch_options!(@once $option [$($left)*] $rest $launch) }
        }
    };
    (@twice shared shared_mem_bytes) => { $crate::__launch_options!(@two_names) };
    (@twice shared_mem_bytes shared) => { $crate::__launch_options!(@two_names) };
    (@two_names) => {
        ::core::compile_error!("`shared` and `shared_mem_bytes` are the same option\nhelp: keep one")
    };
    (@twice $option:ident $other:ident) => {
        ::core::compile_error!(::core::concat!("the option `", ::core::stringify!($option), "` is given twice\nhelp: keep one"))
    };
    (@unknown default_stream) => {
        ::core::compile_error!(
            "`default_stream` is for a launcher, a function of the host without a grid and a block\n\
             help: remove it: without `stream = …`, a kernel is launched on the default stream"
        )
    };
    (@unknown shmem) => { $crate::__launch_options!(@shared shmem) };
    (@unknown smem) => { $crate::__launch_options!(@shared smem) };
    (@unknown shared_mem) => { $crate::__launch_options!(@shared shared_mem) };
    (@unknown shared_memory) => { $crate::__launch_options!(@shared shared_memory) };
    (@unknown shared_bytes) => { $crate::__launch_options!(@shared shared_bytes) };
    (@unknown cluster_dim) => { $crate::__launch_options!(@cluster cluster_dim) };
    (@unknown cluster_size) => { $crate::__launch_options!(@cluster cluster_size) };
    (@unknown $option:ident) => { $crate::__launch_options!(@not $option "write one of ") };
    (@shared $option:ident) => {
        $crate::__launch_options!(@not $option "write `shared`, the bytes of dynamic shared memory\nnote: the options are ")
    };
    (@cluster $option:ident) => {
        $crate::__launch_options!(@not $option "write `cluster`, the blocks of a cluster\nnote: the options are ")
    };
    (@not $option:ident $help:literal) => {
        ::core::compile_error!(::core::concat!(
            "`launch!` has no option `",
            ::core::stringify!($option),
            "`\nhelp: ",
            $help,
            $crate::__launch_option!()
        ))
    };
}

/// The compile error of a `launch!` with wrong syntax.
#[doc(hidden)]
#[macro_export]
macro_rules! __launch_usage {
    (@before $option:ident $value:expr) => {
        ::core::compile_error!(::core::concat!(
            "the option `",
            ::core::stringify!($option),
            "` is before the arguments\n\
             help: write options last: `launch!(func, grid, block, args, ",
            ::core::stringify!($option),
            " = ",
            ::core::stringify!($value),
            ")`"
        ))
    };
    // What follows the arguments.
    (@after node, $($rest:tt)+) => {
        $crate::__launch_usage!(@after $($rest)+)
    };
    (@after $option:ident = $value:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@after $($rest)+)
    };
    (@after $option:ident $(, $($rest:tt)*)?) => {
        $crate::__launch_option! { $option $option
            { $crate::__launch_usage!(@without_value $option) }
            { $crate::__launch_usage!(@value $option $(, $($rest)*)?) }
        }
    };
    (@after $option:ident = $($rest:tt)*) => {
        $crate::__launch_usage!(@other)
    };
    (@after $($rest:tt)*) => {
        $crate::__launch_usage!(@value $($rest)*)
    };
    (@value $value:literal $(, $($rest:tt)*)?) => {
        $crate::__launch_usage!(@loose (::core::stringify!($value)))
    };
    (@value &mut $value:expr $(, $($rest:tt)*)?) => {
        $crate::__launch_usage!(@loose (::core::concat!("&mut ", ::core::stringify!($value))))
    };
    (@value $value:ident $(, $option:ident = $of:expr)* $(,)?) => {
        $crate::__launch_usage!(@unless_named [$($option)*] $value)
    };
    (@value $value:expr $(, $option:ident = $of:expr)* $(,)?) => {
        $crate::__launch_usage!(@unless_named [$($option)*] $value)
    };
    (@value $value:expr, $($rest:tt)*) => {
        $crate::__launch_usage!(@loose (::core::stringify!($value)))
    };
    // A value that can be the stream, if no option names it.
    (@unless_named [] $value:tt) => {
        $crate::__launch_usage!(@without_name $value)
    };
    (@unless_named [stream $($rest:ident)*] $value:tt) => {
        $crate::__launch_usage!(@loose (::core::stringify!($value)))
    };
    (@unless_named [$option:ident $($rest:ident)*] $value:tt) => {
        $crate::__launch_usage!(@unless_named [$($rest)*] $value)
    };
    (@loose ($value:expr)) => {
        ::core::compile_error!(::core::concat!(
            "`",
            $value,
            "` is after the arguments, which are one value\n\
             help: put all arguments into a struct with `#[derive(KernelArgs)]`, one field for each parameter, or into an `ArgList`: \
             `launch!(func, grid, block, args)`; options follow by name: `stream = &stream`"
        ))
    };
    (@without_value cooperative) => { $crate::__launch_usage!(@flag cooperative) };
    (@without_value programmatic_stream_serialization) => { $crate::__launch_usage!(@flag programmatic_stream_serialization) };
    (@without_value nvlink_util_centric_scheduling) => { $crate::__launch_usage!(@flag nvlink_util_centric_scheduling) };
    (@without_value stream) => { $crate::__launch_usage!(@without_name stream) };
    (@without_value $option:ident) => {
        $crate::__launch_usage!(@no_value $option "write the value after the name: `" " = …`")
    };
    (@flag $option:ident) => { $crate::__launch_usage!(@no_value $option "write `" " = true`") };
    (@no_value $option:ident $help:literal $value:literal) => {
        ::core::compile_error!(::core::concat!(
            "the option `",
            ::core::stringify!($option),
            "` has no value\nhelp: ",
            $help,
            ::core::stringify!($option),
            $value
        ))
    };
    (@without_name $value:ident) => {
        $crate::__launch_usage!(@name (::core::stringify!($value)) ::core::concat!("&", ::core::stringify!($value)))
    };
    (@without_name $value:expr) => {
        $crate::__launch_usage!(@name (::core::stringify!($value)) ::core::stringify!($value))
    };
    (@name ($value:expr) $stream:expr) => {
        ::core::compile_error!(::core::concat!(
            "`",
            $value,
            "` is after the arguments, where options are given by name\n\
             help: if it is the stream, write `stream = ",
            $stream,
            "`; if it is an argument, put all arguments into a struct with `#[derive(KernelArgs)]`, or into an `ArgList`"
        ))
    };
    (@half $given:ident $missing:ident) => {
        ::core::compile_error!(::core::concat!(
            "`",
            ::core::stringify!($given),
            "` is named, but `",
            ::core::stringify!($missing),
            "` does not follow by name\n\
             help: name both: `launch!(func, grid = …, block = …, args)`"
        ))
    };
    (@other) => {
        ::core::compile_error!(
            "`launch!` takes a function, a grid, a block and arguments, then options by name\n\
             help: write `launch!(func, grid, block, args)`, or `launch!(func, config, args)` with a cudarc `LaunchConfig`, and \
             options last: `stream = &stream`"
        )
    };
    ($func:expr $(, $one:expr)? $(,)?) => {
        ::core::compile_error!(
            "`launch!` needs a grid, a block and arguments\n\
             help: write `launch!(func, grid, block, args)`, or `launch!(func, config, args)` with a cudarc `LaunchConfig`"
        )
    };
    ($func:expr, $option:ident = $value:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@before $option $value)
    };
    ($func:expr, $a:expr, $option:ident = $value:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@before $option $value)
    };
    ($func:expr, $a:expr, $b:expr, $option:ident = $value:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@before $option $value)
    };
    ($func:expr, $a:expr, $b:expr, $c:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@after $($rest)+)
    };
    ($($other:tt)*) => {
        $crate::__launch_usage!(@other)
    };
}

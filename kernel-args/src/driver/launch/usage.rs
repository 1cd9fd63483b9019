//! The compile errors of `launch!`: wrong syntax, and options that it does not have.

/// The call of a launch with `node`.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "graphs")]
macro_rules! __capture {
    ($($arguments:tt)*) => {
        $crate::Kernel::capture($($arguments)*)
    };
}

/// Without graphs, a launch with `node` does not compile.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "graphs"))]
macro_rules! __capture {
    ($($arguments:tt)*) => {
        $crate::__private::core::compile_error!("`node` needs the feature `graphs` of `kernel-args`")
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
        $crate::__launch_options! { @same $option $option
            { $crate::__launch_options!(@once $option [$($rest)*] [$($rest)*] $launch) }
            { $crate::__launch_options!(@unknown $option) }
        }
    };
    (@once $option:ident [] [$($rest:ident)*] $launch:expr) => {
        $crate::__launch_options!([$($rest)*] $launch)
    };
    (@once $option:ident [$other:ident $($left:ident)*] $rest:tt $launch:expr) => {
        $crate::__launch_options! { @same $option $other
            { $crate::__launch_options!(@twice $option $other) }
            { $crate::__launch_options!(@once $option [$($left)*] $rest $launch) }
        }
    };
    (@same stream stream {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same shared shared {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same shared_mem_bytes shared_mem_bytes {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same shared shared_mem_bytes {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same shared_mem_bytes shared {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same form form {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same cluster cluster {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same preferred_cluster preferred_cluster {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same cluster_scheduling_policy cluster_scheduling_policy {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same cooperative cooperative {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same priority priority {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same programmatic_stream_serialization programmatic_stream_serialization {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same programmatic_event programmatic_event {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same launch_completion_event launch_completion_event {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same memory_sync_domain memory_sync_domain {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same memory_sync_domain_map memory_sync_domain_map {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same access_policy_window access_policy_window {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same preferred_shared_memory_carveout preferred_shared_memory_carveout {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same nvlink_util_centric_scheduling nvlink_util_centric_scheduling {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same portable_cluster_size_mode portable_cluster_size_mode {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same shared_memory_mode shared_memory_mode {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same device_updatable_node device_updatable_node {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@same $option:ident $other:ident $yes:tt {$($no:tt)*}) => { $($no)* };
    (@names) => {
        "`stream`, `shared` (or `shared_mem_bytes`), `form`, `cluster`, `preferred_cluster`, `cluster_scheduling_policy`, `cooperative`, \
         `priority`, `programmatic_stream_serialization`, `programmatic_event`, `launch_completion_event`, `memory_sync_domain`, \
         `memory_sync_domain_map`, `access_policy_window`, `preferred_shared_memory_carveout`, `nvlink_util_centric_scheduling`, \
         `portable_cluster_size_mode`, `shared_memory_mode`, `device_updatable_node`"
    };
    (@twice $option:ident $other:ident) => {
        $crate::__launch_options! { @spelled $option $other
            { ::core::compile_error!("`shared` and `shared_mem_bytes` are the same option\nhelp: keep one") }
            { ::core::compile_error!(::core::concat!("the option `", ::core::stringify!($option), "` is given twice\nhelp: keep one")) }
        }
    };
    (@spelled shared shared_mem_bytes {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@spelled shared_mem_bytes shared {$($yes:tt)*} $no:tt) => { $($yes)* };
    (@spelled $option:ident $other:ident $yes:tt {$($no:tt)*}) => { $($no)* };
    (@unknown shmem) => { $crate::__launch_options!(@instead shmem shared "bytes of dynamic shared memory") };
    (@unknown smem) => { $crate::__launch_options!(@instead smem shared "bytes of dynamic shared memory") };
    (@unknown shared_mem) => { $crate::__launch_options!(@instead shared_mem shared "bytes of dynamic shared memory") };
    (@unknown shared_memory) => { $crate::__launch_options!(@instead shared_memory shared "bytes of dynamic shared memory") };
    (@unknown shared_bytes) => { $crate::__launch_options!(@instead shared_bytes shared "bytes of dynamic shared memory") };
    (@unknown cluster_dim) => { $crate::__launch_options!(@instead cluster_dim cluster "blocks of a cluster") };
    (@unknown cluster_size) => { $crate::__launch_options!(@instead cluster_size cluster "blocks of a cluster") };
    (@unknown $option:ident) => {
        ::core::compile_error!(::core::concat!(
            "`launch!` has no option `",
            ::core::stringify!($option),
            "`\nhelp: write one of ",
            $crate::__launch_options!(@names)
        ))
    };
    (@instead $option:ident $known:ident $what:literal) => {
        ::core::compile_error!(::core::concat!(
            "`launch!` has no option `",
            ::core::stringify!($option),
            "`\nhelp: write `",
            ::core::stringify!($known),
            "`, the ",
            $what,
            "\nnote: the options are ",
            $crate::__launch_options!(@names)
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
        $crate::__launch_options! { @same $option $option
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
        ::core::compile_error!(::core::concat!(
            "the option `",
            ::core::stringify!($option),
            "` has no value\nhelp: write the value after the name: `",
            ::core::stringify!($option),
            " = …`"
        ))
    };
    (@flag $option:ident) => {
        ::core::compile_error!(::core::concat!(
            "the option `",
            ::core::stringify!($option),
            "` has no value\nhelp: write `",
            ::core::stringify!($option),
            " = true`"
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

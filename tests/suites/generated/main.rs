mod modules {
    kernel_args::kernels! {
        pub mod attributes = "../ptx/attributes.ptx", generate;
        pub mod attributes_sm90 = "../ptx/attributes_sm90.ptx", generate;
        pub mod echo_counts = "../ptx/echo_counts.ptx", generate;
        pub mod echo_interop = "../ptx/echo_interop.ptx", generate;
        pub mod echo_pointers = "../ptx/echo_pointers.ptx", generate;
        pub mod echo_scalars = "../ptx/echo_scalars.ptx", generate;
        pub mod echo_structs = "../ptx/echo_structs.ptx", generate;
        pub mod echo_vectors = "../ptx/echo_vectors.ptx", generate;
        pub mod graph_update = "../ptx/graph_update.ptx", generate;
        pub mod hungry = "../ptx/hungry.ptx", generate;
        pub mod launch_cost = "../ptx/launch_cost.ptx", generate;
        pub mod nbody = "../ptx/nbody.ptx", generate;
        pub mod reduce = "../ptx/reduce.ptx", generate;
        pub mod saxpy = "../ptx/saxpy.ptx", generate;
        pub mod saxpy_typed = "../ptx/saxpy_typed.ptx", generate;
        pub mod vector_add = "../ptx/vector_add.ptx", generate;
        pub mod debug = "../kernel-args-abi/tests/data/debug.ptx", generate;
        pub mod debug_raw = "../kernel-args-abi/tests/data/debug.sm_90.cubin", generate(pointers = raw);
        pub mod kernels_cubin = "../kernel-args-abi/tests/data/kernels.sm_100.cubin", generate;
        pub mod golden = "golden/debug.ptx", generate;
    }
}
fn main() {}

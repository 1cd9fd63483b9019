//! Compiles `src/heat.cu`. On a machine without a CUDA compiler it uses the committed image in `ptx`.

fn main() -> Result<(), kernel_args_build::Error> {
    kernel_args_build::Kernels::new()
        .file("src/heat.cu")
        .constants(["BLOCK"])
        .arch("sm_75")
        .fallback("ptx")
        .generate()
        .contract("diffuse", r#"grid_covers = ("plate.width", "plate.height")"#)
        .contract("diffuse.from", r#"len = "plate.width * plate.height""#)
        .contract("diffuse.to", r#"len = "plate.width * plate.height""#)
        .build()
}

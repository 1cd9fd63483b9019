//! Converts file names to module names: `mat-mul` becomes `mat_mul`, `2d` becomes `_2d`, `fn` becomes `r#fn`.

use kernel_args_abi::keywords::{is_keyword, is_never};

pub(crate) fn module_name(file: &str) -> String {
    let mut name: String = file.chars().map(|c| if unicode_ident::is_xid_continue(c) { c } else { '_' }).collect();
    if !name.starts_with(|c| unicode_ident::is_xid_start(c) || c == '_') {
        name.insert(0, '_');
    }
    if is_never(&name) {
        name.push('_');
    } else if is_keyword(&name) {
        name.insert_str(0, "r#");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::module_name;

    #[test]
    fn the_name_of_a_file_is_a_module() {
        for (file, module) in [
            ("saxpy", "saxpy"),
            ("mat-mul v2.1", "mat_mul_v2_1"),
            ("2d", "_2d"),
            ("fn", "r#fn"),
            ("self", "self_"),
            ("_", "__"),
            ("größe", "größe"),
            ("x²", "x_"),
            ("K.sm_90", "K_sm_90"),
        ] {
            assert_eq!(module_name(file), module);
        }
    }
}

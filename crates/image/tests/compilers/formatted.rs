//! Generated texts are formatted like rustfmt's output.

use super::texts::texts;
use kernel_args_test_generator::tools::{self as tools, Tool};
use std::{env, fs};

pub(crate) const RUSTFMT: Tool = Tool::program("rustfmt");

pub(super) fn rustfmt_leaves_the_text() {
    let folder = env::temp_dir().join(format!("kernel-args-generate-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("rustfmt.toml"), "").unwrap();
    let texts = texts();
    let names: Vec<_> = (0..texts.len()).map(|i| folder.join(format!("{i}.rs"))).collect();
    for (name, text) in names.iter().zip(&texts) {
        fs::write(name, text).unwrap();
    }
    let mut problem = None;
    for edition in ["2021", "2024"] {
        let mut rustfmt = tools::command(RUSTFMT);
        rustfmt.args(["--check", "--edition", edition, "--config-path"]).arg(&folder);
        let output = rustfmt.args(&names).output().expect("it is there");
        if !output.status.success() {
            problem = Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned());
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(problem, None);
}

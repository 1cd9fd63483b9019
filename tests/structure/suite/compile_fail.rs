//! The kinds of mistakes in `tests/toolchain/suites/compile_fail/ui`.

use crate::table;

/// Not a kind of mistake: the folder contains files that the programs name.
const FILES: &str = "ptx";

/// Folders of `ui` that are missing in the README, and README rows without a folder.
pub(crate) fn folders(readme: &str, folders: &[String]) -> Vec<String> {
    let Some(rows) = table::rows(readme, &["folder", "mistake"]) else {
        return vec!["compile_fail/README.md: no table `| folder | mistake |`".to_owned()];
    };
    let explained: Vec<&str> = rows.iter().flat_map(|row| table::code(row[0])).collect();
    let missing = folders
        .iter()
        .filter(|folder| *folder != FILES && !explained.contains(&folder.as_str()))
        .map(|folder| format!("compile_fail/ui/{folder}: not in the table of compile_fail/README.md"));
    let unknown = explained
        .iter()
        .filter(|name| !folders.iter().any(|folder| folder == *name))
        .map(|name| format!("compile_fail/README.md: `{name}` is not a folder of `ui`"));
    missing.chain(unknown).collect()
}

#[test]
fn a_folder_without_a_row_and_a_row_without_a_folder_are_found() {
    let readme =
        "| folder | mistake |\n|---|---|\n| `launch`, `dangling` | calls, not `names` |\n| `gone` | nothing |\n";
    let names = ["dangling", "graph", "launch", "ptx"].map(String::from);
    assert_eq!(
        folders(readme, &names),
        [
            "compile_fail/ui/graph: not in the table of compile_fail/README.md",
            "compile_fail/README.md: `gone` is not a folder of `ui`",
        ]
    );
    assert_eq!(folders("", &names).len(), 1);
}

//! Tables of Markdown.

/// The cells of a row: `| a | b |`.
fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(line.split('|').map(str::trim).collect())
}

/// The rows of the table with this header; `None` if the text has no such table.
pub(crate) fn rows<'t>(text: &'t str, header: &[&str]) -> Option<Vec<Vec<&'t str>>> {
    let mut lines = text.lines();
    lines.find(|line| cells(line).is_some_and(|cells| cells == header))?;
    // A separator line follows the header.
    Some(lines.skip(1).map_while(cells).collect())
}

/// The texts between backticks.
pub(crate) fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_rows_of_one_table_are_found() {
    let text = "| a | b |\n|---|---|\n| no |\n\n| c | d |\n|---|---|\n| `1`, `2` | x |\n| 3 | [`y`](z) |\n\n| later | table |\n";
    let found = rows(text, &["c", "d"]).expect("the table is there");
    assert_eq!(found, [["`1`, `2`", "x"], ["3", "[`y`](z)"]]);
    assert_eq!(code(found[0][0]), ["1", "2"]);
    assert_eq!(code(found[1][1]), ["y"]);
    assert_eq!(rows(text, &["c"]), None);
}

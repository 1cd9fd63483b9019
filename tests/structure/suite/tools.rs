//! Trials that start a tool declare it: they take it from `kernel_args_test_generator::tools`, which ignores them on a
//! machine without it.

/// What is there wherever the tests run: cargo's own programs, and paths, such as `/bin/sh`.
fn is_always_there(program: &str) -> bool {
    matches!(program, "cargo" | "rustc") || program.starts_with('/')
}

/// What precedes the name of a program that is started.
const STARTS: [&str; 5] = ["Command::new(\"", ".arg(\"", ".args([\"", "[\"--\", \"", "code(&[\""];

/// The names of the tools, from their declarations: `Tool::program("gcc")`.
pub(crate) fn declared(text: &str) -> impl Iterator<Item = &str> {
    text.split("Tool::program(\"").skip(1).filter_map(|rest| rest.split('"').next())
}

/// Each program that a file of tests starts by its name: the line, the function, and the name. `tools` are the declared
/// names: other names are arguments, unless a command has them.
pub(crate) fn started(path: &str, text: &str, tools: &[&str]) -> Vec<String> {
    let (mut found, mut function) = (Vec::new(), "");
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        if let Some((_, rest)) = code.split_once("fn ").filter(|(before, _)| !before.contains(['"', '('])) {
            function = rest.split(['(', '<']).next().unwrap_or_default();
        }
        for (start, name) in STARTS.iter().flat_map(|start| code.split(start).skip(1).map(move |rest| (start, rest))) {
            let name = name.split('"').next().unwrap_or_default();
            let is_command = *start == STARTS[0];
            if (is_command || tools.contains(&name)) && !is_always_there(name) {
                found.push(format!(
                    "{path}:{number}: `{function}` starts `{name}`, and does not declare it\n\
                     help: make the trial by `kernel_args_test_generator::tools::trial`, and start the program by `command`"
                ));
            }
        }
    }
    found
}

/// The unit tests of a file, with its lines.
pub(crate) fn unit_tests(text: &str) -> String {
    let mut is_test = false;
    let line = |line: &str| {
        is_test |= line.trim() == "#[cfg(test)]";
        format!("{}\n", if is_test { line } else { "" })
    };
    text.lines().map(line).collect()
}

#[test]
fn a_tool_that_is_started_by_its_name_is_found() {
    let text = "const GXX: Tool = Tool::program(\"g++\");\nfn right() { command(GXX).arg(\"-c\") }\n\
        pub fn one() {\n    Command::new(\"g++\");\n    // Command::new(\"gcc\")\n}\n\
        fn two<T>() { Command::new(PROGRAM).args([\"--\", \"g++\", \"x\"]).arg(\"other\") }\n\
        fn base() { Command::new(\"/bin/sh\").arg(\"g++\"); Command::new(\"cargo\"); Command::new(\"readelf\") }\n";
    let tools: Vec<_> = declared(text).collect();
    assert_eq!(tools, ["g++"]);
    let found = started("a.rs", text, &tools);
    let first: Vec<_> = found.iter().map(|found| found.split(", and").next().unwrap_or_default()).collect();
    let expected = [
        "a.rs:4: `one` starts `g++`",
        "a.rs:7: `two` starts `g++`",
        "a.rs:8: `base` starts `readelf`",
        "a.rs:8: `base` starts `g++`",
    ];
    assert_eq!(first, expected);
    let file = format!("fn main() {{ Command::new(\"nvcc\") }}\n#[cfg(test)]\nmod tests {{\n{text}}}\n");
    assert_eq!(started("a.rs", &unit_tests(&file), &tools).len(), 4);
}

//! Which files of a crate write files.

/// What creates or changes a file.
const CALLS: [&str; 7] =
    ["File::create", "File::options", "OpenOptions::new", "fs::copy", "fs::hard_link", "fs::rename", "fs::write"];

/// The files with such a call, by their paths and texts. Comments and unit tests, which are at the end of a file, are
/// not read.
pub(crate) fn writers(files: &[(String, String)]) -> Vec<&str> {
    let calls = |line: &str, call| {
        let places = line.match_indices(call);
        // `NewFile::create` is another function.
        places.into_iter().any(|(at, _)| !line[..at].ends_with(char::is_alphanumeric))
    };
    let writes = |text: &str| {
        let mut code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        code.any(|line| !line.trim_start().starts_with("//") && CALLS.iter().any(|call| calls(line, call)))
    };
    files.iter().filter(|(_, text)| writes(text)).map(|(path, _)| path.as_str()).collect()
}

#[test]
fn a_file_that_writes_is_found() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let all = [
        file("write.rs", "fn f() {\n    std::fs::write(path, bytes)\n}"),
        file("create.rs", "fn f() { File::create_new(path) }"),
        file("comment.rs", "/// std::fs::write(path, bytes)\nfn f() { fs::read(path) }"),
        file("test.rs", "fn f() {}\n#[cfg(test)]\nmod tests { fn g() { fs::write(path, bytes) } }"),
        file("cache.rs", "fn f() { write_file(path, bytes); NewFile::create(path) }"),
    ];
    assert_eq!(writers(&all), ["write.rs", "create.rs"]);
}

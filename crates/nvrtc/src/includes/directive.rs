//! Finds the file names in `#include` and `__has_include` of one text.

use super::{
    lexer::{blank, directives, end, name, readings, word, words},
    unknown::Unknown,
};
use std::collections::BTreeSet;

/// Directives that include a file.
const INCLUDES: [&str; 4] = ["include", "include_next", "import", "embed"];

/// Operators that test whether a file exists.
const ASKS: [&str; 3] = ["__has_include", "__has_include_next", "__has_embed"];

/// Macros that expand to the time.
const TIMES: [&str; 3] = ["__DATE__", "__TIME__", "__TIMESTAMP__"];

/// The first characters of these macros.
const BEGINNINGS: [&str; 3] = ["__has", "__DA", "__TI"];

/// The file names and macros of all texts.
#[derive(Default)]
pub(super) struct Names {
    /// Whether the name is in quotes, and the name.
    pub(super) files: BTreeSet<(bool, String)>,
    /// Macros that pass their argument to `__has_include`, or that are aliases of it.
    pub(super) wrappers: BTreeSet<String>,
    macros: BTreeSet<String>,
    /// Words in file names that the compiler replaces if they are macros.
    replaceable: BTreeSet<String>,
    pub(super) unknown: BTreeSet<Unknown>,
}

impl Names {
    /// `wrappers` are the macros that pass their argument to `__has_include`.
    pub(super) fn add(&mut self, text: &str, wrappers: &BTreeSet<String>) {
        for text in readings(text) {
            if BEGINNINGS.iter().any(|part| text.contains(part)) {
                for (word, _) in words(&text) {
                    if TIMES.contains(&word) {
                        self.unknown.insert(Unknown::Time);
                    } else if is_beginning(word) {
                        self.computed();
                    }
                }
            }
            for start in directives(&text) {
                let at = blank(&text, start);
                self.directive(&text[at..end(&text, at)], wrappers);
            }
        }
    }

    /// Returns whether a macro changes a name: in `<a/b.h>`, `a` can be a macro.
    pub(super) fn is_replaced(&self) -> bool {
        !self.replaceable.is_disjoint(&self.macros)
    }

    fn directive(&mut self, line: &str, wrappers: &BTreeSet<String>) {
        let kind = word(line, 0);
        let rest = &line[blank(line, kind.len())..];
        match kind {
            "if" | "elif" => self.asked(rest, wrappers, None),
            "define" => {
                let own = word(rest, 0);
                self.macros.insert(own.to_owned());
                let (parameters, text) = parameters(&rest[own.len()..]);
                self.asked(text, wrappers, Some((own, &parameters)));
            }
            // Microsoft's preprocessor has this directive.
            "pragma" if word(rest, 0) == "include_alias" => self.computed(),
            // A directive without a name does not compile.
            _ if INCLUDES.contains(&kind) && !rest.is_empty() => match name(rest) {
                Some((is_quoted, name)) => {
                    self.files.insert((is_quoted, name.to_owned()));
                }
                None => self.computed(),
            },
            _ => {}
        }
    }

    /// In a condition, or in the definition of a macro with parameters.
    fn asked(&mut self, text: &str, wrappers: &BTreeSet<String>, definition: Option<(&str, &[&str])>) {
        let mut operators = ASKS.into_iter().chain(wrappers.iter().map(String::as_str));
        if !operators.any(|operator| text.contains(operator)) {
            return;
        }
        let mut is_defined = false;
        for (operator, after) in words(text) {
            // `defined(__has_include)`
            let is_name = std::mem::replace(&mut is_defined, operator == "defined");
            let is_wrapper = wrappers.contains(operator);
            if is_name || !(is_wrapper || ASKS.contains(&operator)) {
                continue;
            }
            let behind = &text[blank(text, after)..];
            let argument = behind.strip_prefix('(').unwrap_or_default();
            let argument = &argument[blank(argument, 0)..];
            let word = word(argument, 0);
            let is_word = argument[blank(argument, word.len())..].starts_with(')');
            match (name(argument), definition) {
                (Some((is_quoted, name)), _) => {
                    self.files.insert((is_quoted, name.to_owned()));
                    // In other directives the name is not yet an operand of the operator, and its words can be macros.
                    if !is_quoted && (is_wrapper || definition.is_some()) {
                        let words = words(name).map(|(word, _)| word.to_owned());
                        self.replaceable.extend(words);
                    }
                }
                // `#define HAS(x) __has_include(x)`, `#define HAS __has_include`
                (None, Some((own, parameters)))
                    if (is_word && parameters == [word]) || (parameters.is_empty() && text.trim() == operator) =>
                {
                    self.wrappers.insert(own.to_owned());
                }
                (None, _) => self.computed(),
            }
        }
        // Treats each parameter as a macro.
        if let Some((_, parameters)) = definition
            && parameters.iter().any(|parameter| self.replaceable.contains(*parameter))
        {
            self.computed();
        }
    }

    fn computed(&mut self) {
        self.unknown.insert(Unknown::Computed);
    }
}

/// `##` can append the rest of an operator or macro listed above.
fn is_beginning(word: &str) -> bool {
    let mut all = ASKS.iter().chain(&TIMES);
    let is_part = |whole: &&str| whole.len() > word.len() && whole.starts_with(word);
    BEGINNINGS.iter().any(|part| word.starts_with(part)) && !ASKS.contains(&word) && all.any(is_part)
}

/// Returns the parameters after the name of a macro, and its replacement text.
fn parameters(text: &str) -> (Vec<&str>, &str) {
    let Some((list, text)) = text.strip_prefix('(').and_then(|list| list.split_once(')')) else {
        return (Vec::new(), text);
    };
    let mut parameters: Vec<_> = words(list).map(|(word, _)| word).collect();
    if list.contains("...") {
        parameters.push("__VA_ARGS__");
    }
    // A function-like macro without parameters: `#define HAS() __has_include`
    if parameters.is_empty() {
        parameters.push("");
    }
    (parameters, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Names {
        with(text, &[])
    }

    fn with(text: &str, wrappers: &[&str]) -> Names {
        let wrappers = wrappers.iter().map(|&wrapper| wrapper.to_owned());
        let mut named = Names::default();
        named.add(text, &wrappers.collect());
        named
    }

    fn is_computed(text: &str) -> bool {
        named(text).unknown.contains(&Unknown::Computed)
    }

    #[test]
    fn every_way_to_name_a_file_is_seen() {
        for (text, expected) in [
            ("#include \"a.h\"\n#include <b/c.h>", &["\"a.h", "<b/c.h"][..]),
            ("  # \t include/* x */\"a b.h\" // no", &["\"a b.h"]),
            ("/* x */ /* y */ #include \"a.h\"", &["\"a.h"]),
            ("end of a comment */ #include \"a.h\"", &["\"a.h"]),
            ("x /* the end */ #include \"a.h\"", &["\"a.h"]),
            ("#/*\n*/include/*\n*/<a.h>", &["<a.h"]),
            ("\x0b#\x0cinclude\x0b\r<a.h>", &["<a.h"]),
            ("%:include <a.h>\n??=include <b.h>", &["<a.h", "<b.h"]),
            ("#inc\\\nlude \"a\\\r\n.h\"", &["\"a.h"]),
            ("#inc\\ \t\nlude <a.h>\n#inc??/\nlude <b.h>", &["<a.h", "<b.h"]),
            ("\u{feff}#include <a.h>", &["<a.h"]),
            ("#if 0\n#include \"a.h\"\n#endif", &["\"a.h"]),
            ("#include_next <a.h>\n#import <b.h>\n#embed <c>", &["<a.h", "<b.h", "<c"]),
            ("#include <a//b.h>", &["<a//b.h"]),
            ("const char* s = R\"(/*)\";\n#include <a.h>", &["<a.h"]),
            ("#if __has_include(<a.h>) && __has_include( \"b.h\" )", &["\"b.h", "<a.h"]),
            ("#if 0\n#elif __has_include /* x */ ( /* y */ <a.h>)", &["<a.h"]),
            ("#define HAS_A (__has_include_next(<a.h>))", &["<a.h"]),
            ("#ifdef __has_include\n#if defined(__has_include)", &[]),
            ("// #include \"a.h\"", &[]),
            ("#define X include \"a.h\"", &[]),
            ("include the file; an #includes", &[]),
            ("int include = 3; f(\"text\");", &[]),
            ("#include", &[]),
        ] {
            let found = named(text);
            let spelled = |(is_quoted, name): &(bool, String)| {
                let open = if *is_quoted { '"' } else { '<' };
                format!("{open}{name}")
            };
            let mut names: Vec<_> = found.files.iter().map(spelled).collect();
            names.sort();
            assert_eq!(names, expected, "{text:?}");
            assert_eq!(found.unknown, [].into(), "{text:?}");
        }
    }

    #[test]
    fn a_name_that_is_computed_is_reported() {
        for text in [
            "#include HEADER",
            "# include /* x */ HEADER(a)",
            "/**/include X\n/**/#include X",
            "#\x0binclude X",
            "??=include X",
            "#include \"unfinished",
            "#if __has_include(HEADER)",
            "#if __has_include(HEADER(a.h))",
            "#if __has_include /* x */ (\nX",
            "#if ASK(__has_include)",
            "#define ASK(a) __has_include(HEADER)",
            "#define ASK(a, b) __has_include(b)",
            "#define ASK(a) __has_include(<a>)",
            "#define ASK() __has_include",
            "#define ASK __has_include OPEN",
            "#if JOIN(__has_, include)(<a.h>)",
            "#if JOIN(__has, _include)(<a.h>)",
            "#pragma include_alias(<a.h>, <b.h>)",
        ] {
            assert!(is_computed(text), "{text:?}");
        }
        for word in ["include", "__", "has", "__half", "__DATA", "__TIMER__"] {
            assert!(!is_computed(word), "{word}");
        }
    }

    #[test]
    fn macros_that_pass_their_argument_on_are_followed() {
        for text in [
            "#define HAS(x) __has_include(x)",
            "#define HAS( x ) (0 || __has_include( x ))",
            "#define HAS(...) __has_include(__VA_ARGS__)",
            "#define HAS __has_include",
        ] {
            let found = named(text);
            assert_eq!(found.wrappers, ["HAS".to_owned()].into(), "{text}");
            assert_eq!(found.unknown, [].into(), "{text}");
        }
        let with = |text: &str| with(text, &["HAS"]);
        let used = with("#if defined(HAS) && HAS(<a.h>)\n#elif HAS(\"b.h\")");
        assert_eq!(used.files.len(), 2);
        assert_eq!(used.unknown, [].into());
        assert_eq!(with("#define ALSO(x) HAS(x)").wrappers, ["ALSO".to_owned()].into());
        for text in ["#if HAS(X)", "#if F(HAS)", "#define F(x) HAS(#x)"] {
            assert_eq!(with(text).unknown, [Unknown::Computed].into(), "{text}");
        }
        assert!(with("#define b 1\n#if HAS(<a/b.h>)").is_replaced());
        assert!(with("#define b 1\n#define HAS_B __has_include(<b.h>)").is_replaced());
        assert!(!with("#define b 1\n#if HAS(\"a/b.h\")").is_replaced());
        assert!(!with("#define c 1\n#if __has_include(<c.h>)").is_replaced());
    }

    #[test]
    fn the_time_is_reported() {
        for text in ["char d[] = __DATE__;", "__TIME__", "#define T __TIMESTAMP__"] {
            assert_eq!(named(text).unknown, [Unknown::Time].into(), "{text}");
        }
        assert_eq!(named("int MY__DATE__ = 0;").unknown, [].into());
        assert!(is_computed("JOIN(__TIM, E__)"));
    }
}

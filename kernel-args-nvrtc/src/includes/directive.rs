//! The files that one text names, in `#include` and in `__has_include`.

use super::{
    lexer::{self, Name, blank, directives, end, name, readings, word, words},
    unknown::Unknown,
};
use std::collections::BTreeSet;

/// Directives that include a file.
const INCLUDES: [&str; 4] = ["include", "include_next", "import", "embed"];

/// Operators that ask whether a file exists.
const ASKS: [&str; 3] = ["__has_include", "__has_include_next", "__has_embed"];

/// Macros whose value is the time.
const TIMES: [&str; 3] = ["__DATE__", "__TIME__", "__TIMESTAMP__"];

/// The first characters of them.
const BEGINNINGS: [&str; 3] = ["__has", "__DA", "__TI"];

/// What a text names.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Named {
    /// Whether it is in quotes, and the name.
    pub(super) names: BTreeSet<(bool, String)>,
    /// Macros that pass their argument to `__has_include`, or that are another name of it.
    pub(super) wrappers: BTreeSet<String>,
    /// Macros that are defined.
    macros: BTreeSet<String>,
    /// Words of names that the compiler replaces if they are macros.
    replaceable: BTreeSet<String>,
    pub(super) unknown: BTreeSet<Unknown>,
}

impl Named {
    /// Adds what a text names, if `wrappers` are macros that pass their argument to `__has_include`.
    pub(super) fn add(&mut self, text: &str, wrappers: &BTreeSet<String>) {
        for reading in readings(text) {
            let text = Text {
                text: &reading,
                wrappers,
            };
            if BEGINNINGS.iter().any(|part| reading.contains(part)) {
                text.words(self);
            }
            for start in directives(&reading) {
                text.directive(blank(&reading, start), self);
            }
        }
    }

    /// Whether a macro changes a name: `<a/b.h>` where `a` is one.
    pub(super) fn is_replaced(&self) -> bool {
        !self.replaceable.is_disjoint(&self.macros)
    }

    fn name(&mut self, name: Name<'_>) {
        self.names.insert((name.is_quoted, name.text.to_owned()));
    }

    /// A name behind a macro's parenthesis or in a macro: its words may be macros themselves.
    fn replaceable_name(&mut self, name: Name<'_>) {
        self.name(name);
        if !name.is_quoted {
            let words = words(name.text).map(|(word, _)| word.to_owned());
            self.replaceable.extend(words);
        }
    }

    fn computed(&mut self) {
        self.unknown.insert(Unknown::Computed);
    }
}

/// Whether a word is the beginning of an operator or macro above, to which `##` can join the rest.
fn is_beginning(word: &str) -> bool {
    let mut all = ASKS.iter().chain(&TIMES);
    let is_part = |whole: &&str| whole.len() > word.len() && whole.starts_with(word);
    BEGINNINGS.iter().any(|part| word.starts_with(part))
        && !ASKS.contains(&word)
        && all.any(is_part)
}

/// A text with its lines joined.
struct Text<'t> {
    text: &'t str,
    wrappers: &'t BTreeSet<String>,
}

impl<'t> Text<'t> {
    /// What counts anywhere in the text.
    fn words(&self, named: &mut Named) {
        for (word, _) in words(self.text) {
            if TIMES.contains(&word) {
                named.unknown.insert(Unknown::Time);
            } else if is_beginning(word) {
                named.computed();
            }
        }
    }

    /// The directive whose name is at `at`.
    fn directive(&self, at: usize, named: &mut Named) {
        let directive = word(self.text, at);
        let at = at + directive.len();
        match directive {
            "define" => self.define(blank(self.text, at), named),
            "if" | "elif" => {
                for asked in self.asked(at) {
                    match asked.argument {
                        Argument::Name(name) if asked.is_operator => named.name(name),
                        Argument::Name(name) => named.replaceable_name(name),
                        Argument::Word(_) | Argument::Other => named.computed(),
                    }
                }
            }
            // Of Microsoft's preprocessor.
            "pragma" if word(self.text, blank(self.text, at)) == "include_alias" => {
                named.computed();
            }
            _ if INCLUDES.contains(&directive) => {
                let at = blank(self.text, at);
                match name(self.text, at) {
                    Some(name) => named.name(name),
                    None if at < end(self.text, at) => named.computed(),
                    // Without a name it does not compile.
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// The definition of the macro at `at`.
    fn define(&self, at: usize, named: &mut Named) {
        let own = word(self.text, at);
        named.macros.insert(own.to_owned());
        let (parameters, at) = self.parameters(at + own.len());
        for asked in self.asked(at) {
            match asked.argument {
                Argument::Name(name) => {
                    let mut inside = words(name.text).map(|(word, _)| word);
                    if !name.is_quoted && inside.any(|word| parameters.contains(&word)) {
                        named.computed();
                    }
                    named.replaceable_name(name);
                }
                // `#define HAS(x) __has_include(x)`
                Argument::Word(argument) if parameters == [argument] => {
                    named.wrappers.insert(own.to_owned());
                }
                // `#define HAS __has_include`
                Argument::Other if parameters.is_empty() && asked.is_alone => {
                    named.wrappers.insert(own.to_owned());
                }
                Argument::Word(_) | Argument::Other => named.computed(),
            }
        }
    }

    /// The parameters of a macro whose name ends at `at`, and where its text begins.
    fn parameters(&self, at: usize) -> (Vec<&'t str>, usize) {
        let Some(list) = self.text[at..].strip_prefix('(') else {
            return (Vec::new(), at);
        };
        let list = &list[..list.find([')', '\n']).unwrap_or(list.len())];
        let mut parameters: Vec<_> = words(list).map(|(word, _)| word).collect();
        if list.contains("...") {
            parameters.push("__VA_ARGS__");
        }
        (parameters, at + 1 + list.len())
    }

    /// The operators, and the macros that pass their argument to one, from `start` to the end of the directive.
    fn asked(&self, start: usize) -> impl Iterator<Item = Asked<'t>> {
        let whole = &self.text[start..end(self.text, start)];
        let mut operators = ASKS
            .into_iter()
            .chain(self.wrappers.iter().map(String::as_str));
        let whole = if operators.any(|operator| whole.contains(operator)) {
            whole
        } else {
            ""
        };
        let mut is_defined = false;
        words(whole).filter_map(move |(word, after)| {
            // `defined(__has_include)`
            let is_name = std::mem::replace(&mut is_defined, word == "defined");
            let is_operator = ASKS.contains(&word);
            if is_name || !(is_operator || self.wrappers.contains(word)) {
                return None;
            }
            Some(Asked {
                is_operator,
                is_alone: whole.trim() == word,
                argument: argument(whole, after),
            })
        })
    }
}

/// A use of `__has_include`.
struct Asked<'t> {
    /// It is not a macro that passes its argument to one.
    is_operator: bool,
    /// Nothing else is in the directive.
    is_alone: bool,
    argument: Argument<'t>,
}

/// What is in the parentheses of `__has_include`.
enum Argument<'t> {
    Name(Name<'t>),
    /// One word.
    Word(&'t str),
    /// Something else; or there are no parentheses.
    Other,
}

/// The argument of the operator that ends at `at`.
fn argument(text: &str, at: usize) -> Argument<'_> {
    let open = blank(text, at);
    if !text[open..].starts_with('(') {
        return Argument::Other;
    }
    let at = blank(text, open + 1);
    if let Some(name) = lexer::name(text, at) {
        return Argument::Name(name);
    }
    let word = word(text, at);
    let close = blank(text, at + word.len());
    if !word.is_empty() && text[close..].starts_with(')') {
        Argument::Word(word)
    } else {
        Argument::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Named {
        with(text, &[])
    }

    fn with(text: &str, wrappers: &[&str]) -> Named {
        let wrappers = wrappers.iter().map(|&wrapper| wrapper.to_owned());
        let mut named = Named::default();
        named.add(text, &wrappers.collect());
        named
    }

    fn is_computed(text: &str) -> bool {
        named(text).unknown.contains(&Unknown::Computed)
    }

    #[test]
    fn every_way_to_name_a_file_is_seen() {
        for (text, expected) in [
            (
                "#include \"a.h\"\n#include <b/c.h>",
                &["\"a.h", "<b/c.h"][..],
            ),
            ("  # \t include/* x */\"a b.h\" // no", &["\"a b.h"]),
            ("/* x */ /* y */ #include \"a.h\"", &["\"a.h"]),
            ("end of a comment */ #include \"a.h\"", &["\"a.h"]),
            ("x /* the end */ #include \"a.h\"", &["\"a.h"]),
            ("#/*\n*/include/*\n*/<a.h>", &["<a.h"]),
            ("\x0b#\x0cinclude\x0b\r<a.h>", &["<a.h"]),
            ("%:include <a.h>\n??=include <b.h>", &["<a.h", "<b.h"]),
            ("#inc\\\nlude \"a\\\r\n.h\"", &["\"a.h"]),
            (
                "#inc\\ \t\nlude <a.h>\n#inc??/\nlude <b.h>",
                &["<a.h", "<b.h"],
            ),
            ("\u{feff}#include <a.h>", &["<a.h"]),
            ("#if 0\n#include \"a.h\"\n#endif", &["\"a.h"]),
            (
                "#include_next <a.h>\n#import <b.h>\n#embed <c>",
                &["<a.h", "<b.h", "<c"],
            ),
            ("#include <a//b.h>", &["<a//b.h"]),
            ("const char* s = R\"(/*)\";\n#include <a.h>", &["<a.h"]),
            (
                "#if __has_include(<a.h>) && __has_include( \"b.h\" )",
                &["\"b.h", "<a.h"],
            ),
            (
                "#if 0\n#elif __has_include /* x */ ( /* y */ <a.h>)",
                &["<a.h"],
            ),
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
            let mut names: Vec<_> = found.names.iter().map(spelled).collect();
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
        assert_eq!(used.names.len(), 2);
        assert_eq!(used.unknown, [].into());
        assert_eq!(
            with("#define ALSO(x) HAS(x)").wrappers,
            ["ALSO".to_owned()].into()
        );
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
        for text in [
            "char d[] = __DATE__;",
            "__TIME__",
            "#define T __TIMESTAMP__",
        ] {
            assert_eq!(named(text).unknown, [Unknown::Time].into(), "{text}");
        }
        assert_eq!(named("int MY__DATE__ = 0;").unknown, [].into());
        assert!(is_computed("JOIN(__TIM, E__)"));
    }
}

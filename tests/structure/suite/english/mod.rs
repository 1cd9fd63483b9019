//! Phrases that a reader must decode, and what to write instead, in comments and documents.

mod text;

pub(crate) use text::is_text;

/// A phrase and its replacement. `a|b` are alternatives for a word; `$` at the end requires the end of a clause.
const RULES: &[(&str, &str)] = &[
    ("tell|tells|told|telling", "reports, contains, specifies"),
    ("stands|stand|standing", "is; for a reference: see"),
    ("that|those of", "the noun again"),
    ("one of which", "a new sentence"),
    ("beside|besides", "next to, with, in addition to"),
    ("is|are|was|be none", "does not exist, has no"),
    ("there is|are not", "does not exist, has no"),
    ("of cuda's|cudarc's|nvidia's|rustc's|cargo's", "the noun, or the name as an adjective"),
    ("in the place of", "instead of"),
    ("in its|their|whose place", "instead, replaced by"),
    ("others|another's", "name the thing"),
    ("another|other one", "name the thing"),
    ("the other$", "name the thing"),
    ("be it|they", "even if"),
    ("save for|that|where", "except"),
    ("likewise|thereof|therein|whereof|wherein", "also, the same, its"),
    ("comes|come|came to", "results in"),
    ("goes|go|went for", "applies to"),
    ("is|are|be|been let go", "is released"),
    ("lets|let go", "releases"),
    ("no receiver", "cannot be reported"),
    ("says|say|said so|which|nothing", "reports it"),
    ("so that", "so, to, or a new sentence"),
    ("of one that|which", "For a …: …"),
];

/// Legitimate phrases that contain one of the above.
const ALLOWED: &[&str] = &["stands|stand for", "there is|are not enough|a|an|yet"];

/// A word of a comment or document.
struct Word {
    line: usize,
    text: String,
    ends_clause: bool,
}

/// The alternatives for each word of a phrase, and whether it must end a clause.
struct Phrase(Vec<Vec<&'static str>>, bool);

impl Phrase {
    fn parse(phrase: &'static str) -> Self {
        let words = phrase.trim_end_matches('$').split(' ');
        let words = words.map(|word| word.split('|').collect()).collect();
        Self(words, phrase.ends_with('$'))
    }

    /// Whether `words` begin with the phrase.
    fn begins(&self, words: &[Word]) -> bool {
        let Self(phrase, at_end) = self;
        let mut pairs = phrase.iter().zip(words);
        pairs.all(|(choices, word)| choices.contains(&&*word.text))
            && words.len() >= phrase.len()
            && words[..phrase.len() - 1].iter().all(|word| !word.ends_clause)
            && (!at_end || words[phrase.len() - 1].ends_clause)
    }
}

/// The word list, ready for use.
pub(crate) struct List {
    rules: Vec<(Phrase, &'static str)>,
    allowed: Vec<Phrase>,
}

impl List {
    pub(crate) fn new() -> Self {
        let rules = RULES.iter().map(|(phrase, instead)| (Phrase::parse(phrase), *instead));
        let allowed = ALLOWED.iter().map(|phrase| Phrase::parse(phrase));
        Self { rules: rules.collect(), allowed: allowed.collect() }
    }

    /// One line for each phrase of the list in a file.
    pub(crate) fn phrases(&self, file: &str, content: &str) -> Vec<String> {
        let mut found = Vec::new();
        let words = text::words(file, content);
        for (at, word) in words.iter().enumerate() {
            let rest = &words[at..];
            let rules = self.rules.iter().filter(|(phrase, _)| phrase.begins(rest));
            for (phrase, instead) in rules {
                if !self.allowed.iter().any(|phrase| phrase.begins(rest)) {
                    let used: Vec<&str> = rest.iter().map(|word| &*word.text).take(phrase.0.len()).collect();
                    found.push(format!("{file}:{}: \"{}\"; write: {instead}", word.line, used.join(" ")));
                }
            }
        }
        found
    }
}

#[test]
fn each_rule_finds_its_phrase() {
    for (phrase, instead) in RULES {
        let alternatives = phrase.split(' ').map(|word| word.split('|').count()).max();
        for index in 0..alternatives.expect("a word") {
            let words = phrase.trim_end_matches('$').split(' ');
            let words: Vec<&str> = words.map(|word| word.split('|').cycle().nth(index).expect("a word")).collect();
            let (first, rest) = words.split_first().expect("a word");
            let sample = format!("fn f() {{}}\n// A text {first}\n// {}. More.", rest.join(" "));
            let expected = format!("a.rs:2: \"{}\"; write: {instead}", words.join(" "));
            assert!(List::new().phrases("a.rs", &sample).contains(&expected), "{sample}: {expected}");
        }
    }
}

#[test]
fn legitimate_uses_are_not_found() {
    for sample in [
        "// `X` stands for a type; there is not enough memory; a stand-in; the other file; so, that is it",
        "// `so that` and `a\n// besides`",
        "let so = \"// so that\"; // fine\nlet url = \"https://told\";",
        "/// ```\n/// let told = 1; // told\n/// ```",
        "// The end: so\nlet a = 1;\n// that is",
    ] {
        assert_eq!(List::new().phrases("a.rs", sample), [""; 0], "{sample}");
    }
    assert_eq!(List::new().phrases("a.json", "# told"), [""; 0]);
}

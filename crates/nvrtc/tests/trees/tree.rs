//! Random trees of headers in a temporary folder.

use fastrand::Rng;
use kernel_args_nvrtc::option::definition;
use std::{
    collections::BTreeMap,
    env, fmt, fs,
    path::{Path, PathBuf},
    process,
};

/// C++14 and earlier have trigraphs.
pub(crate) const STANDARDS: [&str; 2] = ["c++14", "c++17"];

/// No option names the folder `lib`.
const FOLDERS: [&str; 7] = ["src", "src/sub", "inc1", "inc1/sub", "inc2", "inc2/sub", "lib"];
/// A header includes only headers after it, so every tree is finite.
const NAMES: [&str; 5] = ["a.h", "b.h", "c.h", "d.h", "e.h"];
const SOURCE: &str = "src/k.cu";
const TEXT: &str = "src/sub/text.h";

/// The forms of directives that a compiler supports.
#[derive(Clone, Copy)]
pub(crate) struct Forms {
    /// Headers that are passed as texts.
    pub(crate) texts: bool,
    /// Lines that are split by a backslash before white space.
    pub(crate) blanks: bool,
}

pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) files: BTreeMap<String, String>,
    /// Headers that are passed as texts: names and texts.
    pub(crate) texts: Vec<(String, String)>,
    /// Macros in the options: `N=4`.
    pub(crate) defines: Vec<String>,
    /// Writes the macros as directives.
    pub(crate) directives: String,
    /// An index into [`STANDARDS`].
    pub(crate) standard: usize,
    pub(crate) source_name: String,
    forms: Forms,
    /// Whether macros expand to file names.
    is_computed: bool,
    rng: Rng,
    next: u32,
}

/// A file and its previous text.
#[derive(Clone)]
pub(crate) struct Change(String, Option<String>);

/// The folder for all trees.
pub(crate) fn home() -> PathBuf {
    env::temp_dir().join(format!("kernel-args-nvrtc-trees-{}", process::id()))
}

impl Tree {
    pub(crate) fn new(name: &str, seed: u64, forms: Forms) -> Self {
        let root = home().join(format!("{name}-{seed}"));
        let mut rng = Rng::with_seed(seed);
        let mut tree = Self {
            source_name: root.join(SOURCE).display().to_string(),
            files: BTreeMap::new(),
            texts: Vec::new(),
            defines: Vec::new(),
            directives: String::new(),
            standard: rng.usize(..STANDARDS.len()),
            forms,
            is_computed: rng.u8(..4) == 0,
            next: 0,
            root,
            rng,
        };
        if tree.rng.bool() {
            tree.defines.push("HAS_OPTION(x)=__has_include(x)".into());
        }
        if tree.is_computed {
            tree.defines.push("NAME_OPTION=<e.h>".into());
        }
        tree.directives = tree.defines.iter().map(|define| definition(define)).collect();
        if forms.texts {
            let text = tree.text(Some(1));
            tree.texts.push((tree.path(TEXT), text));
        }
        for folder in FOLDERS {
            for (level, name) in NAMES.iter().enumerate() {
                // These folders contain every name.
                if folder.starts_with("inc2") || folder == "lib" || tree.rng.u8(..4) == 0 {
                    let text = tree.text(Some(level));
                    tree.write(&format!("{folder}/{name}"), Some(text));
                }
            }
        }
        let source: String = (0..3).map(|_| tree.text(None)).collect();
        tree.write(SOURCE, Some(source));
        tree
    }

    pub(crate) fn path(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    pub(crate) fn source(&self) -> &str {
        &self.files[SOURCE]
    }

    fn write(&mut self, path: &str, text: Option<String>) -> Option<String> {
        let place = self.root.join(path);
        if let Some(text) = text {
            fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
            fs::write(place, &text).expect("a file");
            self.files.insert(path.into(), text)
        } else {
            let _ = fs::remove_file(place);
            self.files.remove(path)
        }
    }

    /// Changes, removes or adds a header.
    pub(crate) fn change(&mut self) -> Change {
        let level = self.rng.usize(..NAMES.len());
        let path = format!("{}/{}", FOLDERS[self.rng.usize(..FOLDERS.len())], NAMES[level]);
        let text = match self.rng.u8(..4) {
            0 => None,
            1 => Some(self.text(Some(level))),
            _ => {
                let mark = self.mark();
                Some(self.files.get(&path).cloned().unwrap_or_default() + &mark)
            }
        };
        let before = self.write(&path, text);
        Change(path, before)
    }

    /// The file that was changed.
    pub(crate) fn undo(&mut self, Change(path, before): Change) -> String {
        self.write(&path, before);
        path
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Text that appears in the compiler's output, once even if it is included several times.
    fn mark(&mut self) -> String {
        let n = self.number();
        format!("#ifndef MARK_{n}\n#define MARK_{n}\nextern \"C\" __device__ int mark_{n} = 1;\n#endif\n")
    }

    /// The text of the header at this index of [`NAMES`].
    fn text(&mut self, level: Option<usize>) -> String {
        let mut text = self.mark();
        for _ in 0..self.rng.usize(1..4) {
            text += &self.piece(level);
        }
        text
    }

    /// A header name that may be included, in quotes or brackets.
    fn name(&mut self, level: Option<usize>) -> Option<String> {
        let first = level.map_or(0, |level| level + 1);
        let name = NAMES.get(first..)?;
        let name = name.get(self.rng.usize(..name.len().max(1)))?;
        let name = match self.rng.u8(..8) {
            0 => format!("sub/{name}"),
            1 => format!("../inc2/{name}"),
            2 => format!("sub/../{name}"),
            3 => self.path(&format!("inc2/{name}")),
            4 => format!("../lib/{name}"),
            5 => self.path(&format!("lib/{name}")),
            _ => (*name).to_owned(),
        };
        Some(if self.rng.bool() { format!("\"{name}\"") } else { format!("<{name}>") })
    }

    fn piece(&mut self, level: Option<usize>) -> String {
        let own = level.map(|level| NAMES[level]);
        let Some(name) = self.name(level) else {
            return self.mark();
        };
        let n = self.number();
        let asked = |condition: &str, yes: &str, no: &str| format!("{condition}\n{yes}#else\n{no}#endif\n");
        let (yes, no) = (self.mark(), self.mark());
        match self.rng.u8(..if self.is_computed { 26 } else { 20 }) {
            0..=5 => self.include(&name),
            6 => format!("#if 0\n#include {name}\n#endif\n"),
            7 => format!("#ifdef DEFINED\n#include {name}\n#else\n#define DEFINED\n#endif\n"),
            8 => match own {
                Some(own) => {
                    format!("#ifndef NEXT_{n}\n#define NEXT_{n}\n#include_next <{own}>\n#endif\n")
                }
                None => self.text_header(),
            },
            9 | 10 => asked(&format!("#if __has_include({name})"), &yes, &no),
            11 => asked(
                &format!("#if 0\n#elif defined(__has_include) && __has_include( /* */ {name})"),
                &format!("#include {name}\n{yes}"),
                &no,
            ),
            12 => asked(&format!("#define HAS_{n} __has_include({name})\n#if HAS_{n}"), &yes, &no),
            13 => "#ifndef HAS\n#define HAS(x) __has_include(x)\n#endif\n".into(),
            14 => "#ifndef ALSO\n#define ALSO( x ) (HAS(x) || 0)\n#endif\n".into(),
            15 => asked(&format!("#ifdef HAS\n#if HAS({name})"), &yes, &no) + "#endif\n",
            16 => asked(&format!("#if defined(HAS) && defined(ALSO)\n#if ALSO({name})"), &yes, &no) + "#endif\n",
            17 => asked(&format!("#define ASK_{n} __has_include\n#if ASK_{n}({name})"), &yes, &no),
            18 => asked(&format!("#ifdef HAS_OPTION\n#if HAS_OPTION({name})"), &yes, &no) + "#endif\n",
            19 => format!("// #include <never.h>\n/* #include MACRO_{n}\n*/\n"),
            20 => asked(&format!("#define NAME_{n} {name}\n#if __has_include(NAME_{n})"), &yes, &no),
            21 => asked(&format!("#define NAME_{n}(x) <x>\n#if __has_include(NAME_{n}(sub/e.h))"), &yes, &no),
            22 => asked(
                &format!(
                    "#define JOIN_{n}(a, b) a##b\n#define NAME_{n} {name}\n#if JOIN_{n}(__has_, include)(NAME_{n})"
                ),
                &yes,
                &no,
            ),
            23 => format!("#define NAME_{n} {name}\n#\x0binclude NAME_{n}\n"),
            24 if own != Some("e.h") => "#include NAME_OPTION\n".into(),
            // Part of the name is a macro.
            _ => asked("#define e c\n#ifdef HAS\n#if HAS(<e.h>)", &yes, &no) + "#endif\n#undef e\n",
        }
    }

    fn text_header(&mut self) -> String {
        if self.forms.texts { format!("#include \"{}\"\n", self.path(TEXT)) } else { self.mark() }
    }

    /// A random way to write a directive.
    fn include(&mut self, name: &str) -> String {
        let old = STANDARDS[self.standard] == "c++14";
        match self.rng.u8(..12) {
            0 => format!(" #\x0binclude\x0c{name}\n"),
            1 => format!("/* x */ # /* y */ include /* z\n */ {name} // end\n"),
            2 => format!("#inc\\\nlude \\\r\n {name}\n"),
            3 => format!("%:include {name}\n"),
            4 => format!("/* x\n /* y */ #include {name}\n"),
            5 if old => format!("??=include {name}\n"),
            6 if old => format!("#inc??/\nlude {name}\n"),
            7 if self.forms.blanks => format!("#inc\\ \t\nlude {name}\n"),
            8 => format!("#/*\n*/include/**/{name}\n"),
            _ => format!("#include {name}\n"),
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.root));
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {:?}", STANDARDS[self.standard], self.defines)?;
        let texts = self.texts.iter().map(|(name, text)| (name, text));
        for (name, text) in self.files.iter().chain(texts) {
            writeln!(f, "--- {name}\n{text}")?;
        }
        Ok(())
    }
}

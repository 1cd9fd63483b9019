//! Reasons why the search cannot know all files.

/// Why the set of included files is incomplete.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Unknown {
    /// `#include NAME`, `__has_include(NAME)`.
    Computed,
    /// `__DATE__`, `__TIME__` or `__TIMESTAMP__`: the files are known, but the compiled code also depends on the time.
    Time,
    /// The search exceeds its limit of files or bytes.
    Large,
    /// A file exists, but cannot be read.
    Unreadable,
}

impl Unknown {
    /// Returns the reason as a sentence.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Computed => "a macro expands to the name of an included file",
            Self::Time => "the source uses the time of compilation",
            Self::Large => "the source includes too many files",
            Self::Unreadable => "a file that the source may include cannot be read",
        }
    }
}

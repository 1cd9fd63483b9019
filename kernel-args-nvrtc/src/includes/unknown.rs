//! What the search cannot know.

/// What makes the files of a source unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Unknown {
    /// `#include NAME`, `__has_include(NAME)`.
    Computed,
    /// `__DATE__`, `__TIME__` or `__TIMESTAMP__`: the files are known, but the compiled code depends on more.
    Time,
    /// More files or more bytes than this follows.
    Large,
    /// A file exists, but cannot be read.
    Unreadable,
}

impl Unknown {
    /// As a sentence.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Computed => "a macro names a file that is included",
            Self::Time => "the source names the time at which it is compiled",
            Self::Large => "the source includes too many files",
            Self::Unreadable => "a file that the source may include cannot be read",
        }
    }
}

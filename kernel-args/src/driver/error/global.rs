//! Errors about global variables.

use super::{lines, load::without_list};
/// Why a global variable was not found, or not read or written.
#[non_exhaustive]
pub enum GlobalError {
    /// No variable of the module has this name, or several variables match.
    #[non_exhaustive]
    NotFound {
        /// The requested name.
        wanted: String,
        /// The problem.
        problem: &'static str,
        /// The variables with the most similar names, or the variables that match.
        candidates: Vec<String>,
        /// The number of variables in the images; `None` if the images could not be read.
        count: Option<usize>,
    },
    /// The type does not fit the variable.
    Mismatch(Box<GlobalMismatch>),
    /// The image declares a variable of another size than the module has.
    #[non_exhaustive]
    OtherImage {
        /// The variable.
        variable: String,
        /// The size in the image, in bytes.
        image: usize,
        /// The size in the module, in bytes.
        module: usize,
    },
    /// The bytes of the variable are not a value of the type.
    #[non_exhaustive]
    NotAValue {
        /// The variable.
        variable: String,
        /// The Rust type.
        ty: &'static str,
    },
    /// The elements are not inside of the variable.
    #[non_exhaustive]
    OutOfRange {
        /// The variable.
        variable: String,
        /// The first element.
        start: usize,
        /// The number of elements.
        count: usize,
        /// The number of elements of the variable.
        len: usize,
    },
    /// A stream that is being captured cannot copy a variable to or from host memory.
    #[non_exhaustive]
    Capturing {
        /// The variable.
        variable: String,
    },
}

/// A type that does not fit a global variable.
#[non_exhaustive]
pub struct GlobalMismatch {
    /// The variable.
    pub variable: String,
    /// The Rust type.
    pub ty: &'static str,
    /// Both sides, and what to write.
    pub text: String,
}

display!(GlobalMismatch, |this, f| f.write_str(&this.text));

display!(GlobalError, |this, f| match this {
    Self::NotFound { wanted, problem, candidates, count } => {
        write!(f, "cannot find the variable `{wanted}`: {}", without_list(problem, candidates))?;
        lines(f, candidates)?;
        match count {
            Some(0) => f.write_str(
                "\nhelp: the image has no variables; a compiler removes a `static` or unused `__device__` variable: \
                         use it in a kernel, or compile with `-rdc=true`",
            ),
            Some(count) => write!(
                f,
                "\nhelp: `module.globals()` lists every variable of the image ({count}); a compiler removes variables that \
                         no kernel uses, and replaces constants by their values"
            ),
            None => Ok(()),
        }
    }
    Self::Mismatch(mismatch) => mismatch.fmt(f),
    Self::OtherImage { variable, image, module } => write!(
        f,
        "the variable `{variable}` has {image} bytes in the image, but {module} bytes in the module\n\
                 help: pass the image from which the module was loaded"
    ),
    Self::NotAValue { variable, ty } => write!(
        f,
        "the bytes of the variable `{variable}` are not a value of `{ty}`\n\
                 help: read its bytes, `module.global_bytes({variable:?})`, or declare an integer instead of a `bool` or an enum"
    ),
    Self::OutOfRange { variable, start, count, len } => write!(
        f,
        "the variable `{variable}` has {len} elements, but {count} elements from element {start} on were requested"
    ),
    Self::Capturing { variable } => write!(
        f,
        "the stream is being captured, and a graph cannot copy the variable `{variable}` to or from host memory that is \
                 freed after the copy\n\
                 help: add the copy to the graph: `graph.add_memcpy_htod(global.as_mut_ptr(), …)`, or use a different stream"
    ),
});

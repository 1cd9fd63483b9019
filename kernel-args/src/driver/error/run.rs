//! Runs of sequences, captures and pools that reject a call.

use core::panic::Location;
use std::borrow::Cow;

/// Why a run of a sequence, a capture or a pool rejected a call.
#[non_exhaustive]
pub enum RunError {
    /// The launch belongs to a sequence that does not hold the memory of an argument. Nothing was recorded.
    #[non_exhaustive]
    NotHeld {
        /// The kernel.
        kernel: String,
        /// The field, or the index of an argument of a list.
        field: Cow<'static, str>,
        /// The call of `hold` for the slice that the argument has replaced at its place.
        replaces: Option<&'static Location<'static>>,
    },
    /// A copy in a sequence has more elements than its destination. Nothing was recorded.
    #[non_exhaustive]
    TooShort {
        /// The number of elements of the source.
        from: usize,
        /// The number of elements of the destination.
        to: usize,
    },
    /// A pool would need more memory than its limit. Nothing was allocated.
    #[non_exhaustive]
    NoMemory {
        /// The bytes of the allocation, or of its block; `usize::MAX` if it has more than `isize::MAX`.
        requested: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The stream is being captured: the work would be part of the graph, and its result would not exist now. Nothing
    /// was enqueued.
    #[non_exhaustive]
    Capturing {
        /// What was requested: ``` `alloc_zeros` of a pool ```.
        what: &'static str,
    },
    /// A launch is not part of what its thread records: it is in the closure of a capture or a run of a sequence, or on
    /// the stream of a run that was begun. It would run before the recorded work. The driver was not called.
    /// [`graph::run_now`](crate::graph::run_now) allows it.
    #[non_exhaustive]
    Outside {
        /// What was launched: ``kernel `saxpy` ``, `the graph`, `the run of a sequence`.
        launched: String,
        /// What the closure belongs to.
        of: OutsideOf,
    },
    /// The run of a sequence cannot record now. Nothing was recorded.
    #[non_exhaustive]
    CannotRecord {
        /// What was not recorded: ``kernel `saxpy` ``, `memcpy_dtod`, `the run of a sequence`.
        what: String,
        /// Why.
        reason: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// While a run of a sequence was recorded, other code has used its stream: see
    /// [`Sequence::check`](crate::sequence::Sequence::check). Nothing was enqueued.
    #[non_exhaustive]
    Elsewhere {
        /// The operations, in their order.
        found: Vec<Elsewhere>,
    },
    /// A slice that a run of a sequence held was replaced by a different slice. Nothing was enqueued.
    #[non_exhaustive]
    Replaced {
        /// The call of `hold` for the slice.
        held_at: &'static Location<'static>,
    },
}

/// Operations that are no part of the run that records on their stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Elsewhere {
    /// Their kind: `copy`, `launch of a kernel`.
    pub kind: &'static str,
    /// Their number.
    pub count: usize,
    /// How many steps the run had.
    pub steps: usize,
}

/// What a launch is outside of, although it is in its closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutsideOf {
    /// A capture: `Graph::capture`.
    Capture,
    /// A run of a sequence: `Sequence::run`.
    Run,
    /// A run of a sequence on this stream, which the thread has begun: `Sequence::begin`.
    Recording,
}

display!(RunError, |this, f| match this {
    Self::NotHeld { kernel, field, replaces } => {
        // A list has indices, and the field of a tuple struct has a number.
        let is_name = field.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let slice = if is_name { field } else { "slice" };
        if let Some(at) = field.strip_prefix("args.") {
            return write!(
                f,
                "{kernel} was not recorded: the run neither holds nor owns the memory of element {at} of the tuple of arguments\n\
                 help: let the run own the slice before: `run.keep(slice.clone())?` with an `Arc`; in a closure, hold it: \
                 `let slice = s.hold(&slice)?;`"
            );
        }
        write!(f, "kernel `{kernel}` was not launched: ")?;
        if let Some(held_at) = replaces {
            return write!(
                f,
                "`{field}` is not the slice that was held at {held_at}, and the sequence does not hold its memory, which could be \
                         freed before the kernel runs\n\
                         help: hold both slices at the beginning of the closure, and exchange the values that `hold` returned: \
                         `mem::swap(&mut {slice}, &mut other)`"
            );
        }
        write!(
            f,
            "the sequence does not hold the memory of `{field}`, which could be freed before \
                     the kernel runs\n\
                     help: hold the slice at the beginning of the closure: `let mut {slice} = s.hold(&mut {slice})?;` if a kernel writes it, \
                     `let {slice} = s.hold(&{slice})?;` otherwise; without a closure, let the run own it: `run.keep({slice}.clone())?` with an `Arc`"
        )
    }
    Self::TooShort { from, to } => write!(
        f,
        "`memcpy_dtod` was not recorded: the destination has {to} elements, and the source has {from}\n\
                 help: copy into a slice with at least {from} elements"
    ),
    Self::Outside { launched, of } => {
        let (around, own) = match of {
            OutsideOf::Capture => ("capture", "`stream = &stream`, with the stream that is being captured"),
            OutsideOf::Run => ("run of a sequence", "`stream = s`, with the parameter of the closure"),
            OutsideOf::Recording if launched == "the run of a sequence" => {
                return f.write_str(
                    "the run of a sequence was not launched: this thread records a run of a different sequence on its stream, so the new run \
                     would be enqueued before the run that records\n\
                     help: call `finish` of the run that records first, or add the steps to it: `sequence::current(&stream)` returns it; for a run \
                     that is enqueued before it, write `graph::run_now(|| …)` around `begin`",
                );
            }
            OutsideOf::Recording => {
                return write!(
                    f,
                    "{launched} was not launched: this thread records a run of a sequence on its stream, so it would run before the recorded \
                     launches\n\
                     help: write `stream = s`, where `s` is the run: `sequence::current(&stream)` returns it; if it has to run now, write \
                     `graph::run_now(|| …)` around it"
                );
            }
        };
        write!(
            f,
            "{launched} was not launched: it is in the closure of a {around}, but its stream is not, so it would run before the work \
                     of the closure\n\
                     help: write {own}; if it has to run now, move it before the closure, or write `graph::run_now(|| …)` around it"
        )
    }
    Self::NoMemory { requested: usize::MAX, .. } => write!(
        f,
        "the pool has no memory for an allocation of more than {} bytes, which no slice can have\n\
         help: check the number of elements",
        isize::MAX
    ),
    Self::NoMemory { requested, limit } => write!(
        f,
        "the pool has no memory for an allocation of {requested} bytes: its limit is {limit} bytes\n\
         help: drop slices that are no longer used, call `trim` between two runs, or set a larger limit"
    ),
    Self::Capturing { what } => write!(
        f,
        "{what} is not possible while the stream is being captured: it would be part of the graph, and run when the graph is launched\n\
         help: call it before or after the capture"
    ),
    Self::CannotRecord { what, reason, help } => write!(f, "{what} was not recorded: {reason}\nhelp: {help}"),
    Self::Elsewhere { found } => {
        f.write_str(
            "the run of the sequence was not enqueued: while it was recorded, other code has used its stream, before all steps of the run",
        )?;
        for Elsewhere { kind, count, steps } in found {
            match steps {
                0 => write!(f, "\n  {count} × {kind}, before step 1")?,
                _ => write!(f, "\n  {count} × {kind}, between step {steps} and step {}", steps + 1)?,
            }
        }
        f.write_str(
            "\nhelp: make them steps: `run.memcpy_htod`, `run.memset_zeros`, `stream = &run`, or `run.external` around the call of a library; \
             write `graph::run_now(|| …)` around what has to run now",
        )
    }
    Self::Replaced { held_at } => write!(
        f,
        "the run of the sequence was not enqueued: the slice that was held at {held_at} was replaced by another one\n\
                 help: hold both slices and exchange the values that `hold` returned, or replace the slice between two runs"
    ),
});

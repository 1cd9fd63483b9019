//! The command line.

use crate::{Error, Result, device::Mode, measure::Run, model::Config};
use std::env;

/// For the comparison with the host.
pub const SMALL: (&str, Config) = (
    "small",
    Config {
        layers: 2,
        hidden: 64,
        heads: 4,
        kv_heads: 2,
        head_size: 16,
        intermediate: 128,
        vocabulary: 512,
        rope_base: 1e4,
        cache_block: 8,
        rounding: 8,
    },
);

/// The sizes of Qwen2 0.5B.
const LARGE: (&str, Config) = (
    "large",
    Config {
        layers: 24,
        hidden: 896,
        heads: 14,
        kv_heads: 2,
        head_size: 64,
        intermediate: 4864,
        vocabulary: 151_936,
        rope_base: 1e6,
        cache_block: 256,
        rounding: 256,
    },
);

const SIZES: [(&str, Config); 2] = [SMALL, LARGE];

const RUNS: [Run; 6] = [
    Run { mode: Mode::Plain, tracking: true },
    Run { mode: Mode::Plain, tracking: false },
    Run { mode: Mode::Pooled, tracking: false },
    Run { mode: Mode::Sequence, tracking: false },
    Run { mode: Mode::Segments, tracking: false },
    Run { mode: Mode::Captured, tracking: false },
];

const USAGE: &str = "usage: decoder [--mode plain|pooled|sequence|segments|captured] [--tracking] [--size small|large] [--tokens N] \
    [--gemm cublas|kernel] [--cache blocks|concat] [--rounding N] [--chart FILE.svg]";

/// How the caches of keys and values grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// By blocks of tokens. Matrices have rows for a multiple of a number of tokens.
    Blocks,
    /// By concatenation: a new tensor for each token, and matrices of other sizes.
    Concat,
}

impl Cache {
    pub const ALL: &[Self] = &[Self::Blocks, Self::Concat];

    pub fn apply(self, config: Config) -> Config {
        match self {
            Self::Blocks => config,
            Self::Concat => Config { cache_block: 1, rounding: 1, ..config },
        }
    }
}

pub struct Options {
    pub sizes: &'static [(&'static str, Config)],
    pub runs: Vec<Run>,
    pub caches: &'static [Cache],
    pub tokens: usize,
    pub warm_up: usize,
    /// Instead of the sizes' number.
    pub rounding: Option<u32>,
    /// A kernel of this example multiplies the matrices.
    pub kernel_gemm: bool,
    /// The file for a picture of the tokens per second.
    pub chart: Option<String>,
}

impl Options {
    /// All modes and sizes by default; only the small size where kernels are interpreted.
    pub fn parse(is_interpreted: bool) -> Result<Self> {
        let mut options = Self {
            sizes: if is_interpreted { &SIZES[..1] } else { &SIZES },
            runs: RUNS.into(),
            caches: Cache::ALL,
            tokens: if is_interpreted { 12 } else { 256 },
            warm_up: 4,
            rounding: None,
            kernel_gemm: is_interpreted,
            chart: None,
        };
        let mut tracking = false;
        let mut mode = None;
        let mut words = env::args().skip(1);
        while let Some(word) = words.next() {
            if word == "--tracking" {
                tracking = true;
                continue;
            }
            let value = words.next().ok_or(USAGE)?;
            match (&*word, &*value) {
                ("--mode", "plain") => mode = Some(Mode::Plain),
                ("--mode", "pooled") => mode = Some(Mode::Pooled),
                ("--mode", "sequence") => mode = Some(Mode::Sequence),
                ("--mode", "segments") => mode = Some(Mode::Segments),
                ("--mode", "captured") => mode = Some(Mode::Captured),
                ("--size", "small") => options.sizes = &SIZES[..1],
                ("--size", "large") => options.sizes = &SIZES[1..],
                ("--gemm", "cublas") => options.kernel_gemm = false,
                ("--gemm", "kernel") => options.kernel_gemm = true,
                ("--cache", "blocks") => options.caches = &Cache::ALL[..1],
                ("--cache", "concat") => options.caches = &Cache::ALL[1..],
                ("--tokens", n) => options.tokens = n.parse().ok().filter(|n| *n > 0).ok_or(USAGE)?,
                ("--rounding", n) => options.rounding = Some(multiple_of_8(n)?),
                ("--chart", file) => options.chart = Some(file.into()),
                _ => return Err(Error::from(format!("`{word} {value}`: {USAGE}"))),
            }
        }
        match mode {
            Some(Mode::Captured) | None if tracking => Err(
                "`--tracking` needs `--mode plain`, `pooled`, `sequence` or `segments`: a capture cannot wait for earlier events"
                    .into(),
            ),
            Some(mode) => Ok(Self { runs: vec![Run { mode, tracking }], ..options }),
            None => Ok(options),
        }
    }
}

fn multiple_of_8(n: &str) -> Result<u32> {
    let number = n.parse().ok().filter(|n: &u32| *n > 0 && n.is_multiple_of(8));
    number.ok_or_else(|| format!("`--rounding {n}`: a multiple of 8 is needed").into())
}

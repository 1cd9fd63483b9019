//! One kernel: an `.entry` with its parameters and directives.

use super::{
    Error, Parameter,
    lexer::{Lexer, Token},
};
use crate::mangled::Demangled;
use alloc::vec::Vec;
use kernel_args_abi::signature;

/// A kernel of a PTX text. PTX ISA, "Kernel and Function Directives: .entry".
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// Its symbol: `saxpy`, `_Z5saxpyifPKfPf`.
    pub name: &'a str,
    /// In order.
    pub parameters: Vec<Parameter<'a>>,
    /// What it demands of a launch.
    pub directives: Directives,
    /// Whether it has a body here, rather than being declared only.
    pub is_defined: bool,
    /// Whether its body, or that of a function which it names, uses an array of the size that the launch gives:
    /// `.extern .shared .b8 s[];`, CUDA's `extern __shared__`. Functions of other texts are not seen.
    pub dynamic_shared: bool,
}

/// What a kernel demands of a launch. PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension
/// Directives".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Directives {
    /// `.maxntid`: the product of these is the most threads of a block. Absent dimensions are 1.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: exactly these are the threads of a block. Absent dimensions are 1.
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm`: blocks that must fit on a multiprocessor.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`: registers of a thread.
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`: exactly these are the blocks of a cluster. Absent dimensions are 1.
    pub required_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank`: the most blocks of a cluster.
    pub max_cluster_rank: Option<u32>,
    /// `.explicitcluster`: it must be launched with a cluster.
    pub explicit_cluster: bool,
    /// `.blocksareclusters`: the grid is counted in clusters.
    pub blocks_are_clusters: bool,
}

impl<'a> Entry<'a> {
    /// After `.entry`: the kernel, and where its body or the `;` in its place begins.
    pub(super) fn parse(
        lexer: &mut Lexer<'a>,
        version: (u16, u16),
    ) -> Result<(Self, usize), Error> {
        let (at, name) = lexer.identifier("the kernel's name after `.entry`")?;
        if version < (1, 4) {
            const NEW: &str = "PTX 1.4 or newer, which lists a kernel's parameters in parentheses";
            return Err(lexer.error(at, NEW));
        }
        let parameters = parameters(lexer)?;
        let (directives, is_defined, end) = Directives::parse(lexer)?;
        let entry = Self {
            name,
            parameters,
            directives,
            is_defined,
            dynamic_shared: false,
        };
        Ok((entry, end))
    }

    /// What the mangled name tells, or `None` where it is not mangled (`extern "C"`).
    #[must_use]
    pub fn demangle(&self) -> Option<Demangled> {
        Demangled::new(self.name)
    }

    /// The parameters in the common model: sizes, alignments and classes from PTX, C++ types from
    /// `demangled`. PTX gives no offsets.
    ///
    /// Where the name's list is not as long as PTX's, it is not believed: the types are unknown.
    #[must_use]
    pub fn signature_parameters<'s>(
        &'s self,
        demangled: Option<&'s Demangled>,
    ) -> Vec<signature::Parameter<'s>> {
        let types = demangled.and_then(|name| name.types_of(self.parameters.len()));
        let mut types = types.into_iter().flatten();
        self.parameters
            .iter()
            .map(|parameter| signature::Parameter {
                name: parameter.name,
                kernel_name: "",
                spelling: &parameter.declaration,
                offset: None,
                size: parameter.layout.size(),
                align: Some(parameter.layout.align()),
                class: parameter.class,
                cpp: types.next().unwrap_or(kernel_args_abi::CppType::UNKNOWN),
                members: signature::Members::UNKNOWN,
            })
            .collect()
    }
}

/// More than any GPU takes: their bytes are limited to 32,764.
const PARAMETERS_LIMIT: usize = 65536;

fn parameters<'a>(lexer: &mut Lexer<'a>) -> Result<Vec<Parameter<'a>>, Error> {
    let mut parameters = Vec::new();
    if !lexer.take(b'(')? || lexer.take(b')')? {
        return Ok(parameters);
    }
    loop {
        if parameters.len() == PARAMETERS_LIMIT {
            return Err(lexer.error(lexer.position(), "at most 65536 parameters"));
        }
        parameters.push(Parameter::parse(lexer)?);
        match lexer.token()? {
            (_, Token::Sign(b',')) => {}
            (_, Token::Sign(b')')) => return Ok(parameters),
            (at, _) => return Err(lexer.error(at, "`,` or `)` after a parameter")),
        }
    }
}

impl Directives {
    /// The directives, whether a body follows them rather than `;`, and where. The last of a kind counts.
    fn parse(lexer: &mut Lexer<'_>) -> Result<(Self, bool, usize), Error> {
        let mut directives = Self::default();
        loop {
            let (at, token) = lexer.peek_token()?;
            match token {
                Token::Sign(b'{') => {
                    lexer.skip_block()?;
                    return Ok((directives, true, at));
                }
                Token::Sign(b';') => {
                    lexer.token()?;
                    return Ok((directives, false, at));
                }
                Token::Directive(word) => {
                    lexer.token()?;
                    directives.directive(lexer, word)?;
                }
                // Arguments of a directive that is newer than this crate.
                Token::Number(_)
                | Token::Identifier(_)
                | Token::String
                | Token::Sign(b',' | b'(' | b')') => {
                    lexer.token()?;
                }
                _ => {
                    const BODY: &str = "a directive such as `.maxntid`, `{` or `;` after `.entry`";
                    return Err(lexer.error(at, BODY));
                }
            }
        }
    }

    fn directive(&mut self, lexer: &mut Lexer<'_>, word: &str) -> Result<(), Error> {
        match word {
            "maxntid" => self.max_threads = Some(dimensions(lexer)?),
            "reqntid" => self.required_threads = Some(dimensions(lexer)?),
            "reqnctapercluster" => self.required_cluster = Some(dimensions(lexer)?),
            "minnctapersm" => self.min_blocks = Some(count(lexer)?),
            "maxnreg" => self.max_registers = Some(count(lexer)?),
            "maxclusterrank" => self.max_cluster_rank = Some(count(lexer)?),
            "explicitcluster" => self.explicit_cluster = true,
            "blocksareclusters" => self.blocks_are_clusters = true,
            "pragma" => loop {
                match lexer.token()? {
                    (_, Token::Sign(b';')) => break,
                    (_, Token::String | Token::Sign(b',')) => {}
                    (at, _) => return Err(lexer.error(at, "`;` after `.pragma`")),
                }
            },
            _ => {}
        }
        Ok(())
    }
}

fn count(lexer: &mut Lexer<'_>) -> Result<u32, Error> {
    const COUNT: &str = "a number from 1 to 4294967295 after this directive";
    let (at, _) = lexer.peek_token()?;
    match u32::try_from(lexer.integer(COUNT)?) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(lexer.error(at, COUNT)),
    }
}

fn dimensions(lexer: &mut Lexer<'_>) -> Result<[u32; 3], Error> {
    let mut dimensions = [count(lexer)?, 1, 1];
    for dimension in &mut dimensions[1..] {
        if !lexer.take(b',')? {
            break;
        }
        *dimension = count(lexer)?;
    }
    Ok(dimensions)
}

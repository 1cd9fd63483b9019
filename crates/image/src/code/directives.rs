//! A kernel's requirements for a launch, in each source: directives in PTX, records in a cubin.

/// A kernel's requirements for a launch. PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension Directives".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub struct Directives {
    /// `.reqntid`: the exact number of threads per block. Missing dimensions are 1.
    pub required_threads: Option<[u32; 3]>,
    /// `.maxntid`: its product is the maximum number of threads per block. Missing dimensions are 1.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`: the exact number of blocks per cluster. Missing dimensions are 1.
    pub required_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank`: the maximum number of blocks per cluster.
    pub max_cluster_rank: Option<u32>,
    /// `.explicitcluster`: a launch must specify a cluster.
    pub explicit_cluster: bool,
    /// `.blocksareclusters`: the grid size is the number of clusters.
    pub blocks_are_clusters: bool,
    /// Whether it is a kernel of CUDA Tile (`__tile_global__`), which only a cubin contains. A launch has blocks of one
    /// thread: see [`required_threads`](Self::required_threads).
    pub tile: bool,
    /// `.minnctapersm`: the minimum number of blocks per multiprocessor. A cubin does not contain it.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`: the maximum number of registers per thread. A cubin does not contain it.
    pub max_registers: Option<u32>,
}

/// The value of a directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirectiveValue {
    /// Three numbers.
    Dimensions(Option<[u32; 3]>),
    /// One number.
    Count(Option<u32>),
    /// Whether the kernel has the directive.
    Flag(bool),
}

struct Row {
    name: &'static str,
    /// The directive in PTX, without the dot.
    word: Option<&'static str>,
    /// The attribute of its record in `.nv.info` of a cubin: output of ptxas 13.0 and 13.5.
    attribute: Option<u8>,
    field: fn(&mut Directives) -> DirectiveField<'_>,
}

pub(crate) enum DirectiveField<'d> {
    Dimensions(&'d mut Option<[u32; 3]>),
    Count(&'d mut Option<u32>),
    Flag(&'d mut bool),
}

macro_rules! table {
    ($($field:ident $kind:ident $word:expr, $attribute:expr;)*) => {
        [$(Row {
            name: stringify!($field),
            word: $word,
            attribute: $attribute,
            field: |directives| DirectiveField::$kind(&mut directives.$field),
        }),*]
    };
}

/// The attribute of the record with the language of the source.
pub(crate) const LANGUAGE: u8 = 0x66;

const TABLE: [Row; 9] = table! {
    required_threads    Dimensions Some("reqntid"),           Some(0x10);
    max_threads         Dimensions Some("maxntid"),           Some(0x05);
    required_cluster    Dimensions Some("reqnctapercluster"), Some(0x3d);
    max_cluster_rank    Count      Some("maxclusterrank"),    Some(0x3f);
    explicit_cluster    Flag       Some("explicitcluster"),   Some(0x3e);
    blocks_are_clusters Flag       Some("blocksareclusters"), Some(0x5b);
    tile                Flag       None,                      Some(LANGUAGE);
    min_blocks          Count      Some("minnctapersm"),      None;
    max_registers       Count      Some("maxnreg"),           None;
};

impl Directives {
    pub(crate) fn by_word(&mut self, word: &str) -> Option<DirectiveField<'_>> {
        let row = TABLE.iter().find(|row| row.word == Some(word))?;
        Some((row.field)(self))
    }

    pub(crate) fn by_attribute(&mut self, attribute: u8) -> Option<DirectiveField<'_>> {
        let row = TABLE.iter().find(|row| row.attribute == Some(attribute))?;
        Some((row.field)(self))
    }

    pub(crate) fn each(&mut self, mut visit: impl FnMut(usize, DirectiveField<'_>)) {
        for (index, row) in TABLE.iter().enumerate() {
            visit(index, (row.field)(self));
        }
    }

    /// Returns the name of the field of each directive, and its value.
    pub fn values(mut self) -> impl Iterator<Item = (&'static str, DirectiveValue)> {
        TABLE.iter().map(move |row| {
            let value = match (row.field)(&mut self) {
                DirectiveField::Dimensions(value) => DirectiveValue::Dimensions(*value),
                DirectiveField::Count(value) => DirectiveValue::Count(*value),
                DirectiveField::Flag(value) => DirectiveValue::Flag(*value),
            };
            (row.name, value)
        })
    }

    /// Sets the directives of a cubin, with the directives that only `ptx` contains.
    #[must_use]
    pub const fn completed_by(self, ptx: Self) -> Self {
        Self { min_blocks: ptx.min_blocks, max_registers: ptx.max_registers, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_that_a_cubin_does_not_contain_are_those_of_the_ptx() {
        for row in &TABLE {
            let mut ptx = Directives::default();
            match (row.field)(&mut ptx) {
                DirectiveField::Dimensions(value) => *value = Some([2, 1, 1]),
                DirectiveField::Count(value) => *value = Some(2),
                DirectiveField::Flag(value) => *value = true,
            }
            let completed = Directives::default().completed_by(ptx);
            assert_eq!(completed == ptx, row.attribute.is_none(), "{}", row.name);
        }
    }
}

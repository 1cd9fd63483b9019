//! What a kernel demands of a launch, in each source: directives in PTX, records in a cubin.

/// What a kernel demands of a launch. PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension Directives".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub struct Directives {
    /// `.reqntid`: exactly these are the threads of a block. Absent dimensions are 1.
    pub required_threads: Option<[u32; 3]>,
    /// `.maxntid`: the product of these is the most threads of a block. Absent dimensions are 1.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`: exactly these are the blocks of a cluster. Absent dimensions are 1.
    pub required_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank`: the most blocks of a cluster.
    pub max_cluster_rank: Option<u32>,
    /// `.explicitcluster`: it must be launched with a cluster.
    pub explicit_cluster: bool,
    /// `.blocksareclusters`: the grid is counted in clusters.
    pub blocks_are_clusters: bool,
    /// `.minnctapersm`: blocks that must fit on a multiprocessor. A cubin does not contain it.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`: registers of a thread. A cubin does not contain it.
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

/// One directive, wherever it is read and stored.
struct Row {
    /// The name of its field.
    name: &'static str,
    /// In PTX, without the dot.
    word: &'static str,
    /// In a cubin, the attribute of its record in `.nv.info`. Found in the output of ptxas 13.0.
    attribute: Option<u8>,
    field: fn(&mut Directives) -> Field<'_>,
}

/// Where the value of a directive is stored.
pub(crate) enum Field<'d> {
    Dimensions(&'d mut Option<[u32; 3]>),
    Count(&'d mut Option<u32>),
    Flag(&'d mut bool),
}

macro_rules! table {
    ($($field:ident $kind:ident $word:literal $attribute:expr;)*) => {
        [$(Row {
            name: stringify!($field),
            word: $word,
            attribute: $attribute,
            field: |directives| Field::$kind(&mut directives.$field),
        }),*]
    };
}

const TABLE: [Row; 8] = table! {
    required_threads    Dimensions "reqntid"           Some(0x10);
    max_threads         Dimensions "maxntid"           Some(0x05);
    required_cluster    Dimensions "reqnctapercluster" Some(0x3d);
    max_cluster_rank    Count      "maxclusterrank"    Some(0x3f);
    explicit_cluster    Flag       "explicitcluster"   Some(0x3e);
    blocks_are_clusters Flag       "blocksareclusters" Some(0x5b);
    min_blocks          Count      "minnctapersm"      None;
    max_registers       Count      "maxnreg"           None;
};

impl Directives {
    /// Where the value of a directive is stored, by its word in PTX.
    pub(crate) fn by_word(&mut self, word: &str) -> Option<Field<'_>> {
        let row = TABLE.iter().find(|row| row.word == word)?;
        Some((row.field)(self))
    }

    /// Where the value of a directive is stored, by the attribute of its record.
    pub(crate) fn by_attribute(&mut self, attribute: u8) -> Option<Field<'_>> {
        let row = TABLE.iter().find(|row| row.attribute == Some(attribute))?;
        Some((row.field)(self))
    }

    /// Each directive: the name of its field, and its value.
    pub fn values(mut self) -> impl Iterator<Item = (&'static str, DirectiveValue)> {
        TABLE.iter().map(move |row| {
            let value = match (row.field)(&mut self) {
                Field::Dimensions(value) => DirectiveValue::Dimensions(*value),
                Field::Count(value) => DirectiveValue::Count(*value),
                Field::Flag(value) => DirectiveValue::Flag(*value),
            };
            (row.name, value)
        })
    }

    /// The directives that a cubin records, with those of its PTX that cubins do not contain.
    #[must_use]
    pub const fn completed_by(self, ptx: Self) -> Self {
        Self {
            min_blocks: ptx.min_blocks,
            max_registers: ptx.max_registers,
            ..self
        }
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
                Field::Dimensions(value) => *value = Some([2, 1, 1]),
                Field::Count(value) => *value = Some(2),
                Field::Flag(value) => *value = true,
            }
            let completed = Directives::default().completed_by(ptx);
            assert_eq!(completed == ptx, row.attribute.is_none(), "{}", row.name);
        }
    }
}

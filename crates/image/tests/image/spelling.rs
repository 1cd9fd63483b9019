//! Random kernels, and all spellings that PTX allows.

use kernel_args_abi::{Alignment, Class, Layout};
use kernel_args_image::{
    Directives,
    ptx::{Module, Pointee, Space},
};
use proptest::prelude::*;

/// A kernel, independent of its spelling.
#[derive(Clone, Debug)]
pub(crate) struct Meant {
    pub(crate) parameters: Vec<MeantParameter>,
    pub(crate) directives: Directives,
}

#[derive(Clone, Debug)]
pub(crate) struct MeantParameter {
    pub(crate) scalar: &'static str,
    pub(crate) length: Option<usize>,
    /// `.align` before the type.
    pub(crate) aligns: Vec<usize>,
    /// `.ptr`, and the `.align` after it.
    pub(crate) pointee: Option<Pointee>,
}

const SCALARS: [&str; 17] = [
    "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f32", "f64", "b8",
];

impl MeantParameter {
    fn bytes(&self) -> usize {
        self.scalar[1..].parse::<usize>().unwrap() / 8
    }

    pub(crate) fn layout(&self) -> Layout {
        let align = self.aligns.iter().copied().fold(self.bytes(), usize::max);
        Layout::from_size_align(self.bytes() * self.length.unwrap_or(1), align).unwrap()
    }

    pub(crate) fn class(&self) -> Class {
        match (&self.scalar[..1], self.length, self.pointee) {
            (_, Some(_), _) => Class::Bytes,
            ("f", ..) => Class::Float,
            (.., Some(_)) => Class::Pointer,
            ("b", ..) => Class::Bits,
            _ => Class::Integer,
        }
    }

    fn any() -> impl Strategy<Value = Self> {
        let align = |up_to: u32| (0..up_to).prop_map(|log2| 1_usize << log2);
        let spaces = [Space::Generic, Space::Global, Space::Const, Space::Local, Space::Shared];
        let pointee = (prop::sample::select(spaces.to_vec()), prop::option::of(align(8)))
            .prop_map(|(space, align)| Pointee { space, align: align.and_then(Alignment::new) });
        (
            prop::sample::select(&SCALARS[..]),
            prop::option::weighted(0.4, 1_usize..20),
            prop::collection::vec(align(9), 0..3),
            prop::option::weighted(0.3, pointee),
        )
            .prop_map(|(scalar, length, aligns, pointee)| Self { scalar, length, aligns, pointee })
    }
}

impl Meant {
    /// GPUs have clusters from sm_90 on: without `clusters`, cluster directives are omitted.
    pub(crate) fn any(clusters: bool) -> impl Strategy<Value = Self> {
        let three = || prop::option::weighted(0.3, [1_u32..9, 1_u32..9, 1_u32..9]);
        (
            prop::collection::vec(MeantParameter::any(), 0..12),
            three(),
            three(),
            prop::option::weighted(0.3, 1_u32..4),
            three(),
            prop::option::weighted(0.3, 1_u32..17),
            any::<[bool; 2]>(),
        )
            .prop_map(move |(parameters, max, required, min_blocks, cluster, rank, [explicit, counted])| {
                let mut directives = Directives::default();
                // ptxas rejects both together, and `.minnctapersm` without either.
                directives.max_threads = max.filter(|_| required.is_none());
                directives.required_threads = required;
                directives.min_blocks = min_blocks.filter(|_| max.or(required).is_some());
                if clusters {
                    directives.required_cluster = cluster.map(|[x, ..]| [x.min(4), 1, 1]);
                    directives.max_cluster_rank = rank.filter(|_| cluster.is_none());
                    directives.explicit_cluster = explicit;
                    directives.blocks_are_clusters = counted && cluster.is_some() && required.is_some();
                }
                Self { parameters, directives }
            })
    }
}

/// Chooses among valid spellings.
pub(crate) struct Speller {
    state: u64,
    after_number: bool,
    pub(crate) text: String,
}

impl Speller {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed | 1, after_number: false, text: String::new() }
    }

    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap() % end
    }

    /// A separator between two words. Between a word and a sign it may be empty.
    fn blank(&mut self, may_be_empty: bool) {
        const BLANKS: [&str; 12] = [
            " ",
            " ",
            "\t",
            "\n",
            "\r\n",
            "  ",
            " /* ) { */ ",
            "/**/",
            " // } \"\n",
            "\n\n\t",
            "/* .entry k( */",
            " /* // */ ",
        ];
        if may_be_empty && self.below(2) == 0 {
            return;
        }
        let blank = BLANKS[self.below(BLANKS.len())];
        self.text.push_str(blank);
    }

    fn word(&mut self, word: &str) {
        // `4.u32` is one invalid number.
        let glued = word.starts_with('.') && !self.after_number;
        self.blank(glued);
        self.text.push_str(word);
        self.after_number = false;
    }

    fn sign(&mut self, sign: char) {
        self.blank(true);
        self.text.push(sign);
    }

    fn number(&mut self, value: usize) {
        let (suffix, form) = (["", "U"][self.below(2)], self.below(5));
        let digits = match form {
            0 => format!("0x{value:x}{suffix}"),
            1 => format!("0X{value:X}{suffix}"),
            2 => format!("0{value:o}{suffix}"),
            3 => format!("0b{value:b}{suffix}"),
            _ => format!("{value}{suffix}"),
        };
        self.word(&digits);
        self.after_number = true;
    }

    fn count(&mut self, directive: &str, count: Option<u32>) {
        let Some(count) = count else { return };
        self.word(directive);
        self.number(count as usize);
    }

    fn triple(&mut self, directive: &str, triple: Option<[u32; 3]>) {
        let Some(triple) = triple else { return };
        self.word(directive);
        let needed = if triple[2] > 1 {
            3
        } else if triple[1] > 1 {
            2
        } else {
            1
        };
        let given = needed + self.below(4 - needed);
        for (i, &value) in triple[..given].iter().enumerate() {
            if i > 0 {
                self.sign(',');
            }
            self.number(value as usize);
        }
    }

    fn align(&mut self, bytes: usize) {
        self.word(".align");
        self.number(bytes);
    }

    fn parameter(&mut self, meant: &MeantParameter, name: &str) {
        let mut in_param = false;
        for &align in &meant.aligns {
            if !in_param && self.below(2) == 0 {
                self.word(".param");
                in_param = true;
            }
            self.align(align);
        }
        if !in_param {
            self.word(".param");
        }
        self.word(&format!(".{}", meant.scalar));
        if let Some(pointee) = meant.pointee {
            self.word(".ptr");
            match pointee.space {
                Space::Global => self.word(".global"),
                Space::Const => self.word(".const"),
                Space::Local => self.word(".local"),
                Space::Shared => self.word(".shared"),
                _ => {}
            }
            if let Some(align) = pointee.align {
                self.align(align.bytes());
            }
        }
        self.word(name);
        if let Some(length) = meant.length {
            self.sign('[');
            self.number(length);
            self.sign(']');
        }
    }

    pub(crate) fn header(&mut self, target: &str) {
        self.text.push_str("// made for a test\n.version 9.0\n.target ");
        self.text.push_str(target);
        self.text.push_str("\n.address_size 64\n");
    }

    pub(crate) fn kernel(&mut self, meant: &Meant, name: &str) {
        const BODIES: [&str; 4] = [
            "{ ret; }",
            "{\n\tret; // }\n}",
            "{ { .reg .b32 %r<2>; /* { */ } ret; }",
            "{ .pragma \"nounroll\"; ret; }",
        ];
        match self.below(3) {
            0 => self.word(".visible"),
            1 => self.word(".weak"),
            _ => {}
        }
        self.word(".entry");
        self.word(name);
        if !meant.parameters.is_empty() || self.below(2) == 0 {
            self.sign('(');
            for (i, parameter) in meant.parameters.iter().enumerate() {
                if i > 0 {
                    self.sign(',');
                }
                self.parameter(parameter, &format!("{name}_param_{i}"));
            }
            self.sign(')');
        }
        let directives = &meant.directives;
        self.triple(".maxntid", directives.max_threads);
        self.triple(".reqntid", directives.required_threads);
        self.count(".minnctapersm", directives.min_blocks);
        self.triple(".reqnctapercluster", directives.required_cluster);
        self.count(".maxclusterrank", directives.max_cluster_rank);
        if directives.explicit_cluster {
            self.word(".explicitcluster");
        }
        if directives.blocks_are_clusters {
            self.word(".blocksareclusters");
        }
        self.blank(false);
        let body = BODIES[self.below(BODIES.len())];
        self.text.push_str(body);
        self.text.push('\n');
    }
}

/// Asserts that the text contains exactly these kernels.
pub(crate) fn assert_read(text: &str, meant: &[Meant]) {
    let module = Module::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(module.entries().len(), meant.len(), "{text}");
    for (i, (entry, meant)) in module.entries().iter().zip(meant).enumerate() {
        assert_eq!(entry.name, format!("k{i}"));
        assert_eq!(entry.directives, meant.directives, "{text}");
        assert_eq!(entry.parameters.len(), meant.parameters.len());
        for (j, (read, meant)) in entry.parameters.iter().zip(&meant.parameters).enumerate() {
            assert_eq!(read.name, format!("k{i}_param_{j}"));
            assert_eq!((read.scalar, read.length), (meant.scalar, meant.length));
            assert_eq!((read.layout, read.class), (meant.layout(), meant.class()));
            assert_eq!(read.pointee, meant.pointee);
            // Messages quote the declaration: it must be valid PTX on one line.
            assert!(!read.declaration.contains(['\n', '\r', '\t']) && !read.declaration.contains("/*"));
            let again = format!(".version 9.0\n.target sm_75\n.entry k({}) ;", read.declaration);
            let again = Module::read(again.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{again}"));
            let again = &again.entries()[0].parameters[0];
            assert_eq!((again.layout, again.class, again.name), (read.layout, read.class, read.name));
        }
    }
}

//! Reading a fat binary piece by piece gives the same result as reading it completely.

use kernel_args_abi::compiled::matches_pattern;
use kernel_args_image::{
    cubin,
    fatbin::{self, EXPANSION_FLOOR, Error, HEADER_LIMIT, Kind, MEMBER_LIMIT, Member, Stream, StreamError},
};
use proptest::prelude::*;
use std::convert::Infallible;

const FATBINS: [&[u8]; 3] = [
    include_bytes!("../data/one.none.fatbin"),
    include_bytes!("../data/one.speed.fatbin"),
    include_bytes!("../data/one.size.fatbin"),
];

/// The header of a member, and its decompressed bytes.
type Content = (fatbin::Kind, u16, fatbin::Compression, Vec<u8>);

fn content(member: &Member<'_>) -> Result<Content, Error> {
    let bytes = member.bytes()?.into_owned();
    Ok((member.kind, member.sm.0, member.compression, bytes))
}

fn streamed(bytes: &[u8]) -> Vec<Result<Content, StreamError<Infallible>>> {
    let mut stream = Stream::new(bytes);
    let mut members = Vec::new();
    while let Some(member) = stream.next() {
        let read = |member: fatbin::StreamedMember| {
            let payload = stream.payload(&member)?;
            let at = member.at();
            content(&member.with_payload(&payload)).map_err(|error| StreamError::Fatbin { at, error })
        };
        members.push(member.and_then(read));
    }
    members
}

/// Consecutive containers, each padded with this number of zeros.
fn containers() -> impl Strategy<Value = Vec<u8>> {
    let container = (0..FATBINS.len(), 0..40_usize);
    prop::collection::vec(container, 1..5).prop_map(|list| {
        let padded = |(index, zeros): (usize, usize)| [FATBINS[index], &vec![0; zeros]].concat();
        list.into_iter().flat_map(padded).collect()
    })
}

proptest! {
    #[test]
    fn a_stream_has_the_members_of_the_whole(indices in prop::collection::vec(0..FATBINS.len(), 1..5), zeros in 0..8_usize) {
        let one = |index: usize| [FATBINS[index], &[0; 8][..zeros]].concat();
        let bytes: Vec<u8> = indices.into_iter().flat_map(one).collect();
        let whole: Result<Vec<Content>, Error> = fatbin::members(&bytes).unwrap().iter().map(content).collect();
        let streamed: Result<Vec<Content>, _> = streamed(&bytes).into_iter().collect();
        prop_assert_eq!(streamed.unwrap(), whole.unwrap());
    }

    #[test]
    fn padding_of_any_length_is_passed(bytes in containers()) {
        let count = bytes.windows(4).filter(|b| **b == fatbin::MAGIC.to_le_bytes()).count();
        let streamed = streamed(&bytes);
        prop_assert!(streamed.iter().all(Result::is_ok));
        prop_assert!(streamed.len() >= count);
    }

    /// The members before an error are the same if the complete fat binary can be read.
    #[test]
    fn broken_bytes_are_an_error_or_what_the_whole_says(
        bytes in containers(), at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()
    ) {
        let mut bytes = bytes;
        let place = at.index(bytes.len());
        bytes[place] = byte;
        bytes.truncate(cut.index(bytes.len()) + 1);
        let streamed = streamed(&bytes);
        if let Ok(members) = fatbin::members(&bytes) {
            for (streamed, member) in streamed.iter().zip(&members) {
                if let (Ok(streamed), Ok(member)) = (streamed, content(member)) {
                    prop_assert_eq!(streamed, &member);
                }
            }
        } else {
            prop_assert!(streamed.iter().any(Result::is_err));
        }
    }
}

#[test]
fn errors_contain_their_position() {
    let one = FATBINS[2];
    let behind = [one, &[0; 16], b"PTX!"].concat();
    let errors = |bytes: &[u8]| {
        let found = streamed(bytes);
        found.into_iter().filter_map(Result::err).collect::<Vec<_>>()
    };
    let magic = u32::from_le_bytes(*b"PTX!");
    let at = one.len() as u64 + 16;
    let expected = StreamError::Fatbin { at, error: Error::Magic(magic) };
    assert_eq!(errors(&behind), [expected]);
    assert!(expected.to_string().starts_with(&format!("at byte {at}: ")));

    let cut = StreamError::Fatbin { at: 0, error: Error::Cut(0) };
    assert_eq!(errors(&one[..one.len() - 1]), [cut]);

    // The first member's header specifies more than a megabyte, in a container of that size.
    let size = HEADER_LIMIT as usize + 1;
    let mut long = one[..16].to_vec();
    long[8..16].copy_from_slice(&(size as u64).to_le_bytes());
    long.resize(16 + size, 0);
    long[20..24].copy_from_slice(&(size as u32).to_le_bytes());
    let long_header = StreamError::Fatbin { at: 16, error: Error::Header(size as u64) };
    assert_eq!(errors(&long), [long_header]);
}

#[test]
fn members_that_claim_too_much_are_refused() {
    /// The fat binary with another size in its first member's header.
    fn claiming(size: u64, count: usize) -> Vec<u8> {
        let mut one = FATBINS[2].to_vec();
        one[16 + 56..16 + 64].copy_from_slice(&size.to_le_bytes());
        one.repeat(count)
    }
    let error = |bytes: &[u8]| streamed(bytes).into_iter().find_map(Result::err).unwrap();
    let large = error(&claiming(MEMBER_LIMIT + 1, 1));
    let StreamError::Fatbin { at: 16, error: Error::Size { .. } } = large else {
        panic!("{large:?}");
    };
    // Each member is within the limit, but not all together. The headers are sufficient to detect this.
    let many = claiming(EXPANSION_FLOOR, 3);
    let last = Stream::new(&many[..]).last().unwrap();
    assert!(matches!(last, Err(StreamError::Fatbin { error: Error::Total(_), .. })), "{last:?}");
}

/// A container with a member of this many bytes, which claims another decompressed size.
fn packed(payload: usize, size: u64) -> Vec<u8> {
    let mut bytes = FATBINS[2][..16 + 64].to_vec();
    let padded = payload.next_multiple_of(8);
    bytes[8..16].copy_from_slice(&(64 + padded as u64).to_le_bytes());
    bytes[16 + 4..16 + 8].copy_from_slice(&64_u32.to_le_bytes());
    bytes[16 + 8..16 + 16].copy_from_slice(&(padded as u64).to_le_bytes());
    bytes[16 + 16..16 + 20].copy_from_slice(&u32::try_from(payload).unwrap().to_le_bytes());
    // No compiler options and no file name.
    bytes[16 + 20..16 + 24].fill(0);
    bytes[16 + 32..16 + 40].fill(0);
    bytes[16 + 56..16 + 64].copy_from_slice(&size.to_le_bytes());
    bytes.resize(16 + 64 + padded, 0);
    bytes
}

/// The sizes of the largest members of NCCL 2.32, which expand about 11 times.
#[test]
fn a_large_member_of_a_library_is_within_the_limits() {
    for (payload, size) in [(14_769_334, 159_484_120), (13_670_034, 156_052_152), (12_319_552, 140_741_680)] {
        let bytes = packed(payload, size);
        let member = Stream::new(&bytes[..]).next().unwrap().unwrap();
        assert_eq!((member.kind(), member.size()), (Kind::Elf, size));
        assert!(kernel_args_image::Image::read(&bytes).is_ok());
        let bomb = packed(50_000, size);
        let error = kernel_args_image::Image::read(&bomb).unwrap_err();
        let error = error.to_string();
        assert_eq!(
            error,
            format!(
                "a member of a fat binary has {size} bytes, more than the limit of {EXPANSION_FLOOR} for its size in \
                 the file"
            )
        );
    }
}

/// The parts of one file share what can be decompressed.
#[test]
fn one_budget_is_passed_from_stream_to_stream() {
    let one = packed(1000, EXPANSION_FLOOR / 2);
    let mut budget = fatbin::Budget::new(4 * one.len() as u64);
    let mut results = Vec::new();
    for _ in 0..4 {
        let mut stream = Stream::with_budget(&one[..], budget);
        results.push(stream.by_ref().all(|member| member.is_ok()));
        budget = stream.budget();
    }
    assert_eq!(results, [true, true, false, false]);
    assert_eq!(budget.used(), EXPANSION_FLOOR);
}

/// The values of `cuobjdump --dump-resource-usage`. sm_90 and newer reserve 1 KiB.
#[test]
fn a_cubin_contains_registers_and_shared_memory() {
    let usage = |bytes: &[u8], symbol| {
        let cubin = cubin::parse(bytes).unwrap();
        let kernel = cubin.kernel(symbol).unwrap();
        (kernel.resources.registers, kernel.resources.static_shared)
    };
    let sm_75 = include_bytes!("../data/kernels.sm_75.cubin");
    assert_eq!(usage(sm_75, "_Z5saxpyifPKfPf"), (Some(8), 0));
    assert_eq!(usage(sm_75, "nothing"), (Some(4), 0));
    let sm_100 = include_bytes!("../data/kernels.sm_100.cubin");
    assert_eq!(usage(sm_100, "_Z5saxpyifPKfPf"), (Some(10), 0));
    let debug = include_bytes!("../data/debug.sm_90.cubin");
    assert_eq!(usage(debug, "by_value"), (Some(38), 0));
    let shared = include_bytes!("../data/shared.sm_90.cubin");
    assert_eq!(usage(shared, "shared"), (Some(10), 1024 + 256));
}

#[test]
fn patterns_are_those_of_entries() {
    for (pattern, text, fits) in
        [("*", "", true), ("u?xp_*", "uexp_f32", true), ("u?xp_*", "uexp", false), ("", "a", false)]
    {
        assert_eq!(matches_pattern(pattern, text), fits, "{pattern} {text}");
    }
}

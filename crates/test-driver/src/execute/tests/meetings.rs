//! Lanes in different branches and functions that execute an instruction together.

use super::*;

/// Puts `%r` together from the value `%v`, the set `%m` and a lane `%s` of the set, and the same for a lane of the
/// values of all.
type Meeting = (&'static str, fn(&[u32; 32], u32, usize, usize) -> u32);

const MEETINGS: [Meeting; 8] = [
    ("bar.warp.sync %m; mov.u32 %r, 0;", |_, _, _, _| 0),
    ("and.b32 %r, %v, 1; setp.eq.u32 %p, %r, 1; vote.sync.ballot.b32 %r, %p, %m;", |v, set, _, _| {
        lanes(set, |lane| v[lane] & 1 == 1)
    }),
    (
        "and.b32 %r, %v, 1; setp.eq.u32 %p, %r, 1; vote.sync.all.pred %p, !%p, %m; selp.u32 %r, 1, 0, %p;",
        |v, set, _, _| u32::from(lanes(set, |lane| v[lane] & 1 == 1) == 0),
    ),
    ("shfl.sync.idx.b32 %r|%p, %v, %s, 31, %m; @!%p add.u32 %r, %r, 1;", |v, _, _, source| v[source]),
    ("and.b32 %r, %v, 3; match.any.sync.b32 %r, %r, %m;", |v, set, lane, _| {
        lanes(set, |other| v[other] & 3 == v[lane] & 3)
    }),
    ("shr.u32 %r, %v, 31; match.all.sync.b32 %r|%p, %r, %m; @%p xor.b32 %r, %r, 5;", |v, set, lane, _| {
        if lanes(set, |other| v[other] >> 31 == v[lane] >> 31) == set { set ^ 5 } else { 0 }
    }),
    ("redux.sync.add.u32 %r, %v, %m;", |v, set, _, _| types::each(set).fold(0, |sum, lane| sum.wrapping_add(v[lane]))),
    ("elect.sync %r|%p, %m; @%p add.u32 %r, %r, 100;", |_, set, lane, _| {
        let first = set.trailing_zeros();
        if lane as u32 == first { first + 100 } else { first }
    }),
];
/// Meetings of a program.
const COUNT: usize = 12;

/// Returns the lanes of a set for which a condition holds.
fn lanes(set: u32, mut holds: impl FnMut(usize) -> bool) -> u32 {
    types::each(set).filter(|lane| holds(*lane)).fold(0, |lanes, lane| lanes | 1 << lane)
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % limit
    }
}

/// Returns the code of a branch. It reads the set and the source of each meeting from memory: the set 0 is of lanes
/// that do not come.
fn branch(arm: usize, kinds: &[usize], random: &mut Random) -> String {
    let mut code = format!("setp.ne.u32 %q, %r9, {arm}; @%q bra no{arm};");
    for (index, kind) in kinds.iter().enumerate() {
        let meeting = MEETINGS[*kind].0;
        let (place, delay) = (format!("{arm}_{index}"), random.below(3));
        let wait =
            format!("mov.u32 %r8, {delay}; w{place}: sub.u32 %r8, %r8, 1; setp.gt.s32 %p, %r8, 0; @%p bra w{place};");
        let mixed = "mul.lo.u32 %v, %v, 0x9e3779b1; add.u32 %v, %v, %r;";
        let come = match random.below(3) {
            0 if !meeting.contains('@') => {
                let all = format!("{meeting} {mixed}").trim_end_matches(';').replace(';', "; @%q");
                format!("{wait} @%q {all};")
            }
            1 => format!(
                "@!%q bra n{place}; {{ .param .b32 v; .param .b32 m; .param .b32 s; .param .b32 back; st.param.b32 [v], %v;
                 st.param.b32 [m], %m; st.param.b32 [s], %s; call (back), meet{kind}, (v, m, s); ld.param.b32 %r, [back]; }}
                 {mixed} n{place}:"
            ),
            _ => format!("@!%q bra n{place}; {wait} {meeting} {mixed} n{place}:"),
        };
        let _ = writeln!(
            code,
            "ld.global.u64 %w1, [%a+{}]; mov.b64 {{%m, %s}}, %w1; setp.ne.u32 %q, %m, 0; {come}",
            256 * index
        );
    }
    code + &format!("bra end; no{arm}:\n")
}

/// Lanes meet lanes of their own branch and of different branches, each at its own place, some of them in functions.
/// The results of a set depend only on its lanes, whatever the order in which they come.
#[test]
fn lanes_meet_at_different_places() {
    let mut functions = String::new();
    for (number, (code, _)) in MEETINGS.iter().enumerate() {
        let _ = writeln!(
            functions,
            ".func (.param .b32 back) meet{number}(.param .b32 v, .param .b32 m, .param .b32 s) {{ .reg .b32 %v, %m, %s, %r;
             .reg .pred %p; ld.param.u32 %v, [v]; ld.param.u32 %m, [m]; ld.param.u32 %s, [s]; {code} st.param.b32 [back], %r; ret; }}"
        );
    }
    let mut random = Random(3);
    for round in 0..200 {
        let arms = 1 + random.below(4);
        let alive = if round % 3 == 0 { lanes(u32::MAX, |_| random.below(4) > 0) } else { u32::MAX };
        let mut v: [u32; 32] = std::array::from_fn(|lane| lane as u32);
        let (mut memory, mut kinds) = (Vec::new(), Vec::new());
        for _ in 0..COUNT {
            let (kind, classes) = (random.below(MEETINGS.len()), 1 + random.below(3));
            // The lanes of class 0 do not come.
            let first = random.below(2);
            let class: [usize; 32] = std::array::from_fn(|_| first + random.below(classes));
            let old = v;
            for lane in 0..32 {
                let set = if class[lane] == 0 { 0 } else { lanes(u32::MAX, |other| class[other] == class[lane]) };
                let present = set & alive;
                let mut source = lane;
                if present != 0 {
                    source = types::each(present).nth(random.below(present.count_ones() as usize)).unwrap_or(0);
                    let result = MEETINGS[kind].1(&old, present, lane, source);
                    v[lane] = old[lane].wrapping_mul(0x9e37_79b1).wrapping_add(result);
                }
                memory.push(u64::from(set) | (source as u64) << 32);
            }
            kinds.push(kind);
        }
        memory.extend((0..32).map(|_| random.below(arms) as u64));
        memory.resize(32 * (COUNT + 2), 0);
        let branches: String = (0..arms).map(|arm| branch(arm, &kinds, &mut random)).collect();
        let text = format!(
            "{functions} {LANE_HEAD}{LANE} .reg .b32 %v, %m, %s, %r; .reg .pred %p, %q; mov.u32 %v, %t; mov.u32 %r9, {alive};
             shr.u32 %r9, %r9, %t; and.b32 %r9, %r9, 1; setp.eq.u32 %q, %r9, 0; @%q exit;
             ld.global.u64 %w1, [%a+{}]; cvt.u32.u64 %r9, %w1; {branches}
             end: cvt.u64.u32 %w1, %v; add.u64 %a, %a, {}; st.global.u64 [%a], %w1; ret; }}",
            256 * COUNT,
            256 * (COUNT + 1)
        );
        let mut memory = Memory(memory);
        let address = memory.address();
        let settings = Settings { memcheck: round % 5 == 0, ..settings() };
        let effects = run_with(&text, (1, 32, 0), &[address], &mut [&mut memory], settings, [1, 1, 1]);
        assert!(effects.fault.is_none(), "{round}: {:?}\n{text}", effects.fault);
        for lane in types::each(alive) {
            assert_eq!(memory.0[32 * (COUNT + 1) + lane], u64::from(v[lane]), "round {round}, lane {lane}\n{text}");
        }
    }
}

//! Memcheck against its definition: if a result changes with memory that nothing has written, there is a report.

use super::*;

/// Instructions on random registers: `%0` to `%2` are values, `#0` and `#1` predicates.
const CODE: [&str; 24] = [
    "mov.u32 %0, %1;",
    "add.u32 %0, %1, %2;",
    "mul.lo.u32 %0, %1, %2;",
    "sub.u32 %0, %1, 5;",
    "and.b32 %0, %1, %2;",
    "and.b32 %0, %1, 0xff00;",
    "or.b32 %0, %1, %2;",
    "xor.b32 %0, %1, %2;",
    "not.b32 %0, %1;",
    "lop3.b32 %0, %1, %2, 77, 0x1b;",
    "shl.b32 %0, %1, 9;",
    "shr.s32 %0, %1, 3;",
    "shf.l.wrap.b32 %0, %1, %2, 5;",
    "prmt.b32 %0, %1, %2, 0x5140;",
    "bfe.u32 %0, %1, 4, 11;",
    "min.u32 %0, %1, 3;",
    "popc.b32 %0, %1;",
    "setp.gt.u32 #0, %1, %2;",
    "setp.eq.and.u32 #0, %1, 0, #1;",
    "and.pred #0, #0, #1;",
    "selp.b32 %0, %1, %2, #0;",
    "selp.b32 %0, 1, 2, #1;",
    "shfl.sync.bfly.b32 %0, %1, 1, 31, -1;",
    "vote.sync.ballot.b32 %0, #0, -1;",
];

fn program(random: &mut impl FnMut(usize) -> usize) -> String {
    let mut body = String::new();
    for _ in 0..10 {
        let mut line = CODE[random(CODE.len())].to_owned();
        for place in ["%0", "%1", "%2"] {
            line = line.replace(place, &format!("%r{}", random(5)));
        }
        for place in ["#0", "#1"] {
            line = line.replace(place, &format!("%p{}", random(2)));
        }
        body += &line;
    }
    format!(
        ".visible .entry k(.param .u64 a, .param .u64 o) {{ .reg .b64 %a, %o, %w; .reg .b32 %t, %r<5>; .reg .pred %p<2>;
         ld.param.u64 %a, [a]; ld.param.u64 %o, [o]; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4; add.u64 %a, %a, %w;
         add.u64 %o, %o, %w; ld.global.u32 %r0, [%a]; mov.u32 %r1, %t; mov.u32 %r2, 0; mov.u32 %r3, 0x1234567; mov.u32 %r4, 7;
         setp.eq.u32 %p0, %t, 3; setp.lt.u32 %p1, %t, 9; {body} st.global.u32 [%o], %r{}; ret; }}",
        random(5)
    )
}

#[test]
fn a_result_that_changes_with_undefined_memory_is_reported() {
    let mut state = 7u64;
    let mut random = |limit: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % limit
    };
    let (mut reports, mut changes) = (0, 0);
    for _ in 0..600 {
        let text = program(&mut random);
        let result = |fill: u64, memcheck: bool, is_written: bool| {
            let (mut a, mut o) = (Memory(vec![fill; 16]), Memory(vec![0; 16]));
            let values = [a.address(), o.address()];
            let mut written = Written::from([(values[0], vec![if is_written { u64::MAX } else { 0 }; 2])]);
            let settings = Settings { memcheck, ..settings() };
            let effects =
                run_written(&text, (1, 32, 0), &values, &mut [&mut a, &mut o], settings, [1, 1, 1], &mut written);
            (effects.fault.is_some(), o.0)
        };
        let results = [0, u64::MAX, 0x5a5a_5a5a_5a5a_5a5a].map(|fill| result(fill, false, false).1);
        let is_reported = result(0, true, false).0;
        let changed = results.iter().any(|other| *other != results[0]);
        assert!(is_reported || !changed, "no report: {text}");
        assert!(!result(0, true, true).0, "all is written: {text}");
        reports += u32::from(is_reported);
        changes += u32::from(changed);
    }
    // Reports of values that happen to be equal are few.
    assert!(changes > 100 && reports < changes + changes / 2, "{changes} results change, {reports} reports");
}

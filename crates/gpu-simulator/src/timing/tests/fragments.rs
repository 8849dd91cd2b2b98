//! What loading fragments for tensor cores takes.

use crate::snippet::Snippet;

/// Cycles of a turn of a loop with so many loads of a warp, each followed by a use of what it loaded.
fn cycles_of_a_turn(load: &str, loads: u32) -> f64 {
    let all: String = (0..loads)
        .map(|index| {
            let own = load.replace("PLACE", &format!("%r9+{}", 128 * index)).replace("VALUE", &format!("%v{index}"));
            format!("{own}\nxor.b32 %r2, %r2, %v{index};\n")
        })
        .collect();
    let time_us = |turns: u32| {
        let body = format!(
            ".reg .b32 %v<8>;\n{{ .shared .align 16 .b8 s[1024]; mov.u32 %r9, s; }}\nmad.lo.u32 %r9, %r0, 16, %r9;\nmov.u32 %r2, 0;\n\
             mov.u32 %r8, 0;\nL:\n.pragma \"nounroll\";\n{all}\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, {turns};\n@%p1 bra L;\n\
             st.global.u32 [%rd1], %r2;"
        );
        let snippet = Snippet::new(&body).blocks(1).threads(32);
        snippet.launch().unwrap_or_else(|error| panic!("{error}")).1.time_us
    };
    (time_us(200) - time_us(100)) / 100.0 * 1980.0
}

/// A compiler puts the loads of a turn ahead of their uses, so that they share the latency of shared memory; `ldmatrix` is a load like others.
#[test]
fn loads_of_fragments_are_under_way_together_like_other_loads() {
    let [plain, fragments] =
        ["ld.shared.u32 VALUE, [PLACE];", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {VALUE}, [PLACE];"]
            .map(|load| [1, 4].map(|loads| cycles_of_a_turn(load, loads)));
    for [one, four] in [plain, fragments] {
        assert!(one > 20.0 && four < 2.0 * one, "{one} {four}");
    }
    assert!((fragments[1] - plain[1]).abs() < 0.3 * plain[1], "{plain:?} {fragments:?}");
}

use super::*;
use crate::hardware::caching::Keeping;
use crate::snippet::{Snippet, errors, kernel, program};
use crate::windows::{MODULE_BASE, SHARED_WINDOW};

/// What the threads of one warp store.
fn stored(module: &str, body: &str) -> Vec<u32> {
    Snippet::with(module, body).run().unwrap_or_else(|fault| panic!("{fault}")).words
}

#[test]
fn all_that_is_wrong_is_told_at_once_with_line_and_text() {
    let body = "min.cc.u32 %r1, %r2, %r3;\nadd.u32 %r1, %r0, 1;\n\
                mov.u32 %r1, %envreg7;\nbra nowhere;\nadd.u32 %rd2, %r0, 1;\nld.global.u64 %r1, [%rd1];\n\
                st.global.u32 [%rd1], %p1;\n@%r1 bra A;\nA: call other, ();\nmov.u32 %r1, %unknown;";
    let errors = errors(&kernel("", body));
    for expected in [
        (2, "min.cc", "not supported"),
        (4, "%envreg7", "the special register %envreg7 is not supported"),
        (5, "bra nowhere", "nowhere is not a label"),
        (6, "add.u32 %rd2", ""),
        (7, "ld.global.u64 %r1", "narrower than what is loaded"),
        (8, "st.global.u32", "%p1"),
        (9, "@%r1 bra A", "%r1 is not a predicate"),
        (10, "call other", "there is no function other"),
        (11, "%unknown", "the special register %unknown is not supported"),
    ] {
        let (line, text, reason) = expected;
        let found = errors
            .lines()
            .any(|told| told.contains(&format!("{line}")) && told.contains(text) && told.contains(reason));
        assert!(found, "{expected:?} is missing from\n{errors}");
    }
    assert!(!errors.contains("add.u32 %r1, %r0, 1"), "what is right is not told:\n{errors}");
}

#[test]
fn a_kernel_that_is_not_there_is_an_error() {
    let module = ptx_syntax::parse(&kernel("", "")).expect("it reads");
    let told = decode(&module, "other").expect_err("there is none").to_string();
    assert!(told.contains("there is no kernel other"), "{told}");
    let functions =
        ptx_syntax::parse(".version 8.0 .target sm_80 .address_size 64 .func k() { ret; }").expect("it reads");
    assert!(decode(&functions, "k").is_err(), "a device function is not a kernel");
}

#[test]
fn what_would_be_ignored_is_an_error() {
    let f = ".func (.param .b32 r) f (.param .b32 a) { ret; }";
    for (module, body, reason) in [
        ("", "{ .param .b64 a; .param .b32 r; call (r), vprintf, (a); }", "vprintf takes 2 arguments"),
        ("", "bra.wide A; A:", "`.wide`"),
        ("", "ret.now;", "`.now`"),
        ("", "not.pred %p1, %p2, %p3;", "2 operands are expected, not 3"),
        ("", "ld.global.v4.u64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];", "at most 16 bytes"),
        ("", "ld.global.sparse.u32 %r1, [%rd1];", "`.sparse`"),
        ("", "fence.proxy.alias;", "not supported"),
        ("", "mov.u32 %r1, {%r2, %r3, %r4, %r5};", "two halves"),
        (f, "{ .param .b32 r; call (r), f, (); }", "f has 1 arguments, not 0"),
        (f, "{ .param .b32 a; call f, (a); }", "f has 1 results, not 0"),
        (f, "{ .param .b64 a; .param .b32 r; call (r), f, (a); }", "a of f has 4 bytes, not 8"),
    ] {
        let told = errors(&kernel(module, body));
        assert!(told.contains(reason), "{body}: {told}");
    }
}

#[test]
fn names_in_inner_braces_hide_those_outside() {
    let body = ".reg .b32 x;\nmov.u32 x, 1;\n{ .reg .b64 x;\nmov.u64 x, 2;\nst.global.u32 [%rd0], x;\n\
                { .reg .b32 x;\nmov.u32 x, 3;\nst.global.u32 [%rd0+4], x; }\nst.global.u32 [%rd0+8], x; }\n\
                st.global.u32 [%rd0+12], x;";
    assert_eq!(stored("", body)[..4], [2, 3, 2, 1]);
    // A counted name of inner braces hides one of outer braces, too.
    let counted = "mov.u32 %r5, 1;\n{ .reg .b32 %r<6>;\nmov.u32 %r5, 2;\n}\nst.global.u32 [%rd1], %r5;";
    assert_eq!(stored("", counted)[0], 1);
}

#[test]
fn labels_belong_to_their_braces() {
    // As in assembly that the compiler copies: the same label twice.
    let waiting = "{ .reg .pred p;\nL: add.u32 %r1, %r1, 1;\nsetp.lt.u32 p, %r1, 4;\n@p bra L; }\n";
    let body = format!(
        "mov.u32 %r1, 0;\n{waiting}add.u32 %r2, %r1, 0;\nmov.u32 %r1, 1;\n{waiting}add.u32 %r2, %r2, %r1;\nst.global.u32 [%rd1], %r2;"
    );
    assert_eq!(stored("", &body)[0], 8);
    let told = errors(&kernel("", "{ L: mov.u32 %r1, 0; }\nbra L;"));
    assert!(told.contains("L is not a label"), "{told}");
    let twice = errors(&kernel("", "L: mov.u32 %r1, 0;\nL: ret;"));
    assert!(twice.contains("L is declared twice"), "{twice}");
}

#[test]
fn counted_names_are_those_that_they_count() {
    for (name, why) in [("%r64", "beyond the count"), ("%r01", "a zero too many"), ("%r4294967295", "far beyond")] {
        let told = errors(&kernel("", &format!("mov.u32 {name}, 0;")));
        assert!(told.contains(name), "{why}: {told}");
    }
    // The name of a range may end in digits.
    assert_eq!(stored("", ".reg .b32 a1<3>;\nmov.u32 a12, 7;\nst.global.u32 [%rd1], a12;")[0], 7);
}

#[test]
fn static_shared_memory_comes_first_and_each_variable_is_aligned() {
    let module = ".shared .b8 a[3]; .shared .align 16 .b8 b[20]; .shared .b8 unused[1000]; \
                  .extern .shared .align 32 .b8 dynamic[];";
    let body = ".shared .b64 own;\nmov.u32 %r1, a;\nst.global.u32 [%rd0], %r1;\nmov.u32 %r1, b;\n\
                st.global.u32 [%rd0+4], %r1;\nmov.u32 %r1, own;\nst.global.u32 [%rd0+8], %r1;\n\
                mov.u32 %r1, dynamic;\nst.global.u32 [%rd0+12], %r1;\nmov.u32 %r1, dynamic+8;\n\
                st.global.u32 [%rd0+16], %r1;\nmov.u32 %r1, %total_smem_size;\nst.global.u32 [%rd0+20], %r1;\n\
                mov.u32 %r1, %dynamic_smem_size;\nst.global.u32 [%rd0+24], %r1;";
    let mut snippet = Snippet::with(module, body);
    snippet.shared_bytes = 100;
    let ran = snippet.run().expect("it runs");
    assert_eq!(ran.words[..7], [0, 16, 40, 64, 72, 164, 100]);
    assert_eq!(program(&snippet.text).shared_bytes, 64);
}

#[test]
fn shared_variables_of_the_same_name_in_different_braces_are_different() {
    let body = "{ .shared .b32 s;\nst.shared.u32 [s], 1;\n}\n{ .shared .b32 s;\nst.shared.u32 [s], 2;\n\
                mov.u32 %r1, s;\nst.global.u32 [%rd0], %r1; }";
    assert_eq!(stored("", body)[0], 4);
    assert_eq!(program(&kernel("", body)).shared_bytes, 8);
}

#[test]
fn variables_hold_their_initial_values() {
    let module = ".const .align 4 .u32 c[3] = {7, 8}; .global .f32 f = 1; .global .b8 odd[3] = {1, 2, 3}; \
                  .global .u16 h[] = {1, 2, 65535}; .global .u64 p[2] = {odd+2, generic(c)}; .shared .b32 s;";
    let body = "ld.const.u32 %r1, [c+4];\nst.global.u32 [%rd0], %r1;\nld.global.u32 %r1, [f];\n\
                st.global.u32 [%rd0+4], %r1;\nld.global.u64 %rd2, [p];\nld.global.u8 %r1, [%rd2];\n\
                st.global.u32 [%rd0+8], %r1;\nld.global.u64 %rd2, [p+8];\nld.u32 %r1, [%rd2];\n\
                st.global.u32 [%rd0+12], %r1;\nld.global.u16 %r1, [h+4];\nst.global.u32 [%rd0+16], %r1;\n\
                ld.const.u32 %r1, [c+8];\nst.global.u32 [%rd0+20], %r1;\nmov.u64 %rd2, s;\ncvta.shared.u64 %rd2, %rd2;\n\
                st.global.u64 [%rd0+24], %rd2;\nmov.u64 %rd2, odd;\nst.global.u64 [%rd0+32], %rd2;";
    let words = stored(module, body);
    assert_eq!(words[..6], [8, 1.0_f32.to_bits(), 3, 7, 65535, 0]);
    assert_eq!(u64::from(words[6]) | u64::from(words[7]) << 32, SHARED_WINDOW);
    assert!(u64::from(words[8]) | u64::from(words[9]) << 32 >= MODULE_BASE);
}

#[test]
fn tables_of_functions_are_for_every_kernel() {
    let module = ".func (.param .b32 r) f () { st.param.b32 [r], 5; ret; } \
                  .func (.param .b32 r) g () { st.param.b32 [r], 6; ret; } .global .u64 table[2] = {f, g};";
    // A kernel that has nothing to do with the table.
    assert_eq!(stored(module, "st.global.u32 [%rd1], 1;")[0], 1);
    let body = "and.b32 %r1, %r0, 1;\nmul.wide.u32 %rd2, %r1, 8;\nmov.u64 %rd3, table;\nadd.u64 %rd3, %rd3, %rd2;\n\
                ld.global.u64 %rd4, [%rd3];\n{ .param .b32 r;\np: .callprototype (.param .b32 _) _ ();\n\
                call (r), %rd4, (), p;\nld.param.b32 %r2, [r]; }\nst.global.u32 [%rd1], %r2;";
    assert_eq!(stored(module, body)[..4], [5, 6, 5, 6]);
    // The addresses are the same whichever functions a kernel refers to.
    let only_g = "mov.u64 %rd2, g;\nst.global.u64 [%rd0], %rd2;";
    let both = "mov.u64 %rd3, f;\nmov.u64 %rd2, g;\nst.global.u64 [%rd0], %rd2;";
    assert_eq!(stored(module, only_g)[..2], stored(module, both)[..2]);
}

#[test]
fn declarations_are_no_variables() {
    let module = ".extern .global .u32 x; .visible .global .u32 x = 9; .extern .global .u32 elsewhere;";
    assert_eq!(stored(module, "ld.global.u32 %r1, [x];\nst.global.u32 [%rd1], %r1;")[0], 9);
    let defined_first = ".visible .global .u32 x = 9; .extern .global .u32 x;";
    assert_eq!(stored(defined_first, "ld.global.u32 %r1, [x];\nst.global.u32 [%rd1], %r1;")[0], 9);
    let told = errors(&kernel(module, "ld.global.u32 %r1, [elsewhere];"));
    assert!(told.contains("another module"), "{told}");
}

#[test]
fn sizes_have_limits() {
    for (module, body) in [
        (".global .b8 x[9223372036854775807][3];", ""),
        (".global .b8 x[1000000000];", ""),
        (".const .b8 x[70000];", ""),
        (".shared .b8 x[4000000000];", "mov.u32 %r1, x;"),
        (".global .align 1073741824 .b8 x;", ""),
        (".extern .shared .align 2147483648 .b8 x[];", "mov.u32 %r1, x;"),
        ("", ".local .b8 x[600000];"),
        ("", ".local .align 2147483648 .b8 x[8];"),
        ("", ".local .align 2147483648 .b8 x[8];\n.local .align 2147483648 .b8 y[8];"),
        (".global .pred x = 1;", ""),
        (".global .u32 x[1] = {1, 2};", ""),
    ] {
        let text = kernel(module, body);
        let refused = ptx_syntax::parse(&text).map_or_else(|_| true, |module| decode(&module, "k").is_err());
        assert!(refused, "{module} {body}");
    }
    let parameters = ".version 8.0 .target sm_80 .address_size 64 .entry k(.param .b8 a[40000]) { ret; }";
    assert!(errors(parameters).contains("at most"), "{}", errors(parameters));
    let extents = ".version 8.0 .target sm_80 .address_size 64 .entry k() \
                   .maxntid 4294967295, 4294967295, 4294967295 { ret; }";
    assert_eq!(program(extents).threads_max, Some(u64::MAX));
}

#[test]
fn empty_variables_hide_no_others() {
    let module = ".global .b8 empty[0]; .global .u32 x = 4; .global .b8 also_empty[0];";
    assert_eq!(stored(module, "ld.global.u32 %r1, [x];\nst.global.u32 [%rd1], %r1;")[0], 4);
}

#[test]
fn elements_of_arrays_are_found_by_their_place() {
    let module = ".global .u32 a[4] = {5, 6, 7, 8}; .global .v2 .u16 b[2] = {{1, 2}, {3, 4}};";
    let body = "ld.global.u32 %r1, a[2];\nmov.u64 %rd2, a[3];\nld.u32 %r2, [%rd2];\nld.global.u32 %r3, b[1];\n\
                st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r3};";
    assert_eq!(stored(module, body)[..3], [7, 8, 0x0004_0003]);
    assert!(errors(&kernel("", "ld.global.u32 %r1, x[1];")).contains("x is not a variable"));
    let twice = "{ .shared .u8 s[4]; st.shared.u8 s[1], %r1; }\n{ .shared .u32 s[4]; st.shared.u32 s[1], %r1; }";
    assert!(errors(&kernel("", twice)).contains("s is the name of variables of several types"));
}

#[test]
fn special_registers_are_converted_as_by_ptxas() {
    let body = "cvt.rn.f32.u32 %f1, %ntid.x;\nst.global.f32 [%rd0], %f1;\n@%p1 cvt.u64.u32 %rd5, %tid.x;";
    assert_eq!(stored("", body)[0], 32.0_f32.to_bits());
    let told = errors(&kernel("", "add.u32 %r1, %tid.x, 1;"));
    assert!(told.contains("%tid.x is not a register of at most 32 bits"), "{told}");
}

#[test]
fn conversions_read_the_lower_part_of_wider_registers() {
    let body = "mov.u64 %rd5, 0xabcdef12fffffffe;\ncvt.s64.s32 %rd6, %rd5;\nst.global.u64 [%rd0], %rd6;\n\
                cvt.u32.u8 %r1, %rd5;\ncvt.rn.f32.s32 %f1, %rd5;\ncvt.s32.s16 %r2, %rd5;\n\
                st.global.v2.u32 [%rd0+8], {%r1, %r2};\nst.global.f32 [%rd0+16], %f1;";
    let expected = [0xffff_fffe, u32::MAX, 0xfe, 0xffff_fffe, (-2.0_f32).to_bits()];
    assert_eq!(stored("", body)[..5], expected);
    let told = errors(&kernel("", "shl.b32 %r1, %rd1, 2;"));
    assert!(told.contains("%rd1 is not a register of at most 32 bits"), "{told}");
}

#[test]
fn a_kernel_that_uses_a_texture_is_refused_and_others_of_its_module_run() {
    let module = ".global .texref t;\n.visible .entry other() { .reg .f32 %f<5>;\n\
                  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}];\nret; }";
    assert_eq!(stored(module, "st.global.u32 [%rd0], 7;")[0], 7);
    let text = kernel(module, "");
    let told = decode(&ptx_syntax::parse(&text).expect("it is right"), "other").expect_err("it is refused").to_string();
    assert!(told.contains("line 3: textures and surfaces are not simulated: `tex.2d.v4.f32.f32"), "{told}");
}

#[test]
fn carries_go_from_word_to_word() {
    // (2^64 - 1) + 1 and 0 - 1 of 96 bits in words, and of 128 in halves.
    let body = "mov.u32 %r1, -1;\nadd.cc.u32 %r2, %r1, 1;\naddc.cc.u32 %r3, %r1, 0;\naddc.u32 %r4, 0, 0;\n\
                st.global.v2.u32 [%rd0], {%r2, %r3};\nst.global.u32 [%rd0+8], %r4;\n\
                sub.cc.u32 %r5, 0, 1;\nsubc.cc.u32 %r6, 0, 0;\nsubc.u32 %r7, 5, 0;\n\
                st.global.u32 [%rd0+12], %r5;\nst.global.v2.u32 [%rd0+16], {%r6, %r7};\n\
                mov.u64 %rd5, -1;\nadd.cc.u64 %rd6, %rd5, %rd5;\naddc.u64 %rd7, 3, 4;\n\
                st.global.v2.u64 [%rd0+32], {%rd6, %rd7};";
    let (most, words) = (u32::MAX, stored("", body));
    assert_eq!(words[..6], [0, 0, 1, most, most, 4]);
    assert_eq!(words[8..12], [most - 1, most, 8, 0]);
}

#[test]
fn products_add_carries() {
    // 0xffffffff * 0xffffffff + 0xffffffff_ffffffff, word by word as long multiplication does it.
    let body = "mov.u32 %r1, -1;\nmad.lo.cc.u32 %r2, %r1, %r1, %r1;\nmadc.hi.cc.u32 %r3, %r1, %r1, %r1;\naddc.u32 %r4, 0, 0;\n\
                st.global.v2.u32 [%rd0], {%r2, %r3};\nst.global.u32 [%rd0+8], %r4;\n\
                mad.hi.cc.s32 %r5, %r1, 2, 5;\naddc.u32 %r6, 0, 0;\nmad.hi.cc.s32 %r7, %r1, 2, 0;\n\
                st.global.v2.u32 [%rd0+16], {%r5, %r6};\nst.global.u32 [%rd0+24], %r7;\n\
                mov.u64 %rd5, -1;\nmad.lo.cc.u64 %rd6, %rd5, %rd5, %rd5;\nmadc.hi.u64 %rd7, %rd5, %rd5, 0;\n\
                st.global.v2.u64 [%rd0+32], {%rd6, %rd7};";
    let words = stored("", body);
    let exact = u128::from(u32::MAX) * u128::from(u32::MAX) + u128::from(u64::MAX);
    let expected: Vec<u32> = (0..3).map(|word| (exact >> (32 * word)) as u32).collect();
    assert_eq!(words[..3], expected);
    // The upper half of -2 is -1.
    assert_eq!(words[4..7], [4, 1, u32::MAX]);
    let exact = u128::from(u64::MAX) * u128::from(u64::MAX) + u128::from(u64::MAX);
    assert_eq!(words[8..12], [0, 32, 64, 96].map(|shift| (exact >> shift) as u32));
}

#[test]
fn exchanges_without_sync_are_of_the_lanes_that_are_there() {
    let body = "setp.lt.u32 %p1, %r0, 4;\n@!%p1 bra D;\nvote.ballot.b32 %r1, %p1;\nsetp.lt.u32 %p2, %r0, 2;\n\
                vote.any.pred %p3, %p2;\nvote.all.pred %p4, %p2;\nvote.ballot.sync.b32 %r2, !%p2, 0xf;\n\
                shfl.idx.b32 %r3|%p5, %r0, 1, 31;\nselp.u32 %r4, 16, 0, %p3;\nselp.u32 %r5, 32, 0, %p4;\n\
                or.b32 %r1, %r1, %r4;\nor.b32 %r1, %r1, %r5;\nst.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r3};\nD:";
    assert_eq!(stored("", body)[..3], [0x1f, 0xc, 1]);
}

#[test]
fn generic_addresses_know_their_space() {
    let module = ".global .u32 g; .const .u32 c = 1; .shared .u32 s;";
    let asks = |address: &str, space: &str| {
        let body =
            format!("{address}\nisspacep.{space} %p1, %rd5;\nselp.u32 %r1, 1, 0, %p1;\nst.global.u32 [%rd0], %r1;");
        stored(module, &body)[0] == 1
    };
    let of = |space: &str, name: &str| format!("mov.u64 %rd4, {name};\ncvta.{space}.u64 %rd5, %rd4;");
    let places = [
        ("global", "mov.u64 %rd5, %rd0;".to_owned()),
        ("global", of("global", "g")),
        ("shared", of("shared", "s")),
        ("const", of("const", "c")),
        ("local", "{ .local .u32 l; mov.u64 %rd4, l; cvta.local.u64 %rd5, %rd4; }".to_owned()),
        ("param", of("param", "out")),
    ];
    for (own, address) in &places {
        for space in ["global", "shared", "const", "local", "param"] {
            assert_eq!(asks(address, space), *own == space, "{address} in {space}");
        }
    }
}

#[test]
fn hints_do_nothing_and_need_an_address() {
    let body = "prefetch.global.L1 [%rd0];\nprefetch.L2 [%rd0+4];\nprefetchu.L1 [%rd0];\ndiscard.global.L2 [%rd0], 128;\n\
                applypriority.global.L2::evict_normal [%rd0], 128;\ngriddepcontrol.wait;\n\
                griddepcontrol.launch_dependents;\nmov.u32 %r1, %reserved_smem_offset_1;\nst.global.u32 [%rd0], 3;";
    assert_eq!(stored("", body)[..2], [3, 0]);
    let told = errors(&kernel("", "discard.global.L2 [%rd0], 64;\nprefetch.global.L1 %rd0;"));
    assert!(told.contains("the size must be 128") && told.contains("%rd0 is not an address"), "{told}");
}

#[test]
fn a_product_and_sum_without_a_rounding_is_rounded_once_to_nearest() {
    let body = "mov.f32 %f1, 0f3F800001;\nmad.f32 %f2, %f1, %f1, 0fBF800000;\nst.global.f32 [%rd0], %f2;";
    let exact = (1.0 + 2.0_f64.powi(-23)).powi(2) - 1.0;
    assert_eq!(stored("", body)[0], (exact as f32).to_bits());
}

#[test]
fn accesses_say_what_their_words_and_policies_say() {
    let body = "createpolicy.fractional.L2::evict_last.b64 %rd5, 1.0;\ncreatepolicy.fractional.L2::evict_first.b64 %rd6, 1.0;\n\
                ld.global.L2::cache_hint.L2::128B.u32 %r1, [%rd0], %rd5;\nst.global.L2::cache_hint.u32 [%rd0], %r1, %rd6;\n\
                ld.global.L2::256B.u32 %r2, [%rd0];\nld.global.u32 %r3, [%rd0];\n\
                createpolicy.fractional.L2::evict_first.b64 %rd5, 1.0;\nst.global.L2::cache_hint.u32 [%rd0], %r1, %rd5;\n\
                ld.global.cs.u32 %r4, [%rd0];\nst.global.cs.u32 [%rd0], %r4;";
    let hints: Vec<(Keeping, u32)> = program(&kernel("", body))
        .code
        .iter()
        .filter_map(|own| match &own.operation {
            Operation::Load { access, .. } | Operation::Store { access, .. } if access.space == Space::Global => {
                Some((access.hint.keeping, access.hint.fetched_bytes))
            }
            _ => None,
        })
        .collect();
    assert_eq!(hints[..4], [(Keeping::Last, 128), (Keeping::First, 0), (Keeping::Normal, 256), (Keeping::Normal, 0)]);
    // Which of its two policies the register has then depends on the path.
    assert_eq!(hints[4], (Keeping::Normal, 0));
    assert_eq!(hints[5..7], [(Keeping::First, 0); 2]);
}

#[test]
fn only_prefetches_of_global_memory_to_l2_are_followed() {
    let body =
        "prefetch.global.L2 [%rd0+64];\nprefetch.global.L1 [%rd0];\nprefetch.local.L2 [%rd0];\nprefetchu.L1 [%rd0];";
    let program = program(&kernel("", body));
    let prefetches: Vec<i64> = program
        .code
        .iter()
        .filter_map(
            |own| if let Operation::Prefetch { address } = &own.operation { Some(address.offset) } else { None },
        )
        .collect();
    assert_eq!(prefetches, [64]);
}

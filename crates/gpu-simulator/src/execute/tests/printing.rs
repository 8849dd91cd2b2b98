use crate::snippet::Snippet;

/// The bytes of a text with its closing zero, as an initializer.
fn bytes(text: &str) -> String {
    let all: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    format!("[{}] = {{{}}};", all.len(), all.join(", "))
}

fn printed(threads: u32) -> String {
    let module = format!(
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
         .global .align 1 .b8 format{}\n.global .align 1 .b8 name{}",
        bytes("%s %d: %.2f\n"),
        bytes("lane")
    );
    // Two lanes of three print: address of a text, an integer, a double behind it.
    let body = ".local .align 8 .b8 arguments[24];\nsetp.eq.u32 %p1, %r0, 1;\n@%p1 bra END;\n\
                mov.u64 %rd2, arguments;\ncvta.local.u64 %rd3, %rd2;\nmov.u64 %rd4, name;\ncvta.global.u64 %rd4, %rd4;\n\
                st.local.u64 [%rd2], %rd4;\nst.local.u32 [%rd2+8], %r0;\n\
                cvt.rn.f64.u32 %rd5, %r0;\nst.local.f64 [%rd2+16], %rd5;\n\
                mov.u64 %rd6, format;\ncvta.global.u64 %rd6, %rd6;\n\
                { .param .b64 f; .param .b64 a; .param .b32 r;\nst.param.b64 [f], %rd6;\nst.param.b64 [a], %rd3;\n\
                call (r), vprintf, (f, a); }\nEND:";
    Snippet::with(&module, body).threads(threads).printed()
}

#[test]
fn what_lanes_print_comes_in_their_order_and_once() {
    assert_eq!(printed(3), "lane 0: 0.00\nlane 2: 2.00\n");
}

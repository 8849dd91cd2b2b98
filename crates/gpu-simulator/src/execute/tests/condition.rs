use crate::snippet::Snippet;

const MODULE: &str = ".extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);";

/// A call of the last of three lanes, with a handle of the address in `%rd2`.
fn sets(value: u32) -> String {
    format!(
        "setp.ne.u32 %p1, %r0, 2;\n@%p1 bra END;\n\
         {{ .param .b64 h; .param .b32 v;\nst.param.b64 [h], %rd2;\nst.param.b32 [v], {value};\n\
         call cudaGraphSetConditional, (h, v); }}\nEND:"
    )
}

#[test]
fn a_condition_is_the_word_that_its_handle_leads_to() {
    let body = format!("add.u64 %rd2, %rd0, 4;\n{}", sets(7));
    let ran = Snippet::with(MODULE, &body).threads(3).words(vec![1, 2, 3]).run().unwrap();
    assert_eq!(ran.words, [1, 7, 3]);
}

#[test]
fn a_handle_that_is_none_is_a_fault() {
    let body = format!("mov.u64 %rd2, 5;\n{}", sets(0));
    let fault = Snippet::with(MODULE, &body).threads(3).fault();
    assert!(fault.contains("sets the condition") && fault.contains("0x5"), "{fault}");
}

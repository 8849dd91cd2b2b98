//! What people are told about a text that is wrong.

use super::in_function;
use crate::{PtxError, PtxErrors, parse, parse_bytes};

fn told(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

/// What is told about statements in a function; the first of them is in line 5.
fn told_in_function(statements: &str) -> String {
    told(&in_function(statements))
}

const HEAD: &str = ".version 9.0\n.target sm_75\n.address_size 64\n";

#[test]
fn an_empty_text() {
    assert_eq!(told(""), "line 1: the text is empty");
    assert_eq!(told("// nothing\n\n"), "line 3: the text is empty");
}

#[test]
fn bytes_that_are_no_text() {
    let jpeg = b"\xFF\xD8\xFF\xE0\x00\x10JFIF\x00\x01";
    assert_eq!(parse_bytes(jpeg).unwrap_err().to_string(), "line 1: this is not PTX text: byte 0 is 0xFF");
    let png = parse_bytes(b"\x89PNG\r\n\x1a\n").unwrap_err();
    assert_eq!(png.to_string(), "line 1: this is not PTX text: byte 0 is 0x89");
    let control = parse_bytes(b".version 9.0\n.t\x01").unwrap_err();
    assert_eq!(control.to_string(), "line 2: this is not PTX text: byte 15 is 0x01");
    assert_eq!(control.errors()[0].column, 3);
}

#[test]
fn the_head_of_a_module() {
    assert_eq!(told(".target sm_75\n.address_size 64\n"), "line 1: `.version` must come first: `.target sm_75`");
    assert_eq!(
        told(".version 99\n.target sm_75\n"),
        "line 1: expected a version such as `9.0`, not `99`: `.version 99`"
    );
    assert_eq!(told(".version 99.0\n.target sm_75\n"), "line 1: there is no PTX version 99.0: `.version 99.0`");
    assert_eq!(told(".version 9.0\n"), "line 2: `.target` is missing");
    assert_eq!(told(".version 9.0\n.func f() {\n}\n"), "line 2: `.target` must come before this: `.func f() {`");
    assert_eq!(
        told(".version 9.0\n.target tesla\n.func f() {\n}\n"),
        "line 2: expected an architecture such as `sm_75`, not `tesla`: `.target tesla`"
    );
    assert_eq!(told(&format!("{HEAD}.address_size 32\n")), "line 4: a second `.address_size`: `.address_size 32`");
    assert_eq!(
        told(".version 9.0\n.target sm_75\n.address_size 48\n"),
        "line 3: an address has 32 or 64 bits, not 48: `.address_size 48`"
    );
}

#[test]
fn unknown_directives() {
    assert_eq!(
        told(&format!("{HEAD}.texture .u32 a;\n.func f() {{}}")),
        "line 4: unknown directive `.texture` outside of a function: `.texture .u32 a;`"
    );
    assert_eq!(told_in_function("\t.foo 1, 2;\nret;"), "line 5: unknown directive `.foo`: `.foo 1, 2;`");
    assert_eq!(
        told(&format!("{HEAD}.entry k()\n.maxtid 3\n{{ ret }}\n")),
        "line 5: unknown directive `.maxtid` of a function: `.maxtid 3`\n\
         line 6: expected an operand or `;`, not `}`: `{ ret }`"
    );
}

#[test]
fn types_and_spaces() {
    assert_eq!(
        told_in_function(".reg .u33 %r;\n.local .b8;"),
        "line 5: `.u33` is no type that is supported here: `.reg .u33 %r;`\n\
         line 6: expected a name, not `;`: `.local .b8;`"
    );
    assert_eq!(
        told(&format!("{HEAD}.func f(.param .q a, .u32 b, .param .b32 c)\n{{ ret; }}")),
        "line 4: `.q` is no type that is supported here: `.func f(.param .q a, .u32 b, .param .b32 c)`\n\
         line 4: expected a state space such as `.param`, not `.u32`: `.func f(.param .q a, .u32 b, .param .b32 c)`"
    );
    assert_eq!(
        told_in_function(".local .align 3 .b8 a[4];"),
        "line 5: alignment 3 is not a power of two: `.local .align 3 .b8 a[4];`"
    );
}

#[test]
fn what_is_not_closed() {
    assert_eq!(
        told_in_function("\t.pragma \"nounroll;\nret;"),
        "line 5: the string is not closed: `.pragma \"nounroll;`"
    );
    assert_eq!(told_in_function("ret; /* and\nso on"), "line 5: the comment is not closed: `ret; /* and`");
    assert_eq!(told(".version 9.0 /*"), "line 1: the comment is not closed: `.version 9.0 /*`");
    assert_eq!(told(&format!("{HEAD}.func f() {{\nret;\n")), "line 4: this `{` is not closed: `.func f() {`");
    assert_eq!(
        told(&format!("{HEAD}.func f() {{\n{{\nret;\n}}\n.func g() {{\n!;\n}}\n")),
        "line 4: this `{` is not closed: `.func f() {`\nline 9: expected a statement, not `!`: `!;`"
    );
    assert_eq!(told_in_function("ret;\n}\n}\nexit;"), "line 7: this `}` closes nothing: `}`");
    assert_eq!(
        told_in_function("mov.b64 {%r1, %r2, %rd1;\nret\n"),
        "line 5: expected `,` or `}`, not `;`: `mov.b64 {%r1, %r2, %rd1;`\nline 6: missing `;` after `ret`: `ret`"
    );
}

#[test]
fn a_missing_semicolon_hides_nothing() {
    assert_eq!(
        told_in_function("add.u32 %r1, %r2, 1\nmov.u32 %r1, #;\n@%p bra a\na:\nret;"),
        "line 5: missing `;` after `1`: `add.u32 %r1, %r2, 1`\n\
         line 6: `#` does not belong in PTX; expected an operand: `mov.u32 %r1, #;`\n\
         line 7: missing `;` after `a`: `@%p bra a`"
    );
}

#[test]
fn numbers() {
    let number = |text: &str| told_in_function(&format!("mov.u64 %rd1, {text};"));
    let line = |message: &str, text: &str| format!("line 5: {message}: `mov.u64 %rd1, {text};`");
    let large = "99999999999999999999";
    assert_eq!(number(large), line(&format!("number `{large}` is too large for 64 bits"), large));
    let small = "-9223372036854775809";
    assert_eq!(number(small), line("the number is too small for 64 bits", small));
    assert_eq!(number("0x"), line("`0x` is not a number", "0x"));
    assert_eq!(number("09"), line("`09` is not a number", "09"));
    assert_eq!(number("1e999"), line("number `1e999` is too large for a double", "1e999"));
    let digits = "`0f3F8` is not a float: eight hexadecimal digits follow its prefix";
    assert_eq!(number("0f3F8"), line(digits, "0f3F8"));
    assert_eq!(
        told_in_function(".reg .b32 %r<4294967296>;"),
        "line 5: number 4294967296 is too large for 32 bits: `.reg .b32 %r<4294967296>;`"
    );
}

#[test]
fn operands() {
    assert_eq!(
        told_in_function("tex.2d.v4.f32.f32 {a, b, c, d}, [t, {x, y};\nld.u32 %r, [%r+%x];\nadd %r, {};"),
        "line 5: expected `,` or `]`, not `;`: `tex.2d.v4.f32.f32 {a, b, c, d}, [t, {x, y};`\n\
         line 6: expected a number of bytes, not `%x`: `ld.u32 %r, [%r+%x];`\n\
         line 7: expected an operand, not `}`: `add %r, {};`"
    );
}

#[test]
fn initializers() {
    let told = |declaration: &str| told(&format!("{HEAD}{declaration}"));
    assert_eq!(
        told(".global .u32 a[2] = {1, 2, 3};"),
        "line 4: 3 elements are given, 2 have room: `.global .u32 a[2] = {1, 2, 3};`"
    );
    assert_eq!(
        told(".global .u32 a[2] = {{{1}}};"),
        "line 4: the braces nest deeper than the array's dimensions: `.global .u32 a[2] = {{{1}}};`"
    );
    assert_eq!(
        told(".global .u32 a[2][999999999] = {{}, {}};"),
        "line 4: the initializers leave too many elements out: `.global .u32 a[2][999999999] = {{}, {}};`"
    );
    assert_eq!(
        told(".global .b8 a[2] = {0xFF(b), 0};"),
        "line 4: a part of an address, such as `0xFF(name)`, is not supported: `.global .b8 a[2] = {0xFF(b), 0};`"
    );
}

#[test]
fn blocks_that_nest_too_deep() {
    let depth = 100_000;
    let text = told_in_function(&format!("{}\n{}", "{".repeat(depth), "}".repeat(depth)));
    assert!(text.starts_with("line 5: blocks nest deeper than 64: `{{{"), "{text}");
    assert_eq!(text.lines().count(), 1);
    let fine = in_function(&format!("{}{}", "{".repeat(63), "}".repeat(63)));
    assert!(parse(&fine).is_ok());
}

#[test]
fn ten_errors_are_all_told() {
    let text = in_function(&"mov.u32 %r1;; ,;\nadd.u32 %r1 %r2;\n".repeat(5));
    let errors = parse(&text).unwrap_err();
    assert_eq!(errors.count(), 10);
    let lines: Vec<_> = errors.errors().iter().map(|error| error.line).collect();
    assert_eq!(lines, [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
}

#[test]
fn many_errors_are_counted() {
    let errors = parse(&in_function(&"mov %r1 %r2;\n".repeat(1000))).unwrap_err();
    assert_eq!((errors.count(), errors.errors().len()), (1000, 20));
    assert!(errors.to_string().ends_with("`mov %r1 %r2;`\nand 980 more"));
}

#[test]
fn a_place_in_a_long_line() {
    let errors = parse(&in_function(&format!("mov {}%é;", "%r1, ".repeat(100)))).unwrap_err();
    let error = &errors.errors()[0];
    assert_eq!((error.line, error.column), (5, 506));
    assert!(error.text.starts_with('…') && error.text.ends_with("%é;"), "{}", error.text);
    let word = "w".repeat(1_000_000);
    assert!(told_in_function(&format!("mov %r {word};")).len() < 600);
}

#[test]
fn other_readers_build_such_lists_too() {
    let error = |line| PtxError::new(line, " tex.2d\t%r1;", format!("`tex` is not simulated ({line})"));
    assert_eq!(PtxErrors::check(Vec::new()), Ok(()));
    let errors = PtxErrors::check(vec![error(7), error(3)]).unwrap_err();
    let told = "line 3: `tex` is not simulated (3): `tex.2d %r1;`\nline 7: `tex` is not simulated (7): `tex.2d %r1;`";
    assert_eq!(errors.to_string(), told);
    let many = PtxErrors::check((1..=25).map(error).collect()).unwrap_err();
    assert_eq!((many.count(), many.errors().len()), (25, 20));
}

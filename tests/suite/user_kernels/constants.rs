//! Variables of the source that a scenario fills.

use std::fs;

use crate::common::{Workspace, stderr, stdout};

const SCALE: &str = r"
.version 7.0
.target sm_70
.address_size 64

.const .align 4 .b8 factors[16];
.const .align 4 .f32 shift;
.const .align 4 .b8 known[8] = {1, 2, 3, 4, 5, 6, 7, 8};

.visible .entry scale(.param .u64 data)
{
    .reg .b32 %r<7>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<5>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 3;
    mul.wide.u32 %rd2, %r2, 4;
    mov.u64 %rd3, factors;
    add.s64 %rd4, %rd3, %rd2;
    ld.const.f32 %f1, [%rd4];
    ld.const.f32 %f2, [shift];
    ld.const.u8 %r3, [known+2];
    cvt.rn.f32.u32 %f3, %r3;
    add.f32 %f4, %f1, %f2;
    add.f32 %f4, %f4, %f3;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd6, %rd1, %rd5;
    st.global.f32 [%rd6], %f4;
    ret;
}
";

fn scenario(constants: &str) -> String {
    format!(
        r#"
title = "Factors"
[kernel]
source = "scale.ptx"
variants = {{ scaled = "scale" }}
launch = {{ grid = "1", block = "n" }}
arguments = ["data"]
[parameters]
n = {{ default = 64, from = 32, to = 1024 }}
[buffers]
data = {{ type = "f32", length = "n", check = "3 + 100 + (i % 4) * 0.5" }}
{constants}
"#
    )
}

fn verify(constants: &str) -> (Option<i32>, String) {
    let workspace = Workspace::new();
    fs::write(workspace.path("scale.ptx"), SCALE).unwrap();
    fs::write(workspace.path("scale.toml"), scenario(constants)).unwrap();
    let verified = workspace.apbench(&["verify", "scale.toml", "--device", "sim:h200"]).assert();
    (verified.get_output().status.code(), format!("{}{}", stdout(&verified), stderr(&verified)))
}

#[test]
fn variables_are_filled() {
    let (status, told) =
        verify("[constants]\nfactors = { type = \"f32\", fill = \"i * 0.5\" }\nshift = { type = \"f32\", fill = 100 }");
    assert_eq!(status, Some(0), "{told}");
    let (status, told) =
        verify("[constants]\nfactors = { type = \"f32\", fill = \"i * 0.5\" }\nshift = { type = \"f32\", fill = 99 }");
    assert_eq!(status, Some(4), "another value is noticed: {told}");
}

#[test]
fn variables_that_nothing_fills_are_named() {
    let (status, told) = verify("");
    assert_eq!(status, Some(4), "zeros: {told}");
    for name in ["factors", "shift"] {
        assert!(told.contains(&format!("kernels read `{name}` from constant memory, which nothing fills")), "{told}");
    }
    assert!(!told.contains("`known`"), "{told}");
}

#[test]
fn everything_that_is_wrong_with_them_is_told_at_its_place() {
    let (status, told) = verify(
        "[constants]\nfactor = { type = \"f32\", fill = \"zeros\" }\nshift = { type = \"f64\", fill = \"iota\" }\n\
         known = { type = \"u8\", fill = \"i\" }",
    );
    assert_eq!(status, Some(2), "{told}");
    insta::assert_snapshot!("constants", told);
    let (status, told) = verify(
        "[constants]\nfactors = { type = \"f31\", fill = \"x.npy\" }\nshift = { fill = \"poison\" }\nmore = { type = \"f32\" }\nlast = 3",
    );
    assert_eq!(status, Some(2), "{told}");
    insta::assert_snapshot!("constants_keys", told);
}

#[test]
fn lanes_that_read_different_places_at_once_are_told() {
    let workspace = Workspace::new();
    fs::write(workspace.path("scale.ptx"), SCALE).unwrap();
    let filled =
        "[constants]\nfactors = { type = \"f32\", fill = \"i * 0.5\" }\nshift = { type = \"f32\", fill = 100 }";
    fs::write(workspace.path("scale.toml"), scenario(filled)).unwrap();
    // Of an A100 nobody has measured what it takes.
    let diagnose = ["diagnose", "scale.toml", "--device", "sim:a100"];
    let told = stdout(&workspace.apbench(&diagnose).env("COLUMNS", "400").assert().code(0));
    assert!(told.contains("read 4.0 places of constant memory at once at scale.ptx:"), "{told}");
    let on_h200 = ["diagnose", "scale.toml", "--device", "sim:h200", "--fail-on", "constant_places:3.9"];
    let told = stdout(&workspace.apbench(&on_h200).env("COLUMNS", "400").assert().code(5));
    assert!(told.contains("constant memory at several places: 4.0 places a load, 1 would do, of 2 loads"), "{told}");
    // All lanes at one place are as the hardware wants it, though that gives other results here.
    fs::write(workspace.path("scale.ptx"), SCALE.replace("and.b32 %r2, %r1, 3;", "and.b32 %r2, %r1, 0;")).unwrap();
    let told = stdout(&workspace.apbench(&diagnose).env("COLUMNS", "400").assert().code(4));
    assert!(!told.contains("places of constant memory"), "{told}");
}

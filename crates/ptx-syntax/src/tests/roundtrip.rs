//! What is printed reads back as the same module.

use proptest::prelude::*;

use super::SAMPLES;
use super::generate::module;
use crate::parse;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_module_reads_back(module in module()) {
        let text = module.to_string();
        let again = parse(&text).map_err(|errors| TestCaseError::fail(format!("{errors}\n{text}")))?;
        prop_assert_eq!(again.without_lines(), module);
    }
}

#[test]
fn samples_read_back() {
    for text in SAMPLES {
        let module = parse(text).unwrap();
        let again = parse(&module.to_string()).unwrap();
        assert_eq!(again.without_lines(), module.without_lines());
    }
}

#[test]
fn lines_are_what_layouts_differ_in() {
    let spread = parse(".version 9.0\n.target sm_75\n\n\n.func f(\n.param\n.b32 a)\n{\nret;\n}").unwrap();
    let dense = parse(".version 9.0 .target sm_75 .func f(.param .b32 a) { ret; }").unwrap();
    assert_ne!(spread, dense);
    assert_eq!(spread.without_lines(), dense.without_lines());
}

//! Ways of writing that stand for others, in terms of PTX: parameters in registers become those in memory, vector registers one register
//! for each element, moves between four registers and one become moves by halves, and
//! comparisons of pairs become two.

mod calls;
mod pairs;
mod vectors;

use std::borrow::Cow;
use std::collections::HashMap;

use ptx_syntax::module::{Function, Guard, Instruction, Item, Module, Operand, Space, Statement, Type, Variable};

use calls::Signature;
use vectors::Vectors;

/// The module with all of them expanded; itself where there are none.
pub(super) fn expanded(module: &Module) -> Cow<'_, Module> {
    let functions = module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(function),
        Item::Variable(_) => None,
    });
    let is_plain = |function: &Function| {
        !calls::has_register_parameters(function) && function.body.as_deref().is_none_or(|body| body.iter().all(plain))
    };
    if functions.clone().all(is_plain) {
        return Cow::Borrowed(module);
    }
    let signatures: HashMap<&str, Signature> =
        functions.map(|function| (function.name.as_str(), Signature::of(function))).collect();
    let mut module = module.clone();
    let signatures: HashMap<String, Signature> =
        signatures.into_iter().map(|(name, signature)| (name.to_owned(), signature)).collect();
    for item in &mut module.items {
        if let Item::Function(function) = item {
            expand(function, &signatures);
        }
    }
    Cow::Owned(module)
}

/// Whether the statement is none of these ways. What a call is depends on the callee.
fn plain(statement: &Statement) -> bool {
    match statement {
        Statement::Registers { vector, .. } => *vector == 1,
        Statement::Block(inner) => inner.iter().all(plain),
        Statement::Instruction(instruction) => !vectors::is_of_four(instruction) && !pairs::is_comparison(instruction),
        Statement::CallPrototype { results, parameters, .. } => {
            !parameters.iter().chain(results).any(|variable| variable.space == Space::Register)
        }
        _ => true,
    }
}

fn expand(function: &mut Function, signatures: &HashMap<String, Signature>) {
    let Some(body) = function.body.take() else {
        calls::into_memory(function);
        return;
    };
    let registers = calls::into_memory(function);
    let mut prototypes = signatures.clone();
    calls::note_prototypes(&body, &mut prototypes);
    let mut vectors = Vectors::default();
    let mut statements = registers.declarations();
    statements.extend(registers.loads(function.line));
    statements.extend(calls::with_results_stored(body, &registers));
    statements.extend(registers.stores(None, function.line));
    let statements = calls::with_arguments_stored(statements, &prototypes);
    function.body = Some(vectors.expand(statements));
}

/// `opcode.modifiers operands;`
pub(super) fn instruction(words: &str, operands: Vec<Operand>, guard: Option<&Guard>, line: u32) -> Statement {
    let mut words = words.split('.').map(str::to_owned);
    let opcode = words.next().unwrap_or_default();
    Statement::Instruction(Instruction { guard: guard.cloned(), opcode, modifiers: words.collect(), operands, line })
}

/// The word of a type, such as `u32`.
fn word(ty: Type) -> String {
    match ty {
        Type::Bits(bits) => format!("b{bits}"),
        Type::Unsigned(bits) => format!("u{bits}"),
        Type::Signed(bits) => format!("s{bits}"),
        // There are no loads and stores of f16.
        Type::Float(16) => "b16".to_owned(),
        Type::Float(bits) => format!("f{bits}"),
        Type::Predicate => "pred".to_owned(),
        Type::Opaque(_) => "b64".to_owned(),
    }
}

/// The words of a type behind those of its vector.
fn words(variable: &Variable) -> String {
    let vector = if variable.vector == 1 { String::new() } else { format!("v{}.", variable.vector) };
    vector + &word(variable.ty)
}

#[cfg(test)]
mod tests {
    use crate::snippet::Snippet;

    fn first(module: &str, body: &str) -> Vec<u32> {
        Snippet::with(module, body).run().unwrap_or_else(|fault| panic!("{fault}")).words
    }

    #[test]
    fn functions_may_have_their_parameters_in_registers() {
        // As the manual writes them: the sum and the difference of 30 and a lane, and a function that calls another.
        let module = ".func (.reg .u32 s, .reg .u32 d) both (.reg .u32 a, .reg .u32 b) {\n\
             add.u32 s, a, b; sub.u32 d, a, b; ret; }\n\
             .func (.reg .u32 r) larger (.reg .u32 a) { .reg .u32 x, y; .reg .pred p;\n\
             call (x, y), both, (30, a); setp.gt.u32 p, a, 15; mov.u32 r, x; @p ret; mov.u32 r, y; }\n";
        let words = first(module, "call (%r5), larger, (%r0);\nst.global.u32 [%rd1], %r5;");
        let expected = |lane: u32| if lane > 15 { 30 + lane } else { 30 - lane };
        assert_eq!(words[..32], (0..32).map(expected).collect::<Vec<u32>>());
    }

    #[test]
    fn a_guarded_call_leaves_the_registers_of_other_lanes_alone() {
        let module = ".func (.reg .u32 r) twice (.reg .u32 a) { add.u32 r, a, a; ret; }\n";
        let body =
            "mov.u32 %r5, 7;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 call (%r5), twice, (%r0);\nst.global.u32 [%rd1], %r5;";
        let words = first(module, body);
        assert!((0..32).all(|lane: u32| words[lane as usize] == if lane < 16 { 2 * lane } else { 7 }), "{words:?}");
    }

    #[test]
    fn vector_registers_are_their_elements() {
        let body = ".reg .v2 .u32 v, w;\n.reg .v4 .b16 q;\nmov.u32 v.x, %r0;\nadd.u32 v.y, %r0, 100;\n\
                    mov.v2.u32 w, {v.y, v.x};\nmov.v2.u32 w, {w.y, w.x};\n\
                    mad.wide.u32 %rd2, %r0, 8, %rd0;\nst.global.v2.u32 [%rd2], w;\nld.global.v2.u32 v, [%rd2];\n\
                    add.u32 v.g, v.r, v.y;\nst.global.u32 [%rd2+4], v.y;";
        let words = first("", body);
        assert_eq!(words[10..12], [5, 110]);
    }

    #[test]
    fn pairs_are_compared_half_by_half() {
        // 1 and 3 against 2 and 2: less below, not less above; combined with a predicate that one of the results replaces.
        let body = "mov.b32 %r2, 0x42003C00;\nmov.b32 %r3, 0x40004000;\nsetp.lt.f16x2 %p1|%p2, %r2, %r3;\n\
                    setp.eq.u32 %p3, 0, 0;\nsetp.gt.and.f16x2 %p3|%p4, %r2, %r3, %p3;\nsetp.gt.f16x2 _|%p5, %r2, %r3;\n\
                    selp.u32 %r4, 1, 0, %p1;\n@%p2 add.u32 %r4, %r4, 2;\n@%p3 add.u32 %r4, %r4, 4;\n\
                    @%p4 add.u32 %r4, %r4, 8;\n@%p5 add.u32 %r4, %r4, 16;\nst.global.u32 [%rd1], %r4;";
        assert_eq!(first("", body)[0], 1 + 8 + 16);
    }

    #[test]
    fn four_registers_of_16_bits_are_one_of_64() {
        let body = "mov.b16 %h1, 1;\nmov.b16 %h2, 2;\nmov.b16 %h3, 3;\nmov.b16 %h4, 4;\nmov.b64 %rd5, {%h1, %h2, %h3, %h4};\n\
                    mov.b64 {%h4, _, %h2, %h1}, %rd5;\nmov.b64 %rd6, {%h1, %h2, %h3, %h4};\n\
                    st.global.u64 [%rd0], %rd5;\nst.global.u64 [%rd0+8], %rd6;";
        assert_eq!(first("", body)[..4], [0x0002_0001, 0x0004_0003, 0x0003_0004, 0x0001_0003]);
    }
}

//! What a text means, from the manual's own notation.

use super::{SAMPLES, in_function};
use crate::module::*;
use crate::{parse, parse_bytes};

fn statements(text: &str) -> Vec<Statement> {
    let module = parse(&in_function(text)).unwrap_or_else(|errors| panic!("{errors}"));
    match module.items.into_iter().next() {
        Some(Item::Function(function)) => function.body.unwrap(),
        other => panic!("{other:?}"),
    }
}

fn instruction(text: &str) -> Instruction {
    match statements(text).into_iter().next() {
        Some(Statement::Instruction(instruction)) => instruction,
        other => panic!("{other:?}"),
    }
}

fn operands(text: &str) -> Vec<Operand> {
    instruction(text).operands
}

fn named(name: &str) -> Operand {
    Operand::Name(name.to_owned())
}

fn function(text: &str, name: &str) -> Function {
    let is_it = |item| match item {
        Item::Function(function) if function.name == name && function.body.is_some() => Some(function),
        _ => None,
    };
    parse(text).unwrap().items.into_iter().find_map(is_it).unwrap()
}

fn variable(declaration: &str) -> Variable {
    let text = format!(".version 9.0 .target sm_75 {declaration}");
    match parse(&text).unwrap_or_else(|errors| panic!("{errors}")).items.swap_remove(0) {
        Item::Variable(variable) => variable,
        other @ Item::Function(_) => panic!("{other:?}"),
    }
}

#[test]
fn numbers_are_those_of_the_manual() {
    let one = |text: &str| operands(&format!("x {text};")).swap_remove(0);
    assert_eq!(one("42"), Operand::Integer(42));
    assert_eq!(one("42U"), Operand::Integer(42));
    assert_eq!(one("0"), Operand::Integer(0));
    assert_eq!(one("017"), Operand::Integer(15));
    assert_eq!(one("0x1fU"), Operand::Integer(31));
    assert_eq!(one("0b101"), Operand::Integer(5));
    assert_eq!(one("-1"), Operand::Integer(u64::MAX));
    assert_eq!(one("18446744073709551615"), Operand::Integer(u64::MAX));
    assert_eq!(one("-9223372036854775808"), Operand::Integer(1 << 63));
    assert_eq!(one("WARP_SZ"), Operand::Integer(32));
    assert_eq!(one("0f3F800000"), Operand::Float32(1.0_f32.to_bits()));
    assert_eq!(one("0d400921FB54442D18"), Operand::Float64(std::f64::consts::PI.to_bits()));
    assert_eq!(one("1.5"), Operand::Float64(1.5_f64.to_bits()));
    assert_eq!(one("-2e-3"), Operand::Float64((-0.002_f64).to_bits()));
    assert_eq!(one("4."), Operand::Float64(4.0_f64.to_bits()));
}

#[test]
fn operands_of_every_kind() {
    let address = |base: &str, offset| Operand::Address { base: Some(base.to_owned()), offset };
    assert_eq!(operands("x [%rd1];"), [address("%rd1", 0)]);
    assert_eq!(operands("x [%rd1+8], [%rd1-4], [%rd1+-4];")[..], [8, -4, -4].map(|offset| address("%rd1", offset)));
    assert_eq!(operands("x [4096];"), [Operand::Address { base: None, offset: 4096 }]);
    assert_eq!(operands("x table+8;"), [Operand::Sum { name: "table".to_owned(), offset: 8 }]);
    assert_eq!(operands("x !%p, _, %tid.x;"), [Operand::Not("%p".to_owned()), Operand::Discard, named("%tid.x")]);
    let pair = |a, b| Operand::Pair(Box::new(a), Box::new(b));
    assert_eq!(operands("x %r1|%p1, _ | %p;"), [pair(named("%r1"), named("%p1")), pair(Operand::Discard, named("%p"))]);
    let vector = vec![named("%r1"), Operand::Discard, Operand::Integer(3)];
    assert_eq!(operands("x {%r1, _, 3};"), [Operand::Vector(vector)]);
    let list = |names: &[&str]| Operand::List(names.iter().map(|name| named(name)).collect());
    assert_eq!(operands("call.uni (r), f, (a, b);"), [list(&["r"]), named("f"), list(&["a", "b"])]);
    assert_eq!(operands("call f, ();"), [named("f"), list(&[])]);
    assert_eq!(operands("call f;"), [named("f")]);
    assert_eq!(operands("ret;"), []);
}

#[test]
fn an_instruction_keeps_its_words() {
    let load = instruction("@!%p ld.relaxed.gpu.global.L1::no_allocate.v4.u32 {a, b, c, d}, [%rd1];");
    assert_eq!(load.guard, Some(Guard { register: "%p".to_owned(), negated: true }));
    assert_eq!(load.opcode, "ld");
    assert_eq!(load.modifiers, ["relaxed", "gpu", "global", "L1::no_allocate", "v4", "u32"]);
    assert_eq!(load.line, 5);
    assert_eq!(load.to_string(), "@!%p ld.relaxed.gpu.global.L1::no_allocate.v4.u32 {a, b, c, d}, [%rd1];");
    let mad = "mad.lo.u32 %r1, %r1, 1664533, -1;";
    assert_eq!(instruction("mad.lo.u32 \t%r1,%r1 , 0x196615, 0xFFFFFFFFFFFFFFFF;").to_string(), mad);
}

#[test]
fn scopes_nest() {
    let label = |name: &str| Statement::Label(name.to_owned());
    let expected = [Statement::Block(vec![label("a"), Statement::Block(vec![])]), label("b")];
    assert_eq!(statements("{ a: ; { } } b:"), expected);
}

#[test]
fn registers_are_declared_by_count_or_name() {
    let names = vec![("%r".to_owned(), Some(12)), ("%x".to_owned(), None)];
    let expected = Statement::Registers { vector: 1, ty: Type::Bits(32), names };
    assert_eq!(statements(".reg .b32 %r<12>, %x;"), [expected]);
    let expected = Statement::Registers { vector: 4, ty: Type::Float(32), names: vec![("v".to_owned(), None)] };
    assert_eq!(statements(".reg .v4 .f32 v;"), [expected]);
}

#[test]
fn initializers_are_in_memory_order() {
    let integers = |numbers: &[u64]| Some(numbers.iter().map(|&number| Constant::Integer(number)).collect());
    assert_eq!(variable(".global .u32 a[2][3] = {{1}, {4, 5}};").initializer, integers(&[1, 0, 0, 4, 5]));
    assert_eq!(variable(".global .u32 a[2][3] = {1, 2, {4}};").initializer, integers(&[1, 2, 0, 4]));
    assert_eq!(variable(".global .v2 .u8 a[] = {{1, 2}, {3}};").initializer, integers(&[1, 2, 3]));
    assert_eq!(variable(".global .s64 a = -1;").initializer, integers(&[u64::MAX]));
    let half = Some(vec![Constant::Float32(0.5_f32.to_bits())]);
    assert_eq!(variable(".const .f32 a = 0.5;").initializer, half);
    let half = Some(vec![Constant::Float64(0.5_f64.to_bits())]);
    assert_eq!(variable(".const .f64 a = 0.5;").initializer, half);
    let address = |offset, generic| Constant::Address { name: "b".to_owned(), offset, generic };
    let expected = vec![address(0, false), address(8, true), address(-4, false)];
    assert_eq!(variable(".global .u64 a[3] = {b, generic(b)+8, b-4};").initializer, Some(expected));
}

#[test]
fn variables_keep_what_is_written() {
    let tile = variable(".extern .shared .align 16 .b8 tile[];");
    assert_eq!((tile.linkage, tile.space, tile.alignment), (Some(Linkage::Extern), Space::Shared, Some(16)));
    assert_eq!((tile.ty, tile.dimensions, tile.initializer), (Type::Bits(8), vec![None], None));
    assert_eq!(variable(".global .attribute(.unified(1, 2)) .align 8 .u32 a[4][2];").dimensions, [Some(4), Some(2)]);
}

#[test]
fn a_kernel_has_its_parameters_and_limits() {
    let run = function(SAMPLES[0], "run");
    assert!(run.entry);
    assert_eq!(run.linkage, Some(Linkage::Visible));
    let shapes: Vec<_> = run
        .parameters
        .iter()
        .map(|parameter| (parameter.alignment, parameter.ty, parameter.dimensions.len()))
        .collect();
    assert_eq!(shapes, [(Some(8), Type::Bits(8), 1), (None, Type::Unsigned(64), 0)]);
    assert_eq!(run.directives, [("maxntid".to_owned(), vec![256, 1, 1]), ("minnctapersm".to_owned(), vec![2])]);
}

#[test]
fn a_device_function_has_results() {
    let factorial = function(SAMPLES[0], "factorial");
    assert_eq!(factorial.results[0].name, "func_retval0");
    assert_eq!((factorial.results[0].space, factorial.parameters.len(), factorial.line), (Space::Param, 1, 22));
    assert_eq!(function(SAMPLES[0], "twice").results[0].space, Space::Register);
}

#[test]
fn debug_information_is_dropped_but_for_lines() {
    let warp = function(SAMPLES[2], "warp").body.unwrap();
    let place = |statement: &Statement| match statement {
        Statement::Location(place) => Some(*place),
        _ => None,
    };
    let places: Vec<_> = warp.iter().filter_map(place).collect();
    assert_eq!(places, [[1, 10, 5], [1, 11, 7]]);
    assert_eq!(warp[0], Statement::Pragma("nounroll".to_owned()));
}

#[test]
fn jump_tables_and_prototypes_have_labels() {
    let table = Statement::BranchTargets { label: "t".to_owned(), targets: vec!["$a".to_owned(), "$b".to_owned()] };
    assert_eq!(statements("t: .branchtargets $a, $b;"), [table]);
    let calls = Statement::CallTargets { label: "t".to_owned(), targets: vec!["f".to_owned()] };
    assert_eq!(statements("t : .calltargets f;"), [calls]);
    let text = "p : .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[24]) .noreturn;";
    let prototype = statements(text).swap_remove(0);
    assert!(matches!(&prototype, Statement::CallPrototype { noreturn: true, results, parameters, .. }
        if results[0].name == "_" && parameters[0].dimensions == [Some(24)]));
    assert_eq!(prototype.to_string(), text.replacen(" :", ":", 1));
}

#[test]
fn a_module_has_its_head() {
    let module = parse(SAMPLES[0]).unwrap();
    assert_eq!((module.version, module.address_bits), ((8, 7), 64));
    assert_eq!(module.target, ["sm_75", "debug"]);
    assert_eq!(parse(".version 1.4\n.target sm_11").unwrap().address_bits, 32);
}

#[test]
fn zeros_behind_a_text_and_a_mark_before_it_are_no_part_of_it() {
    let text = in_function("ret;");
    let bytes = [b"\xEF\xBB\xBF", text.as_bytes(), b"\0\0"].concat();
    assert_eq!(parse_bytes(&bytes).unwrap(), parse(&text).unwrap());
}

#[test]
fn comments_are_blanks() {
    assert_eq!(statements("ret /* a\n; */ ; // b }\n exit;").len(), 2);
}

#[test]
fn textures_are_read() {
    let text = ".version 9.0 .target sm_75 .global .texref t = { addr_mode_0 = wrap, filter_mode = linear };\n\
                .global .samplerref s; .global .surfref[2] u;";
    assert!(parse(text).is_err(), "extents stand behind the name");
    let handle = variable(".global .texref t = { addr_mode_0 = wrap, filter_mode = linear };");
    assert_eq!((handle.ty, handle.initializer), (Type::Opaque(Opaque::Texture), None));
    assert_eq!(variable(".global .samplerref s;").ty, Type::Opaque(Opaque::Sampler));
    assert_eq!(variable(".tex .u32 old;").space, Space::Global);
    let coordinates = Operand::Vector(vec![named("%f1"), named("%f2")]);
    let expected = Operand::Texel(vec![named("t"), named("s"), coordinates]);
    assert_eq!(operands("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, {%f1, %f2}];")[1], expected);
}

#[test]
fn elements_of_arrays_are_addresses() {
    let expected = Operand::Element { name: "a".to_owned(), index: 3 };
    assert_eq!(operands("ld.global.u32 %r1, a[3];")[1], expected);
    assert!(parse(&in_function("ld.global.u32 %r1, a[-3];")).is_err());
}

#[test]
fn prototypes_may_end_with_their_line() {
    let text = ".version 9.0\n.target sm_75\n.func (.param .b32 r) f (.param .b32 a)\n.extern .func g\n.global .u32 x;\n\
                .func h()\n{ ret; }";
    let module = parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    let names = module.items.iter().map(|item| match item {
        Item::Function(function) => (function.name.as_str(), function.body.is_some()),
        Item::Variable(variable) => (variable.name.as_str(), false),
    });
    assert_eq!(names.collect::<Vec<_>>(), [("f", false), ("g", false), ("x", false), ("h", true)]);
}

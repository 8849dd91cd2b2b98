//! Arbitrary modules that PTX can write.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::module::*;

/// Never `_`, which discards, nor `WARP_SZ`, which is a number.
fn identifier() -> impl Strategy<Value = String> {
    "[a-zA-Z_$%][a-zA-Z0-9_$]{1,6}"
}

fn name() -> impl Strategy<Value = String> {
    (identifier(), option::weighted(0.2, "[xyzw]|b0|h1")).prop_map(|(name, component)| match component {
        Some(component) => format!("{name}.{component}"),
        None => name,
    })
}

fn ty() -> impl Strategy<Value = Type> {
    let bits = || prop::sample::select(vec![8_u8, 16, 32, 64]);
    prop_oneof![
        bits().prop_map(Type::Bits),
        bits().prop_map(Type::Unsigned),
        bits().prop_map(Type::Signed),
        prop::sample::select(vec![16_u8, 32, 64]).prop_map(Type::Float),
        Just(Type::Predicate),
    ]
}

fn vector() -> impl Strategy<Value = u8> {
    prop::sample::select(vec![1_u8, 2, 4])
}

fn linkage() -> impl Strategy<Value = Option<Linkage>> {
    option::of(prop::sample::select(vec![Linkage::Visible, Linkage::Extern, Linkage::Weak, Linkage::Common]))
}

fn constant() -> impl Strategy<Value = Constant> {
    prop_oneof![
        any::<u64>().prop_map(Constant::Integer),
        (0_u64..300).prop_map(Constant::Integer),
        any::<u32>().prop_map(Constant::Float32),
        any::<u64>().prop_map(Constant::Float64),
        (identifier(), prop_oneof![Just(0), any::<i64>()], any::<bool>())
            .prop_map(|(name, offset, generic)| Constant::Address { name, offset, generic }),
    ]
}

/// Extents, the first of which may be left out, and elements that have room in them.
fn contents(vector: u8) -> impl Strategy<Value = (Vec<Option<u64>>, Option<Vec<Constant>>)> {
    (vec(0_u64..4, 0..3), any::<bool>()).prop_flat_map(move |(extents, open)| {
        let room = extents.iter().product::<u64>() * u64::from(vector);
        let mut dimensions: Vec<_> = extents.into_iter().map(Some).collect();
        let is_open = open && !dimensions.is_empty();
        if is_open {
            dimensions[0] = None;
        }
        let most = if is_open { 5 } else { room as usize };
        (Just(dimensions), option::of(vec(constant(), 0..=most)))
    })
}

fn variable(spaces: Vec<Space>) -> impl Strategy<Value = Variable> {
    let alignment = option::of((0_u32..8).prop_map(|power| 1 << power));
    let head = (prop::sample::select(spaces), alignment, vector(), ty(), identifier());
    head.prop_flat_map(|(space, alignment, vector, ty, name)| {
        contents(vector).prop_map(move |(dimensions, initializer)| {
            let name = name.clone();
            Variable { linkage: None, space, alignment, vector, ty, name, dimensions, initializer, line: 0 }
        })
    })
}

fn parameters() -> impl Strategy<Value = Vec<Variable>> {
    let parameter = variable(vec![Space::Param, Space::Register]);
    vec(parameter.prop_map(|parameter| Variable { initializer: None, ..parameter }), 0..3)
}

fn simple_operand() -> impl Strategy<Value = Operand> {
    let half = || prop_oneof![3 => name().prop_map(Operand::Name), 1 => Just(Operand::Discard)];
    prop_oneof![
        name().prop_map(Operand::Name),
        name().prop_map(Operand::Not),
        any::<u64>().prop_map(Operand::Integer),
        any::<i8>().prop_map(|number| Operand::Integer(i64::from(number).cast_unsigned())),
        any::<u32>().prop_map(Operand::Float32),
        any::<u64>().prop_map(Operand::Float64),
        (name(), any::<i64>()).prop_map(|(name, offset)| Operand::Sum { name, offset }),
        (name(), any::<u64>()).prop_map(|(name, index)| Operand::Element { name, index: index >> 1 }),
        (half(), half()).prop_map(|(first, second)| Operand::Pair(Box::new(first), Box::new(second))),
        Just(Operand::Discard),
    ]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        4 => simple_operand(),
        2 => (option::of(name()), prop_oneof![Just(0), any::<i64>()])
            .prop_map(|(base, offset)| Operand::Address { base, offset }),
        1 => vec(simple_operand(), 1..4).prop_map(Operand::Vector),
        1 => (name(), vec(simple_operand(), 1..3), vec(simple_operand(), 1..4)).prop_map(|(texture, others, coordinates)| {
            let first = std::iter::once(Operand::Name(texture));
            Operand::Texel(first.chain(others).chain([Operand::Vector(coordinates)]).collect())
        }),
        1 => vec(simple_operand(), 0..4).prop_map(Operand::List),
    ]
}

fn instruction() -> impl Strategy<Value = Instruction> {
    let guard = option::of((identifier(), any::<bool>()).prop_map(|(register, negated)| Guard { register, negated }));
    let modifiers = vec("[a-zA-Z0-9_]{1,4}(::[a-z0-9]{1,3}){0,2}", 0..4);
    (guard, "[a-z][a-z0-9_]{0,5}", modifiers, vec(operand(), 0..4))
        .prop_map(|(guard, opcode, modifiers, operands)| Instruction { guard, opcode, modifiers, operands, line: 0 })
}

fn statement() -> impl Strategy<Value = Statement> {
    let leaf = prop_oneof![
        6 => instruction().prop_map(Statement::Instruction),
        2 => (vector(), ty(), vec((identifier(), option::of(any::<u32>())), 1..3))
            .prop_map(|(vector, ty, names)| Statement::Registers { vector, ty, names }),
        1 => variable(vec![Space::Local, Space::Shared, Space::Param, Space::Const, Space::Global])
            .prop_map(Statement::Variable),
        1 => identifier().prop_map(Statement::Label),
        1 => "([a-z é#;{}]|/\\*|//|\\\\\"){0,6}".prop_map(Statement::Pragma),
        1 => any::<[u32; 3]>().prop_map(Statement::Location),
        1 => (identifier(), vec(identifier(), 1..3))
            .prop_map(|(label, targets)| Statement::BranchTargets { label, targets }),
        1 => (identifier(), vec(identifier(), 1..3))
            .prop_map(|(label, targets)| Statement::CallTargets { label, targets }),
        1 => (identifier(), parameters(), parameters(), any::<bool>()).prop_map(
            |(label, results, parameters, noreturn)| Statement::CallPrototype { label, results, parameters, noreturn }
        ),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| vec(inner, 0..4).prop_map(Statement::Block))
}

fn function() -> impl Strategy<Value = Function> {
    let words = ["maxntid", "reqntid", "minnctapersm", "maxnctapersm", "maxnreg", "noreturn"];
    let directive = (prop::sample::select(words.to_vec()), vec(any::<u64>().prop_map(|number| number >> 1), 0..4));
    let directives = vec(directive.prop_map(|(word, numbers)| (word.to_owned(), numbers)), 0..3);
    let head = (linkage(), any::<bool>(), identifier(), parameters(), parameters());
    (head, directives, option::weighted(0.8, vec(statement(), 0..8))).prop_map(|(head, directives, body)| {
        let (linkage, entry, name, results, parameters) = head;
        let results = if entry { Vec::new() } else { results };
        Function { linkage, entry, name, results, parameters, directives, body, line: 0 }
    })
}

/// A module whose lines are all 0.
pub(super) fn module() -> impl Strategy<Value = Module> {
    let spaces = vec![Space::Global, Space::Const, Space::Shared, Space::Local];
    let item = prop_oneof![
        (linkage(), variable(spaces)).prop_map(|(linkage, variable)| Item::Variable(Variable { linkage, ..variable })),
        function().prop_map(Item::Function),
    ];
    let target = ("(sm|compute)_[0-9]{2}a?", vec("[a-z_]{2,8}", 0..2));
    let head = (1_u32..=20, any::<u32>(), target, prop::sample::select(vec![32_u32, 64]));
    (head, vec(item, 0..4)).prop_map(|((major, minor, (architecture, options), address_bits), items)| {
        let target = std::iter::once(architecture).chain(options).collect();
        Module { version: (major, minor), target, address_bits, items }
    })
}

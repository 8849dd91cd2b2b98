//! No text that reads as PTX is a panic, or runs for ever.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::profile::Profile;
use crate::program::{Conduct, Given, decode};
use crate::snippet::kernel;
use crate::{Argument, Extent, Grid, KeptL2, Machine, Memory};
use ptx_syntax::module::{Item, Module};
use ptx_syntax::parse;

/// A kernel with something of everything.
fn everything() -> String {
    let module = ".global .align 8 .u64 table[2] = {twice, count}; .const .u32 c[4] = {1, 2, 3, 4}; .shared .b32 s[64];
        .extern .func (.param .b64 r) malloc (.param .b64 n);
        .func (.param .b32 r) twice (.param .b32 n) { .reg .b32 %a<2>; .reg .pred %q; ld.param.b32 %a0, [n];
        setp.gt.u32 %q, %a0, 20;
        @%q ret;
        add.u32 %a1, %a0, %a0; st.param.b32 [r], %a1; ret; }
        .func (.param .b32 r) count (.param .b32 n);
        .func (.param .b32 r) count (.param .b32 n) { .reg .b32 %a<3>; .reg .pred %q; .local .b32 l[4];
        ld.param.b32 %a0, [n]; mov.u32 %a1, 0; setp.eq.u32 %q, %a0, 0;
        @%q bra E;
        sub.u32 %a2, %a0, 1; st.local.u32 [l+8], %a2;
        { .param .b32 n1; .param .b32 r1; st.param.b32 [n1], %a2; call (r1), count, (n1); ld.param.b32 %a1, [r1]; }
        add.u32 %a1, %a1, 1;
        E: st.param.b32 [r], %a1;
        ret; }";
    let body = ".local .align 16 .b8 depot[32];
        mov.u64 %rd2, depot;
        cvta.local.u64 %rd3, %rd2;
        st.u32 [%rd3+4], %r0;
        ld.local.v2.u32 {%r1, %r2}, [%rd2];
        mov.u32 %r3, s;
        mad.lo.u32 %r4, %r0, 4, %r3;
        st.shared.u32 [%r4], %r0;
        bar.sync 0;
        ld.shared.u32 %r5, [%r3+12];
        atom.shared.add.u32 %r6, [%r3], 2;
        atom.global.cas.b32 %r7, [%rd0], 0, 1;
        red.global.max.u32 [%rd0+8], %r0;
        setp.lt.u32 %p1, %r0, 9;
        @%p1 bra A;
        bar.warp.sync -1;
        bra B;
        A:
        bar.warp.sync -1;
        B:
        shfl.sync.bfly.b32 %r8|%p2, %r0, 16, 31, -1;
        vote.sync.ballot.b32 %r9, %p1, -1;
        match.any.sync.b32 %r10, %r5, -1;
        redux.sync.add.u32 %r11, %r0, -1;
        bar.red.popc.u32 %r12, 0, %p1;
        bar.arrive 1, 128;
        and.b32 %r13, %r0, 1;
        mul.wide.u32 %rd4, %r13, 8;
        mov.u64 %rd5, table;
        add.u64 %rd5, %rd5, %rd4;
        ld.global.u64 %rd6, [%rd5];
        and.b32 %r14, %r0, 7;
        { .param .b32 n; .param .b32 r; st.param.b32 [n], %r14;
        p: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (r), %rd6, (n), p;
        ld.param.b32 %r15, [r]; }
        { .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call (r), malloc, (n); ld.param.b64 %rd7, [r]; }
        st.u32 [%rd7+8], %r15;
        T: .branchtargets C, D;
        brx.idx %r13, T;
        C:
        ld.const.u32 %r16, [c+4];
        D:
        L:
        ld.volatile.global.u32 %r17, [%rd0];
        setp.eq.u32 %p3, %r17, 0;
        @%p3 bra L;
        cp.async.ca.shared.global [%r3], [%rd0], 4;
        mov.b64 {%r18, %r19}, %rd0;
        mov.u32 %r20, %clock;
        @%p1 exit;
        st.global.u32 [%rd1], %r15;";
    kernel(module, body)
}

fn samples() -> [String; 4] {
    [
        everything(),
        include_str!("../../../../ptx-syntax/tests/samples/calls.ptx").to_owned(),
        include_str!("../../../../ptx-syntax/tests/samples/data.ptx").to_owned(),
        include_str!("../../../../ptx-syntax/tests/samples/warp.ptx").to_owned(),
    ]
}

/// Numbers at which something may overflow.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "2",
    "7",
    "16",
    "31",
    "64",
    "255",
    "65536",
    "1048576",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
];

#[derive(Debug, Clone)]
enum Damage {
    Number(Index, usize),
    Word(Index, Index),
    DeleteLine(Index),
    RepeatLine(Index, Index),
    SwapLines(Index, Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<Index>;
    prop_oneof![
        4 => (place(), 0..NUMBERS.len()).prop_map(|(at, number)| Damage::Number(at, number)),
        3 => (place(), place()).prop_map(|(at, from)| Damage::Word(at, from)),
        1 => place().prop_map(Damage::DeleteLine),
        1 => (place(), place()).prop_map(|(from, to)| Damage::RepeatLine(from, to)),
        1 => (place(), place()).prop_map(|(first, second)| Damage::SwapLines(first, second)),
    ]
}

/// The text in words, numbers and what is between them.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut inside = false;
    for letter in text.chars() {
        let is_word = letter.is_ascii_alphanumeric() || "%_$.".contains(letter);
        // A dot begins a word of its own, so that modifiers are changed one by one.
        match tokens.last_mut() {
            Some(token) if is_word && inside && letter != '.' => token.push(letter),
            _ => tokens.push(letter.to_string()),
        }
        inside = is_word;
    }
    tokens
}

fn apply(text: &str, damage: &Damage) -> String {
    let starts_with = |token: &str, test: fn(&char) -> bool| token.chars().next().is_some_and(|first| test(&first));
    match damage {
        Damage::Number(at, number) => {
            let mut tokens = tokens(text);
            let places: Vec<usize> =
                (0..tokens.len()).filter(|place| starts_with(&tokens[*place], char::is_ascii_digit)).collect();
            if let Some(place) = (!places.is_empty()).then(|| places[at.index(places.len())]) {
                tokens[place] = NUMBERS[*number].to_owned();
            }
            tokens.concat()
        }
        Damage::Word(at, from) => {
            let mut tokens = tokens(text);
            let places: Vec<usize> =
                (0..tokens.len()).filter(|place| starts_with(&tokens[*place], |first| "%.".contains(*first))).collect();
            // Registers become registers, and modifiers modifiers.
            let Some(place) = (!places.is_empty()).then(|| places[at.index(places.len())]) else {
                return text.to_owned();
            };
            let alike: Vec<usize> = places
                .into_iter()
                .filter(|other| tokens[*other].chars().next() == tokens[place].chars().next())
                .collect();
            tokens[place] = tokens[alike[from.index(alike.len())]].clone();
            tokens.concat()
        }
        lines => {
            let mut all: Vec<&str> = text.lines().collect();
            let count = all.len();
            if count == 0 {
                return String::new();
            }
            match lines {
                Damage::DeleteLine(at) => drop(all.remove(at.index(count))),
                Damage::RepeatLine(from, to) => all.insert(to.index(count), all[from.index(count)]),
                Damage::SwapLines(first, second) => all.swap(first.index(count), second.index(count)),
                _ => {}
            }
            all.join("\n")
        }
    }
}

/// Loads a kernel and runs it with one block of two warps. Tells whether it ended well.
fn run(module: &Module, name: &str, machine: &Machine) -> bool {
    let mut memory = Memory::default();
    let address = memory.add("out", vec![0; 1024]);
    let Ok(kernel) = machine.load_for(&mut memory, module, name) else { return false };
    let argument = |bytes: u32| match bytes {
        8 => Argument::from(address),
        other => Argument::from_bytes(vec![0; other as usize]),
    };
    let arguments: Vec<Argument> = kernel.parameter_bytes().map(argument).collect();
    let grid = Grid { dynamic_shared_bytes: 64, ..Grid::linear(1, 64) };
    machine.run(&kernel, grid, &arguments, &mut memory, &mut KeptL2::default(), Extent::AllBlocks).is_ok()
}

/// Runs all kernels of a module. Tells how many ended well.
fn run_kernels(module: &Module, profile: &Profile) -> usize {
    let kernels = module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.entry => Some(function.name.as_str()),
        _ => None,
    });
    let machine = Machine::new(profile.clone());
    kernels.filter(|name| run(module, name, &machine)).count()
}

fn profile(name: &str) -> Profile {
    Profile { step_limit: 10_000, ..Profile::load(name).expect("the profile is right") }
}

#[test]
fn undamaged_it_runs() {
    let module = parse(&everything()).unwrap_or_else(|errors| panic!("{errors}"));
    let program = decode(&module, "k").unwrap_or_else(|errors| panic!("{errors}"));
    let given = Given { parameters: &[0; 64], grid: [1; 3], block: [64, 1, 1] };
    assert!(Conduct::of(&program, &given).communicates);
    assert_eq!(run_kernels(&module, &profile("h200")), 1);
}

/// Registers that are copied from each other in a loop have no value that they come from.
#[test]
fn copies_in_a_circle_have_an_end() {
    let body = "mov.u32 %r3, 0;
        L:
        mov.u32 %r1, %r2;
        mov.u32 %r2, %r1;
        add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, 4;
        @%p1 bra L;
        add.u32 %r4, %r1, %r3;
        mul.wide.u32 %rd2, %r2, 4;
        add.u64 %rd3, %rd0, %rd2;
        st.global.u32 [%rd3], %r4;";
    let module = parse(&kernel("", body)).unwrap_or_else(|errors| panic!("{errors}"));
    for name in ["h200", "gtx280"] {
        assert_eq!(run_kernels(&module, &profile(name)), 1, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_damage_is_a_panic(
        sample in prop_oneof![3 => Just(0_usize), 1 => 1_usize..4],
        damages in prop::collection::vec(damage(), 1..4),
        old in any::<bool>(),
    ) {
        let text = damages.iter().fold(samples()[sample].clone(), |text, damage| apply(&text, damage));
        if let Ok(module) = parse(&text) {
            run_kernels(&module, &profile(if old { "gtx280" } else { "h200" }));
        }
    }
}

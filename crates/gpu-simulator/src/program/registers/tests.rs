#![allow(clippy::many_single_char_names)] // Registers have letters here.
use proptest::prelude::*;

use crate::program::decode;
use crate::snippet::{Snippet, kernel, program};

/// A step of a random program. Registers 1 to 5 live throughout; each step has temporary ones of its own.
#[derive(Debug, Clone)]
enum Step {
    /// `temporary = a + b; c ^= temporary`
    Mix([u32; 3]),
    /// The same over two temporary registers and a 64-bit one.
    Wide([u32; 3]),
    /// `temporary = a + b`, then `c` changes for the lanes whose bit of `d` is set, then `c += temporary`.
    Branch([u32; 4], u32),
    /// Sums up `temporary = a` so many times into `b`.
    Loop([u32; 2], u32),
}

fn step() -> impl Strategy<Value = Step> {
    let register = || 1_u32..6;
    prop_oneof![
        [register(), register(), register()].prop_map(Step::Mix),
        [register(), register(), register()].prop_map(Step::Wide),
        ([register(), register(), register(), register()], 0_u32..32).prop_map(|(all, bit)| Step::Branch(all, bit)),
        ([register(), register()], 1_u32..5).prop_map(|(all, times)| Step::Loop(all, times)),
    ]
}

/// The text of the steps; every step's temporary registers begin at `10 * (number + 1)`.
fn text(steps: &[Step]) -> String {
    let mut text = String::from(".reg .b32 %t<2000>; .reg .b64 %w<200>; .reg .pred %q<400>;\n");
    (1..6).for_each(|register| text += &format!("mad.lo.u32 %r{register}, %r0, {}, {register};\n", 77 * register));
    for (number, step) in steps.iter().enumerate() {
        let t = 10 * (number + 1);
        text += &match step {
            Step::Mix([a, b, c]) => format!("add.u32 %t{t}, %r{a}, %r{b};\nxor.b32 %r{c}, %r{c}, %t{t};\n"),
            Step::Wide([a, b, c]) => format!(
                "mul.wide.u32 %w{number}, %r{a}, %r{b};\nmov.b64 {{%t{t}, %t{}}}, %w{number};\n\
                 add.u32 %r{c}, %t{t}, %t{};\n",
                t + 1,
                t + 1
            ),
            Step::Branch([a, b, c, d], bit) => format!(
                "add.u32 %t{t}, %r{a}, %r{b};\nshr.u32 %t{}, %r{d}, {bit};\nand.b32 %t{}, %t{}, 1;\n\
                 setp.eq.u32 %q{number}, %t{}, 0;\n@%q{number} bra L{number};\nadd.u32 %t{}, %r{c}, 99;\n\
                 xor.b32 %r{c}, %r{d}, %t{};\nL{number}:\nadd.u32 %r{c}, %r{c}, %t{t};\n",
                t + 1,
                t + 2,
                t + 1,
                t + 2,
                t + 3,
                t + 3
            ),
            Step::Loop([a, b], times) => format!(
                "mov.u32 %t{t}, %r{a};\nmov.u32 %t{}, {times};\nM{number}:\nadd.u32 %r{b}, %r{b}, %t{t};\n\
                 sub.u32 %t{}, %t{}, 1;\nsetp.ne.u32 %q{number}, %t{}, 0;\n@%q{number} bra M{number};\n",
                t + 1,
                t + 1,
                t + 1,
                t + 1
            ),
        };
    }
    text += "mov.u32 %r10, 0;\n";
    (1..6).for_each(|register| text += &format!("mad.lo.u32 %r10, %r10, 31, %r{register};\n"));
    text + "st.global.u32 [%rd1], %r10;"
}

/// What the steps come to for a thread.
fn reckoned(steps: &[Step], thread: u32) -> u32 {
    let mut r: [u32; 6] =
        std::array::from_fn(|register| thread.wrapping_mul(77 * register as u32).wrapping_add(register as u32));
    for step in steps {
        match *step {
            Step::Mix(all) => {
                let [a, b, c] = all.map(|register| register as usize);
                r[c] ^= r[a].wrapping_add(r[b]);
            }
            Step::Wide(all) => {
                let [a, b, c] = all.map(|register| register as usize);
                let product = u64::from(r[a]) * u64::from(r[b]);
                r[c] = (product as u32).wrapping_add((product >> 32) as u32);
            }
            Step::Branch(all, bit) => {
                let [a, b, c, d] = all.map(|register| register as usize);
                let sum = r[a].wrapping_add(r[b]);
                if r[d] >> bit & 1 != 0 {
                    r[c] = r[d] ^ r[c].wrapping_add(99);
                }
                r[c] = r[c].wrapping_add(sum);
            }
            Step::Loop(all, times) => {
                let [a, b] = all.map(|register| register as usize);
                let value = r[a];
                (0..times).for_each(|_| r[b] = r[b].wrapping_add(value));
            }
        }
    }
    (1..6).fold(0_u32, |hash, register| hash.wrapping_mul(31).wrapping_add(r[register]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn shared_slots_change_no_result(steps in prop::collection::vec(step(), 1..30), stack in any::<bool>()) {
        let profile = if stack { "gtx280" } else { "h200" };
        let ran = Snippet::new(&text(&steps)).on(profile).run().expect("it runs");
        let expected: Vec<u32> = (0..32).map(|thread| reckoned(&steps, thread)).collect();
        prop_assert_eq!(&ran.words[..32], expected);
    }
}

#[test]
fn temporary_registers_share_slots() {
    let steps = vec![Step::Mix([1, 2, 3]); 100];
    let program = program(&kernel("", &text(&steps)));
    // %r0 to %r5, the two of a step, and whatever the end needs.
    assert!(program.functions[0].words <= 9, "{} slots", program.functions[0].words);
}

#[test]
fn a_value_that_is_only_kept_by_some_lanes_stays() {
    // A guarded write does not end the life of the old value.
    let body = "mov.u32 %r1, 5;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mov.u32 %r1, 6;\nmov.u32 %r2, 7;\n\
                add.u32 %r3, %r1, %r2;\nst.global.u32 [%rd1], %r3;";
    let ran = Snippet::new(body).run().expect("it runs");
    assert_eq!(ran.words[..3], [13, 12, 12]);
}

#[test]
fn four_thousand_million_registers_take_no_memory() {
    let body = ".reg .b32 %many<4294967295>;\nmov.u32 %many4294967294, %r0;\nst.global.u32 [%rd1], %many4294967294;";
    // The prelude has registers of the kind too, so all together would be too many.
    let text = kernel("", body);
    let module = ptx_syntax::parse(&text).expect("it reads");
    let errors = decode(&module, "k").expect_err("too many").to_string();
    assert!(errors.contains("too many registers"), "{errors}");
    let fewer = body.replace("4294967295", "4000000000").replace("4294967294", "3999999999");
    let snippet = Snippet::new(&fewer);
    assert!(program(&snippet.text).functions[0].words < 4);
    assert_eq!(snippet.run().expect("it runs").words[31], 31);
}

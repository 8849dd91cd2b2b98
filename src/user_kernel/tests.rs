//! A kernel of the user's as a family, from its description to the workload of a point.

use super::*;
use crate::family::Request;
use crate::family::fixtures::properties;
use crate::parameter::{Default, Kind};
use crate::workload::{Argument, Contents, Element, Expected, Step, Tolerance};

mod of_source;

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry _Z5scalePfif(.param .u64 a, .param .u32 b, .param .f32 c) { ret; }
";

fn expression(text: &str) -> Expression {
    Expression::parse(text, &["n", STEP, "i", "width", "height"]).unwrap()
}

/// What does not fit, with what is allowed.
fn sentences(misfits: Vec<Misfit>) -> Vec<String> {
    let told =
        |own: Misfit| [Some(own.problem), own.help, own.allowed].into_iter().flatten().collect::<Vec<_>>().join("; ");
    misfits.into_iter().map(told).collect()
}

pub(super) fn description() -> Description {
    let tolerance = Tolerance { relative: 0.0, absolute: 0.0 };
    Description {
        name: "scale",
        source: "scale.ptx".to_owned(),
        target: None,
        options: Vec::new(),
        variants: vec![VariantDescription {
            name: "only",
            entry: "scale".to_owned(),
            defines: Vec::new(),
            ignores: Vec::new(),
            launches: vec![LaunchDescription {
                entry: None,
                grid: vec![expression("ceil(n / 256)")],
                block: vec![expression("256")],
                shared_bytes: None,
                cooperative: false,
                times: Some(expression("2")),
                arguments: vec![
                    ArgumentDescription::Buffer { buffer: 0, element: Some(expression("step * 4")) },
                    ArgumentDescription::Number(expression("0 - n")),
                    ArgumentDescription::Number(expression("0.5")),
                ],
                places: LaunchPlaces::default(),
            }],
        }],
        parameters: vec![Parameter {
            name: "n",
            summary: "elements",
            kind: Kind::Integer { min: 0, max: 1 << 20, multiple_of: 1 },
            default: Default::Integer(1000),
        }],
        defined: Vec::new(),
        buffers: vec![BufferDescription {
            name: "data",
            element: Element::Float(32),
            length: expression("n"),
            fill: Fill::Iota,
            output: Output::Value(expression("i * 0.5"), tolerance),
        }],
        bytes: Some(expression("8 * n")),
        operations: None,
        predictors: Vec::new(),
        constants: Vec::new(),
    }
}

pub(super) fn with(modules: Vec<Built>) -> Compiled {
    Compiled {
        compiler: "none".to_owned(),
        target: "compute_75".to_owned(),
        source_name: "scale.ptx".to_owned(),
        source: PTX.to_owned(),
        modules,
        files: Vec::new(),
    }
}

fn loaded() -> &'static UserKernel {
    let kernel = UserKernel::new(description());
    let modules = vec![Built::new(Build::new(), PTX.to_owned())];
    kernel.load(&with(modules)).unwrap();
    kernel
}

#[test]
fn a_point_has_the_buffers_launches_and_arguments_that_the_description_says() {
    let kernel = loaded();
    let family = kernel.family();
    let device = properties();
    let parameters = ParameterSet::defaults(family.parameters, &device);
    assert_eq!(kernel.check_arguments([("only", &parameters)].into_iter()), Ok(()));
    let workload =
        family.workload(&Request { variant: "only", parameters: &parameters, device: &device, seed: 1 }).unwrap();
    assert_eq!((workload.bytes, workload.operations), (8000, 0));
    let buffer = &workload.buffers[0];
    let Contents::Words(words) = &buffer.contents else { panic!("{:?}", buffer.contents) };
    assert_eq!((words.len(), words[10]), (1000, 10_f32.to_bits()));
    assert_eq!(buffer.expected.as_ref().and_then(Expected::words).map(|words| words[10]), Some(5_f32.to_bits()));
    let launches: Vec<_> = workload.launches().collect();
    assert_eq!(workload.steps.iter().filter(|step| matches!(step, Step::Launch(_))).count(), 2);
    assert_eq!((launches[0].entry, launches[0].grid, launches[0].block), ("_Z5scalePfif", [4, 1, 1], [256, 1, 1]));
    let of = |address| vec![address, Argument::Word((-1000_i32).cast_unsigned()), Argument::Word(0.5_f32.to_bits())];
    assert_eq!(launches[0].arguments, of(Argument::BufferAt(0, 0)));
    assert_eq!(launches[1].arguments, of(Argument::BufferAt(0, 16)));
}

#[test]
fn values_without_a_shape_are_conflicts() {
    let family = loaded().family();
    let none = ParameterSet::new([("n", Value::Integer(0))]);
    let conflict = family.check(&none).unwrap_err();
    assert_eq!(conflict.problem, "length of `data`: `n` is 0, where 1 to 1099511627776 is possible");
}

#[test]
fn arguments_are_held_against_the_kernel() {
    let told = |change: fn(&mut Description)| {
        let mut own = description();
        change(&mut own);
        let kernel = UserKernel::new(own);
        let modules = vec![Built::new(Build::new(), PTX.to_owned())];
        kernel.load(&with(modules)).unwrap();
        let parameters = ParameterSet::new([("n", Value::Integer(1000))]);
        sentences(kernel.check_arguments([("only", &parameters)].into_iter()).unwrap_err())
    };
    let short = told(|own| drop(own.variants[0].launches[0].arguments.pop()));
    let swapped = told(|own| own.variants[0].launches[0].arguments.swap(0, 1));
    let long = told(|own| own.variants[0].launches[0].arguments.push(number("n")));
    let fraction = told(|own| own.variants[0].launches[0].arguments[1] = number("n / 3"));
    let nothing = told(|own| own.variants[0].launches[0].arguments[0] = number("1"));
    let all_at_once = told(|own| own.variants[0].launches[0].arguments = vec![number("1"), number("n / 3")]);
    insta::assert_snapshot!([short, long, swapped, fraction, nothing, all_at_once].concat().join("\n"));
    let unknown = told(|own| own.variants[0].entry = "scales".to_owned());
    assert_eq!(unknown, ["scale.ptx: there is no kernel `scales`: did you mean `scale`? The kernels are scale"]);
}

#[test]
fn what_is_compiled_in_is_a_build_of_its_own() {
    let mut own = description();
    own.source = "scale.cu".to_owned();
    own.defined = vec![("n", "COUNT".to_owned())];
    own.variants[0].entry = "scale<COUNT, {n}>".to_owned();
    let kernel = UserKernel::new(own);
    let points = [1, 2, 2].map(|n| ParameterSet::new([("n", Value::Integer(n))]));
    let build = |n: &str| (vec![("COUNT".to_owned(), n.to_owned())], vec![format!("scale<{n}, {n}>")]);
    assert_eq!(kernel.needs(points.iter().map(|own| ("only", own))), [build("1"), build("2")]);
}

/// The parameters are those that nvcc 13.0 writes for `__global__ void packed(Config, __half, bool, char, short, float3)`, where Config is
/// `struct { int n; float* data; char last; }`.
const PACKED: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry packed(
    .param .align 8 .b8 packed_param_0[24],
    .param .align 2 .b8 packed_param_1[2],
    .param .u8 packed_param_2,
    .param .u8 packed_param_3,
    .param .u16 packed_param_4,
    .param .align 4 .b8 packed_param_5[12]
) { ret; }
";

fn packed(arguments: Vec<ArgumentDescription>) -> Result<Vec<Argument>, Vec<String>> {
    let mut own = description();
    own.variants[0].entry = "packed".to_owned();
    own.variants[0].launches[0].arguments = arguments;
    let kernel = UserKernel::new(own);
    let modules = vec![Built::new(Build::new(), PACKED.to_owned())];
    kernel.load(&with(modules)).map_err(|problem| vec![problem])?;
    let parameters = ParameterSet::new([("n", Value::Integer(1000))]);
    kernel.check_arguments([("only", &parameters)].into_iter()).map_err(sentences)?;
    let device = properties();
    let request = Request { variant: "only", parameters: &parameters, device: &device, seed: 1 };
    let workload = kernel.family().workload(&request).map_err(|mismatch| vec![mismatch.to_string()])?;
    let launch = workload.launches().next().cloned();
    Ok(launch.map(|launch| launch.arguments).unwrap_or_default())
}

fn number(text: &str) -> ArgumentDescription {
    ArgumentDescription::Number(expression(text))
}

fn structure(entries: Vec<Entry>) -> ArgumentDescription {
    ArgumentDescription::Structure(Structure::new(entries, 1))
}

fn typed(element: Element, text: &str) -> Entry {
    Entry::Number(element, expression(text))
}

#[test]
fn structures_and_small_numbers_are_the_bytes_that_the_kernel_gets() {
    let address = Entry::Address { buffer: 0, element: Some(expression("n - 1")) };
    let config = structure(vec![typed(Element::Signed(32), "n"), address, typed(Element::Signed(8), "0 - 1")]);
    let half = structure(vec![typed(Element::Float(16), "0.5")]);
    let float = || typed(Element::Float(32), "2");
    let corner = structure(vec![float(), float(), float()]);
    let all = packed(vec![config, half, number("1"), number("0 - 3"), number("n"), corner]).unwrap();
    let bytes: Vec<Vec<u8>> = all.iter().map(|argument| argument.value(|_| 0x1000)).collect();
    let address = (0x1000_u64 + 999 * 4).to_le_bytes();
    assert_eq!(bytes[0], [&[0xE8, 3, 0, 0, 0, 0, 0, 0][..], &address, &[0xFF, 0, 0, 0, 0, 0, 0, 0]].concat());
    assert_eq!(bytes[1..5], [vec![0, 0x38], vec![1], vec![0xFD], vec![0xE8, 3]]);
    assert_eq!(bytes[5], [2_f32.to_le_bytes(); 3].concat());
}

#[test]
fn structures_are_held_against_the_parameter_s_size_and_alignment() {
    let float = || typed(Element::Float(32), "2");
    let long = || typed(Element::Signed(64), "2");
    let half = || structure(vec![typed(Element::Float(16), "1")]);
    let corner = || structure(vec![float(), float(), float()]);
    let config = || structure(vec![long(), long(), long()]);
    let told = |arguments| packed(arguments).unwrap_err().join("\n");
    let buffer = || ArgumentDescription::Buffer { buffer: 0, element: None };
    let all = [
        told(vec![number("n"), number("1"), buffer(), half(), corner(), number("3")]),
        told(vec![
            corner(),
            half(),
            structure(vec![float()]),
            number("1"),
            number("1"),
            structure(vec![long(), float()]),
        ]),
        told(vec![config(), half(), number("256"), number("1"), number("1"), corner()]),
        told(vec![
            config(),
            half(),
            number("1"),
            number("1"),
            number("1"),
            structure(vec![
                Entry::Structure(Structure::new(vec![float(), float()], 4)),
                typed(Element::Float(32), "1e39"),
            ]),
        ]),
    ];
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn pointers_to_pointers_are_refused_with_a_word() {
    let mut own = description();
    own.variants[0].entry = "gather".to_owned();
    own.variants[0].launches[0].arguments = vec![ArgumentDescription::Buffer { buffer: 0, element: None }];
    let kernel = UserKernel::new(own);
    let ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry _Z6gatherPPf(.param .u64 a) { ret; }"
        .to_owned();
    let modules = vec![Built::new(Build::new(), ptx)];
    kernel.load(&with(modules)).unwrap();
    let parameters = ParameterSet::new([("n", Value::Integer(1000))]);
    let told = sentences(kernel.check_arguments([("only", &parameters)].into_iter()).unwrap_err());
    assert_eq!(
        told,
        [
            "scale.ptx:4: parameter 1 of `gather` (`float** a`) is a pointer to pointers: a scenario cannot fill a buffer with addresses; take one \
             pointer to all rows, one row behind the other, or a structure by value that has the pointers: { struct = [\"first\", \"second\"] }"
        ]
    );
}

#[test]
fn files_that_points_need_are_told_once_for_each_length() {
    let mut own = description();
    own.buffers[0].fill = Fill::File(FileName::new("input_{n}.npy"));
    own.buffers[0].output = Output::File(FileName::new("expected.npy"), Tolerance { relative: 0.0, absolute: 0.0 });
    let kernel = UserKernel::new(own);
    let points = [8, 16, 8].map(|n| ParameterSet::new([("n", Value::Integer(n))]));
    let uses = kernel.file_uses(points.iter());
    let told: Vec<String> = uses
        .iter()
        .map(|own| format!("{} {} {} {} {}", own.buffer, own.key.name(), own.name, own.elements, own.at))
        .collect();
    assert_eq!(
        told,
        [
            "data fill input_8.npy 8 n=8",
            "data check expected.npy 8 n=8",
            "data fill input_16.npy 16 n=16",
            "data check expected.npy 16 n=16"
        ]
    );
}

/// What no element has of a buffer's last word is the same in what is filled and what is expected.
#[test]
fn elements_that_do_not_fill_a_word_are_filled_and_expected_alike() {
    for fill in [Fill::Zeros, Fill::Uniform, Fill::Iota, Fill::Value(expression("0")), Fill::Poison] {
        let mut own = description();
        own.buffers[0].element = Element::Unsigned(8);
        own.buffers[0].output = Output::Value(expression("0"), Tolerance { relative: 0.0, absolute: 0.0 });
        own.buffers[0].fill = fill;
        let scope = Scope::new([("n", 5.0)]);
        let buffer = own.buffers[0].buffer(&scope, 7, &|name| Err(format!("{name:?}"))).unwrap();
        let last = match &buffer.contents {
            Contents::Words(words) => words[1],
            _ => crate::workload::POISON,
        };
        assert_eq!(last & 0xFFFF_FF00, crate::workload::POISON & 0xFFFF_FF00, "{:?}", own.buffers[0].fill);
        assert_eq!(buffer.expected.as_ref().and_then(Expected::words).map(|words| words[1]), Some(0xFFFF_DE00));
    }
}

/// What PTX before bindless handles has; the address says what it points to, which is read and dropped.
#[test]
fn textures_are_refused_with_a_word() {
    let mut own = description();
    own.variants[0].entry = "sample".to_owned();
    own.variants[0].launches[0].arguments =
        vec![number("1"), ArgumentDescription::Buffer { buffer: 0, element: None }, number("0.5")];
    let kernel = UserKernel::new(own);
    let parameters = ".param .texref image, .param .u64 .ptr .global .align 4 data, .param .s32 count";
    let ptx = format!(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry sample({parameters}) {{ ret; }}");
    let modules = vec![Built::new(Build::new(), ptx)];
    kernel.load(&with(modules)).unwrap();
    let parameters = ParameterSet::new([("n", Value::Integer(1000))]);
    let told = sentences(kernel.check_arguments([("only", &parameters)].into_iter()).unwrap_err());
    assert_eq!(
        told,
        [
            "scale.ptx:4: parameter 1 of `sample` (`image`) is a texture, a sampler or a surface: a scenario cannot make one; reach the data through a \
             pointer, such as `const float* image`, and give a buffer",
            "argument 3 is 0.5, and parameter 3 of `sample` (`count`) takes a whole number of 32 bits; ceil() or floor() make a whole number of it",
        ]
    );
}

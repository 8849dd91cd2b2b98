//! A kernel of the user's as a family, from its description to the workload of a point.

use super::*;
use crate::family::Request;
use crate::family::fixtures::properties;
use crate::parameter::{Default, Kind};
use crate::workload::{Argument, Contents, Element, Expected, Step, Tolerance};

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry _Z5scalePfif(.param .u64 a, .param .u32 b, .param .f32 c) { ret; }
";

fn expression(text: &str) -> Expression {
    Expression::parse(text, &["n", STEP, "i"]).unwrap()
}

fn description() -> Description {
    let tolerance = Tolerance { relative: 0.0, absolute: 0.0 };
    Description {
        name: "scale",
        source: "scale.ptx".to_owned(),
        target: "compute_75".to_owned(),
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
    }
}

fn loaded() -> &'static UserKernel {
    let kernel = UserKernel::new(description());
    let modules = vec![Built { defines: Build::new(), ptx: PTX.to_owned() }];
    let compiled = Compiled {
        compiler: "none".to_owned(),
        target: "compute_75".to_owned(),
        source_name: "scale.ptx".to_owned(),
        source: PTX.to_owned(),
        modules,
        files: Vec::new(),
    };
    kernel.load(&compiled).unwrap();
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
        let modules = vec![Built { defines: Build::new(), ptx: PTX.to_owned() }];
        let (source, ptx) = (String::new(), "compute_75".to_owned());
        let (compiler, source_name, files) = (String::new(), String::new(), Vec::new());
        let compiled = Compiled { compiler, target: ptx, source_name, source, modules, files };
        kernel.load(&compiled).unwrap();
        let parameters = ParameterSet::new([("n", Value::Integer(1000))]);
        kernel.check_arguments([("only", &parameters)].into_iter()).unwrap_err()
    };
    let short = told(|own| drop(own.variants[0].launches[0].arguments.pop()));
    assert_eq!(
        short,
        [
            "`arguments` has 2 values, and `scale` has 3 parameters: an address or a whole number of 64 bits, a whole number of 32 bits, a float of \
          32 bits"
        ]
    );
    let swapped = told(|own| own.variants[0].launches[0].arguments.swap(0, 1));
    assert_eq!(swapped, ["`arguments`: value 2 is the buffer `data`, and `scale` has there a whole number of 32 bits"]);
    let unknown = told(|own| own.variants[0].entry = "scales".to_owned());
    assert_eq!(unknown, ["scale.ptx: there is no kernel `scales`; the kernels are scale"]);
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

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::device::Device;
use crate::device::mock::{Mock, MockSettings};
use crate::kernel::Ptx;
use crate::scenario::Scenario;
use crate::workload::{Argument, Buffer, Contents, Launch, POISON, Step, Submission};

fn point() -> (Scenario, Point) {
    let scenario =
        Scenario::parse("one.toml", "family = \"branching\"\nvariants = [\"divergent\"]\n[grid]\nwidth = 32\n", &[], 1)
            .unwrap();
    let point = scenario.points(Mock::new(MockSettings::default()).properties()).unwrap().remove(0);
    (scenario, point)
}

/// Every kind of buffer, argument and launch that a workload can have.
fn workload() -> Workload {
    let buffer = |name, contents, expected| Buffer { name, contents, expected };
    Workload {
        ptx: Ptx::Text(""),
        buffers: vec![
            buffer("in", Contents::Words(vec![1, 0x0203_0405].into()), None),
            buffer("same", Contents::Words(vec![1, 0x0203_0405].into()), None),
            buffer("both", Contents::Words(vec![7].into()), Some(vec![8].into())),
            buffer("out", Contents::Poison { words: 3 }, Some(vec![9, 9, 9].into())),
        ],
        steps: vec![Step::Launch(Launch {
            entry: "kernel",
            grid: [4, 5, 6],
            block: [7, 8, 9],
            shared_bytes: 10,
            cooperative: true,
            cluster_blocks: 1,
            arguments: vec![Argument::Buffer(3), Argument::Word(u32::MAX), Argument::Long(u64::MAX)],
        })],
        submission: Submission::Stream,
        bytes: 11,
        operations: 12,
        predictors: vec![("depth", 2.5)],
    }
}

#[test]
fn every_kind_of_buffer_launch_and_argument_is_told() {
    let folder = TempDir::new().unwrap();
    let (scenario, point) = point();
    let mock = Mock::new(MockSettings::default());
    let source = Source { scenario: "one", family: scenario.family, seed: 1, device: mock.properties() };
    let mut exporter = Exporter::create(folder.path(), source, true).unwrap();
    let written = exporter.write(&point, &workload()).unwrap();
    let bytes = exporter.finish().unwrap();
    let launch: Value = serde_json::from_slice(&fs::read(written.join(LAUNCH_FILE)).unwrap()).unwrap();
    assert_eq!(
        launch["launches"],
        json!([{
            "entry": "kernel", "grid": [4, 5, 6], "block": [7, 8, 9], "shared_bytes": 10, "cooperative": true,
            "arguments": [{"buffer": 3}, {"word": u32::MAX}, {"long": u64::MAX}],
        }])
    );
    assert_eq!((&launch["bytes"], &launch["operations"]), (&json!(11), &json!(12)));
    assert_eq!(launch.get("persisting"), None);
    assert_eq!(launch["predictors"], json!({"depth": 2.5}));
    let buffers = launch["buffers"].as_array().unwrap();
    let roles: Vec<_> = buffers.iter().map(|buffer| buffer["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["input", "input", "output", "output"]);
    let read = |buffer: usize, key: &str| {
        buffers[buffer][key].as_str().map(|file| fs::read(written.join(file)).unwrap()).unwrap_or_default()
    };
    assert_eq!(read(0, "file"), [1, 0, 0, 0, 5, 4, 3, 2], "little-endian");
    assert_eq!(buffers[0]["file"], buffers[1]["file"], "equal contents are one file");
    assert_eq!((read(2, "file"), read(2, "expected_file")), (vec![7, 0, 0, 0], vec![8, 0, 0, 0]));
    assert_eq!((&buffers[3]["fill_word"], &buffers[3]["file"]), (&json!(POISON), &Value::Null));
    assert_eq!(buffers[3]["bytes"], 12);
    assert_eq!(bytes, 8 + 4 + 4 + 12);
}

#[test]
fn a_buffer_that_l2_is_asked_to_keep_is_told() {
    let folder = TempDir::new().unwrap();
    let (scenario, point) = point();
    let mock = Mock::new(MockSettings::default());
    let source = Source { scenario: "one", family: scenario.family, seed: 1, device: mock.properties() };
    let mut exporter = Exporter::create(folder.path(), source, true).unwrap();
    let persisting = Workload { submission: Submission::Persisting { buffer: 2, kept_pct: 40 }, ..workload() };
    let written = exporter.write(&point, &persisting).unwrap();
    let launch: Value = serde_json::from_slice(&fs::read(written.join(LAUNCH_FILE)).unwrap()).unwrap();
    assert_eq!(launch["persisting"], json!({"buffer": 2, "kept_pct": 40}));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = TempDir::new().unwrap();
    let (scenario, point) = point();
    let mock = Mock::new(MockSettings::default());
    let source = Source { scenario: "one", family: scenario.family, seed: 1, device: mock.properties() };
    let mut exporter = Exporter::create(folder.path(), source, true).unwrap();
    fs::remove_dir(folder.path().join(DATA_FOLDER)).unwrap();
    let error = exporter.add(&point).unwrap_err().to_string();
    assert!(error.contains("/data/") && error.contains(".bin: "), "{error}");
}

#[test]
fn without_data_only_small_contents_are_written() {
    let folder = TempDir::new().unwrap();
    let (scenario, point) = point();
    let mock = Mock::new(MockSettings::default());
    let source = Source { scenario: "one", family: scenario.family, seed: 1, device: mock.properties() };
    let mut exporter = Exporter::create(folder.path(), source, false).unwrap();
    let large = vec![5; (64 << 10) / 4 + 1];
    let buffer = |name, contents, expected| Buffer { name, contents, expected };
    let workload = Workload {
        buffers: vec![
            buffer("large", Contents::Words(large.clone().into()), None),
            buffer("small", Contents::Words(vec![0].into()), Some(vec![0].into())),
            buffer("out", Contents::Poison { words: large.len() }, Some(large.into())),
        ],
        ..workload()
    };
    let written = exporter.write(&point, &workload).unwrap();
    assert_eq!(exporter.finish().unwrap(), 8, "the ticket before and after");
    let launch: Value = serde_json::from_slice(&fs::read(written.join(LAUNCH_FILE)).unwrap()).unwrap();
    let of = |place: usize, key: &str| launch["buffers"][place].get(key).cloned();
    assert_eq!((of(0, "left_out"), of(0, "file"), of(0, "role")), (Some(json!(true)), None, Some(json!("input"))));
    assert_eq!((of(1, "left_out"), of(1, "file").is_some()), (None, true));
    assert_eq!((of(2, "left_out"), of(2, "fill_word")), (None, Some(json!(POISON))));
    assert_eq!((of(2, "expected_file"), of(2, "role")), (None, Some(json!("output"))));
}

//! Buffers, step and expected output of a copy.
//!
//! The output of every variant is the same: the data in their order. Variants that read and write in different orders
//! find the data arranged in the input so that this comes out.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::PTX;
use super::pattern::{Bijection, Order, Pattern, Rows, TILE, words};
use super::prediction::Prediction;
use crate::family::Request;
use crate::family::inputs::random_words;
use crate::parameter::ParameterSet;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Workload};

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &ParameterSet) -> u64 {
    let word_bytes = parameters.integer("word_bytes");
    (2 * words(parameters.integer("width"), word_bytes) + parameters.integer("offset")) * word_bytes
}

/// Builds a point's workload.
pub(super) fn build(request: &Request<'_>) -> Workload {
    let pattern = Pattern::new(request.variant, request.parameters);
    let data = random_words((pattern.words * pattern.word_bytes / 4) as usize, request.seed);
    let input = arranged(&pattern, &data, !request.seed);
    let prediction = Prediction::new(&pattern, request.device.rules.coalescing);
    let predictors = vec![
        ("read_sectors_per_request", prediction.read.sectors_per_request()),
        ("write_sectors_per_request", prediction.written.sectors_per_request()),
        ("sectors_per_request", prediction.sectors_per_request()),
        ("bytes_moved", prediction.bytes_moved),
    ];
    Workload {
        ptx: PTX,
        steps: vec![step(request.variant, &pattern)],
        submission: Submission::Stream,
        bytes: 2 * pattern.words * pattern.word_bytes,
        operations: 0,
        predictors,
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer { name: "output", contents: Contents::Poison { words: data.len() }, expected: Some(data.into()) },
        ],
    }
}

/// The input that the pattern makes `data` of: each word where the thread that writes it reads. What nobody reads is
/// random.
fn arranged(pattern: &Pattern, data: &[u32], seed: u64) -> Vec<u32> {
    if matches!(pattern.order, Order::Straight | Order::Driver | Order::Crossed) {
        return data.to_vec();
    }
    let elements = (pattern.word_bytes / 4) as usize;
    let unread = (pattern.input_words() - pattern.words) as usize * elements;
    if let Order::Offset(_) = pattern.order {
        let mut input = random_words(unread, seed);
        input.extend_from_slice(data);
        return input;
    }
    let input: Vec<AtomicU32> = data.par_iter().map(|_| AtomicU32::new(0)).collect();
    (0..pattern.threads()).into_par_iter().for_each(|number| {
        let Some(thread) = pattern.thread(number) else { return };
        let from = thread.written as usize * elements;
        let to = thread.read as usize * elements;
        for (cell, &word) in input[to..to + elements].iter().zip(&data[from..from + elements]) {
            cell.store(word, Ordering::Relaxed);
        }
    });
    input.into_par_iter().map(AtomicU32::into_inner).collect()
}

fn step(variant: &str, pattern: &Pattern) -> Step {
    let words = Argument::Word(pattern.words as u32);
    let number = |number: u64| Argument::Word(number as u32);
    let rest = match pattern.order {
        Order::Driver => return Step::Copy { from: 0, to: 1 },
        Order::Tiles { width, .. } => vec![number(width)],
        Order::Straight | Order::Crossed => vec![words],
        Order::Offset(offset) => vec![words, number(offset)],
        Order::Strided(stride) => {
            let Rows { row_words, full } = Rows::new(pattern.words, stride);
            vec![number(stride), number(row_words), number(full)]
        }
        Order::Permuted => {
            let Bijection { mask, shift, .. } = Bijection::new(pattern.words);
            vec![words, Argument::Word(mask), Argument::Word(shift)]
        }
    };
    let [x, y] = pattern.grid().map(|blocks| blocks as u32);
    let tiles = matches!(pattern.order, Order::Tiles { .. });
    Step::Launch(Launch {
        entry: super::entry(variant, pattern.word_bytes),
        grid: [x, y, 1],
        block: if tiles { [TILE as u32, TILE as u32, 1] } else { [pattern.block as u32, 1, 1] },
        cooperative: false,
        shared_bytes: 0,
        arguments: [Argument::Buffer(0), Argument::Buffer(1)].into_iter().chain(rest).collect(),
    })
}

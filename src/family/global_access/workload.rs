//! Buffers, step and expected output of a copy.
//!
//! The output of every variant is the same: the data in their order. Variants that read and write in different orders
//! find the data arranged in the input so that this comes out.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::accesses::{Accesses, Bijection, Order, Rows, TILE, words};
use super::prediction::Prediction;
use super::{PTX, Parameters, Predictors, Variant};
use crate::family::inputs::{drawn_words, random_words};
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Launch, Step, Submission, Words, Workload};

/// Input and output, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let Parameters { width, word_bytes, offset, .. } = *parameters;
    (2 * words(width, word_bytes) + offset) * word_bytes
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let prediction = Prediction::new(&Accesses::new(variant, parameters), device.rules.coalescing);
    Predictors {
        read_sectors_per_request: prediction.read.sectors_per_request(),
        write_sectors_per_request: prediction.written.sectors_per_request(),
        sectors_per_request: prediction.sectors_per_request(),
        bytes_moved: prediction.bytes_moved,
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let accesses = Accesses::new(variant, parameters);
    let data = random_words((accesses.words * accesses.word_bytes / 4) as usize, seed);
    let input = arranged(&accesses, &data, !seed);
    Workload {
        ptx: PTX,
        steps: vec![step(&accesses)],
        submission: Submission::Stream,
        bytes: 2 * accesses.words * accesses.word_bytes,
        operations: 0,
        predictors: predictors(parameters, variant, device),
        buffers: vec![
            Buffer { name: "input", contents: Contents::Words(input), expected: None },
            Buffer { name: "output", contents: Contents::Poison { words: data.len() }, expected: Some(data.into()) },
        ],
    }
}

/// The input that the pattern makes `data` of: each word where the thread that writes it reads. What nobody reads is
/// random.
fn arranged(accesses: &Accesses, data: &Words, seed: u64) -> Words {
    let elements = (accesses.word_bytes / 4) as usize;
    match accesses.order {
        Order::Straight | Order::Driver | Order::Crossed => return data.clone(),
        Order::Tiles { read_exchanged, write_exchanged, .. } if read_exchanged == write_exchanged => {
            return data.clone();
        }
        Order::Tiles { width, .. } => return exchanged(data, width as usize).into(),
        Order::Strided(stride) => return dealt_out(data, elements, accesses.words, stride).into(),
        Order::Offset(_) | Order::Permuted => {}
    }
    let unread = (accesses.input_words() - accesses.words) as usize * elements;
    if let Order::Offset(_) = accesses.order {
        let mut input = drawn_words(unread, seed);
        input.extend_from_slice(data);
        return input.into();
    }
    let input: Vec<AtomicU32> = data.par_iter().map(|_| AtomicU32::new(0)).collect();
    (0..accesses.threads()).into_par_iter().for_each(|number| {
        let Some(thread) = accesses.thread(number) else { return };
        let from = thread.written as usize * elements;
        let to = thread.read as usize * elements;
        for (cell, &word) in input[to..to + elements].iter().zip(&data[from..from + elements]) {
            cell.store(word, Ordering::Relaxed);
        }
    });
    input.into_par_iter().map(AtomicU32::into_inner).collect::<Vec<u32>>().into()
}

/// A matrix whose tiles are transposed, each in its place; elements whose counterparts are beyond the edge stay.
fn exchanged(data: &[u32], width: usize) -> Vec<u32> {
    let tile = TILE as usize;
    let mut input = vec![0; data.len()];
    input.par_chunks_mut((tile * width).max(1)).enumerate().for_each(|(band, rows)| {
        for (row, words) in rows.chunks_mut(width).enumerate() {
            let own_row = (band * tile + row) * width;
            for (first, words) in words.chunks_mut(tile).enumerate().map(|(number, words)| (number * tile, words)) {
                for (column, word) in words.iter_mut().enumerate() {
                    let (other_row, other_column) = (band * tile + column, first + row);
                    let is_inside = other_row < width && other_column < width;
                    *word = data[if is_inside { other_row * width + other_column } else { own_row + first + column }];
                }
            }
        }
    });
    input
}

/// Rows of data dealt out so that row *k* is at words *k*, *k* + stride, ..., each of so many elements.
fn dealt_out(data: &[u32], elements: usize, words: u64, stride: u64) -> Vec<u32> {
    let Rows { row_words, full } = Rows::new(words, stride);
    let firsts: Vec<usize> =
        (0..stride).map(|row| (row * row_words.saturating_sub(1) + row.min(full)) as usize * elements).collect();
    let mut input = vec![0; data.len()];
    input.par_chunks_mut(elements * stride as usize).enumerate().for_each(|(place, words)| {
        for (word, first) in words.chunks_exact_mut(elements).zip(&firsts) {
            word.copy_from_slice(&data[first + place * elements..][..elements]);
        }
    });
    input
}

fn step(accesses: &Accesses) -> Step {
    let words = Argument::Word(accesses.words as u32);
    let number = |number: u64| Argument::Word(number as u32);
    let of_words = |[of_4_bytes, of_8_bytes, of_16_bytes]: [&'static str; 3]| match accesses.word_bytes {
        4 => of_4_bytes,
        8 => of_8_bytes,
        _ => of_16_bytes,
    };
    let (entry, rest) = match accesses.order {
        Order::Driver => return Step::Copy { from: 0, to: 1 },
        Order::Tiles { width, read_exchanged, write_exchanged } => {
            let entry = match (read_exchanged, write_exchanged) {
                (false, false) => "global_access_read_coalesced_write_coalesced",
                (true, false) => "global_access_read_uncoalesced_write_coalesced",
                (false, true) => "global_access_read_coalesced_write_uncoalesced",
                (true, true) => "global_access_read_uncoalesced_write_uncoalesced",
            };
            (entry, vec![number(width)])
        }
        Order::Straight => (
            of_words(["global_access_straight_4", "global_access_straight_8", "global_access_straight_16"]),
            vec![words],
        ),
        Order::Crossed => {
            (of_words(["global_access_crossed_4", "global_access_crossed_8", "global_access_crossed_16"]), vec![words])
        }
        Order::Offset(offset) => (
            of_words(["global_access_offset_4", "global_access_offset_8", "global_access_offset_16"]),
            vec![words, number(offset)],
        ),
        Order::Strided(stride) => {
            let Rows { row_words, full } = Rows::new(accesses.words, stride);
            (
                of_words(["global_access_strided_4", "global_access_strided_8", "global_access_strided_16"]),
                vec![number(stride), number(row_words), number(full)],
            )
        }
        Order::Permuted => {
            let Bijection { mask, shift, .. } = Bijection::new(accesses.words);
            (
                of_words(["global_access_permuted_4", "global_access_permuted_8", "global_access_permuted_16"]),
                vec![words, Argument::Word(mask), Argument::Word(shift)],
            )
        }
    };
    let [x, y] = accesses.grid().map(|blocks| blocks as u32);
    let tiles = matches!(accesses.order, Order::Tiles { .. });
    Step::Launch(Launch {
        entry,
        grid: [x, y, 1],
        block: if tiles { [TILE as u32, TILE as u32, 1] } else { [accesses.block as u32, 1, 1] },
        cooperative: false,
        cluster_blocks: 1,
        shared_bytes: 0,
        arguments: [Argument::Buffer(0), Argument::Buffer(1)].into_iter().chain(rest).collect(),
    })
}

//! Buffers, steps and expected output of a query.

use std::ops::Range;

use super::columns::{Columns, SUPPLIERS, WORDS_OF_NUMBER, words_of, words_of_chunk};
use super::tree::Tree;
use super::{PTX, Parameters, Predictors, Variant, reference};
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Copying, HostMemory, HostWork, Launch, Step, Submission, Workload};

/// Bytes of a 64-bit number.
const NUMBER_BYTES: u64 = 8;
/// Bytes of a key.
const KEY_BYTES: u64 = 4;
/// Bytes of a row: a key and two numbers.
const ROW_BYTES: u64 = KEY_BYTES + 2 * NUMBER_BYTES;

/// The outcome, in host memory.
const SUM: usize = 0;
/// The columns, or all of them in chunks, are the next buffers.
const FIRST_COLUMN: usize = 1;
const COLUMNS: usize = 3;

/// No chunk has less than this part of the blocks: of fewer rows, the copy takes no longer than the kernel of the chunk before.
const SMALLEST_CHUNK: u64 = 256;
/// What a chunk leaves to those behind it: one of so many parts of what the one before left.
const LEFT_BY_CHUNK: u64 = 8;

/// What a point's parameters come to.
#[derive(Debug, Clone, Copy)]
struct Plan {
    variant: Variant,
    rows: u64,
    threshold: u64,
    block: u64,
    chunks: u64,
    streams: u64,
}

impl Plan {
    fn new(parameters: &Parameters, variant: Variant) -> Self {
        let Parameters { rows, threshold, block, chunks, streams } = *parameters;
        Self { variant, rows, threshold, block: block.into(), chunks, streams }
    }

    fn rows_of_block(self) -> u64 {
        let one_each = matches!(
            self.variant,
            Variant::SelectOnly | Variant::BlockSumStrided | Variant::BlockSumSequential | Variant::BlockSumUnrolled
        );
        if one_each { self.block } else { 2 * self.block }
    }

    fn blocks(self) -> u64 {
        self.rows.div_ceil(self.rows_of_block())
    }

    /// Blocks of the launch that adds the sums of blocks, two for each thread.
    fn adding_blocks(self) -> u64 {
        self.blocks().div_ceil(2 * self.block)
    }

    /// Numbers that the first kernel writes.
    fn found(self) -> u64 {
        if self.variant == Variant::SelectOnly { self.rows } else { self.blocks() }
    }

    fn memory(self) -> HostMemory {
        if matches!(self.variant, Variant::PinnedMemory | Variant::Streams) {
            HostMemory::Pinned
        } else {
            HostMemory::Pageable
        }
    }

    fn is_on_host(self) -> bool {
        matches!(self.variant, Variant::Serial | Variant::MultiThreaded)
    }

    /// How its blocks sum.
    fn tree(self) -> Option<Tree> {
        match self.variant {
            Variant::Serial | Variant::MultiThreaded | Variant::SelectOnly => None,
            Variant::BlockSumStrided => Some(Tree::Strided),
            Variant::BlockSumSequential => Some(Tree::Sequential),
            Variant::BlockSumUnrolled
            | Variant::TwoRowsPerThread
            | Variant::SecondReductionOnGpu
            | Variant::TenRegisters
            | Variant::PinnedMemory
            | Variant::Streams
            | Variant::Resident => Some(Tree::Unrolled),
        }
    }

    /// Blocks whose sums the host adds.
    fn summing_blocks(self) -> u64 {
        match self.variant {
            Variant::Serial | Variant::MultiThreaded | Variant::SelectOnly => 0,
            Variant::SecondReductionOnGpu => self.blocks() + self.adding_blocks(),
            Variant::BlockSumStrided
            | Variant::BlockSumSequential
            | Variant::BlockSumUnrolled
            | Variant::TwoRowsPerThread
            | Variant::TenRegisters
            | Variant::PinnedMemory
            | Variant::Streams
            | Variant::Resident => self.blocks(),
        }
    }

    /// Buffers of columns, on the device or the host.
    fn columns(self) -> usize {
        if self.variant == Variant::Streams { 1 } else { COLUMNS }
    }

    /// The buffer that the first kernel writes: products, or sums of blocks.
    fn found_in(self) -> usize {
        FIRST_COLUMN + self.columns()
    }

    /// The buffer of the sums of these sums.
    fn fewer_in(self) -> usize {
        self.found_in() + 1
    }

    /// Where the chunks begin and end, in blocks. Nothing is copied beside the last one's kernel, so that chunks become smaller and smaller:
    /// each has seven eighths of what is left, while all behind it can have as much as the smallest one.
    fn chunks(self) -> Vec<Range<u64>> {
        let blocks = self.blocks();
        let smallest = (blocks / SMALLEST_CHUNK).max(1);
        let mut first = 0;
        let chunk = |behind: u64| {
            let left = blocks - first;
            let size = if behind == 0 { left } else { (left - left / LEFT_BY_CHUNK).min(left - smallest * behind) };
            first += size;
            first - size..first
        };
        (0..self.chunks.min(blocks)).rev().map(chunk).collect()
    }

    fn rows_of(self, blocks: &Range<u64>) -> Range<u64> {
        blocks.start * self.rows_of_block()..(blocks.end * self.rows_of_block()).min(self.rows)
    }

    fn launch(self, entry: &'static str, blocks: u64, arguments: Vec<Argument>) -> Step {
        let shared_bytes = if self.tree().is_some() { self.block * NUMBER_BYTES } else { 0 };
        Step::Launch(Launch {
            entry,
            grid: [blocks as u32, 1, 1],
            block: [self.block as u32, 1, 1],
            shared_bytes: shared_bytes as u32,
            cooperative: false,
            cluster_blocks: 1,
            arguments,
        })
    }

    /// A kernel over all rows.
    fn query(self, entry: &'static str) -> Step {
        let mut arguments: Vec<Argument> = (FIRST_COLUMN..=self.found_in()).map(Argument::Buffer).collect();
        arguments.extend([self.rows, self.threshold].map(|number| Argument::Word(number as u32)));
        if self.tree().is_some() {
            arguments.push(Argument::Word(0));
        }
        self.launch(entry, self.blocks(), arguments)
    }

    /// The upload of a chunk, whose words are these, and the kernel over its rows, by its blocks.
    fn query_chunk(self, words: Range<usize>, blocks: &Range<u64>) -> [Step; 2] {
        let rows = self.rows_of(blocks);
        let numbers = [words.start as u64, rows.end - rows.start, self.threshold, blocks.start];
        let mut arguments = [FIRST_COLUMN, self.found_in()].map(Argument::Buffer).to_vec();
        arguments.extend(numbers.map(|number| Argument::Word(number as u32)));
        [
            Step::Upload(Copying { buffer: FIRST_COLUMN, words, memory: self.memory() }),
            self.launch("select_sum_chunk", blocks.end - blocks.start, arguments),
        ]
    }

    /// Uploads of the columns.
    fn upload(self) -> Vec<Step> {
        let words_of_columns = [1, WORDS_OF_NUMBER, WORDS_OF_NUMBER];
        let column = |(index, words): (usize, usize)| {
            let words = 0..words * self.rows as usize;
            Step::Upload(Copying { buffer: FIRST_COLUMN + index, words, memory: self.memory() })
        };
        words_of_columns.into_iter().enumerate().map(column).collect()
    }

    fn download(self, buffer: usize, numbers: Range<u64>) -> Step {
        let words = WORDS_OF_NUMBER * numbers.start as usize..WORDS_OF_NUMBER * numbers.end as usize;
        Step::Download(Copying { buffer, words, memory: self.memory() })
    }

    /// Chunks go to streams in turns, each with its upload and its kernel. The sums come back all at once, since a transfer
    /// of a few of them takes as long as one of all.
    fn on_streams(self) -> Step {
        let chunks = self.chunks();
        let mut streams: Vec<Vec<Step>> = vec![Vec::new(); (self.streams as usize).min(chunks.len())];
        let count = streams.len();
        let mut first_word = 0;
        for (index, blocks) in chunks.into_iter().enumerate() {
            let rows = self.rows_of(&blocks);
            let words = first_word..first_word + words_of_chunk((rows.end - rows.start) as usize);
            first_word = words.end;
            streams[index % count].extend(self.query_chunk(words, &blocks));
        }
        Step::Streams(streams)
    }

    fn steps(self) -> Vec<Step> {
        let host = |compute, reads, argument| Step::Host(HostWork { reads, writes: SUM, argument, compute });
        let columns = (FIRST_COLUMN..self.found_in()).collect();
        let one_after_the_other = |entry| {
            let mut steps = self.upload();
            steps.push(self.query(entry));
            steps
        };
        let mut steps = match self.variant {
            Variant::Serial => return vec![host(reference::serial, columns, self.threshold)],
            Variant::MultiThreaded => return vec![host(reference::multi_threaded, columns, self.threshold)],
            Variant::SelectOnly => one_after_the_other("select_sum_select_only"),
            Variant::BlockSumStrided => one_after_the_other("select_sum_block_sum_strided"),
            Variant::BlockSumSequential => one_after_the_other("select_sum_block_sum_sequential"),
            Variant::BlockSumUnrolled => one_after_the_other("select_sum_block_sum_unrolled"),
            Variant::TwoRowsPerThread | Variant::SecondReductionOnGpu => {
                one_after_the_other("select_sum_two_rows_per_thread")
            }
            Variant::TenRegisters | Variant::PinnedMemory => one_after_the_other("select_sum_limited_registers"),
            Variant::Streams => vec![self.on_streams()],
            Variant::Resident => vec![self.query("select_sum_limited_registers")],
        };
        let (found, fewer) = (self.found_in(), self.fewer_in());
        let (left, numbers) = if self.variant == Variant::SecondReductionOnGpu {
            let arguments =
                vec![Argument::Buffer(found), Argument::Buffer(fewer), Argument::Word(self.blocks() as u32)];
            steps.push(self.launch("select_sum_reduce", self.adding_blocks(), arguments));
            (fewer, self.adding_blocks())
        } else {
            (found, self.found())
        };
        steps.push(self.download(left, 0..numbers));
        steps.push(host(reference::add, vec![left], 0));
        steps
    }

    fn buffers(self, columns: Columns, sum: i64) -> Vec<Buffer> {
        let column = |name, words| {
            let contents = if self.is_on_host() { Contents::HostWords(words) } else { Contents::Words(words) };
            Buffer { name, contents, expected: None }
        };
        let numbers = |name, count: u64| {
            let contents = Contents::Poison { words: WORDS_OF_NUMBER * count as usize };
            Buffer { name, contents, expected: None }
        };
        let mut buffers = vec![Buffer {
            name: "sum",
            contents: Contents::HostPoison { words: WORDS_OF_NUMBER },
            expected: Some(words_of(sum).to_vec().into()),
        }];
        if self.variant == Variant::Streams {
            let rows = |blocks: &Range<u64>| {
                let rows = self.rows_of(blocks);
                rows.start as usize..rows.end as usize
            };
            let chunks: Vec<_> = self.chunks().iter().map(rows).collect();
            buffers.push(column("columns in chunks", columns.in_chunks(&chunks).into()));
        } else {
            buffers.push(column("suppkey", columns.suppkey));
            buffers.push(column("quantity", columns.quantity));
            buffers.push(column("extendedprice", columns.extendedprice));
        }
        if !self.is_on_host() {
            let name = if self.variant == Variant::SelectOnly { "products" } else { "block sums" };
            buffers.push(numbers(name, self.found()));
        }
        if self.variant == Variant::SecondReductionOnGpu {
            buffers.push(numbers("fewer sums", self.adding_blocks()));
        }
        buffers
    }
}

/// Bytes that the steps transfer in a direction.
fn transferred_bytes(steps: &[Step], up: bool) -> u64 {
    let of_step = |step: &Step| match step {
        Step::Upload(copying) if up => 4 * copying.words.len() as u64,
        Step::Download(copying) if !up => 4 * copying.words.len() as u64,
        Step::Streams(streams) => streams.iter().map(|steps| transferred_bytes(steps, up)).sum(),
        _ => 0,
    };
    steps.iter().map(of_step).sum()
}

/// The columns, and the products of all rows or two kinds of sums, in bytes.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    let plan = Plan::new(parameters, Variant::SecondReductionOnGpu);
    ROW_BYTES * plan.rows + NUMBER_BYTES * plan.rows.max(plan.blocks() + plan.adding_blocks())
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let plan = Plan::new(parameters, variant);
    predictors_of(&plan, &plan.steps(), device)
}

fn predictors_of(plan: &Plan, steps: &[Step], device: &Properties) -> Predictors {
    let banks = device.rules.banks;
    let of_blocks = |of_one: fn(Tree, u64, gpu_simulator::hardware::Banks) -> u64| {
        plan.tree().map_or(0, |tree| plan.summing_blocks() * of_one(tree, plan.block, banks)) as f64
    };
    Predictors {
        selectivity_pct: 100.0 * (plan.threshold - 1).min(SUPPLIERS) as f64 / SUPPLIERS as f64,
        uploaded_bytes: transferred_bytes(steps, true) as f64,
        downloaded_bytes: transferred_bytes(steps, false) as f64,
        launches: launches(steps) as f64,
        barriers: of_blocks(|tree, block, _| tree.barriers(block)),
        tree_load_passes: of_blocks(Tree::load_passes),
    }
}

/// Launches among the steps, those on streams too.
fn launches(steps: &[Step]) -> usize {
    let of_step = |step: &Step| match step {
        Step::Launch(_) => 1,
        Step::Streams(streams) => streams.iter().map(|steps| launches(steps)).sum(),
        _ => 0,
    };
    steps.iter().map(of_step).sum()
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties, seed: u64) -> Workload<Predictors> {
    let plan = Plan::new(parameters, variant);
    let columns = Columns::generate(plan.rows as usize, seed);
    let selected = columns.selected(plan.threshold as u32);
    let all: [&[u32]; COLUMNS] = [&columns.suppkey, &columns.quantity, &columns.extendedprice];
    let sum = reference::multi_threaded(&all, plan.threshold);
    let sum = sum.as_chunks::<WORDS_OF_NUMBER>().0.first().map_or(0, |words| super::columns::number_of(*words));
    let steps = plan.steps();
    Workload {
        ptx: PTX,
        predictors: predictors_of(&plan, &steps, device),
        steps,
        submission: Submission::Stream,
        // Whoever answers the query needs every key, and the other columns of the rows selected.
        bytes: KEY_BYTES * plan.rows + (ROW_BYTES - KEY_BYTES) * selected,
        operations: plan.rows + 2 * selected,
        buffers: plan.buffers(columns, sum),
    }
}

//! Calls of device functions, and of what a GPU's runtime gives.

use super::access::locate;
use super::block::Surroundings;
use super::fault::Problem;
use super::memory::GlobalMemory;
use super::observer::Observer;
use super::print::{Arguments, formatted};
use super::step::Flow;
use super::warp::{CALL_BYTES_MAX, Frame, Warp};
use crate::hardware::lanes::{LANES, Mask, lanes_of};
use crate::program::{Call, Callee, Operation, Slice, SystemCall};
use crate::windows::{LOCAL_WINDOW, window};

/// What a condition of a graph's node takes.
const CONDITION_BYTES: u32 = 4;

impl Warp {
    pub(super) fn call<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        call: &Call,
        pc: u32,
        frame: &Frame,
        active: Mask,
        executed: Mask,
    ) -> Result<Flow, (Problem, Option<usize>)> {
        match &call.callee {
            Callee::System(system) => {
                self.system_call(around, *system, call, frame, executed)?;
                Ok(Flow::Next)
            }
            Callee::Function(function) => {
                self.part_from_guarded(pc, active, executed);
                self.enter(around, call, *function, pc)?;
                Ok(Flow::Moved)
            }
            Callee::Address(source) => {
                let addresses = *self.long(around.program, frame, *source);
                // Each function is called in its turn, that of the lowest lane first; the others come again.
                let Some(first) = lanes_of(executed).next() else { return Ok(Flow::Next) };
                let address = addresses[first];
                let functions = &around.program.functions;
                let Some(index) = functions.iter().skip(1).position(|function| function.address == address) else {
                    return Err((Problem::BadTarget(address), Some(first)));
                };
                let same: Mask =
                    lanes_of(executed).filter(|lane| addresses[*lane] == address).map(|lane| 1 << lane).sum();
                if same == executed {
                    self.part_from_guarded(pc, active, executed);
                } else {
                    around.observer.divergence(pc);
                    let held_back = (active != executed).then_some((pc + 1, active & !executed));
                    let called = [(pc, executed & !same), (pc, same)];
                    let ways: Vec<(u32, Mask)> = held_back.into_iter().chain(called).collect();
                    self.paths.diverge(self.current, pc + 1, &ways);
                    self.select_top();
                }
                self.enter(around, call, index as u32 + 1, pc)?;
                Ok(Flow::Moved)
            }
        }
    }

    /// Lanes that the guard holds back wait behind the call.
    fn part_from_guarded(&mut self, pc: u32, active: Mask, executed: Mask) {
        if active != executed {
            self.paths.diverge(self.current, pc + 1, &[(pc + 1, active & !executed), (pc, executed)]);
            self.select_top();
        }
    }

    /// Puts the current path into a new frame of the function.
    fn enter<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        call: &Call,
        function: u32,
        pc: u32,
    ) -> Result<(), (Problem, Option<usize>)> {
        let path = self.paths.list[self.current];
        let from_frame = self.frames[path.frame as usize];
        let callee = &around.program.functions[function as usize];
        let from_bytes = around.program.functions[from_frame.function as usize].local_bytes;
        let local = (from_frame.local + from_bytes).next_multiple_of(16);
        let end = local + callee.local_bytes;
        // A call with neither variables nor parameters takes some room too, or it could go on for ever.
        let kernel_bytes = around.program.functions[0].local_bytes;
        if end - kernel_bytes > CALL_BYTES_MAX || self.frames.len() > CALL_BYTES_MAX as usize / 16 {
            let problem = Problem::StackOverflow { limit_bytes: CALL_BYTES_MAX };
            return Err((problem, lanes_of(path.mask).next()));
        }
        self.grow_local(end);
        for (from, to) in call.arguments.iter().zip(&callee.parameters) {
            self.copy_local(from_frame.local + from.offset, local + to.offset, from.bytes.min(to.bytes), path.mask);
        }
        let frame = Frame {
            words: self.words.len() as u32,
            longs: self.longs.len() as u32,
            predicates: self.predicates.len() as u32,
            local,
            function,
            caller: path.frame,
            call_pc: pc,
        };
        self.words.resize(self.words.len() + callee.words as usize, [0; LANES]);
        self.longs.resize(self.longs.len() + callee.longs as usize, [0; LANES]);
        self.predicates.resize(self.predicates.len() + callee.predicates as usize, 0);
        self.frames.push(frame);
        self.paths.call(self.current, callee.entry, self.frames.len() as u32 - 1, pc + 1);
        Ok(())
    }

    fn copy_local(&mut self, from: u32, to: u32, bytes: u32, mask: Mask) {
        let (from, to, bytes) = (from as usize, to as usize, bytes as usize);
        for lane in lanes_of(mask) {
            self.local(lane).copy_within(from..from + bytes, to);
        }
    }

    /// `ret` of a device function.
    pub(super) fn returns<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        active: Mask,
        executed: Mask,
    ) -> Flow {
        let path = self.paths.list[self.current];
        if active != executed {
            self.paths.diverge(
                self.current,
                crate::program::NO_PC,
                &[(path.pc + 1, active & !executed), (path.pc, executed)],
            );
            self.select_top();
        }
        let frame = self.frames[path.frame as usize];
        let callee = &around.program.functions[frame.function as usize];
        let back_to = self.frames[frame.caller as usize];
        if let Operation::Call(call) = &around.program.code[frame.call_pc as usize].operation {
            for (from, to) in callee.results.iter().zip(&call.results) {
                self.copy_local(
                    frame.local + from.offset,
                    back_to.local + to.offset,
                    from.bytes.min(to.bytes),
                    executed,
                );
            }
        }
        self.paths.leave_function(self.current);
        self.end_frames();
        self.select_top();
        Flow::Moved
    }

    /// Frames end in the order in which they began. Where paths took turns, some stay until those above them have ended.
    pub(super) fn end_frames(&mut self) {
        while let [_, .., last] = self.frames[..]
            && !self.paths.in_frame(self.frames.len() as u32 - 1)
        {
            self.words.truncate(last.words as usize);
            self.longs.truncate(last.longs as usize);
            self.predicates.truncate(last.predicates as usize);
            self.frames.pop();
        }
    }

    fn system_call<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        system: SystemCall,
        call: &Call,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), (Problem, Option<usize>)> {
        for lane in lanes_of(mask) {
            let argument = |warp: &mut Self, index: usize| {
                let slice = call.arguments.get(index)?;
                Some(warp.read_frame(lane, frame, *slice))
            };
            let result = match system {
                SystemCall::Allocate => {
                    let bytes = argument(self, 0).unwrap_or(0);
                    around.memory.allocate(bytes)
                }
                // Memory that is given back is not given out again.
                SystemCall::Free => 0,
                SystemCall::Print => {
                    let (format, buffer) = (argument(self, 0).unwrap_or(0), argument(self, 1).unwrap_or(0));
                    let format = self_text(self, around, lane, format);
                    let text = formatted(&format, &mut Packed { warp: self, around, lane, buffer });
                    around.memory.print(&text);
                    0
                }
                // A handle is the address of the word that holds the condition.
                SystemCall::SetConditional => {
                    let (handle, value) = (argument(self, 0).unwrap_or(0), argument(self, 1).unwrap_or(0));
                    let place = locate(around.memory, handle, CONDITION_BYTES, "sets the condition", lane)?;
                    around.memory.write(place, CONDITION_BYTES, value);
                    0
                }
                SystemCall::AssertFail => {
                    let mut text = |warp: &mut Self, index| {
                        argument(warp, index).map(|address| self_text(warp, around, lane, address)).unwrap_or_default()
                    };
                    let (condition, file) = (text(self, 0), text(self, 1));
                    let line = argument(self, 2).unwrap_or(0) as u32;
                    let message = format!("{condition} ({file}, line {line})");
                    return Err((Problem::Assertion(message), Some(lane)));
                }
            };
            if let Some(slice) = call.results.first() {
                self.write_frame(lane, frame, *slice, result);
            }
        }
        Ok(())
    }

    fn read_frame(&mut self, lane: usize, frame: &Frame, slice: Slice) -> u64 {
        let bytes = slice.bytes.min(8) as usize;
        let start = (frame.local + slice.offset) as usize;
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(&self.local(lane)[start..start + bytes]);
        u64::from_le_bytes(number)
    }

    fn write_frame(&mut self, lane: usize, frame: &Frame, slice: Slice, value: u64) {
        let bytes = slice.bytes.min(8) as usize;
        let start = (frame.local + slice.offset) as usize;
        self.local(lane)[start..start + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}

/// The arguments of a `vprintf`, in the lane's memory.
struct Packed<'a, 'b, M, O> {
    warp: &'a mut Warp,
    around: &'a mut Surroundings<'b, M, O>,
    lane: usize,
    buffer: u64,
}

impl<M: GlobalMemory, O: Observer> Arguments for Packed<'_, '_, M, O> {
    fn number(&mut self, offset: u64, bytes: u32) -> u64 {
        let start = self.buffer.wrapping_add(offset);
        (0..u64::from(bytes)).fold(0, |number, index| {
            let byte = byte_at(self.warp, self.around, self.lane, start.wrapping_add(index)).unwrap_or(0);
            number | u64::from(byte) << (8 * index)
        })
    }

    fn text(&mut self, address: u64) -> String {
        self_text(self.warp, self.around, self.lane, address)
    }
}

/// The byte at a generic address of local or global memory.
fn byte_at<M: GlobalMemory, O: Observer>(
    warp: &mut Warp,
    around: &Surroundings<'_, M, O>,
    lane: usize,
    address: u64,
) -> Option<u8> {
    if window(LOCAL_WINDOW).contains(&address) {
        return warp.local(lane).get((address - LOCAL_WINDOW) as usize).copied();
    }
    around.memory.locate(address, 1).ok().map(|place| around.memory.read(place, 1) as u8)
}

/// A text in memory that ends with a zero byte, cut at a length that fits a message.
fn self_text<M: GlobalMemory, O: Observer>(
    warp: &mut Warp,
    around: &mut Surroundings<'_, M, O>,
    lane: usize,
    address: u64,
) -> String {
    const LENGTH_MAX: u64 = 200;
    let mut text = Vec::new();
    for address in address..address.saturating_add(LENGTH_MAX) {
        match byte_at(warp, around, lane, address) {
            None | Some(0) => break,
            Some(byte) => text.push(byte),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

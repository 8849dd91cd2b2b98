//! Loads, stores, atomics, asynchronous copies and fences.

use super::super::decode::Context;
use super::super::operand::{Kind, LongSource, WordSource};
use super::super::phase::{CopyGroups, CopyKind, GroupsOf};
use super::super::{
    Access, AccessOrder, Atomic, AtomicElement, AtomicFunction, AtomicOrder, Fence, FenceOrder, FenceScope, Merged,
    Operation, SharedOf, Space, Special,
};
use super::{Parts, bits_of, unsupported};
use crate::arithmetic::Narrow;
use crate::hardware::caching::{CacheHint, Keeping};
use ptx_syntax::module::Operand;

/// What the words of a memory instruction say.
struct Words {
    space: Space,
    order: AccessOrder,
    elements: usize,
}

/// Words that say how caches are to treat the access, which changes nothing about its outcome.
const CACHE_WORDS: [&str; 8] = ["ca", "cs", "lu", "nc", "wt", "wb", "weak", "noftz"];
const SCOPE_WORDS: [&str; 4] = ["cta", "gpu", "sys", "cluster"];
const ORDER_WORDS: [&str; 7] = ["cv", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"];

pub(super) fn space_of(word: &str) -> Option<Space> {
    Some(match word {
        "global" => Space::Global,
        "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
        "local" => Space::Local,
        "const" => Space::Constant,
        "param" | "param::entry" | "param::func" => Space::Parameter,
        _ => return None,
    })
}

/// Reads the modifiers before the type, all of which must be known.
fn words(parts: &Parts<'_>, known: &[&str]) -> Result<Words, String> {
    let mut words = Words { space: Space::Generic, order: AccessOrder::Cached, elements: 1 };
    for word in &parts.modifiers[..parts.modifiers.len().saturating_sub(1)] {
        if let Some(space) = space_of(word) {
            words.space = space;
        } else if ORDER_WORDS.contains(word) {
            words.order = AccessOrder::Ordered;
        } else if *word == "cg" {
            words.order = AccessOrder::PastL1;
        } else if let Some(elements) = vector_of(word).filter(|elements| *elements <= 4 || known.contains(word)) {
            words.elements = elements;
        } else if !(CACHE_WORDS.contains(word)
            || SCOPE_WORDS.contains(word)
            || word.starts_with("L1::")
            || word.starts_with("L2::")
            || known.contains(word))
        {
            return Err(format!("`.{word}` is not supported here"));
        }
    }
    Ok(words)
}

/// The elements of a vector by its word.
fn vector_of(word: &str) -> Option<usize> {
    [("v2", 2), ("v4", 4), ("v8", 8)].into_iter().find_map(|(own, elements)| (own == word).then_some(elements))
}

/// Whom the instruction's order is for.
fn scope(parts: &Parts<'_>) -> FenceScope {
    match () {
        () if parts.has("cta") => FenceScope::Block,
        () if parts.has("cluster") => FenceScope::Cluster,
        () if parts.has("sys") => FenceScope::System,
        () => FenceScope::Device,
    }
}

/// The fence that a store or an atomic begins with.
fn fence_before(parts: &Parts<'_>) -> Option<Fence> {
    let order = match () {
        () if parts.has("acq_rel") => FenceOrder::AcquireRelease,
        () if parts.has("release") => FenceOrder::Release,
        () => return None,
    };
    Some(Fence { scope: scope(parts), order })
}

/// Bytes that L2 is asked to bring in at once; 0 where it is asked for none.
fn fetched_bytes(parts: &Parts<'_>) -> u32 {
    [("L2::64B", 64), ("L2::128B", 128), ("L2::256B", 256)]
        .into_iter()
        .find_map(|(word, bytes)| parts.has(word).then_some(bytes))
        .unwrap_or(0)
}

/// How soon L2 is to let go of what is accessed, by the policy that `.L2::cache_hint` has for its last operand. Lines of `.cs` go first, as `plain`
/// and `streaming_loads` of `l2-residency` show of an H200.
fn keeping(context: &Context<'_, '_>, parts: &Parts<'_>) -> Keeping {
    let policy = parts.operands.last().filter(|_| parts.has("L2::cache_hint"));
    let register = policy.and_then(|own| context.destination(own, Kind::Long).ok());
    let usual = if parts.has("cs") { Keeping::First } else { Keeping::Normal };
    register.and_then(|own| context.policies.get(&own).copied()).unwrap_or(usual)
}

/// The instruction without the cache policy that `.L2::cache_hint` has for its last operand.
fn without_policy<'a>(parts: &Parts<'a>) -> Parts<'a> {
    let operands = match parts.operands {
        [rest @ .., _] if parts.has("L2::cache_hint") => rest,
        all => all,
    };
    Parts { operands, ..*parts }
}

fn elements(operand: &Operand, count: usize) -> Result<&[Operand], String> {
    let operands = match operand {
        Operand::Vector(operands) => operands,
        single => std::slice::from_ref(single),
    };
    if operands.len() == count { Ok(operands) } else { Err(format!("{count} registers are expected")) }
}

fn access(context: &mut Context<'_, '_>, parts: &Parts<'_>, address: &Operand) -> Result<(Access, usize), String> {
    let words = words(parts, &[])?;
    let bits = bits_of(parts.ty()).filter(|bits| matches!(bits, 8 | 16 | 32 | 64));
    let element_bytes = bits.ok_or_else(unsupported)? / 8;
    if usize::from(element_bytes) * words.elements > 16 {
        return Err("at most 16 bytes can be accessed at once".to_owned());
    }
    let (address, space) = context.address(address, words.space)?;
    let signed = parts.ty().starts_with('s');
    let (order, is_volatile) = (words.order, parts.has("volatile"));
    let access = Access {
        space,
        address,
        element_bytes,
        signed,
        long: false,
        register_bits: 32,
        order,
        hint: CacheHint {
            leaves_l1_first: parts.has("cs") || parts.has("L1::evict_first"),
            fetched_bytes: fetched_bytes(parts),
            ..CacheHint::default()
        },
        fence: None,
        scope: scope(parts),
        is_volatile,
        shared_of: if parts.has("shared::cluster") { SharedOf::Cluster } else { SharedOf::Block },
        joined: 1,
    };
    Ok((access, words.elements))
}

pub(in crate::program) fn load(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let keeping = keeping(context, parts);
    let parts = &without_policy(parts);
    parts.expect_operands(2..=2)?;
    let (mut access, count) = access(context, parts, &parts.operands[1])?;
    access.hint.keeping = keeping;
    access.fence = parts.has("acquire").then(|| Fence { scope: scope(parts), order: FenceOrder::Acquire });
    let targets = elements(&parts.operands[0], count)?;
    let mut kind = None;
    for target in targets.iter().filter(|target| **target != Operand::Discard) {
        let register = context.register(target)?;
        if *kind.get_or_insert(register.kind) != register.kind || register.kind == Kind::Predicate {
            return Err("the registers must all have the same width".to_owned());
        }
        access.register_bits = register.bits;
    }
    let kind = kind.unwrap_or(Kind::Word);
    access.long = kind == Kind::Long;
    if u32::from(access.register_bits) < 8 * u32::from(access.element_bytes) {
        return Err("the register is narrower than what is loaded".to_owned());
    }
    let destinations =
        targets.iter().map(|target| context.destination_or_discard(target, kind)).collect::<Result<_, _>>()?;
    Ok(Operation::Load { access, destinations })
}

pub(in crate::program) fn store(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let keeping = keeping(context, parts);
    let parts = &without_policy(parts);
    parts.expect_operands(2..=2)?;
    let (mut access, count) = access(context, parts, &parts.operands[0])?;
    access.hint.keeping = keeping;
    access.fence = fence_before(parts);
    if matches!(access.space, Space::Constant | Space::Parameter) {
        return Err("this state space cannot be written".to_owned());
    }
    let sources = elements(&parts.operands[1], count)?;
    let register = sources.iter().find_map(|source| context.register(source).ok());
    access.long = register.map_or(access.element_bytes == 8, |register| register.kind == Kind::Long);
    let ty = parts.ty();
    let (mut words, mut longs) = (Vec::new(), Vec::new());
    for source in sources {
        if access.long {
            longs.push(context.long(source, ty)?);
        } else {
            words.push(context.word(source, ty)?);
        }
    }
    if !access.long && access.element_bytes == 8 {
        return Err("the register is narrower than what is stored".to_owned());
    }
    Ok(Operation::Store { access, words: words.into(), longs: longs.into() })
}

fn atomic_function(word: &str, ty: &str) -> Option<AtomicFunction> {
    let signed = ty.starts_with('s');
    Some(match (word, ty) {
        ("add", "u32" | "s32" | "u64" | "s64") => AtomicFunction::Add,
        ("add", "f32" | "f64") => AtomicFunction::AddFloat,
        ("add", "f16" | "f16x2") => AtomicFunction::AddNarrow { format: Narrow::Half, pair: ty == "f16x2" },
        ("add", "bf16" | "bf16x2") => AtomicFunction::AddNarrow { format: Narrow::Brain, pair: ty == "bf16x2" },
        ("min", "u32" | "s32" | "u64" | "s64") => AtomicFunction::Min { signed },
        ("max", "u32" | "s32" | "u64" | "s64") => AtomicFunction::Max { signed },
        ("and", "b32" | "b64") => AtomicFunction::And,
        ("or", "b32" | "b64") => AtomicFunction::Or,
        ("xor", "b32" | "b64") => AtomicFunction::Xor,
        ("exch", "b32" | "b64") => AtomicFunction::Exchange,
        ("cas", "b16" | "b32" | "b64" | "u32" | "u64" | "s32" | "s64") => AtomicFunction::CompareAndSwap,
        ("inc", "u32") => AtomicFunction::Increment,
        ("dec", "u32") => AtomicFunction::Decrement,
        _ => return None,
    })
}

pub(in crate::program) fn atomic(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    const KNOWN: [&str; 11] = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec", "v8"];
    let parts = &without_policy(parts);
    // Of vectors the type may stand before what is done: `atom.global.v4.f32.add`.
    let mut modifiers = parts.modifiers.to_vec();
    if let Some(place) = modifiers.iter().rposition(|word| bits_of(word).is_some() && vector_of(word).is_none()) {
        let ty = modifiers.remove(place);
        modifiers.push(ty);
    }
    let parts = &Parts { modifiers: &modifiers, ..*parts };
    let words = words(parts, &KNOWN)?;
    let ty = parts.ty();
    let function = parts.modifiers.iter().find_map(|word| atomic_function(word, ty));
    let function = function.ok_or_else(unsupported)?;
    if !matches!(words.space, Space::Global | Space::Shared | Space::Generic) {
        return Err(unsupported());
    }
    let bytes = bits_of(ty).unwrap_or(32) / 8;
    let is_vector = words.elements > 1;
    if is_vector && (!function.adds_float() || bytes > 4 || words.space == Space::Shared) {
        return Err("of vectors of f32, f16, bf16, f16x2 or bf16x2 in global memory there is `.add` alone".to_owned());
    }
    if usize::from(bytes) * words.elements > 16 {
        return Err("at most 16 bytes can be changed at once".to_owned());
    }
    let returns = parts.opcode == "atom";
    let swaps = function == AtomicFunction::CompareAndSwap;
    parts.expect_operands(
        2 + usize::from(returns) + usize::from(swaps)..=2 + usize::from(returns) + usize::from(swaps),
    )?;
    let (destination, operands) =
        if returns { (Some(&parts.operands[0]), &parts.operands[1..]) } else { (None, parts.operands) };
    let long = bits_of(ty) == Some(64);
    let kind = if long { Kind::Long } else { Kind::Word };
    let destinations = match destination {
        Some(operand) => elements(operand, words.elements)?
            .iter()
            .map(|own| context.destination_or_discard(own, kind))
            .collect::<Result<_, _>>()?,
        None => vec![None; words.elements],
    };
    let (address, space) = context.address(&operands[0], words.space)?;
    let nothing = (WordSource::Constant(0), LongSource::Constant(0));
    let mut source = |operand: Option<&Operand>| match operand {
        None => Ok(nothing),
        Some(operand) if long => Ok::<_, String>((WordSource::Constant(0), context.long(operand, ty)?)),
        Some(operand) => Ok((context.word(operand, ty)?, LongSource::Constant(0))),
    };
    let added = if is_vector { elements(&operands[1], words.elements)? } else { &operands[1..2] };
    let (word, long_source) = source(added.first())?;
    let (swap_word, swap_long) = source(operands.get(2))?;
    let more = destinations[1..].iter().zip(&added[1..]).map(|(destination, own)| {
        Ok::<_, String>(AtomicElement { destination: *destination, word: context.word(own, ty)? })
    });
    let more = more.collect::<Result<_, _>>()?;
    let fence = fence_before(parts).filter(|fence| fence.scope > FenceScope::Block);
    let acquires = parts.has("acquire") || parts.has("acq_rel");
    let atomic = Atomic {
        function,
        space,
        address,
        of_cluster: parts.has("shared::cluster"),
        long,
        bytes,
        merged: Merged::No,
        order: AtomicOrder { fence, acquires },
        scope: scope(parts),
        destination: destinations[0],
        is_answered: true,
        word,
        more,
        long_source,
        swap_word,
        swap_long,
    };
    Ok(Operation::Atomic(Box::new(atomic)))
}

pub(in crate::program) fn copy_async(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let parts = &without_policy(parts);
    let known = |word: &str| ["async", "ca", "cg", "shared", "shared::cta", "global"].contains(&word);
    if let Some(word) = parts.modifiers.iter().find(|word| !known(word) && !word.starts_with("L2::")) {
        return Err(format!("`.{word}` is not supported here"));
    }
    parts.expect_operands(3..=4)?;
    let (destination, _) = context.address(&parts.operands[0], Space::Shared)?;
    let (source, _) = context.address(&parts.operands[1], Space::Global)?;
    let Operand::Integer(bytes @ (4 | 8 | 16)) = parts.operands[2] else {
        return Err("4, 8 or 16 bytes can be copied".to_owned());
    };
    let read_bytes = parts.operands.get(3).map(|operand| context.word(operand, "u32")).transpose()?;
    let past_l1 = parts.has("cg");
    Ok(Operation::CopyAsync { destination, source, bytes: bytes as u8, read_bytes, past_l1 })
}

/// `cp.async.commit_group`, `wait_group` and `wait_all`, and those of bulk copies from shared memory.
pub(in crate::program) fn copy_groups(_: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let copies = match (parts.has("bulk"), parts.has("read")) {
        (false, _) => CopyKind::Lanes,
        (true, true) => CopyKind::BulkRead,
        (true, false) => CopyKind::BulkWritten,
    };
    let groups = match parts.operands {
        [] if parts.has("commit_group") => CopyGroups::Commit,
        [] if parts.has("wait_all") => CopyGroups::AwaitAll,
        [Operand::Integer(left)] if parts.has("wait_group") => {
            let left =
                u32::try_from(*left).map_err(|_| "the number of groups must be from 0 to 4294967295".to_owned())?;
            CopyGroups::Await(left)
        }
        _ => return Err(unsupported()),
    };
    Ok(Operation::CopyGroups(GroupsOf { groups, copies }))
}

pub(in crate::program) fn fence(_: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(0..=0)?;
    let order =
        if parts.opcode == "membar" || parts.has("sc") { FenceOrder::Sequential } else { FenceOrder::AcquireRelease };
    Ok(Operation::Fence(Fence { scope: scope(parts), order }))
}

/// `fence.proxy`: whatever goes to memory by another way is done in its turn here, so there is nothing to wait for.
#[allow(clippy::unnecessary_wraps)] // As its row asks.
pub(in crate::program) fn proxy_fence(_: &mut Context<'_, '_>, _: &Parts<'_>) -> Result<Operation, String> {
    Ok(Operation::Nothing)
}

/// `createpolicy`: loads and stores are told by the register which policy they have, so any number will do. A part of the lines is taken for all of
/// them, and ranges are not followed.
pub(in crate::program) fn policy(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let [destination, ..] = parts.operands else { return Err(unsupported()) };
    let destination = context.destination(destination, Kind::Long)?;
    let first = parts.modifiers.iter().find(|word| word.starts_with("L2::"));
    let keeping = match first {
        Some(&"L2::evict_first") if parts.has("fractional") => Keeping::First,
        Some(&"L2::evict_last") if parts.has("fractional") => Keeping::Last,
        _ => Keeping::Normal,
    };
    // A register that has several policies has none for sure.
    let is_other = context.policies.insert(destination, keeping).is_some_and(|before| before != keeping);
    if is_other {
        context.policies.insert(destination, Keeping::Normal);
    }
    Ok(Operation::ReadSpecial { special: Special::Zero, destination, long: true })
}

/// `prefetch` and the like: what goes to L2 is brought in there; of the others the address is checked as far as its form goes, and nothing is done.
pub(in crate::program) fn hint(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let has_size = matches!(parts.opcode, "applypriority" | "discard");
    parts.expect_operands(1 + usize::from(has_size)..=1 + usize::from(has_size))?;
    if has_size && parts.operands[1] != Operand::Integer(128) {
        return Err("the size must be 128".to_owned());
    }
    let space = parts.modifiers.iter().find_map(|word| space_of(word)).unwrap_or(Space::Generic);
    let (address, space) = context.address(&parts.operands[0], space)?;
    let is_prefetch = parts.opcode == "prefetch" && space == Space::Global && !parts.has("L1");
    Ok(if is_prefetch { Operation::Prefetch { address } } else { Operation::Nothing })
}

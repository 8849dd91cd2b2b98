//! Launches by functions of CUDA's runtime: `cudaLaunchKernel` and its like.

use super::brackets::balanced;
use super::host::up_to_end;
use super::launches::Written;
use super::parameters::parts;
use super::token::Token;

/// Functions that get the kernel, blocks, threads, and a list of addresses of the arguments.
const WITH_LIST: [&str; 2] = ["cudaLaunchKernel", "cudaLaunchCooperativeKernel"];
/// Functions that get a configuration and the kernel, with the arguments behind it.
const WITH_ARGUMENTS: &str = "cudaLaunchKernelEx";
/// The same, with a list of addresses of the arguments.
const WITH_BOTH: &str = "cudaLaunchKernelExC";

/// The most tokens between the function and the kernel's name.
const BETWEEN_MOST: usize = 24;

/// The launch in which the name of a kernel at this place stands, if it does in one.
pub(super) fn launch<'t, 'a>(tokens: &'t [Token<'a>], place: usize) -> Option<Written<'t, 'a>> {
    let is_one = |text: &str| WITH_LIST.contains(&text) || text == WITH_ARGUMENTS || text == WITH_BOTH;
    let call = (place.saturating_sub(BETWEEN_MOST)..place).rev().find(|call| is_one(tokens[*call].text))?;
    let open = call + 1;
    tokens.get(open).filter(|own| own.is("("))?;
    let length = balanced(&tokens[open..]);
    let given = parts(tokens.get(open + 1..(open + length).checked_sub(1)?)?);
    let before = &tokens[..call];
    match tokens[call].text {
        name if WITH_LIST.contains(&name) => {
            let [_, grid, block, list, shared @ ..] = &given[..] else { return None };
            let extents = [*grid, *block].into_iter().chain(shared.first().copied()).collect();
            Some(Written { extents, given: addressed(list, before)?, cluster: None })
        }
        WITH_ARGUMENTS => {
            let [configuration, _, arguments @ ..] = &given[..] else { return None };
            Some(Written {
                extents: configured(configuration, before)?,
                given: arguments.to_vec(),
                cluster: clustered(configuration, before),
            })
        }
        _ => {
            let [configuration, _, list] = &given[..] else { return None };
            Some(Written {
                extents: configured(configuration, before)?,
                given: addressed(list, before)?,
                cluster: clustered(configuration, before),
            })
        }
    }
}

/// The last name of an expression such as `&config` or `(void**)args`.
fn name<'a>(part: &[Token<'a>]) -> Option<Token<'a>> {
    part.iter().rev().find(|own| own.is_word()).copied()
}

/// What stands in `void* args[] = {&a, (void*)&b};`.
fn addressed<'t, 'a>(list: &[Token<'a>], before: &'t [Token<'a>]) -> Option<Vec<&'t [Token<'a>]>> {
    let name = name(list)?;
    let place = before.windows(2).rposition(|own| own[0].is(name.text) && own[1].is("["))?;
    let open = place + before[place..].iter().position(|own| own.is("{") || own.is(";"))?;
    let length = balanced(&before[open..]);
    let all = parts(before.get(open + 1..(open + length).checked_sub(1)?).filter(|_| before[open].is("{"))?);
    let of_address = |part: &'t [Token<'a>]| {
        let begin = part.iter().rposition(|own| own.is("&")).map_or(0, |place| place + 1);
        &part[begin..]
    };
    Some(all.into_iter().map(of_address).collect())
}

/// Blocks of a cluster, where attributes of a configuration ask for clusters: those of `attribute.val.clusterDim.x = 8`.
fn clustered<'t, 'a>(configuration: &[Token<'a>], before: &'t [Token<'a>]) -> Option<[Option<&'t [Token<'a>]>; 3]> {
    let name = name(configuration)?;
    before.iter().any(|own| own.is("cudaLaunchAttributeClusterDimension")).then_some(())?;
    // A configuration of its own that is given no attributes has no clusters.
    let is_given = |own: &[Token<'a>]| own[0].is(name.text) && own[1].is(".") && own[2].is("attrs");
    let is_in_braces = |own: &[Token<'a>]| own[0].is(".") && own[1].is("attrs") && own[2].is("=");
    before.windows(3).any(|own| is_given(own) || is_in_braces(own)).then_some(())?;
    let member = |axis: &str| {
        let is_it = |own: &[Token<'a>]| own[0].is("clusterDim") && own[1].is(".") && own[2].is(axis) && own[3].is("=");
        let found = before.windows(4).rposition(is_it)?;
        let rest = &before[found + 4..];
        Some(&rest[..up_to_end(rest)])
    };
    Some(["x", "y", "z"].map(member))
}

/// Blocks, threads and shared memory of a configuration: `config.gridDim = grid;` or `config = {grid, block, shared}`.
fn configured<'t, 'a>(configuration: &[Token<'a>], before: &'t [Token<'a>]) -> Option<Vec<&'t [Token<'a>]>> {
    let name = name(configuration)?;
    let member = |member: &str| {
        let place = before.windows(2).rposition(|own| own[0].is(member) && own[1].is("="))?;
        let rest = &before[place + 2..];
        Some(&rest[..up_to_end(rest)])
    };
    if let (Some(grid), Some(block)) = (member("gridDim"), member("blockDim")) {
        return Some([grid, block].into_iter().chain(member("dynamicSmemBytes")).collect());
    }
    let declared = before.windows(2).rposition(|own| own[0].is(name.text) && (own[1].is("=") || own[1].is("{")))?;
    let open = declared + 1 + usize::from(before[declared + 1].is("="));
    before.get(open).filter(|own| own.is("{"))?;
    let length = balanced(&before[open..]);
    let all = parts(before.get(open + 1..(open + length).checked_sub(1)?)?);
    (all.len() >= 2).then(|| all.into_iter().take(3).collect())
}

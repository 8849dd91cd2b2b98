//! Where the lanes of warps are when nothing goes on, or something goes on too long.

use crate::hardware::lanes::Mask;

/// What lanes do where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    /// They can go on.
    Ready,
    /// They wait at a barrier of the block.
    Barrier,
    /// They wait at the barrier of the cluster.
    Cluster,
    /// They wait for other lanes of their warp.
    Lanes,
    /// They have come to where lanes meet again, and wait for those that have not.
    Join,
}

/// Where some lanes of a warp are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LanesPosition {
    /// The lanes: lane `i` is among them where bit `i` is set.
    pub lanes: u32,
    /// What they do there.
    pub stand: Stand,
    /// The line in the PTX text.
    pub line: u32,
}

/// Where the lanes of a warp are; none where it has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpPosition {
    /// The warp's place in its block.
    pub warp: u32,
    /// Its lanes.
    pub lanes: Vec<LanesPosition>,
}

/// All of them in words, with `line` for the name of a line. Neighbouring warps that stand alike are told together.
pub(super) fn told(positions: &[WarpPosition], line: &dyn Fn(u32) -> String) -> String {
    if positions.is_empty() {
        return "no warp can go on".to_owned();
    }
    let alike = positions.chunk_by(|one, next| one.lanes == next.lanes && one.warp + 1 == next.warp);
    let told = alike.map(|warps| {
        let (first, last) = (warps[0].warp, warps[warps.len() - 1].warp);
        let who = if first == last { format!("warp {first}") } else { format!("warps {first} to {last}") };
        format!("{who}: {}", lanes_told(&warps[0].lanes, line))
    });
    told.collect::<Vec<_>>().join("; ")
}

fn lanes_told(lanes: &[LanesPosition], line: &dyn Fn(u32) -> String) -> String {
    let of_lanes = |own: &LanesPosition| {
        let what = match own.stand {
            Stand::Ready => "at",
            Stand::Barrier => "waiting at the barrier of",
            Stand::Cluster => "waiting at the cluster's barrier of",
            Stand::Lanes => "waiting for other lanes of the warp in",
            Stand::Join => "waiting to be joined before",
        };
        format!("{} {what} {}", lanes_text(own.lanes), line(own.line))
    };
    let all: Vec<String> = lanes.iter().map(of_lanes).collect();
    if all.is_empty() { "ended".to_owned() } else { all.join(", ") }
}

/// The lanes of a mask in words.
fn lanes_text(mask: Mask) -> String {
    match mask.count_ones() {
        1 => format!("lane {}", mask.trailing_zeros()),
        32 => "all lanes".to_owned(),
        count => {
            let (first, last) = (mask.trailing_zeros(), mask.ilog2());
            if last - first + 1 == count {
                format!("lanes {first} to {last}")
            } else {
                format!("{count} lanes (mask {mask:#010x})")
            }
        }
    }
}

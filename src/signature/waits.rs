//! How far the threads of a kernel wait for each other: within their warp, or within their block.

use super::token::{Kind, Token};

/// What a kernel's waiting says of the threads that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waits {
    /// Whether lanes of a warp wait for each other, or compute together.
    pub in_warp: bool,
    /// Whether threads of a block wait for each other.
    pub in_block: bool,
    /// Whether it asks which warp or which lane of it a thread is, so that a block may have several.
    pub asks_for_warp: bool,
}

/// What functions and PTX of a warp have in their names.
const OF_WARP: [&str; 5] = ["__syncwarp", "ldmatrix", "mma.sync", "mma_sync", "stmatrix"];
/// The same of a block and what is larger.
const OF_BLOCK: [&str; 6] =
    ["__syncthreads", "bar.sync", "barrier.", "this_thread_block", "__cluster_barrier", "__pipeline_wait"];

impl Waits {
    /// Whether it is written for blocks of one warp: nothing makes a second one wait, or tells it apart.
    pub fn is_one_warp(&self) -> bool {
        self.in_warp && !self.in_block && !self.asks_for_warp
    }

    /// Looks at the token that these begin with.
    pub(super) fn see(&mut self, tokens: &[Token<'_>]) {
        let Some(own) = tokens.first() else { return };
        let is_named = own.is_word() || own.kind == Kind::Text;
        if is_named {
            self.in_warp |= OF_WARP.iter().any(|name| own.text.contains(name));
            self.in_block |= OF_BLOCK.iter().any(|name| own.text.contains(name));
        }
        self.asks_for_warp |= own.is_word() && !own.text.starts_with("__") && own.text.to_lowercase().contains("warp");
        // The same of a variable.
        let next = |place: usize, text: &str| tokens.get(place).is_some_and(|own| own.is(text));
        self.asks_for_warp |= ["/", "%"].iter().any(|other| own.is(other)) && next(1, "32");
        self.asks_for_warp |= own.is("&") && next(1, "31") || own.is(">") && next(1, ">") && next(2, "5");
        // `threadIdx.x / 32`, `>> 5`, `% 32` and `& 31`.
        if let [name, dot, _, operator, ..] = tokens
            && name.is("threadIdx")
            && dot.is(".")
        {
            self.asks_for_warp |= ["/", ">", "%", "&"].iter().any(|other| operator.is(other));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn is_one_warp(text: &str) -> bool {
        let all = tokens(text);
        let mut waits = Waits::default();
        (0..all.len()).for_each(|place| waits.see(&all[place..]));
        waits.is_one_warp()
    }

    #[test]
    fn a_kernel_that_waits_within_a_warp_alone_is_for_one() {
        assert!(is_one_warp("int lane = threadIdx.x; s[lane] = 1; __syncwarp(); out[lane] = s[lane ^ 1];"));
        assert!(is_one_warp("asm volatile(\"mma.sync.aligned.m16n8k16 {%0}, {%1};\" : \"+f\"(c) : \"r\"(a));"));
        for other in [
            "out[threadIdx.x] = 1;",
            "__syncwarp(); __syncthreads();",
            "__syncwarp(); asm(\"barrier.cluster.wait;\");",
            "int warp = threadIdx.x >> 5; __syncwarp();",
            "int lane = threadIdx.x % 32; __syncwarp();",
            "int lane = threadIdx.x % warpSize; __syncwarp();",
            "int t = threadIdx.x, own = t >> 5; __syncwarp();",
            "int t = threadIdx.x; __syncwarp(); out[t / 32] = 1;",
        ] {
            assert!(!is_one_warp(other), "{other}");
        }
    }
}

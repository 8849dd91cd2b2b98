//! The virtual architecture that a kernel is compiled for: what its scenario says, else what the device is.

use crate::properties::{Origin, Properties};
use crate::user_kernel::Description;

/// Where neither the scenario nor the device says more: the least that today's compilers know.
const LEAST: u32 = 75;
/// Asynchronous copies need this: below it, `cuda_pipeline.h` copies by loads and stores.
const COPIES: u32 = 80;
/// Clusters of blocks need this (CUDA C++ Programming Guide, "Thread Block Clusters").
const CLUSTERS: u32 = 90;

/// What modules are made for.
#[derive(Debug, Clone)]
pub struct Purpose {
    /// The device, as messages call it.
    device: String,
    capability: (u32, u32),
    is_simulated: bool,
    /// Whether the ptxas beside nvcc is asked for registers.
    asks_registers: bool,
    /// What the run that is gone on with was compiled for.
    kept: Option<String>,
}

impl Purpose {
    /// To run on a device. On a simulated one, ptxas is asked for registers.
    pub fn run_on(device: &Properties) -> Self {
        let is_simulated = device.origin == Origin::Simulated;
        let (device, capability) = (device.name.clone(), device.capability());
        Self { device, capability, is_simulated, asks_registers: is_simulated, kept: None }
    }

    /// To be looked at, or to run elsewhere: nobody asks for registers.
    pub fn unexecuted_on(device: &Properties) -> Self {
        Self { asks_registers: false, ..Self::run_on(device) }
    }

    /// The same modules run on another device, too.
    #[must_use]
    pub fn and_on(self, other: Option<&Properties>) -> Self {
        match other.filter(|other| other.capability() < self.capability) {
            Some(other) => Self { capability: other.capability(), device: other.name.clone(), ..self },
            None => self,
        }
    }

    /// The same, going on with a run that was compiled for this.
    #[must_use]
    pub fn kept(self, target: Option<String>) -> Self {
        Self { kept: target, ..self }
    }

    /// The compute capability of a device whose registers ptxas is asked for.
    pub(super) fn registers_of(&self) -> Option<(u32, u32)> {
        self.asks_registers.then_some(self.capability)
    }

    /// What is given: by the scenario, or by the run that is gone on with.
    pub(super) fn given<'a>(&'a self, description: &'a Description) -> Option<&'a str> {
        description.target.as_deref().or(self.kept.as_deref())
    }

    /// The target where none is given: the highest of the compiler's that the device runs. The compiler may not say which it has.
    pub(super) fn chosen(&self, of_compiler: &[u32]) -> String {
        let own = number(self.capability);
        let highest = of_compiler.iter().copied().filter(|target| *target <= own).max();
        // Simulated GPUs that are older than every compiler run PTX for newer ones.
        let chosen = highest.filter(|_| own >= LEAST || !self.is_simulated).unwrap_or(LEAST);
        format!("compute_{chosen}")
    }

    /// What is told where a kernel is compiled for less than the device is, and may be another kernel for that.
    pub(super) fn note(&self, description: &Description, source: &str) -> Option<String> {
        let Description { target, source: file, .. } = description;
        let target = target.as_deref()?;
        let number_of_target = of_target(target)?;
        let why = depends(source).filter(|_| number_of_target < number(self.capability))?;
        let Self { device, capability: (major, minor), .. } = self;
        let example =
            if number_of_target < COPIES { ", such as plain loads and stores in place of cp.async" } else { "" };
        Some(format!(
            "note: {file} is compiled for {target}, as `target` says, and {device} has compute capability {major}.{minor}: {why} may be other code for \
             it{example}. Without `target`, the target is that of the device"
        ))
    }

    /// What helps where a compiler knows no clusters for a target.
    pub(super) fn cluster_help(&self, target: &str, log: &str) -> Option<String> {
        let is_less = of_target(target).is_some_and(|target| target < CLUSTERS);
        let is_of_clusters = |line: &str| line.contains("error") && line.to_ascii_lowercase().contains("cluster");
        if !is_less || !log.lines().any(is_of_clusters) {
            return None;
        }
        let Self { device, capability: (major, minor), .. } = self;
        let what = "clusters need compute capability 9.0, and this was compiled for";
        Some(if number(self.capability) < CLUSTERS {
            format!(
                "help: {what} {target}: {device} has {major}.{minor}; choose a device that has 9.0, such as --device sim:h200; target = \"compute_90\" in [kernel] \
                 compiles the kernel, but such a device does not run it"
            )
        } else {
            format!("help: {what} {target}: write target = \"compute_90\" in [kernel]")
        })
    }
}

/// A compute capability as targets have it: 90 is 9.0, 120 is 12.0.
fn number((major, minor): (u32, u32)) -> u32 {
    major * 10 + minor
}

/// The number of `compute_90` or `compute_90a`.
pub(super) fn of_target(target: &str) -> Option<u32> {
    target.strip_prefix("compute_")?.trim_end_matches(['a', 'f']).parse().ok()
}

/// What of a source may be other code for another target: headers, and what asks for the target.
fn depends(source: &str) -> Option<String> {
    const ALIKE: [&str; 4] = ["<cuda_runtime.h>", "<cuda_runtime_api.h>", "<cuda.h>", "<device_launch_parameters.h>"];
    let of_header = |line: &str| {
        let name = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim();
        // Headers of C and C++ have no code for GPUs.
        let is_of_host = |name: &str| {
            let stem = name.trim_matches(['<', '>']);
            name.starts_with('<') && stem.bytes().all(|byte| byte.is_ascii_lowercase()) || stem.starts_with("std")
        };
        let end =
            name.find(['>', ' ', '\t']).map_or(name.len(), |place| place + usize::from(name[place..].starts_with('>')));
        let name = &name[..end];
        (!ALIKE.contains(&name) && !is_of_host(name)).then(|| format!("what it takes from {name}"))
    };
    let asks = source.contains("__CUDA_ARCH__").then(|| "what depends on __CUDA_ARCH__".to_owned());
    source.lines().find_map(of_header).or(asks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What nvcc 13.0 has.
    const OF_NVCC: [u32; 6] = [75, 80, 89, 90, 103, 121];

    fn purpose(capability: (u32, u32), is_simulated: bool) -> Purpose {
        Purpose { device: "a GPU".to_owned(), capability, is_simulated, asks_registers: false, kept: None }
    }

    #[test]
    fn the_target_follows_the_device_as_far_as_the_compiler_goes() {
        let chosen = |capability, is_simulated| purpose(capability, is_simulated).chosen(&OF_NVCC);
        for is_simulated in [true, false] {
            assert_eq!(chosen((9, 0), is_simulated), "compute_90");
            assert_eq!(chosen((8, 6), is_simulated), "compute_80", "the highest that the GPU runs");
            assert_eq!(chosen((13, 0), is_simulated), "compute_121", "the highest that the compiler has");
            assert_eq!(chosen((1, 3), is_simulated), "compute_75");
        }
        // Older compilers know older GPUs, whose drivers take nothing newer.
        let older = [50, 60, 70, 75, 80];
        assert_eq!(purpose((7, 0), false).chosen(&older), "compute_70");
        assert_eq!(purpose((7, 0), true).chosen(&older), "compute_75");
        assert_eq!(purpose((9, 0), true).chosen(&[]), "compute_75", "a compiler that does not say what it has");
    }

    #[test]
    fn what_depends_on_the_target_is_named() {
        let told = |source: &str| depends(source);
        for plain in
            ["", "__global__ void k() {}", "#include <cstdio>\n#include <cuda_runtime.h>", "#include <stdio.h>"]
        {
            assert_eq!(told(plain), None, "{plain}");
        }
        let of = |name: &str| Some(format!("what it takes from {name}"));
        assert_eq!(told("#include <vector>\n # include <cuda_pipeline.h> // copies"), of("<cuda_pipeline.h>"));
        assert_eq!(told("#include \"tile.cuh\""), of("\"tile.cuh\""));
        assert_eq!(told("#if __CUDA_ARCH__ >= 800\n#endif"), Some("what depends on __CUDA_ARCH__".to_owned()));
    }

    #[test]
    fn clusters_are_helped_where_the_target_is_too_low() {
        let log = "k.cu(3): error: __cluster_dims__ is not supported for this GPU architecture";
        let help = |capability, target: &str, log: &str| purpose(capability, true).cluster_help(target, log);
        insta::assert_snapshot!(
            [help((9, 0), "compute_75", log), help((8, 6), "compute_80", log)]
                .map(Option::unwrap_or_default)
                .join("\n")
        );
        assert_eq!(help((9, 0), "compute_90", log), None);
        assert_eq!(help((9, 0), "compute_75", "k.cu(1): error: identifier \"x\" is undefined"), None);
    }

    #[test]
    fn modules_for_two_devices_are_for_the_lesser() {
        let newer = purpose((9, 0), true);
        let mut older = Properties::simulated(&gpu_simulator::Profile::load("gtx280").expect("it is there"));
        assert_eq!(newer.clone().and_on(Some(&older)).capability, (1, 3));
        older.compute_capability = "12.0".to_owned();
        assert_eq!(newer.clone().and_on(Some(&older)).capability, (9, 0));
        assert_eq!(newer.and_on(None).capability, (9, 0));
    }
}

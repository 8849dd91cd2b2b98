//! What a kernel of the user's did wrong, or why it is not run, with the line that the user wrote.

use gpu_simulator::LaunchError;
use located_toml::words::count;
use ptx_syntax::PtxError;

use crate::device::DeviceError;
use crate::kernel::{Ptx, demangled};

/// The error of a launch of a kernel of this PTX.
pub(super) fn told(error: LaunchError, ptx: Ptx) -> DeviceError {
    let (LaunchError::Fault(fault), Some(source)) = (&error, ptx.source()) else { return error.into() };
    let failed = if fault.problem.is_endless() { DeviceError::Endless } else { DeviceError::Failed };
    let problem = fault.problem.told(&|line| source.line(line).place);
    let kernel = demangled(&fault.kernel).unwrap_or_else(|| fault.kernel.clone());
    let who = format!("{} of {kernel}", fault.who());
    if fault.line == 0 {
        return failed(format!("{problem}; {who}"));
    }
    let line = source.line(fault.line);
    let ptx = line.ptx.map(|ptx| format!(", {ptx}")).unwrap_or_default();
    let text = line.text.map(|text| format!(": `{text}`")).unwrap_or_default();
    failed(format!("{}: {problem}; {who}{ptx}{text}", line.place))
}

/// Why a kernel of this PTX is not run: it has what no simulated device does.
pub(super) fn not_loaded(error: LaunchError, ptx: Ptx) -> DeviceError {
    let LaunchError::Ptx(errors) = &error else { return error.into() };
    let Some(PtxError { line, text, message, .. }) = errors.errors().first().filter(|first| first.line > 0) else {
        return error.into();
    };
    let place = ptx.source().map_or_else(|| format!("line {line} of the PTX"), |source| source.line(*line).place);
    let more = errors.count() - 1;
    let more = if more > 0 { format!(", and {}", count(more, "more instruction")) } else { String::new() };
    DeviceError::NotRun(format!("{place}: {message}: `{text}`{more}; no simulated device runs this kernel, a GPU may"))
}

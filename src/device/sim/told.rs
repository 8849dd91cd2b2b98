//! What a kernel of the user's did wrong, with the line that the user wrote.

use gpu_simulator::LaunchError;

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

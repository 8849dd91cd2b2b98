//! A kernel's variables by their names, as the host sees them.

use std::borrow::Cow;

use super::kernel::Kernel;
use super::{LaunchError, place};
use crate::execute::Memory;

impl Kernel {
    /// Writes to the beginning of a variable in global or constant memory of the kernel's module. Constant memory belongs to the
    /// kernel: others of the module keep theirs.
    ///
    /// # Errors
    /// [`LaunchError::Refused`] where there is no such variable, or where it has less room.
    pub fn write_variable(&mut self, memory: &mut Memory, name: &str, bytes: &[u8]) -> Result<(), LaunchError> {
        place(self, memory)?;
        let fits = |room: usize| {
            let refuse = || self.refused(format!("{name} has {room} bytes, not {}", bytes.len()));
            if bytes.len() <= room { Ok(()) } else { Err(refuse()) }
        };
        if let Some((_, slice)) = self.program.constant_variables.iter().find(|(own, _)| own == name) {
            fits(slice.bytes as usize)?;
            let offset = slice.offset as usize;
            self.write_constants(offset, bytes);
            return Ok(());
        }
        let image = self.program.variables.images.iter().find(|image| image.name == name);
        let Some(all) = image.and_then(|image| memory.bytes_mut(image.address)) else {
            return Err(self.refused(format!("there is no variable {name} in global or constant memory")));
        };
        fits(all.len())?;
        all[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// What a variable in global or constant memory of the kernel's module holds; `None` where there is no such variable, or where
    /// the kernel was not loaded for this memory.
    pub fn variable<'a>(&'a self, memory: &'a Memory, name: &str) -> Option<Cow<'a, [u8]>> {
        let program = &self.program;
        if let Some((_, slice)) = program.constant_variables.iter().find(|(own, _)| own == name) {
            return program.constants.get(slice.offset as usize..)?.get(..slice.bytes as usize).map(Cow::Borrowed);
        }
        let image = program.variables.images.iter().find(|image| image.name == name)?;
        memory.bytes(image.address)
    }

    fn refused(&self, problem: String) -> LaunchError {
        LaunchError::Refused { kernel: self.name().to_owned(), problem }
    }
}

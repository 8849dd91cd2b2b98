//! NVRTC, NVIDIA's compiler as a library. Functions and results are those of its manual, "NVRTC", sections 2 and 3.

use std::env;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use super::Task;
use crate::toolkit;

type Program = *mut c_void;

/// The functions that are called.
struct Functions {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    add_name: unsafe extern "C" fn(Program, *const c_char) -> c_int,
    ptx_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    ptx: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    error: unsafe extern "C" fn(c_int) -> *const c_char,
    /// How many virtual architectures there are, and which: since CUDA 11.2.
    targets: Option<[unsafe extern "C" fn(*mut c_int) -> c_int; 2]>,
}

/// NVRTC, loaded.
pub(super) struct Nvrtc {
    functions: Functions,
    version: (c_int, c_int),
    // The functions are the library's: it goes last.
    _library: Library,
    _builtins: Vec<Library>,
}

impl Nvrtc {
    /// Loads the first that can be loaded, or tells why there is none.
    pub(super) fn open() -> Result<Self, String> {
        if let Some(path) = env::var_os("APBENCH_NVRTC") {
            let named = PathBuf::from(path);
            return Self::load(&named).map_err(|problem| format!("APBENCH_NVRTC names {}: {problem}", named.display()));
        }
        let candidates = candidates();
        candidates.iter().find_map(|path| Self::load(path).ok()).ok_or_else(|| "no libnvrtc was found".to_owned())
    }

    fn load(path: &Path) -> Result<Self, String> {
        // NVRTC opens this library by its name when it compiles, and finds it where it is loaded already.
        let beside = path.parent().map(toolkit::entries).unwrap_or_default().into_iter();
        let beside = beside.filter(|path| file_name(path).starts_with("libnvrtc-builtins.so"));
        // SAFETY: a library of data and tables, without initialisers of note.
        let builtins: Vec<Library> = beside.filter_map(|path| unsafe { Library::new(path) }.ok()).collect();
        // SAFETY: the initialisers of NVRTC, which this library is or else has not its functions, do nothing of note.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        let functions = Functions::of(&library).map_err(|error| error.to_string())?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both are places for a number.
        let result = unsafe { (functions.version)(&raw mut major, &raw mut minor) };
        let nvrtc = Self { functions, version: (major, minor), _library: library, _builtins: builtins };
        nvrtc.check("asking for the version", result)?;
        Ok(nvrtc)
    }

    pub(super) fn name(&self) -> String {
        format!("{} {}.{}", super::NVRTC, self.version.0, self.version.1)
    }

    fn check(&self, doing: &str, result: c_int) -> Result<(), String> {
        if result == 0 {
            return Ok(());
        }
        // SAFETY: NVRTC gives a text that ends with 0 for every number.
        let words = unsafe { CStr::from_ptr((self.functions.error)(result)) };
        Err(format!("{doing}: {}", words.to_string_lossy()))
    }

    /// The numbers of the virtual architectures that it compiles for; none where it does not say.
    pub(super) fn targets(&self) -> Vec<u32> {
        let Some([count, all]) = self.functions.targets else { return Vec::new() };
        let mut many = 0;
        // SAFETY: there is a place for the number.
        let result = unsafe { count(&raw mut many) };
        let mut numbers: Vec<c_int> = vec![0; usize::try_from(many).unwrap_or(0)];
        // SAFETY: there is room for so many numbers.
        let is_told = result == 0 && !numbers.is_empty() && unsafe { all(numbers.as_mut_ptr()) } == 0;
        if !is_told {
            return Vec::new();
        }
        numbers.into_iter().filter_map(|number| u32::try_from(number).ok()).collect()
    }

    /// The PTX of a source, or what NVRTC says of it.
    pub(super) fn ptx(&self, task: &Task<'_>) -> Result<String, String> {
        let text = |text: &str| CString::new(text).map_err(|_| "the source has a character of number 0".to_owned());
        let (source, name) = (text(task.source)?, text(&task.path.display().to_string())?);
        let mut options = vec![format!("--gpu-architecture={}", task.target), "--generate-line-info".to_owned()];
        options.push(format!("--include-path={}", task.folder().display()));
        options.extend(toolkit::headers().iter().map(|folder| format!("--include-path={}", folder.display())));
        options.extend(task.defines.iter().map(|(name, value)| format!("--define-macro={name}={value}")));
        options.extend(task.options.iter().cloned());
        let options = options.iter().map(|option| text(option)).collect::<Result<Vec<_>, _>>()?;
        let program = OpenProgram::new(self, &source, &name)?;
        for instance in &task.instances {
            let instance = text(instance)?;
            // SAFETY: the program is open, and the text ends with 0.
            let result = unsafe { (self.functions.add_name)(program.handle, instance.as_ptr()) };
            self.check("naming an instance of a template", result)?;
        }
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).map_err(|_| "too many options".to_owned())?;
        // SAFETY: the program is open, and there are so many options, which live until the call returns.
        let result = unsafe { (self.functions.compile)(program.handle, count, pointers.as_ptr()) };
        if let Err(problem) = self.check("compiling", result) {
            let log = program.text(self.functions.log_size, self.functions.log).unwrap_or_default();
            let log = log.trim();
            return Err(if log.is_empty() { problem } else { log.to_owned() });
        }
        program.text(self.functions.ptx_size, self.functions.ptx)
    }
}

impl Functions {
    fn of(library: &Library) -> Result<Self, libloading::Error> {
        macro_rules! found {
            ($name:literal) => {
                // SAFETY: the types are those of the manual.
                unsafe { *library.get($name)? }
            };
        }
        Ok(Self {
            version: found!(c"nvrtcVersion"),
            create: found!(c"nvrtcCreateProgram"),
            destroy: found!(c"nvrtcDestroyProgram"),
            compile: found!(c"nvrtcCompileProgram"),
            add_name: found!(c"nvrtcAddNameExpression"),
            ptx_size: found!(c"nvrtcGetPTXSize"),
            ptx: found!(c"nvrtcGetPTX"),
            log_size: found!(c"nvrtcGetProgramLogSize"),
            log: found!(c"nvrtcGetProgramLog"),
            error: found!(c"nvrtcGetErrorString"),
            // SAFETY: the types are those of the manual.
            targets: unsafe {
                let [count, all] =
                    [c"nvrtcGetNumSupportedArchs", c"nvrtcGetSupportedArchs"].map(|name| library.get(name));
                count.ok().zip(all.ok()).map(|(count, all)| [*count, *all])
            },
        })
    }
}

/// A program, until it is dropped.
struct OpenProgram<'a> {
    nvrtc: &'a Nvrtc,
    handle: Program,
}

impl<'a> OpenProgram<'a> {
    fn new(nvrtc: &'a Nvrtc, source: &CStr, name: &CStr) -> Result<Self, String> {
        let mut handle = ptr::null_mut();
        // SAFETY: texts end with 0, and there are no headers.
        let result = unsafe {
            (nvrtc.functions.create)(&raw mut handle, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null())
        };
        nvrtc.check("creating a program", result)?;
        Ok(Self { nvrtc, handle })
    }

    /// A text whose size, its last 0 among it, one function tells and which another one writes.
    fn text(
        &self,
        size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
        write: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    ) -> Result<String, String> {
        let mut bytes = 0;
        // SAFETY: the program is open, and there is a place for the size.
        self.nvrtc.check("asking for a size", unsafe { size(self.handle, &raw mut bytes) })?;
        let mut text = vec![0_u8; bytes.max(1)];
        // SAFETY: the program is open, and there is room for so many bytes.
        self.nvrtc.check("asking for a text", unsafe { write(self.handle, text.as_mut_ptr().cast()) })?;
        let text = CStr::from_bytes_until_nul(&text).map_err(|error| error.to_string())?;
        Ok(text.to_string_lossy().into_owned())
    }
}

impl Drop for OpenProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: the program is open, and nobody has its handle any more.
        unsafe { (self.nvrtc.functions.destroy)(&raw mut self.handle) };
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Files and names that may be NVRTC, the newest first where versions are told.
fn candidates() -> Vec<PathBuf> {
    let is_nvrtc = |path: &PathBuf| file_name(path).starts_with("libnvrtc.so");
    let mut found: Vec<PathBuf> =
        ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"].map(PathBuf::from).into();
    for folder in toolkit::toolkits().into_iter().flat_map(|toolkit| [toolkit.join("lib64"), toolkit.join("lib")]) {
        found.extend(toolkit::entries(&folder).into_iter().rev().filter(is_nvrtc));
    }
    for wheel in toolkit::wheels() {
        found.extend(toolkit::entries(&wheel.join("lib")).into_iter().rev().filter(is_nvrtc));
    }
    found
}

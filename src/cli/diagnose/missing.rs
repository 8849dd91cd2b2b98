//! What a kernel's file needs beside it: all that is missing at once, with the kernels of the file and a command to begin with.

use std::path::Path;

use super::super::failure::Failure;
use super::super::headers;
use super::super::new::shell;
use crate::draft::threads_of_dimensions;
use crate::kernel::{Language, source_text};
use crate::signature::{Class, Kernel, Parameter, TemplateKind, TemplateParameter, kernels_and_instances};
use located_toml::regular_file;
use located_toml::words::and_list;

/// The most kernels that are named.
const KERNELS_MOST: usize = 12;
/// Elements of each buffer of the example: as many as its threads.
const ELEMENTS: u32 = 1 << 20;

/// That these options are missing, of which the entry may be given.
pub(super) fn options(path: &Path, missing: &[&str], entry: Option<&str>) -> Failure {
    let shown = path.display();
    let kernels = match kernels(path, &[]) {
        Ok(kernels) => kernels,
        Err(problem) => return Failure::Usage(format!("{shown}: {problem}")),
    };
    let mut lines = vec![format!("{shown}: a kernel's file needs {}; its kernels are", and_list_plain(missing))];
    lines.extend(kernels.iter().take(KERNELS_MOST).map(|own| format!("    {}", signature(own))));
    if kernels.len() > KERNELS_MOST {
        lines.push(format!("    and {} more", kernels.len() - KERNELS_MOST));
    }
    let base = |name: &str| name.split('<').next().unwrap_or(name).trim().to_owned();
    let is_asked = |own: &&Kernel| entry.is_none_or(|entry| own.name == entry || base(&own.name) == base(entry));
    let examples = kernels.iter().filter(is_asked).find_map(|own| example(own, entry));
    lines.extend(
        examples.map(|options| format!("  for example: apbench diagnose {} {options}", shell(&shown.to_string()))),
    );
    lines.push(format!("  or write a scenario of it: apbench new {}", shell(&shown.to_string())));
    Failure::Usage(lines.join("\n"))
}

/// The kernel of a file that has one, and no template; `None` where it is to be named.
pub(super) fn only_kernel(path: &Path) -> Option<Kernel> {
    let mut all = kernels(path, &[]).ok()?;
    let only = all.pop().filter(|own| all.is_empty() && own.templates.is_empty())?;
    Some(only)
}

/// The kernels of a file, and the instances that are asked for.
pub(super) fn kernels(path: &Path, asked: &[String]) -> Result<Vec<Kernel>, String> {
    let bytes = regular_file::read(path).map_err(|error| error.to_string())?;
    let text = source_text(bytes).ok_or_else(|| "is no UTF-8 text".to_owned())?;
    let headers = headers::beside(path, &text);
    kernels_and_instances(&text, Language::of(&path.to_string_lossy()), asked, &headers)
        .map_err(|error| error.to_string())
}

/// Options in a row, as a sentence has them.
fn and_list_plain(options: &[&str]) -> String {
    and_list(options).replace('`', "")
}

/// `scale<T, N>(float* data, int n)`
fn signature(kernel: &Kernel) -> String {
    let parameter = |own: &Parameter| match &own.name {
        Some(name) => format!("{} {name}", own.declared),
        None => own.declared.clone(),
    };
    let parameters: Vec<String> = kernel.parameters.iter().map(parameter).collect();
    let templates: Vec<&str> = kernel.templates.iter().map(|own| own.name.as_str()).collect();
    let templates = if templates.is_empty() { String::new() } else { format!("<{}>", templates.join(", ")) };
    format!("{}{templates}({})", kernel.name, parameters.join(", "))
}

/// Options that launch a kernel; `None` where it takes what no option gives without knowing more.
fn example(kernel: &Kernel, entry: Option<&str>) -> Option<String> {
    let dimensions = threads_of_dimensions(kernel);
    let wholes = kernel.parameters.iter().filter(|own| matches!(own.class, Class::Whole(32 | 64))).count();
    // So that a product of the numbers is no more than there are elements.
    let (extent, grid, block, threads) = match dimensions {
        1 => (if wholes <= 1 { ELEMENTS } else { 1024 }, "4096", "256", 256),
        2 => (1024, "32,128", "32,8", 256),
        _ => (64, "2,16,32", "32,4,2", 256),
    };
    let arguments: Option<Vec<String>> = kernel.parameters.iter().map(|own| argument(own.class, extent)).collect();
    let entry = entry.map_or_else(|| instance(kernel), |own| Some(own.to_owned()))?;
    let mut options = vec![format!("--entry {} --grid {grid} --block {block}", shell(&entry))];
    if let Some(array) = kernel.body.shared.iter().find(|own| own.extents.is_empty()) {
        options.push(format!("--shared {}", threads * array.element_bytes.unwrap_or(4).max(4)));
    }
    options.extend(arguments?.iter().map(|own| format!("--arg {}", shell(own))));
    Some(options.join(" "))
}

/// The kernel as `--entry` names it, with some arguments for its template.
fn instance(kernel: &Kernel) -> Option<String> {
    let one = |own: &TemplateParameter| match (&own.default, own.kind) {
        (Some(default), _) => Some(default.clone()),
        (None, TemplateKind::Type) => Some("float".to_owned()),
        (None, TemplateKind::Flag) => Some("true".to_owned()),
        (None, TemplateKind::Whole) => Some("4".to_owned()),
        (None, TemplateKind::Other) => None,
    };
    let arguments: Vec<String> = kernel.templates.iter().map(one).collect::<Option<_>>()?;
    Some(if arguments.is_empty() { kernel.name.clone() } else { format!("{}<{}>", kernel.name, arguments.join(", ")) })
}

/// An argument for `--arg`. Whole numbers in buffers are zeros, since they may be places in others.
fn argument(class: Class, extent: u32) -> Option<String> {
    Some(match class {
        Class::Pointer { element: Some((element, parts)), .. } => {
            let fill = if element.is_float() { "" } else { "=zeros" };
            format!("{}[{}]{fill}", element.name(), u64::from(ELEMENTS) * u64::from(parts))
        }
        Class::Pointer { element: None, .. } => format!("u32[{ELEMENTS}]=zeros"),
        Class::Whole(32 | 64) => extent.to_string(),
        Class::Whole(bits) => format!("i{bits}:1"),
        Class::Float(16) => "f16:1".to_owned(),
        Class::Float(_) => "1.0".to_owned(),
        Class::Enumeration(_) => "0".to_owned(),
        Class::Structure | Class::Texture | Class::Reference | Class::Indirect => return None,
    })
}

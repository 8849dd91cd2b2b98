//! Parameters whose names the source knows: as macros, constants and parameters of templates, which have values of their own where the scenario
//! does not say that a parameter is compiled in.

use std::collections::HashSet;
use std::sync::PoisonError;

use super::signature::LoadedModule;
use super::{Build, Description, UserKernel, VariantDescription};
use crate::kernel::Language;
use crate::parameter::{ParameterSet, Value};
use crate::signature::{Constant, Kernel, TemplateKind, kernels};

impl UserKernel {
    /// Where the source has another value for the name of a parameter than points have, which no compiler tells: in sentences, each once.
    pub fn other_values<'a>(&self, points: impl Iterator<Item = (&'a str, &'a ParameterSet)>) -> Vec<String> {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let Some(of_source) = modules.first().map(LoadedModule::kernels_of_source) else { return Vec::new() };
        let mut told = HashSet::new();
        let mut all = Vec::new();
        for (variant, parameters) in points {
            let Some(own) = self.description.variants.iter().find(|own| own.name == variant) else { continue };
            for (launch, parameter) in
                own.launches.iter().flat_map(|launch| self.description.parameters.iter().map(move |own| (launch, own)))
            {
                let entry = launch.entry.as_ref().unwrap_or(&own.entry);
                let value = parameters.get(parameter.name).and_then(Value::as_number);
                let Some(value) = value.filter(|_| !own.ignores.contains(&parameter.name)) else { continue };
                let Some(kernel) = named(of_source, entry) else { continue };
                // A parameter of the kernel is what is meant then, and the constant is another thing: `n` and `N`.
                if kernel.parameters.iter().any(|own| own.name.as_deref() == Some(parameter.name)) {
                    continue;
                }
                let found = self.of_constant(own, kernel, parameter.name, value);
                if let Some((what, sentence)) = found.or_else(|| of_template(kernel, entry, parameter.name, value))
                    && told.insert(what)
                {
                    all.push(sentence);
                }
            }
        }
        all
    }

    /// A number of the source that a parameter has the name of, if it has another value: its place, and a sentence.
    fn of_constant(
        &self,
        variant: &VariantDescription,
        kernel: &Kernel,
        parameter: &str,
        value: f64,
    ) -> Option<(String, String)> {
        let Description { source, defined, .. } = &self.description;
        let define = defined.iter().find(|(own, _)| *own == parameter).map(|(_, name)| name.as_str());
        let is_it = |own: &&Constant| define.map_or(own.name.eq_ignore_ascii_case(parameter), |name| own.name == name);
        let Constant { name, value: own, line, is_open } = kernel.constants.iter().find(is_it)?;
        let is_given = define.is_some() || variant.defines.iter().any(|(own, _)| own == name);
        if value as i64 == *own || (*is_open && is_given) {
            return None;
        }
        let define = if is_given { String::new() } else { format!("write define = \"{name}\" in the parameter") };
        let guard = format!(
            "write `#ifndef {name}`, `#define {name} {own}` and `#endif` in the source, so that the compiler can be given another value"
        );
        let guard = if *is_open { String::new() } else { guard };
        let remedy = [define, guard].into_iter().filter(|own| !own.is_empty()).collect::<Vec<_>>().join(", and ");
        let sentence = format!(
            "{source}:{line}: `{name}` is {own} in the source, also where the parameter `{parameter}` is {value}: {remedy}"
        );
        Some((name.clone(), sentence))
    }
}

impl Description {
    /// What may help where a compiler refuses a build: names that it does not know and parameters have, and names that are given and that the
    /// source has constants of.
    pub fn compiled_in_help(&self, log: &str, source: &str, build: &Build) -> Option<String> {
        let unknown = |name: &str| log.contains(&format!("identifier \"{name}\" is undefined"));
        let names = log.split("identifier \"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(name, _)| name);
        let is_free = |own: &str| self.defined.iter().all(|(defined, _)| *defined != own);
        for name in names.filter(|name| unknown(name)) {
            let same = self.parameters.iter().map(|own| own.name).find(|own| own.eq_ignore_ascii_case(name));
            if let Some(parameter) = same.filter(|own| is_free(own)) {
                return Some(format!(
                    "`{name}` would be the parameter `{parameter}` if it were compiled in: write define = \"{name}\" in the parameter"
                ));
            }
        }
        let of_source = kernels(source, Language::Cuda).unwrap_or_default();
        let fixed = of_source.iter().flat_map(|own| &own.constants).find(|own| {
            let is_given = build.iter().any(|(name, _)| *name == own.name);
            is_given && !own.is_open && log.contains(&format!("({}): error", own.line))
        });
        fixed.map(|Constant { name, value, line, .. }| {
            format!(
                "the scenario defines `{name}`, which is a constant in line {line}: write `#ifndef {name}`, `#define {name} {value}` and `#endif` in its place"
            )
        })
    }
}

/// The kernel of an entry, whatever the arguments of its template are.
fn named<'k>(kernels: &'k [Kernel], entry: &str) -> Option<&'k Kernel> {
    let name = entry.split('<').next().unwrap_or(entry).trim();
    kernels.iter().find(|own| own.name == name)
}

/// A number that an entry gives for the parameter of a template that a parameter of the scenario has the name of, if it has another value.
fn of_template(kernel: &Kernel, entry: &str, parameter: &str, value: f64) -> Option<(String, String)> {
    let place = kernel
        .templates
        .iter()
        .position(|own| own.kind == TemplateKind::Whole && own.name.eq_ignore_ascii_case(parameter))?;
    let (name, arguments) = entry.strip_suffix('>')?.split_once('<')?;
    let given: Vec<&str> = arguments.split(',').map(str::trim).collect();
    // Where types have arguments of their own, commas do not count.
    let is_plain = !arguments.contains(['<', '(']);
    let fixed = given.get(place).filter(|_| is_plain)?.parse::<i64>().ok().filter(|fixed| *fixed != value as i64)?;
    let template = &kernel.templates[place].name;
    let mut better = given.clone();
    let by_value = format!("{{{parameter}}}");
    better[place] = &by_value;
    let sentence = format!(
        "`{template}` of the template of `{name}` is {fixed} in entry = \"{entry}\", also where the parameter `{parameter}` is {value}: write entry = \
         \"{name}<{}>\"",
        better.join(", ")
    );
    Some((format!("{name}<{template}>"), sentence))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{description, with};
    use super::super::{Built, UserKernel};
    use crate::parameter::{ParameterSet, Value};
    use crate::user_kernel::Description;

    /// What is said of a source where the parameter `n` is 16.
    fn told(source: &str, change: impl Fn(&mut Description)) -> Vec<String> {
        let mut own = description();
        own.source = "k.cu".to_owned();
        change(&mut own);
        let kernel = UserKernel::new(own);
        let ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry scale() { ret; }".to_owned();
        let mut compiled = with(vec![Built::new(Vec::new(), ptx)]);
        (compiled.source_name, compiled.source) = ("k.cu".to_owned(), source.to_owned());
        kernel.load(&compiled).unwrap();
        let points = [32, 16, 8].map(|n| ParameterSet::new([("n", Value::Integer(n))]));
        kernel.other_values(points.iter().map(|own| ("only", own)))
    }

    #[test]
    fn names_of_the_source_with_other_values_are_told_once() {
        let kernel = "__global__ void scale(float* x) { if (threadIdx.x < N) x[threadIdx.x] = 1; }";
        let open = format!("#ifndef N\n#define N 32\n#endif\n{kernel}");
        let fixed = format!("#define N 32\n{kernel}");
        let constant = format!("constexpr int N = 32;\n{kernel}");
        let template = format!("template <typename T, int N> {kernel}");
        let define = |own: &mut Description| own.defined = vec![("n", "N".to_owned())];
        let entry = |entry: &'static str| move |own: &mut Description| own.variants[0].entry = entry.to_owned();
        let all = [
            told(&open, |_| {}),
            told(&fixed, |_| {}),
            told(&fixed, define),
            told(&constant, |_| {}),
            told(&template, entry("scale<float, 32>")),
        ];
        insta::assert_snapshot!(all.concat().join("\n"));
        let none = [
            told(&open, define),
            told(&open, |own| own.variants[0].defines = vec![("N".to_owned(), "8".to_owned())]),
            told(&open, |own| own.variants[0].ignores = vec!["n"]),
            told(&template, entry("scale<float, {n}>")),
            told(&format!("#define N 32\n{}", kernel.replace('N', "7")), |_| {}),
            told(&fixed.replace("float* x", "float* x, int n"), |_| {}),
        ];
        assert_eq!(none.concat(), Vec::<String>::new());
    }

    #[test]
    fn names_that_a_compiler_does_not_know_may_be_parameters() {
        let help = |log: &str, source: &str, build: &[(&str, &str)]| {
            let build = build.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            description().compiled_in_help(log, source, &build)
        };
        let undefined = |name: &str| format!("k.cu(3): error: identifier \"{name}\" is undefined");
        assert_eq!(
            help(&undefined("N"), "", &[]).as_deref(),
            Some("`N` would be the parameter `n` if it were compiled in: write define = \"N\" in the parameter")
        );
        assert_eq!(help(&undefined("M"), "", &[]), None);
        let source = "constexpr int N = 32;\n__global__ void scale(float* x) { x[N] = 1; }";
        assert_eq!(
            help("k.cu(1): error: expected an identifier", source, &[("N", "16")]).as_deref(),
            Some(
                "the scenario defines `N`, which is a constant in line 1: write `#ifndef N`, `#define N 32` and `#endif` in its place"
            )
        );
    }
}

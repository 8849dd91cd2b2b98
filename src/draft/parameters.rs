//! Parameters of a draft: what they are where nothing else is said.

use super::amount::mentions;
use super::arguments::{Given, Launched};
use super::{extents, rows, templates};

/// What parameters are that say how much there is.
pub(super) const EXTENT: &str = "problem size";

/// A parameter of the scenario.
#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// `None` for a choice between true and false.
    pub(super) default: Option<i64>,
    pub(super) from: i64,
    pub(super) to: i64,
    /// What the compiler gets it as.
    pub(super) define: Option<String>,
    pub(super) what: &'static str,
    /// The line of the source that gives the default.
    pub(super) line: Option<u32>,
}

/// An extent of buffers of so many dimensions. Products of matrices have three extents and much to do.
pub(super) fn extent(name: &str, degree: usize, is_product: bool) -> Parameter {
    let (default, to) = match (extents::other_default(name), degree) {
        (Some(default), _) => (default, 1 << 20),
        (None, 0 | 1) => (rows::other_default(name, 1 << 20).unwrap_or(1 << 20), 1 << 28),
        (None, 2) if is_product => (256, 1 << 13),
        (None, 2) => (1024, 1 << 15),
        (None, _) => (128, 1 << 10),
    };
    let what = if extents::other_default(name).is_some() { "a number" } else { EXTENT };
    let from = i64::from(what == EXTENT);
    Parameter { name: name.to_owned(), default: Some(default), from, to, define: None, what, line: None }
}

impl Parameter {
    /// What the source gives, and what decides no length and no number of blocks, is no extent.
    pub(super) fn tell_extent(&mut self, sizes: &[String]) {
        let is_extent = self.line.is_none() || sizes.iter().any(|size| mentions(size, &self.name));
        if self.what == EXTENT && !is_extent {
            self.what = "a number";
        }
    }

    /// Whether it is an extent of blocks.
    pub(super) fn is_of_block(&self) -> bool {
        self.what == THREADS
    }

    /// It with the value that the source gives.
    pub(super) fn with_launched(self, launched: Option<Launched<i64>>) -> Self {
        let Some(Launched { value, line }) = launched else { return self };
        Self { default: Some(value), from: self.from.min(value), line: Some(line), ..self }
    }
}

/// The values that the source gives, by their names in the scenario.
pub(super) fn values_of_source(given: &[Given], of_templates: &[templates::Given]) -> Vec<(String, i64)> {
    let numbers = given.iter().flat_map(|own| match own {
        Given::Parameter { name, launched } => launched.map(|own| (name.clone(), own.value)).into_iter().collect(),
        Given::Structure(own) => own.launched.iter().map(|(name, own)| (name.clone(), own.value)).collect(),
        _ => Vec::new(),
    });
    numbers.chain(of_templates.iter().filter_map(|own| Some((own.name.clone(), own.default?)))).collect()
}

/// The parameters that stand for those of templates, and for macros.
pub(super) fn of_templates(all: &[templates::Given], dimensions: usize) -> impl Iterator<Item = Parameter> {
    all.iter().map(move |own| Parameter {
        name: own.name.clone(),
        default: own.default,
        from: own.default.map_or(0, |default| default.min(1)),
        to: if dimensions == 1 { 1024 } else { 32 },
        define: own.is_defined.then(|| own.source.clone()),
        what: if own.is_defined { "compiled in" } else { "an argument of the template" },
        line: None,
    })
}

/// What parameters are that are extents of blocks.
const THREADS: &str = "threads of a block";

/// A parameter for an extent of blocks, which a line may give.
pub(super) fn of_block(name: &str, default: i64, line: Option<u32>) -> Parameter {
    Parameter { name: name.to_owned(), default: Some(default), from: 1, to: 1024, define: None, what: THREADS, line }
}

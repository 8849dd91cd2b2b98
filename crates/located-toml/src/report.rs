//! The errors of a text as the user sees them.

use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};

use super::excerpt::Excerpt;
use super::problem::{Place, Problem, Source};
use super::words::{count, shorten, without_control};

/// Most errors that a report shows; a file with more has one cause that the first ones show.
const SHOWN_MAX: usize = 50;

/// Longest message, help or label, in characters: more than any of ours, less than what a user's text can blow it up to.
const WORDS_MAX: usize = 800;

/// What errors call the text of an override.
const SET: &str = "--set";
/// What they call that of another option, whose text begins with its own name.
const OPTION: &str = "option";

/// How a report looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportStyle {
    /// ANSI colours and line-drawing characters, for a terminal.
    Colour,
    /// ASCII alone, for pipes, logs and `NO_COLOR`.
    Plain,
}

/// An option of the command line that stands in the text of a file which was made of options: errors there are told of the option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionPlace {
    /// The option, such as `--arg 2`.
    pub option: String,
    /// What was given for it.
    pub given: String,
    /// Where the file has it.
    pub place: std::ops::Range<usize>,
}

/// The texts that something is read from, for messages to quote.
#[derive(Debug, Clone)]
pub struct Sources {
    options: Vec<OptionPlace>,
    file: Arc<NamedSource<String>>,
    overrides: Vec<Arc<NamedSource<String>>>,
}

impl Sources {
    /// What errors call the file.
    pub fn file_name(&self) -> &str {
        self.file.name()
    }

    /// The text of the file `file_name`, and the arguments that change it: those of `--set` without the option's name, others with it.
    pub fn new(file_name: &str, text: &str, overrides: &[String]) -> Self {
        let named = |name: &str, text: &str| Arc::new(NamedSource::new(without_control(name), text.to_owned()));
        Self {
            options: Vec::new(),
            file: named(file_name, text),
            overrides: overrides
                .iter()
                .map(|argument| named(if argument.starts_with("--") { OPTION } else { SET }, argument))
                .collect(),
        }
    }

    /// The same, where the file was made of these options.
    #[must_use]
    pub fn of_options(self, options: Vec<OptionPlace>) -> Self {
        Self { options, ..self }
    }

    /// The options that the file was made of.
    pub fn options(&self) -> &[OptionPlace] {
        &self.options
    }

    /// The option that all labels are in; of several that hold each other the innermost.
    fn option(&self, labels: &[(Place, Option<String>)]) -> Option<&OptionPlace> {
        let holds = |own: &&OptionPlace| {
            let is_within = |place: &Place| {
                place.source == Source::File && own.place.start <= place.start && place.end <= own.place.end
            };
            !labels.is_empty() && labels.iter().all(|(place, _)| is_within(place))
        };
        self.options.iter().filter(holds).min_by_key(|own| own.place.len())
    }

    fn get(&self, source: Source) -> &Arc<NamedSource<String>> {
        match source {
            Source::File => &self.file,
            Source::Override(index) => self.overrides.get(index).unwrap_or(&self.file),
        }
    }

    /// The problems as errors, in the order of the file, then of the overrides.
    pub fn errors(&self, mut problems: Vec<Problem>) -> DocumentErrors {
        problems.sort_by_key(|problem| {
            let place = problem.labels.first().map(|(place, _)| *place);
            (place.is_none(), place)
        });
        let errors = problems.into_iter().map(|problem| self.error(problem)).collect();
        DocumentErrors { file_name: self.file.name().to_owned(), errors }
    }

    /// A snippet shows one text: a label in another one is told in words.
    fn error(&self, problem: Problem) -> DocumentError {
        let source = problem.labels.first().map(|(place, _)| place.source);
        let (own, other): (Vec<_>, Vec<_>) =
            problem.labels.into_iter().partition(|(place, _)| Some(place.source) == source);
        let option = self.option(&own);
        let mut help: Vec<String> = problem.help.into_iter().collect();
        help.extend(other.into_iter().map(|(place, words)| self.elsewhere(place, words.as_deref())));
        let labels = own.into_iter().enumerate().map(|(index, (place, words))| {
            let words = words.map(|words| shorten(&words, WORDS_MAX));
            let span = match option {
                Some(option) => (0, option.given.len()),
                None => (place.start, place.end - place.start),
            };
            if index == 0 {
                LabeledSpan::new_primary_with_span(words, span)
            } else {
                LabeledSpan::new_with_span(words, span)
            }
        });
        DocumentError {
            message: shorten(&problem.message, WORDS_MAX),
            help: (!help.is_empty()).then(|| shorten(&help.join("; "), WORDS_MAX)),
            source: match option {
                Some(OptionPlace { option, given, .. }) => {
                    Some(Arc::new(NamedSource::new(without_control(option), given.clone())))
                }
                None => source.map(|source| Arc::clone(self.get(source))),
            },
            labels: labels.collect(),
        }
    }

    fn elsewhere(&self, place: Place, words: Option<&str>) -> String {
        let named = self.get(place.source);
        let text = match place.source {
            Source::File => {
                let before = named.inner().get(..place.start).unwrap_or_default();
                format!("see also {} line {}", named.name(), before.matches('\n').count() + 1)
            }
            Source::Override(_) => {
                let name = if named.name() == SET { "--set " } else { "" };
                format!("see also {name}{}", shorten(named.inner(), 60))
            }
        };
        words.map_or(text.clone(), |words| format!("{text} ({words})"))
    }
}

/// One error of a text: what is wrong, where, and what would be right.
#[derive(Debug, Clone)]
pub struct DocumentError {
    message: String,
    help: Option<String>,
    source: Option<Arc<NamedSource<String>>>,
    labels: Vec<LabeledSpan>,
}

impl DocumentError {
    /// An error that no text shows, such as a file that is not there.
    pub fn without_source(message: &str, help: &str) -> Self {
        let help = Some(shorten(help, WORDS_MAX));
        Self { message: shorten(message, WORDS_MAX), help, source: None, labels: Vec::new() }
    }

    /// What the text is called that it is shown in, if it is in one: a file or an option.
    pub fn text_name(&self) -> Option<&str> {
        self.source.as_deref().map(NamedSource::name)
    }

    /// Renders the error with the lines concerned, cut to the width.
    fn render(&self, handler: &GraphicalReportHandler, style: ReportStyle, width: usize) -> String {
        let excerpt =
            self.source.as_ref().map(|source| Excerpt::new(source, &self.labels, width, style == ReportStyle::Plain));
        let shown = Shown { error: self, excerpt: excerpt.as_ref() };
        let mut text = String::new();
        match handler.render_report(&mut text, &shown) {
            Ok(()) => text,
            Err(fmt::Error) => format!("  {}\n", self.message),
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for DocumentError {}

impl Diagnostic for DocumentError {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

/// An error whose source is cut to what fits.
#[derive(Debug)]
struct Shown<'a> {
    error: &'a DocumentError,
    excerpt: Option<&'a Excerpt>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(formatter)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn help(&self) -> Option<Box<dyn fmt::Display + '_>> {
        self.error.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.excerpt.map(|excerpt| Box::new(excerpt.labels().iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}

/// Everything that is wrong with a text; never empty.
#[derive(Debug, Clone)]
pub struct DocumentErrors {
    file_name: String,
    errors: Vec<DocumentError>,
}

impl DocumentErrors {
    /// These errors, and others of the same file behind them.
    #[must_use]
    pub fn followed_by(self, others: Self) -> Self {
        Self { errors: self.errors.into_iter().chain(others.errors).collect(), ..self }
    }

    /// The errors that are not of these texts, such as options; `None` where that leaves none.
    #[must_use]
    pub fn beside(self, texts: &[String]) -> Option<Self> {
        let is_kept =
            |error: &DocumentError| !error.text_name().is_some_and(|own| texts.iter().any(|text| text == own));
        let errors: Vec<DocumentError> = self.errors.into_iter().filter(is_kept).collect();
        (!errors.is_empty()).then_some(Self { errors, ..self })
    }

    /// A single error about a file as a whole.
    pub fn of_file(file_name: &str, message: &str, help: &str) -> Self {
        Self { file_name: without_control(file_name), errors: vec![DocumentError::without_source(message, help)] }
    }

    /// The errors, in the order of the file, then of the overrides.
    pub fn errors(&self) -> &[DocumentError] {
        &self.errors
    }

    /// The errors for a person to read, `width` columns wide, with a closing line that counts them.
    pub fn report(&self, style: ReportStyle, width: usize) -> String {
        let theme = match style {
            ReportStyle::Colour => GraphicalTheme::unicode(),
            ReportStyle::Plain => GraphicalTheme::none(),
        };
        let width = width.max(40);
        let handler =
            GraphicalReportHandler::new_themed(theme).with_width(width).with_context_lines(0).with_links(false);
        let mut report = String::new();
        for error in self.errors.iter().take(SHOWN_MAX) {
            for line in error.render(&handler, style, width).trim_matches('\n').lines() {
                report.push_str(line.trim_end());
                report.push('\n');
            }
            report.push('\n');
        }
        if let Some(more) = self.errors.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
            report.push_str("and ");
            report.push_str(&count(more, "more error"));
            report.push_str("\n\n");
        }
        report.push_str(&self.summary());
        report.push('\n');
        report
    }

    /// `3 errors in settings.toml`.
    fn summary(&self) -> String {
        let of_set = |error: &DocumentError| error.source.as_ref().is_some_and(|source| source.name() == SET);
        let place = match self.errors.iter().filter(|error| of_set(error)).count() {
            0 => self.file_name.clone(),
            all if all == self.errors.len() => SET.to_owned(),
            _ => format!("{} and {SET}", self.file_name),
        };
        format!("{} in {place}", count(self.errors.len(), "error"))
    }
}

impl fmt::Display for DocumentErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.summary())?;
        for (index, error) in self.errors.iter().take(SHOWN_MAX).enumerate() {
            write!(formatter, "{} {error}", if index == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl std::error::Error for DocumentErrors {}

//! The headers that a source includes from its folder: what they define is the source's, too.

use std::collections::HashSet;

use super::token::{Kind, Token, tokens};

/// The most headers that are read.
const HEADERS_MOST: usize = 64;

/// Headers, by their paths from the folder of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// Those that a source includes in quotes, and that these include. `load` has the text of the one at a path from the source's folder, within
    /// which all are; one whose brackets or comments are not closed is left out.
    pub fn read(source: &str, load: impl Fn(&str) -> Option<String>) -> Self {
        let mut all = Self::default();
        let mut tried = HashSet::new();
        let mut pending: Vec<String> = Vec::new();
        let mut includes = included(source).into_iter().map(|name| (String::new(), name)).collect::<Vec<_>>();
        while !includes.is_empty() && all.0.len() < HEADERS_MOST {
            for (folder, name) in includes.drain(..) {
                for path in paths(&folder, &name) {
                    if !tried.insert(path.clone()) || all.0.len() >= HEADERS_MOST {
                        continue;
                    }
                    let Some(text) = load(&path) else { continue };
                    if is_whole(&text) {
                        all.0.push((path.clone(), text));
                        pending.push(path);
                    }
                    break;
                }
            }
            for path in pending.drain(..) {
                let names = all.text(&path).map(included).unwrap_or_default();
                let folder = folder_of(&path).to_owned();
                includes.extend(names.into_iter().map(|name| (folder.clone(), name)));
            }
        }
        all
    }

    /// Their paths from the folder of the source.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(path, _)| path.as_str())
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == path).map(|(_, text)| text.as_str())
    }

    /// The tokens of a source with those of its headers where it includes them, each header once. Their lines are those of the source that ask for them.
    pub(super) fn tokens<'a>(&'a self, source: &'a str) -> Vec<Token<'a>> {
        let mut all = Vec::new();
        self.add("", tokens(source), &mut HashSet::new(), &mut all);
        all
    }

    fn add<'a>(&'a self, folder: &str, own: Vec<Token<'a>>, seen: &mut HashSet<&'a str>, all: &mut Vec<Token<'a>>) {
        for token in own {
            let found = include(token).and_then(|name| {
                let paths = paths(folder, name);
                self.0.iter().find(|(path, _)| paths.contains(path))
            });
            let Some((path, text)) = found else {
                all.push(token);
                continue;
            };
            if seen.insert(path) {
                let inner = tokens(text).into_iter().map(|inner| Token { line: token.line, ..inner }).collect();
                self.add(folder_of(path), inner, seen, all);
            }
        }
    }
}

/// What a directive includes in quotes.
fn include(directive: Token<'_>) -> Option<&str> {
    let text = directive.text.strip_prefix('#').filter(|_| directive.kind == Kind::Directive)?;
    text.trim_start().strip_prefix("include")?.trim_start().strip_prefix('"')?.split_once('"').map(|(name, _)| name)
}

fn included(text: &str) -> Vec<String> {
    tokens(text).into_iter().filter_map(include).map(str::to_owned).collect()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Where a header may be that is included from a folder: there, or in the source's. Nothing where it is in neither.
fn paths(folder: &str, name: &str) -> Vec<String> {
    let parts: Vec<&str> = name.split('/').filter(|part| *part != ".").collect();
    if name.starts_with('/') || name.contains('\\') || parts.iter().any(|part| part.is_empty() || *part == "..") {
        return Vec::new();
    }
    let name = parts.join("/");
    if folder.is_empty() { vec![name] } else { vec![format!("{folder}/{name}"), name] }
}

/// Whether its brackets, comments and strings are closed, so that it can stand in another text.
fn is_whole(text: &str) -> bool {
    let mut open = Vec::new();
    for token in tokens(text) {
        match token.text {
            _ if token.kind == Kind::Unclosed => return false,
            "(" => open.push(")"),
            "[" => open.push("]"),
            "{" => open.push("}"),
            own @ (")" | "]" | "}") if open.pop() != Some(own) => return false,
            _ => {}
        }
    }
    open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_stand_where_they_are_included() {
        let files = [
            ("a.cuh", "#pragma once\n#include \"sub/b.cuh\"\nint a;"),
            ("sub/b.cuh", "#include \"c.cuh\"\n#include \"a.cuh\"\nint b;"),
            ("sub/c.cuh", "int c;"),
            ("broken.cuh", "namespace x {"),
            ("../out.cuh", "int out;"),
        ];
        let load = |path: &str| files.iter().find(|(own, _)| *own == path).map(|(_, text)| (*text).to_owned());
        let source = "#include <a.cuh>\n#include \"./a.cuh\"\n#include \"broken.cuh\"\n# include \"../out.cuh\"\n#include \"none.cuh\"\nint own;";
        let headers = Headers::read(source, load);
        assert_eq!(headers.paths().collect::<Vec<_>>(), ["a.cuh", "sub/b.cuh", "sub/c.cuh"]);
        let all = headers.tokens(source);
        let words: Vec<(&str, u32)> =
            all.iter().filter(|own| own.is_word() && !own.is("int")).map(|own| (own.text, own.line)).collect();
        assert_eq!(words, [("c", 2), ("b", 2), ("a", 2), ("own", 6)]);
    }
}

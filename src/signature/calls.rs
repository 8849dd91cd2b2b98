//! Functions of the host in which kernels are named, and where the source calls these functions.

use std::collections::HashMap;

use super::TemplateParameter;
use super::brackets::{angles, balanced};
use super::parameters::parts;
use super::token::Token;

/// The most calls of a function that are looked at.
const CALLS_MOST: usize = 16;

/// A function of the host, or what else has statements: a macro, the members of a structure.
#[derive(Debug, Clone)]
pub(super) struct HostFunction<'t, 'a> {
    /// Its name without namespaces; empty where nothing calls it by one.
    pub(super) name: &'t str,
    pub(super) parameters: Vec<Option<String>>,
    pub(super) templates: Vec<TemplateParameter>,
    pub(super) body: &'t [Token<'a>],
    /// Whether names in it are those of where it stands.
    pub(super) is_macro: bool,
}

/// A place in a function of the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'t, 'a> {
    /// The function, by its place among all.
    pub(super) host: Option<usize>,
    /// What it does before.
    pub(super) before: &'t [Token<'a>],
}

/// A call of a function of the host.
#[derive(Debug, Clone)]
pub(super) struct Call<'t, 'a> {
    pub(super) place: Place<'t, 'a>,
    pub(super) templates: Vec<&'t [Token<'a>]>,
    pub(super) given: Vec<&'t [Token<'a>]>,
}

/// The functions of the host, with their calls.
#[derive(Debug, Default)]
pub(super) struct Hosts<'t, 'a> {
    pub(super) all: Vec<HostFunction<'t, 'a>>,
    calls: HashMap<&'t str, Vec<Call<'t, 'a>>>,
}

impl<'t, 'a> Hosts<'t, 'a> {
    pub(super) fn new(all: Vec<HostFunction<'t, 'a>>) -> Self {
        let mut calls: HashMap<&'t str, Vec<Call<'t, 'a>>> =
            all.iter().filter(|own| !own.name.is_empty()).map(|own| (own.name, Vec::new())).collect();
        for (host, own) in all.iter().enumerate() {
            for (at, token) in own.body.iter().enumerate().filter(|(_, token)| token.is_word()) {
                let Some(found) = calls.get_mut(token.text).filter(|found| found.len() < CALLS_MOST) else { continue };
                if own.name != token.text {
                    found.extend(call(host, own.body, at));
                }
            }
        }
        Self { all, calls }
    }

    /// The calls of the function at this place.
    pub(super) fn calls(&self, host: Option<usize>) -> &[Call<'t, 'a>] {
        let name = host.and_then(|host| self.all.get(host)).map(|own| own.name);
        name.and_then(|name| self.calls.get(name)).map_or(&[], Vec::as_slice)
    }
}

/// The call that begins with the name at this place.
fn call<'t, 'a>(host: usize, body: &'t [Token<'a>], at: usize) -> Option<Call<'t, 'a>> {
    let mut rest = &body[at + 1..];
    let mut templates = Vec::new();
    if rest.first()?.is("<") {
        let length = angles(rest);
        templates = parts(rest.get(1..length.saturating_sub(1))?);
        rest = rest.get(length..)?;
    }
    rest.first().filter(|next| next.is("("))?;
    let given = parts(rest.get(1..balanced(rest).saturating_sub(1))?);
    Some(Call { place: Place { host: Some(host), before: &body[..at] }, templates, given })
}

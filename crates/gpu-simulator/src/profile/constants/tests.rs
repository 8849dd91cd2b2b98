//! The list of constants against the profiles that come with the program.

use std::collections::BTreeSet;

use super::*;
use crate::profile::embedded;

fn constants_of(prefix: &str, table: &toml::Table, keys: &mut BTreeSet<String>) {
    for (name, value) in table {
        let Some(inner) = value.as_table() else { continue };
        let key = format!("{prefix}{name}");
        if inner.contains_key("value") {
            keys.insert(key);
        } else {
            constants_of(&format!("{key}."), inner, keys);
        }
    }
}

/// Those that no profile that comes with the program has: they were measured on other GPUs, or on none yet.
const IN_NO_PROFILE: [&str; 1] = ["clusters.groups"];

#[test]
fn every_constant_of_the_profiles_is_described_and_no_other() {
    let mut written = BTreeSet::new();
    for profile in embedded() {
        constants_of("", &profile.text.parse().unwrap(), &mut written);
    }
    for key in IN_NO_PROFILE {
        assert!(written.insert(key.to_owned()), "{key} is in a profile that comes with the program");
    }
    let described: BTreeSet<String> = CONSTANTS.iter().map(|constant| constant.key.to_owned()).collect();
    assert_eq!(described, written);
    assert_eq!(described.len(), CONSTANTS.len());
}

//! Which points stand in one table: those that agree in every parameter that their variants depend on.

use std::collections::HashSet;

use ecow::EcoString;

/// The values of the parameters that vary; `None` where the variant does not depend on one.
pub(super) type Key = Vec<Option<EcoString>>;

/// Whether two keys have no parameter in which they differ.
pub(super) fn is_compatible(one: &Key, other: &Key) -> bool {
    one.iter().zip(other).all(|(one, other)| one.is_none() || other.is_none() || one == other)
}

/// The keys of the tables, from those of each variant: every variant's point is in at least one. A variant that does not depend on a parameter
/// stands in the tables of all its values.
pub(super) fn join(variants: &[Vec<Key>]) -> Vec<Key> {
    let mut tables: Vec<Key> = Vec::new();
    for keys in variants {
        let own = distinct(keys.iter().cloned());
        let mut next = Vec::new();
        for table in &tables {
            let joined = own.iter().filter(|key| is_compatible(table, key)).map(|key| both(table, key));
            let before = next.len();
            next.extend(joined);
            if next.len() == before {
                next.push(table.clone());
            }
        }
        let alone = own.iter().filter(|key| !tables.iter().any(|table| is_compatible(table, key)));
        next.extend(alone.cloned());
        tables = distinct(next.into_iter());
    }
    tables
}

fn both(one: &Key, other: &Key) -> Key {
    one.iter().zip(other).map(|(one, other)| one.clone().or_else(|| other.clone())).collect()
}

fn distinct(keys: impl Iterator<Item = Key>) -> Vec<Key> {
    let mut seen = HashSet::new();
    keys.filter(|key| seen.insert(key.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(rows: &[&[&str]]) -> Vec<Key> {
        let cell = |text: &&str| (!text.is_empty()).then(|| EcoString::from(*text));
        rows.iter().map(|row| row.iter().map(cell).collect()).collect()
    }

    #[test]
    fn variants_stand_in_the_tables_of_all_values_that_they_do_not_depend_on() {
        let full = keys(&[&["1", "a"], &["1", "b"], &["2", "a"]]);
        let host = keys(&[&["1", ""], &["2", ""]]);
        assert_eq!(join(&[full.clone(), host.clone()]), full);
        assert_eq!(join(&[host, full.clone()]), full);
    }

    #[test]
    fn what_only_one_variant_has_is_a_table_of_its_own() {
        let (one, other) = (keys(&[&["1"], &["2"]]), keys(&[&["2"], &["3"]]));
        assert_eq!(join(&[one, other]), keys(&[&["1"], &["2"], &["3"]]));
    }

    #[test]
    fn parameters_that_two_variants_depend_on_one_each_multiply() {
        let (one, other) = (keys(&[&["1", ""], &["2", ""]]), keys(&[&["", "a"], &["", "b"]]));
        assert_eq!(join(&[one, other]), keys(&[&["1", "a"], &["1", "b"], &["2", "a"], &["2", "b"]]));
    }

    #[test]
    fn a_ladder_without_parameters_that_vary_is_one_table() {
        let none = vec![Key::new()];
        assert_eq!(join(&[none.clone(), none.clone()]), none);
        assert_eq!(join(&[Vec::new(), none.clone()]), none);
        assert!(join(&[]).is_empty());
    }
}

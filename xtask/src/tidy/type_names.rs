//! One type name, one meaning: how many names of types are defined in more than one file, and that they become fewer.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::names::declared_types;
use super::rooms::SHARED_TYPE_NAMES_MAX;
use super::{Checkout, TidyFinding};

/// Below so many types a checkout is not this house, but one that a test made: its shared names need not be many.
const TYPES_OF_A_HOUSE: usize = 500;

/// Programs of a file each, the same ones by several libraries: what is alike there has the same name.
const COMPARED_PROGRAMS: &str = "benches/library/";

/// Names of types outside tests, each with the files that define it.
pub(super) struct TypeNames<'house>(BTreeMap<String, BTreeSet<&'house str>>);

impl<'house> TypeNames<'house> {
    pub(super) fn of(house: &'house Checkout) -> Self {
        let mut names: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for parsed in house
            .rust
            .iter()
            .filter(|parsed| !parsed.file.is_test() && !parsed.file.path.starts_with(COMPARED_PROGRAMS))
        {
            for name in declared_types(parsed) {
                names.entry(name).or_default().insert(&parsed.file.path);
            }
        }
        Self(names)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Names with more than one file, the most frequent first.
    pub(super) fn shared(&self) -> Vec<(&str, usize)> {
        let counted = self.0.iter().map(|(name, files)| (name.as_str(), files.len()));
        let mut shared: Vec<_> = counted.filter(|(_, files)| *files > 1).collect();
        shared.sort_by_key(|(name, files)| (Reverse(*files), *name));
        shared
    }
}

/// No more names are shared than when the number was last lowered; a number that could be lower is a finding too.
pub(super) fn types_have_one_home(house: &Checkout) -> Vec<TidyFinding> {
    let names = TypeNames::of(house);
    let shared = names.shared();
    let found = shared.len();
    let text = if found > SHARED_TYPE_NAMES_MAX {
        let most: Vec<_> = shared.iter().take(12).map(|(name, files)| format!("{name} ×{files}")).collect();
        format!(
            "{found} names of types are defined in more than one file, {SHARED_TYPE_NAMES_MAX} at most: say what each is ({})",
            most.join(", ")
        )
    } else if found < SHARED_TYPE_NAMES_MAX && names.count() > TYPES_OF_A_HOUSE {
        format!("only {found} names of types are shared: lower SHARED_TYPE_NAMES_MAX, to hold what was won")
    } else {
        return Vec::new();
    };
    vec![TidyFinding::new("type-names", "xtask/src/tidy/rooms.rs", 1, text)]
}

//! The document's statements: rows `| E-17 | statement | proven by |` of its tables.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Result, bail};

/// The systems, in the order of the document: prefix and name.
pub(super) const SYSTEMS: [(char, &str); 7] = [
    ('E', "EDISON"),
    ('D', "DSPy engine"),
    ('S', "Prompt Studio"),
    ('P', "ploke"),
    ('Z', "ZodoLlama"),
    ('R', "regressions"),
    (USE, "use"),
];

/// The statements that use of the product brought: they hold where a person stands, and nowhere else.
pub(super) const USE: char = 'U';

/// The number of a statement, such as E-17.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct RequirementId {
    pub(super) system: char,
    pub(super) number: u32,
}

impl RequirementId {
    /// An id of a known system, from its letter in either case.
    pub(super) fn new(letter: char, digits: &str) -> Option<Self> {
        let system = letter.to_ascii_uppercase();
        let known = SYSTEMS.iter().any(|(prefix, _)| *prefix == system);
        let number = if digits.starts_with('0') { None } else { digits.parse().ok() };
        number.filter(|_| known).map(|number| Self { system, number })
    }
}

impl fmt::Display for RequirementId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.system, self.number)
    }
}

pub(super) struct Statement {
    pub(super) id: RequirementId,
    pub(super) text: String,
}

/// The statements that promise something to a person at a screen or to a program over HTTP, by system.
const OF_FRONT_END: [(char, &[u32]); 5] = [
    ('E', &[23, 38, 39, 40, 41, 42]),
    ('S', &[1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 21, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36]),
    ('P', &[4]),
    ('Z', &[2, 12, 13, 14, 15, 17, 18, 26]),
    ('R', &[7, 9, 24, 25, 27, 29, 30, 48, 51, 55, 59, 61]),
];

impl Statement {
    /// Whether it promises something of a front end.
    pub(super) fn is_of_front_end(&self) -> bool {
        let RequirementId { system, number } = self.id;
        OF_FRONT_END.iter().any(|(own, numbers)| *own == system && numbers.contains(&number))
    }
}

/// All statements, in document order.
pub(super) struct Catalogue {
    pub(super) statements: Vec<Statement>,
    known: BTreeSet<RequirementId>,
}

impl Catalogue {
    /// Reads the rows; numbers must run from 1 without a gap or a repeat. Those of use come in groups, with room
    /// between them, and must only rise.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let statements: Vec<_> = text
            .lines()
            .filter_map(RequirementRow::parse)
            .map(|row| Statement { id: row.id, text: row.statement.to_owned() })
            .collect();
        for (prefix, name) in SYSTEMS {
            let own = statements.iter().filter(|statement| statement.id.system == prefix);
            let mut expected = 1;
            for statement in own {
                let number = statement.id.number;
                if number < expected || (number > expected && prefix != USE) {
                    bail!(
                        "{name}: expected {prefix}-{expected}, found {}: numbers run without gaps or repeats",
                        statement.id
                    );
                }
                expected = number + 1;
            }
        }
        let known = statements.iter().map(|statement| statement.id).collect();
        Ok(Self { statements, known })
    }

    /// Whether the document has the statement.
    pub(super) fn contains(&self, id: RequirementId) -> bool {
        self.known.contains(&id)
    }
}

/// A row of a table in the document.
pub(super) struct RequirementRow<'a> {
    pub(super) id: RequirementId,
    pub(super) statement: &'a str,
    pub(super) proven_by: &'a str,
}

impl<'a> RequirementRow<'a> {
    /// Reads `| E-17 | statement | proven by |`; any other line is `None`.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let cells: Vec<_> =
            line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [id, statement, proven_by] = cells.as_slice() else { return None };
        let (letter, digits) = id.split_once('-')?;
        let mut letters = letter.chars();
        let (letter, None) = (letters.next()?, letters.next()) else { return None };
        Some(Self { id: RequirementId::new(letter, digits)?, statement, proven_by })
    }
}

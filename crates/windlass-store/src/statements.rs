//! Statements by their text, each prepared once for a connection; all texts are written in this crate.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{Connection, Statement};

/// A connection and the statements that it has prepared.
pub(crate) struct Statements<'c> {
    connection: &'c Connection,
    prepared: HashMap<&'static str, Statement<'c>>,
}

impl<'c> Statements<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection, prepared: HashMap::new() }
    }

    /// The connection itself, for what is made up on the spot.
    pub(crate) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// The statement of a text.
    pub(crate) fn get(&mut self, sql: &'static str) -> rusqlite::Result<&mut Statement<'c>> {
        match self.prepared.entry(sql) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => Ok(place.insert(self.connection.prepare(sql)?)),
        }
    }
}

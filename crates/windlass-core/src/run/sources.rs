//! What the answer of a run cites: documents and pages that stood in its context, then tools that gave something, in the
//! order of their first use, each with the pages and documents it gave.

use crate::protocol::tool::ToolOutcome;

/// Addresses that are named of one tool.
const ADDRESSES_MAX: usize = 3;

/// Tools, each with addresses.
#[derive(Debug, Default)]
pub(super) struct CitedSources(Vec<(String, Vec<String>)>);

impl CitedSources {
    /// Takes in an outcome. What failed or found nothing is no source.
    pub(super) fn take(&mut self, tool: &str, outcome: &ToolOutcome) {
        let Ok(output) = &outcome.body else { return };
        if output.json.as_array().is_some_and(Vec::is_empty) {
            return;
        }
        let at = self.0.iter().position(|(name, _)| name == tool).unwrap_or_else(|| {
            self.0.push((tool.to_owned(), Vec::new()));
            self.0.len().saturating_sub(1)
        });
        let Some((_, addresses)) = self.0.get_mut(at) else { return };
        for link in &output.links {
            let address = link.address();
            if addresses.len() < ADDRESSES_MAX && !addresses.iter().any(|own| own == address) {
                addresses.push(address.to_owned());
            }
        }
    }

    /// The end of an answer that was given with a context from these places, each named once; nothing if there is nothing
    /// to cite.
    pub(super) fn suffix(&self, context: &[String]) -> Option<String> {
        let tools = self.0.iter().map(|(tool, addresses)| match addresses.as_slice() {
            [] => tool.clone(),
            addresses => format!("{tool} ({})", addresses.join(", ")),
        });
        let is_given = |place: &&String| self.0.iter().any(|(_, addresses)| addresses.contains(place));
        let places = context.iter().filter(|place| !is_given(place)).cloned();
        let named: Vec<String> = places.chain(tools).collect();
        (!named.is_empty()).then(|| format!("\n\nSources: {}", named.join(", ")))
    }
}

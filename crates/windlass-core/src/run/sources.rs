//! What the answer of a run can cite: tools that gave something, in the order of their first use, with the pages they gave.

use crate::tool::ToolOutcome;

/// Addresses that are named of one tool.
const ADDRESSES_MAX: usize = 3;

/// Tools, each with addresses.
#[derive(Debug, Default)]
pub(super) struct Sources(Vec<(String, Vec<String>)>);

impl Sources {
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
            if addresses.len() < ADDRESSES_MAX && !addresses.contains(&link.url) {
                addresses.push(link.url.clone());
            }
        }
    }

    /// The end of an answer; nothing if there is nothing to cite.
    pub(super) fn suffix(&self) -> Option<String> {
        let named = self.0.iter().map(|(tool, addresses)| match addresses.as_slice() {
            [] => tool.clone(),
            addresses => format!("{tool} ({})", addresses.join(", ")),
        });
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then(|| format!("\n\nSources: {}", named.join(", ")))
    }
}

//! What a program hands to its tools: one value a type, found by that type when an agent is built.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A parameter of a `#[tool]` that the program fills in, not the model: what [`Builder::state`](crate::Builder::state)
/// was given. It is no part of the schema. An agent whose tools want a state that nobody gave is not built.
///
/// ```
/// use windlass::prelude::*;
///
/// struct Prices { apple: u64 }
///
/// /// Says what apples cost.
/// #[tool(effects = "read", risk = "safe")]
/// async fn price_apples(State(prices): State<Prices>, count: u64) -> u64 {
///     prices.apple * count
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = "user q\nmodel call 1 price_apples {\"count\":3}\nmodel end\nmodel text Six.\n";
/// let agent = Windlass::builder().script(script)?.state(Prices { apple: 2 }).tool(price_apples).build()?;
/// assert_eq!(agent.run_sync("q")?.trace.tools[0].output_raw, 6);
///
/// let without = Windlass::builder().script(script)?.tool(price_apples).build();
/// let message = without.err().map(|error| error.to_string()).unwrap_or_default();
/// assert!(message.contains("price_apples") && message.contains("Prices"));
/// # Ok(())
/// # }
/// ```
///
/// What is shared between calls is shared between threads:
///
/// ```compile_fail
/// use windlass::prelude::*;
///
/// let counter = std::rc::Rc::new(1);
/// let builder = Windlass::builder().state(counter);
/// ```
pub struct State<T>(pub Arc<T>);

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.0).finish()
    }
}

/// A tool wants a state that was not given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tool '{tool}' needs a state of the type {type_name}; give it to the builder by state(…)")]
pub struct MissingState {
    /// The tool.
    pub tool: String,
    /// The type of what it wants.
    pub type_name: &'static str,
}

/// The states of a program, by their types. The builder keeps one; a test that runs a tool without an agent makes its
/// own for [`PendingTool::bind`](crate::PendingTool::bind).
///
/// ```
/// use windlass::StateSet;
///
/// let states = StateSet::new().with(7_u64);
/// assert_eq!(states.state::<u64>("count_things").map(|state| *state), Ok(7));
/// assert!(states.state::<String>("count_things").is_err());
/// ```
#[derive(Clone, Default)]
pub struct StateSet {
    values: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

impl StateSet {
    /// No states.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a state; one of the same type is replaced.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.with_shared(Arc::new(value))
    }

    /// Adds a state that the program keeps a hand on.
    #[must_use]
    pub fn with_shared<T: Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        self.values.insert(TypeId::of::<T>(), value);
        self
    }

    /// The state of a type, for a tool.
    pub fn state<T: Send + Sync + 'static>(&self, tool: &str) -> Result<State<T>, MissingState> {
        let found = self.values.get(&TypeId::of::<T>()).cloned();
        let found = found.and_then(|value| value.downcast::<T>().ok());
        found.map(State).ok_or_else(|| MissingState { tool: tool.to_owned(), type_name: type_name::<T>() })
    }
}

impl fmt::Debug for StateSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateSet({})", self.values.len())
    }
}

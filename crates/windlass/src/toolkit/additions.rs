//! What the builder takes of state, groups, rules and layers, and how it becomes tools, a model and rules of an agent.

use std::sync::Arc;

use windlass_core::permission::{PolicySet, Rule, RuleEffect, RuleSource};
use windlass_core::ports::{ModelPort, ToolPort};

use super::ask_user::{UserAsk, UserAsker};
use super::group::IntoToolGroup;
use super::pending::PendingTool;
use super::state::StateSet;
use crate::builder::Builder;
use crate::error::WindlassError;
use crate::layers::{LayeredModel, LayeredTool, ModelLayer, ToolLayer};

/// What was said about tools and layers, until the agent is built.
#[derive(Default)]
pub(crate) struct ToolAdditions {
    pub(crate) pending: Vec<PendingTool>,
    states: StateSet,
    tool_layers: Vec<Arc<dyn ToolLayer>>,
    model_layers: Vec<Arc<dyn ModelLayer>>,
    pub(crate) rules: Vec<Rule>,
}

impl ToolAdditions {
    /// The tools with their states, in the order in which they were added.
    pub(crate) fn bind_tools(&mut self) -> Result<Vec<Arc<dyn ToolPort>>, WindlassError> {
        let pending = std::mem::take(&mut self.pending);
        let bound = pending.into_iter().map(|tool| Ok(self.around_tool(tool.bind(&self.states)?)));
        bound.collect()
    }

    /// A tool in the layers that all tools get.
    pub(crate) fn around_tool(&self, tool: Arc<dyn ToolPort>) -> Arc<dyn ToolPort> {
        self.tool_layers.iter().cloned().fold(tool, LayeredTool::around)
    }

    /// The model in its layers.
    pub(crate) fn around_model(&self, model: Arc<dyn ModelPort>) -> Arc<dyn ModelPort> {
        self.model_layers.iter().cloned().fold(model, LayeredModel::around)
    }

    /// The rules of the builder as a set.
    pub(crate) fn rule_set(&self) -> PolicySet {
        self.rules.iter().cloned().collect()
    }
}

/// State, groups, rules and layers.
impl Builder {
    /// Gives tools a value for their parameters [`State<T>`](crate::State); one of the same type is replaced.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// struct Greeting(&'static str);
    ///
    /// /// Greets somebody.
    /// #[tool]
    /// async fn greet(greeting: State<Greeting>, name: String) -> String {
    ///     format!("{} {name}!", greeting.0.0)
    /// }
    ///
    /// let builder = Windlass::builder().state(Greeting("Good evening,")).tool(greet);
    /// ```
    pub fn state<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.shared_state(Arc::new(value))
    }

    /// Like [`state`](Self::state), for a value that the program keeps a hand on.
    pub fn shared_state<T: Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        let states = std::mem::take(&mut self.additions.states);
        self.additions.states = states.with_shared(value);
        self
    }

    /// Asks `asker` what tools ask the user by [`AskUser`](crate::AskUser); `None` says that the user does not answer.
    pub fn on_ask<F>(self, asker: impl Fn(UserAsk) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<String>> + Send + 'static,
    {
        self.state::<UserAsker>(Box::new(move |ask| Box::pin(asker(ask))))
    }

    /// Adds the tools of a [`ToolGroup`](crate::ToolGroup), or the methods of a struct with
    /// [`#[tools]`](macro@crate::tools).
    pub fn tool_group(mut self, group: impl IntoToolGroup) -> Self {
        self.additions.pending.extend(group.into_group().into_tools());
        self
    }

    /// Puts a layer around all tools that the builder gets, built-in ones too; the layer that comes last is the
    /// outermost. Tools that an agent gets later, by [`register_tool`](crate::Windlass::register_tool) or an executor,
    /// are not in it.
    ///
    /// ```
    /// use windlass::layers::SecretMask;
    /// use windlass::prelude::*;
    ///
    /// let builder = Windlass::builder().tool_layer(SecretMask::new(["hunter2-hunter2"]));
    /// ```
    pub fn tool_layer(mut self, layer: impl ToolLayer + 'static) -> Self {
        self.additions.tool_layers.push(Arc::new(layer));
        self
    }

    /// Puts a layer around the model; the layer that comes last is the outermost.
    ///
    /// ```
    /// use windlass::layers::ModelRetry;
    /// use windlass::prelude::*;
    ///
    /// let builder = Windlass::builder().model_layer(ModelRetry::new(5));
    /// ```
    pub fn model_layer(mut self, layer: impl ModelLayer + 'static) -> Self {
        self.additions.model_layers.push(Arc::new(layer));
        self
    }

    /// Lets calls run without asking: `read_file`, `read_file(src/**)`, `fetch_url(example.com)`, `scope:read_files`.
    /// What is in brackets is what a tool says that a call would touch. A rule that denies beats it.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # fn main() -> Result<(), WindlassError> {
    /// let builder = Windlass::builder().allow("read_file(src/**)")?.deny("read_file(src/keys/**)")?;
    /// assert!(Windlass::builder().allow("read_file(").is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn allow(self, rule: &str) -> Result<Self, WindlassError> {
        self.rule(RuleEffect::Allow, rule)
    }

    /// Denies calls, whatever else allows them. Rules are written as for [`allow`](Self::allow).
    pub fn deny(self, rule: &str) -> Result<Self, WindlassError> {
        self.rule(RuleEffect::Deny, rule)
    }

    /// Asks about calls that would run without. Rules are written as for [`allow`](Self::allow).
    pub fn ask(self, rule: &str) -> Result<Self, WindlassError> {
        self.rule(RuleEffect::Ask, rule)
    }

    fn rule(mut self, effect: RuleEffect, text: &str) -> Result<Self, WindlassError> {
        let parsed = Rule::parse(effect, text, RuleSource::Flag);
        let refused = |source| WindlassError::Rule { rule: text.to_owned(), source };
        self.additions.rules.push(parsed.map_err(refused)?);
        Ok(self)
    }
}

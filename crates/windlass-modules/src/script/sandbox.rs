//! The interpreter as scripts get it: with limits, without code from elsewhere, and with nothing of the machine.

use std::sync::{Arc, LazyLock};

use rhai::packages::{Package, StandardPackage};
use rhai::{Dynamic, Engine, Module, Shared};

use super::limits::{FUNCTIONS_MAX, ScriptLimits};
use super::watch::Watch;

/// The functions of the language, made once: each call has an interpreter of its own.
static STANDARD: LazyLock<Shared<Module>> = LazyLock::new(|| StandardPackage::new().as_shared_module());

/// An interpreter that reads and runs scripts within limits. It prints nowhere.
pub(crate) fn bounded_engine(limits: &ScriptLimits) -> Engine {
    let mut engine = Engine::new_raw();
    engine.register_global_module(Shared::clone(&STANDARD));
    for symbol in ["eval", "import", "export"] {
        engine.disable_symbol(symbol);
    }
    engine
        .set_max_modules(0)
        .set_max_functions(FUNCTIONS_MAX)
        .set_max_string_size(limits.string_bytes)
        .set_max_array_size(limits.array_items)
        .set_max_map_size(limits.map_items)
        .set_max_call_levels(limits.call_depth)
        .set_max_expr_depths(limits.expression_depth, limits.expression_depth)
        .set_max_variables(limits.variables);
    engine
}

/// Has a script watched from now on.
pub(crate) fn set_watch(engine: &mut Engine, watch: Arc<Watch>) {
    engine.on_progress(move |_| watch.count().map(Dynamic::from));
}

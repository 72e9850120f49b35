//! The interpreter as scripts get it: with limits, without code from elsewhere, and with nothing of the machine.

use std::sync::{Arc, LazyLock};

use rhai::packages::{Package, StandardPackage};
use rhai::{
    Dynamic, Engine, EvalAltResult, FuncRegistration, ImmutableString, Module, NativeCallContext, Position,
    Shared,
};
use windlass_core::protocol::tool::ToolFailure;

use super::fault::thrown;
use super::limits::{FUNCTIONS_MAX, ScriptLimits};
use super::watch::CallWatch;

type Done = Result<(), Box<EvalAltResult>>;

/// The functions of the language, made once: each call has an interpreter of its own.
static STANDARD: LazyLock<Shared<Module>> = LazyLock::new(|| StandardPackage::new().as_shared_module());

/// Functions that stand before those of the language, because those know no bounds.
static GUARDED: LazyLock<Shared<Module>> = LazyLock::new(|| {
    let mut module = Module::new();
    let method = || FuncRegistration::new("replace").in_internal_namespace().with_purity(false);
    method().set_into_module(
        &mut module,
        |ctx: NativeCallContext<'_>, text: &mut ImmutableString, find: &str, with: &str| {
            replace(&ctx, text, find, with)
        },
    );
    method().set_into_module(
        &mut module,
        |ctx: NativeCallContext<'_>, text: &mut ImmutableString, find: &str, with: char| {
            replace(&ctx, text, find, with.encode_utf8(&mut [0; 4]))
        },
    );
    method().set_into_module(
        &mut module,
        |ctx: NativeCallContext<'_>, text: &mut ImmutableString, find: char, with: &str| {
            replace(&ctx, text, find.encode_utf8(&mut [0; 4]), with)
        },
    );
    method().set_into_module(
        &mut module,
        |ctx: NativeCallContext<'_>, text: &mut ImmutableString, find: char, with: char| {
            replace(&ctx, text, find.encode_utf8(&mut [0; 4]), with.encode_utf8(&mut [0; 4]))
        },
    );
    module.set_native_fn("sleep", |_seconds: i64| no_sleep());
    module.set_native_fn("sleep", |_seconds: f64| no_sleep());
    module.into()
});

/// An interpreter that reads and runs scripts within limits. It prints nowhere.
pub(crate) fn bounded_engine(limits: &ScriptLimits) -> Engine {
    let mut engine = Engine::new_raw();
    // What is put in last is found first.
    engine.register_global_module(Shared::clone(&STANDARD));
    engine.register_global_module(Shared::clone(&GUARDED));
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
pub(crate) fn set_watch(engine: &mut Engine, watch: Arc<CallWatch>) {
    engine.on_progress(move |_| watch.count().map(Dynamic::from));
}

/// Replaces all that is found, if what comes of it is not too long. The language's own looks at its length when it
/// is made, and a million letters that each become a million are more than there is memory.
fn replace(ctx: &NativeCallContext<'_>, text: &mut ImmutableString, find: &str, with: &str) -> Done {
    let found = text.matches(find).count();
    let bytes = text
        .len()
        .saturating_sub(found.saturating_mul(find.len()))
        .saturating_add(found.saturating_mul(with.len()));
    let bytes_max = ctx.engine().max_string_size();
    if bytes_max > 0 && bytes > bytes_max {
        return Err(EvalAltResult::ErrorDataTooLarge("Length of string".to_owned(), Position::NONE).into());
    }
    if found > 0 {
        *text = text.replace(find, with).into();
    }
    Ok(())
}

/// Waiting would block a thread that nobody can wake.
fn no_sleep() -> Done {
    Err(thrown(ToolFailure::denied("a script cannot wait: there is no sleep")))
}

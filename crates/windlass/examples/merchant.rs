//! A game with a merchant who haggles: the merchant is a module (`examples/merchant/`), the player a Rhai script,
//! and the purse and the bag are the game's own, as tools that the merchant may use.
//!
//! `cargo run -p windlass --features modules,scripted --example merchant`
//! `cargo run -p windlass --features modules,scripted --example merchant -- ollama/qwen3`

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use windlass::dspy::rhai::{Engine, Map};
use windlass::dspy::{HotReloadConfig, ModuleEngine, SignatureRegistry, async_trait, register_dspy_engine};
use windlass::prelude::*;

/// What the player has.
struct Player {
    gold: i64,
    bag: Vec<String>,
}

type Shared = Arc<Mutex<Player>>;

fn look(player: &Shared) -> MutexGuard<'_, Player> {
    player.lock().unwrap_or_else(PoisonError::into_inner)
}

struct GetPlayerGold(Shared);

#[async_trait]
impl Tool for GetPlayerGold {
    fn name(&self) -> &str {
        "get_player_gold"
    }
    fn description(&self) -> &str {
        "Get player's current gold amount"
    }
    async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
        Ok(json!({"gold": look(&self.0).gold}))
    }
}

struct CheckInventory(Shared);

#[async_trait]
impl Tool for CheckInventory {
    fn name(&self) -> &str {
        "check_inventory"
    }
    fn description(&self) -> &str {
        "Check whether the player has an item"
    }
    fn args_schema(&self) -> Option<Value> {
        Some(json!({"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}))
    }
    async fn execute(&self, args: Value) -> Result<Value, ToolError> {
        let item = args.get("item").and_then(Value::as_str).unwrap_or_default();
        Ok(json!({"item": item, "has": look(&self.0).bag.iter().any(|own| own == item)}))
    }
}

/// The merchant, and what he may look at.
fn open_shop(folder: &Path, player: &Shared) -> Result<ModuleEngine, Box<dyn std::error::Error>> {
    let builder = match std::env::args().nth(1) {
        Some(model) => Windlass::builder().model(&model)?,
        None => {
            Windlass::builder().model(&format!("scripted/{}", folder.join("merchant.script").display()))?
        }
    };
    let engine = builder.build_modules(folder, SignatureRegistry::default())?;
    engine.register_tool_sync(Arc::new(GetPlayerGold(Arc::clone(player))));
    engine.register_tool_sync(Arc::new(CheckInventory(Arc::clone(player))));
    Ok(engine)
}

/// What the script of the player can do.
fn add_game(interpreter: &mut Engine, player: &Shared) {
    interpreter.on_print(|line| println!("{line}"));
    let own = Arc::clone(player);
    interpreter.register_fn("gold", move || look(&own).gold);
    let own = Arc::clone(player);
    interpreter.register_fn("pay", move |price: i64| look(&own).gold -= price);
    let own = Arc::clone(player);
    interpreter.register_fn("take", move |item: &str| look(&own).bag.push(item.to_owned()));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/merchant");
    let player: Shared = Arc::new(Mutex::new(Player { gold: 60, bag: vec!["rope".to_owned()] }));
    let engine = open_shop(&folder, &player)?;
    let watch = engine.start_hot_reload(HotReloadConfig::default())?;

    let mut interpreter = Engine::new();
    add_game(&mut interpreter, &player);
    let script = interpreter.compile_file(folder.join("merchant.rhai"))?;
    register_dspy_engine(&mut interpreter, Arc::new(engine), Arc::new(script.clone()));
    let ending: Map = interpreter.eval_ast(&script)?;

    watch.stop();
    let is_bought = ending.get("bought").is_some_and(|bought| bought.as_bool() == Ok(true));
    println!("{}", if is_bought { "The lantern is yours." } else { "No deal today." });
    let player = look(&player);
    println!("In the purse: {} gold. In the bag: {}.", player.gold, player.bag.join(", "));
    Ok(())
}

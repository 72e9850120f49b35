//! `system_stats`: how busy this machine is (E-6, E-24).
//!
//! Owns the measuring and the names of the figures; keeps nothing between calls.

use std::path::Path;

use serde_json::{Map, Value, json};
use sysinfo::{Disks, MINIMUM_CPU_UPDATE_INTERVAL, System};
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::limits::SUMMARY_CHARS_MAX;
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::text::markdown::{code_block, readable};

use crate::typed::{NoArgs, TypedTool};

pub(crate) struct SystemStats;

impl TypedTool for SystemStats {
    const NAME: &'static str = "system_stats";
    const ABOUT: &'static str = "Get CPU load, memory use and disk use of this machine, in percent and bytes. Use it only \
                                 for questions about this machine.";
    type Args = NoArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        ToolSpec {
            idempotent: true,
            repeatable: true,
            own_output: true,
            examples: vec![json!({})],
            ..spec.with_effects(Effects::Read, Risk::Safe).with_scopes([Scope::SystemInfo])
        }
    }

    async fn run(&self, _args: NoArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let mut system = System::new().map_err(not_measured)?;
        // CPU use is a difference between two looks.
        system.refresh_cpu_usage();
        tokio::time::sleep(MINIMUM_CPU_UPDATE_INTERVAL).await;
        let root = context.root.clone();
        // Asking a dead network disk for its size can hang: not on a thread that others need.
        let measured = tokio::task::spawn_blocking(move || measure(&mut system, &root)).await;
        Ok(ToolOutput::json(Value::Object(measured.map_err(not_measured)?)))
    }

    fn summary(&self, output: &ToolOutput) -> Option<String> {
        let stats = output.json.as_object()?;
        let pairs: Vec<String> = stats.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Some(clip_chars(&format!("System stats: {}", pairs.join(", ")), SUMMARY_CHARS_MAX).into_owned())
    }

    fn display(&self, _args: &Map<String, Value>, value: &Value) -> Option<String> {
        let percent =
            |name: &str| value.get(name).and_then(Value::as_f64).map(|share| format!("{share:.0} %"));
        let gib =
            |name: &str| value.get(name).and_then(Value::as_f64).map(|bytes| bytes / f64::from(1 << 30));
        let of = |used: &str, total: &str| match (gib(used), gib(total)) {
            (Some(used), Some(total)) => format!(" ({used:.1} of {total:.1} GiB)"),
            (None, _) | (_, None) => String::new(),
        };
        let mut lines = Vec::new();
        if let Some(share) = percent("cpu_percent") {
            let cores = value.get("cpu_count").and_then(Value::as_u64);
            let cores = cores.map_or_else(String::new, |cores| format!(" of {cores} cores"));
            lines.push(format!("- CPU: {share}{cores}"));
        }
        if let Some(share) = percent("memory_percent") {
            lines.push(format!("- Memory: {share}{}", of("memory_used_bytes", "memory_total_bytes")));
        }
        if let Some(share) = percent("disk_percent") {
            lines.push(format!("- Disk: {share}{}", of("disk_used_bytes", "disk_total_bytes")));
        }
        Some(if lines.is_empty() { code_block("", &readable(value)) } else { lines.join("\n") })
    }
}

fn not_measured(error: impl std::fmt::Display) -> ToolFailure {
    ToolFailure::internal("The machine could not be measured").detail(error.to_string())
}

/// The figures; what this machine does not tell (a load average on Windows) is left out.
fn measure(system: &mut System, root: &Path) -> Map<String, Value> {
    system.refresh_cpu_usage();
    system.refresh_memory();
    let mut stats = Map::new();
    let mut put = |name: &str, value: Value| stats.insert(name.to_owned(), value);
    put("cpu_percent", rounded(f64::from(system.global_cpu_usage())));
    put("cpu_count", system.cpus().len().into());
    if let Ok(load) = System::load_average() {
        put("load_average_1m", rounded(load.one));
        put("load_average_5m", rounded(load.five));
        put("load_average_15m", rounded(load.fifteen));
    }
    put("memory_percent", percent(system.used_memory(), system.total_memory()));
    put("memory_used_bytes", system.used_memory().into());
    put("memory_total_bytes", system.total_memory().into());
    if let Some(disk) = disk_of(root) {
        put("disk_percent", percent(disk.used_bytes, disk.total_bytes));
        put("disk_used_bytes", disk.used_bytes.into());
        put("disk_total_bytes", disk.total_bytes.into());
    }
    stats
}

struct DiskUse {
    used_bytes: u64,
    total_bytes: u64,
}

/// The disk that holds the project: the one mounted closest above it. Where none is (containers hide
/// their own), the largest.
fn disk_of(root: &Path) -> Option<DiskUse> {
    let disks = Disks::new_with_refreshed_list().ok()?;
    let sized = || disks.iter().filter(|disk| disk.total_space() > 0);
    let above = sized()
        .filter(|disk| root.starts_with(disk.mount_point()))
        .max_by_key(|disk| disk.mount_point().components().count());
    let disk = above.or_else(|| sized().max_by_key(|disk| disk.total_space()))?;
    let total_bytes = disk.total_space();
    Some(DiskUse { used_bytes: total_bytes.saturating_sub(disk.available_space()), total_bytes })
}

fn percent(part: u64, whole: u64) -> Value {
    if whole == 0 {
        return json!(0.0);
    }
    rounded(part as f64 * 100.0 / whole as f64)
}

/// One digit after the point is all that these figures mean.
fn rounded(value: f64) -> Value {
    json!((value * 10.0).round() / 10.0)
}

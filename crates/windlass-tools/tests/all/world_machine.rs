use serde_json::json;

use crate::context::Bench;

#[tokio::test]
async fn e_6_e_24_system_stats_gives_percentages_of_this_machine() {
    let bench = Bench::default();
    assert_eq!(bench.tool("system_stats").spec().args(), []);
    let output = bench.call("system_stats", json!({})).await.unwrap();
    for name in ["cpu_percent", "memory_percent", "disk_percent"] {
        let percent = output.json[name].as_f64().unwrap_or_else(|| panic!("{name}: {}", output.json));
        assert!((0.0..=100.0).contains(&percent), "{name}: {percent}");
    }
    for (used, total) in
        [("memory_used_bytes", "memory_total_bytes"), ("disk_used_bytes", "disk_total_bytes")]
    {
        let (used, total) = (output.json[used].as_u64().unwrap(), output.json[total].as_u64().unwrap());
        assert!(used <= total && total > 0);
    }
    if cfg!(unix) {
        assert!(output.json["load_average_1m"].as_f64().unwrap() >= 0.0);
    }
}

#[tokio::test]
async fn e_28_the_stats_are_summed_up_as_pairs() {
    let output = Bench::default().call("system_stats", json!({})).await.unwrap();
    let summary = output.summary.unwrap();
    assert!(summary.starts_with("System stats: cpu_percent="), "{summary}");
    assert!(summary.contains(", memory_percent="), "{summary}");
}

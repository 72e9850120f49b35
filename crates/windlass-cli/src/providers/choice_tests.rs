use std::collections::BTreeMap;

use tempfile::TempDir;

use super::*;
use crate::config::{Flags, Surroundings};

fn config(file: &str, vars: &[(&str, &str)]) -> Config {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("config.toml"), file).unwrap();
    let mut flags = Flags::default();
    flags.global.config = Some(folder.path().join("config.toml"));
    flags.global.data = Some(folder.path().join("data"));
    let vars: BTreeMap<String, String> =
        vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let surroundings = Surroundings { vars, folder: folder.path().to_owned(), can_ask: false };
    Config::resolve(&surroundings, &flags).unwrap()
}

fn chosen(vars: &[(&str, &str)]) -> Option<String> {
    of_environment(&config("", vars)).map(|name| name.to_string())
}

#[test]
fn the_first_key_in_the_environment_chooses_the_provider_and_its_usual_model() {
    let all = [
        ("OPENAI_API_KEY", "openai/"),
        ("ANTHROPIC_API_KEY", "anthropic/"),
        ("GEMINI_API_KEY", "gemini/"),
        ("OPENROUTER_API_KEY", "openrouter/"),
        ("XAI_API_KEY", "xai/"),
        ("DEEPSEEK_API_KEY", "deepseek/"),
        ("MISTRAL_API_KEY", "mistral/"),
        ("GROQ_API_KEY", "groq/"),
    ];
    for (first, (_, provider)) in all.iter().enumerate() {
        let vars: Vec<(&str, &str)> = all[first..].iter().map(|(variable, _)| (*variable, "k")).collect();
        let name = chosen(&vars).unwrap();
        assert!(name.starts_with(provider), "{name}");
    }
    assert_eq!(
        chosen(&[("OPENAI_API_KEY", " "), ("GROQ_API_KEY", "k")]).unwrap(),
        "groq/openai/gpt-oss-120b"
    );
    assert_eq!(chosen(&[("TOGETHER_API_KEY", "k")]), None, "it has no usual model");
}

#[test]
fn a_provider_alone_means_its_usual_model() {
    let config = config("", &[]);
    assert_eq!(name_of(&config, "anthropic").unwrap().to_string(), "anthropic/claude-sonnet-5-5");
    assert_eq!(name_of(&config, "openrouter/a/b").unwrap().to_string(), "openrouter/a/b");
    assert!(name_of(&config, "together").unwrap_err().to_string().contains("--model together/MODEL"));
}

#[test]
fn calls_as_text_are_the_business_of_the_profile() {
    let file = "calls = \"text\"\nproviders.box.base_url = \"http://127.0.0.1:1\"\nmodel = \"box/x\"";
    let config = config(file, &[]);
    let mut profile = config.profile.clone();
    choose(&config).unwrap().fit(&mut profile, true).unwrap();
    assert_eq!((config.profile.dialect, profile.dialect), (Dialect::Native, Dialect::Text));
}

use std::fs;

use tempfile::TempDir;

use super::*;

fn file(address: &str, name: &str) -> Source {
    Source::File { address: address.into(), name: name.into() }
}

fn folder_of(address: &str, name: &str) -> Source {
    Source::Folder { address: address.into(), name: name.into() }
}

#[test]
fn sources_are_files_or_folders() {
    for (text, source) in [
        (
            "hf:acme/tiny/tiny-q8_0.gguf",
            file("https://huggingface.co/acme/tiny/resolve/main/tiny-q8_0.gguf", "tiny-q8_0.gguf"),
        ),
        ("hf:acme/tiny@v2/q/T.GGUF", file("https://huggingface.co/acme/tiny/resolve/v2/q/T.GGUF", "T.GGUF")),
        ("hf:acme/tiny", folder_of("https://huggingface.co/acme/tiny/resolve/main/", "tiny")),
        ("hf:acme/tiny/", folder_of("https://huggingface.co/acme/tiny/resolve/main/", "tiny")),
        (
            "https://example.com/a/m.gguf?download=true",
            file("https://example.com/a/m.gguf?download=true", "m.gguf"),
        ),
        ("https://example.com/models/tiny/", folder_of("https://example.com/models/tiny/", "tiny")),
    ] {
        assert_eq!(Source::parse(text, HUB).unwrap(), source, "{text}");
    }
    let mirror = Source::parse("hf:a/b/c.gguf", "http://127.0.0.1:9/").unwrap();
    assert_eq!(mirror, file("http://127.0.0.1:9/a/b/resolve/main/c.gguf", "c.gguf"));
}

#[test]
fn sources_that_name_no_model_are_refused_with_a_way_out() {
    for text in [
        "",
        "tiny",
        "hf:",
        "hf:acme",
        "hf:acme/",
        "hf:../x/y.gguf",
        "hf:a/b/../c.gguf",
        "hf:a/b/.hidden.gguf",
        "hf:a/b/model.bin",
        "hf:a/b@/c.gguf",
        "https://example.com",
        "https://example.com/",
        "https://example.com/page",
        "https://example.com/..gguf",
        "https://example.com/%2e%2e%2fx.gguf",
    ] {
        let complaint = Source::parse(text, HUB).unwrap_err();
        assert!(complaint.to_string().contains("try: "), "{text}: {complaint}");
    }
}

#[test]
fn a_downloaded_model_is_found_by_its_name_and_by_nothing_else() {
    let place = TempDir::new().unwrap();
    let folder = place.path();
    fs::write(folder.join("tiny.gguf"), "GGUF").unwrap();
    fs::write(folder.join("openai--gpt.json"), "{}").unwrap();
    fs::write(folder.join("half.gguf.part"), "GG").unwrap();
    fs::create_dir_all(folder.join("smol")).unwrap();
    fs::create_dir_all(folder.join("empty")).unwrap();
    fs::write(folder.join("smol").join(FOLDER_CONFIG), "{}").unwrap();
    for (name, found) in [("tiny.gguf", "tiny.gguf"), ("tiny", "tiny.gguf"), ("smol", "smol")] {
        assert_eq!(find(folder, name), Some(folder.join(found)), "{name}");
    }
    for name in [
        "",
        "other",
        "empty",
        "openai--gpt.json",
        "half.gguf.part",
        "half.gguf",
        "../tiny.gguf",
        "smol/config.json",
    ] {
        assert_eq!(find(folder, name), None, "{name}");
    }
}

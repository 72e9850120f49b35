use candle_core::quantized::GgmlDType;
use proptest::prelude::*;

use super::*;
use crate::tiny::{CONTEXT, Tiny};
use crate::tokens::ModelTokens;

fn tiny() -> Tiny {
    Tiny::new(ModelFamily::Qwen2, GgmlDType::Q8_0)
}

fn written(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Opens a file, and loads everything when it opens.
fn load(path: &Path) -> Result<(), LocalError> {
    let file = ModelFile::open(path)?;
    ModelTokens::of_file(&file)?;
    crate::decoder::LoadedDecoder::load(&file, 64, &Device::Cpu).map(|_| ())
}

#[test]
fn a_file_is_described_without_being_loaded() {
    let (_folder, path) = written(&tiny().gguf());
    let description = describe(&path).unwrap();
    assert_eq!((description.format, description.family), (Format::Gguf, ModelFamily::Qwen2));
    assert_eq!(description.quantisation, "Q8_0");
    assert_eq!(description.title.as_deref(), Some("tiny"));
    assert_eq!(description.context_tokens, CONTEXT);
    let numbers: usize = tiny().tensors().iter().map(|(_, _, tensor)| tensor.elem_count()).sum();
    assert_eq!(description.parameters, u64::try_from(numbers).unwrap());
    // Two layers, keys and values, two heads of sixteen numbers of four bytes.
    assert_eq!(description.memory.cache_bytes_per_token, 2 * 2 * 2 * 16 * 4);
    assert!(description.memory.total_bytes(100) > description.memory.weights_bytes + 100 * 512);
}

#[test]
fn a_folder_is_described_as_its_gguf_is() {
    let folder = tempfile::tempdir().unwrap();
    tiny().write_folder(folder.path());
    let (_gguf, path) = written(&tiny().gguf());
    let (dense, quantised) = (describe(folder.path()).unwrap(), describe(&path).unwrap());
    assert_eq!(dense.format, Format::Safetensors);
    assert_eq!((dense.parameters, dense.family), (quantised.parameters, quantised.family));
    assert_eq!(dense.quantisation, "float32");
    assert!(dense.memory.weights_bytes > quantised.memory.weights_bytes);
    // The path of the weights means their folder.
    let file = folder.path().join("model.safetensors");
    assert_eq!(describe(&file).unwrap().parameters, dense.parameters);
}

#[test]
fn what_is_missing_or_no_model_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = describe(&folder.path().join("none.gguf")).unwrap_err();
    assert!(matches!(error, LocalError::Missing { .. }), "{error}");
    let error = describe(folder.path()).unwrap_err();
    assert!(error.to_string().contains("no config.json"), "{error}");
    let text = folder.path().join("notes.gguf");
    std::fs::write(&text, "not a model").unwrap();
    assert!(matches!(describe(&text).unwrap_err(), LocalError::NotAModel { .. }));
    std::fs::write(&text, "").unwrap();
    assert!(describe(&text).unwrap_err().to_string().contains("empty"));
    std::fs::write(folder.path().join("config.json"), r#"{"model_type": "qwen2"}"#).unwrap();
    assert!(matches!(describe(folder.path()).unwrap_err(), LocalError::Damaged { .. }));
    tiny().write_folder(folder.path());
    std::fs::remove_file(folder.path().join("model.safetensors")).unwrap();
    assert!(describe(folder.path()).unwrap_err().to_string().contains("no .safetensors"));
}

#[test]
fn an_architecture_that_is_not_run_says_which_are() {
    let (_folder, path) = written(&Tiny { architecture: "mamba".into(), ..tiny() }.gguf());
    let error = describe(&path).unwrap_err();
    assert!(matches!(&error, LocalError::Architecture { found, .. } if found == "mamba"), "{error}");
    assert!(error.to_string().contains("qwen3"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.json"), r#"{"model_type": "gemma3"}"#).unwrap();
    assert!(matches!(describe(folder.path()).unwrap_err(), LocalError::Architecture { .. }));
}

#[test]
fn a_file_that_was_cut_says_how_much_is_missing() {
    let bytes = tiny().gguf();
    for cut in [bytes.len() - 1_000, bytes.len() / 2, 2_000, 30] {
        let (_folder, path) = written(&bytes[..cut]);
        let error = describe(&path).unwrap_err();
        let LocalError::Truncated { found_bytes, needed_bytes, .. } = &error else { panic!("{error}") };
        assert!(*found_bytes == u64::try_from(cut).unwrap() && needed_bytes > found_bytes, "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    tiny().write_folder(folder.path());
    let path = folder.path().join("model.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 100]).unwrap();
    let error = describe(folder.path()).unwrap_err();
    assert!(matches!(error, LocalError::Truncated { .. }), "{error}");
}

#[test]
fn a_header_of_safetensors_that_is_no_models_is_refused_and_not_taken_apart() {
    let folder = tempfile::tempdir().unwrap();
    tiny().write_folder(folder.path());
    let path = folder.path().join("model.safetensors");
    let refused = |header_bytes: u64, rest: &[u8]| {
        std::fs::write(&path, [&header_bytes.to_le_bytes(), rest].concat()).unwrap();
        let error = describe(folder.path()).unwrap_err();
        assert!(matches!(error, LocalError::Damaged { .. }), "{header_bytes}: {error}");
    };
    for length in [1 << 60, u64::MAX, 5 << 20] {
        refused(length, b"{}");
    }
    let many = format!("{{\"a\":[{}0]}}", "0,".repeat(1_500_000));
    refused(u64::try_from(many.len()).unwrap(), many.as_bytes());
}

#[test]
fn a_text_of_millions_of_values_is_not_taken_apart() {
    let folder = tempfile::tempdir().unwrap();
    tiny().write_folder(folder.path());
    let config = folder.path().join("config.json");
    let original = std::fs::read_to_string(&config).unwrap();
    let many = format!("{},\"more\":[{}0]}}", original.trim().trim_end_matches('}'), "0,".repeat(4_000_000));
    std::fs::write(&config, many).unwrap();
    assert!(describe(folder.path()).is_err());
    std::fs::write(&config, original).unwrap();
    assert!(describe(folder.path()).is_ok());
}

#[test]
fn a_tensor_that_is_missing_or_of_another_size_is_named() {
    let (_folder, path) = written(&tiny().gguf());
    let bytes = std::fs::read(&path).unwrap();
    let name = b"blk.1.ffn_down.weight";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
    let mut renamed = bytes.clone();
    renamed[at] = b'x';
    std::fs::write(&path, &renamed).unwrap();
    let error = load(&path).unwrap_err();
    assert!(error.to_string().contains("Down"), "{error}");
    let mut resized = bytes;
    resized[at + name.len() + 4] ^= 32;
    std::fs::write(&path, &resized).unwrap();
    let error = load(&path).unwrap_err();
    assert!(matches!(error, LocalError::Damaged { .. } | LocalError::Truncated { .. }), "{error}");
}

#[test]
fn weights_are_used_where_they_lie_in_the_file() {
    let (_folder, path) = written(&tiny().gguf());
    let ModelFile::Gguf(file) = ModelFile::open(&path).unwrap() else { panic!("a GGUF file") };
    let size = (288, 64);
    let first = file.tensor(WeightName::Head, size, &Device::Cpu).unwrap().unwrap();
    let second = file.tensor(WeightName::Head, size, &Device::Cpu).unwrap().unwrap();
    let place = |tensor: &candle_core::quantized::QTensor| tensor.data().unwrap().as_ptr();
    assert_eq!(place(&first), place(&second));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_damage_to_a_file_breaks_the_program(
        cut in 0.0..1.0_f64,
        flips in proptest::collection::vec((0.0..1.0_f64, any::<u8>()), 0..6),
        is_header in any::<bool>(),
    ) {
        let mut bytes = tiny().gguf();
        let reach = if is_header { 700 } else { bytes.len() };
        for (at, byte) in &flips {
            let at = (reach as f64 * at) as usize;
            bytes[at] = *byte;
        }
        if cut < 0.5 {
            bytes.truncate((bytes.len() as f64 * cut * 2.0) as usize);
        }
        let (_folder, path) = written(&bytes);
        let _ = load(&path);
    }

    #[test]
    fn no_damage_to_a_folder_breaks_the_program(
        flips in proptest::collection::vec((0.0..1.0_f64, any::<u8>()), 1..6),
        which in 0..3_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        tiny().write_folder(folder.path());
        let path = folder.path().join(["config.json", "model.safetensors", "tokenizer.json"][which]);
        let mut bytes = std::fs::read(&path).unwrap();
        let reach = bytes.len().min(4_000);
        for (at, byte) in &flips {
            bytes[(reach as f64 * at) as usize] = *byte;
        }
        std::fs::write(&path, &bytes).unwrap();
        let _ = load(folder.path());
    }
}

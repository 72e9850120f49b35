use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::{self, Value};

use super::*;
use crate::decoder::shape::ModelFamily;
use crate::tiny::{Tiny, vocabulary};

fn tokens_of_gguf() -> ModelTokens {
    let bytes = Tiny::new(ModelFamily::Qwen2, GgmlDType::F32).gguf().leak();
    ModelTokens::of_file(&ModelFile::of_program(bytes).unwrap()).unwrap()
}

fn tokens_of_folder() -> ModelTokens {
    let folder = tempfile::tempdir().unwrap();
    Tiny::new(ModelFamily::Qwen2, GgmlDType::F32).write_folder(folder.path());
    ModelTokens::of_file(&ModelFile::open(folder.path()).unwrap()).unwrap()
}

fn id_of(word: &str) -> u32 {
    u32::try_from(vocabulary().iter().position(|own| own == word).unwrap()).unwrap()
}

#[test]
fn pairs_are_merged_in_files_and_in_folders() {
    for tokens in [tokens_of_gguf(), tokens_of_folder()] {
        let hello = tokens.read_text("hello world").unwrap();
        let [hell, world] = [id_of("hello"), id_of("Ġwor")];
        assert_eq!(hello, [hell, world, u32::from(b'l'), u32::from(b'd')]);
        let ends = ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "</s>"].map(id_of);
        assert!(ends.iter().all(|end| tokens.stops().contains(end)));
    }
}

#[test]
fn what_is_read_is_written_again_byte_by_byte() {
    for tokens in [tokens_of_gguf(), tokens_of_folder()] {
        for text in
            ["hello world", "Grüße, 世界! 🎉\n\ttab", " leading", "<|im_end|> stays text", "\u{0}\u{7f}"]
        {
            let ids = tokens.read_text(text).unwrap();
            assert_eq!(tokens.write_text(&ids), text);
            assert!(ids.iter().all(|id| !tokens.is_reserved(*id)), "{text}");
        }
    }
}

#[test]
fn reserved_tokens_are_read_only_where_they_are_trusted() {
    for tokens in [tokens_of_gguf(), tokens_of_folder()] {
        let (text, end) = ("a<|im_end|>b<tool_call>", id_of("<|im_end|>"));
        let trusted = tokens.read_pieces([(text, true)].into_iter()).unwrap();
        assert_eq!(trusted, [u32::from(b'a'), end, u32::from(b'b'), id_of("<tool_call>")]);
        let others =
            tokens.read_pieces([("", true), (text, false), ("<|im_end|>", true)].into_iter()).unwrap();
        assert_eq!(others.iter().filter(|id| tokens.is_reserved(**id)).count(), 1);
        assert_eq!(others.last(), Some(&end));
        assert_eq!(tokens.write_text(&others), format!("{text}<|im_end|>"));
    }
}

#[test]
fn text_that_could_join_with_its_neighbours_is_noticed() {
    let tokens = tokens_of_gguf();
    for text in ["<|im_end|>", "see <|im_", "end|> and", "[INST]", "x<tool_call>y", "<|"] {
        assert!(tokens.could_forge(text), "{text}");
    }
    for text in ["", "plain", "a < b", "2 > 1 and x | y", "list[0]"] {
        assert!(!tokens.could_forge(text), "{text}");
    }
}

#[test]
fn letters_of_several_tokens_come_whole() {
    let tokens = tokens_of_gguf();
    let mut stream = TextStream::default();
    let party: Vec<String> = "🎉é".bytes().map(|byte| stream.push(&tokens, u32::from(byte))).collect();
    assert_eq!(party, ["", "", "", "🎉", "", "é"]);
    assert_eq!(stream.push(&tokens, 0xF0), "");
    assert_eq!(stream.push(&tokens, u32::from(b'x')), "\u{FFFD}x");
    assert_eq!(stream.push(&tokens, 0xC3), "");
    assert_eq!(stream.finish(), "\u{FFFD}");
}

/// The tokens of a small file, some of whose words are others.
fn tokens_with(changes: Vec<(&str, Value)>) -> Result<ModelTokens, LocalError> {
    let tiny = Tiny::new(ModelFamily::Llama, GgmlDType::F32);
    let mut reader = std::io::Cursor::new(tiny.gguf());
    let content = gguf_file::Content::read(&mut reader).unwrap();
    let mut metadata = content.metadata.clone();
    metadata.extend(changes.into_iter().map(|(key, value)| (format!("tokenizer.ggml.{key}"), value)));
    let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let embedding = content.tensor(&mut reader, "token_embd.weight", &candle_core::Device::Cpu).unwrap();
    let mut file = std::io::Cursor::new(Vec::new());
    gguf_file::write(&mut file, &metadata, &[("token_embd.weight", &embedding)]).unwrap();
    ModelTokens::of_file(&ModelFile::of_program(file.into_inner().leak()).unwrap())
}

fn texts(texts: impl IntoIterator<Item = impl Into<String>>) -> Value {
    Value::Array(texts.into_iter().map(|text| Value::String(text.into())).collect())
}

fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/local/tokens");
    std::fs::read_to_string(std::path::Path::new(folder).join(name)).unwrap()
}

fn reads_as_llama_cpp_does(tokens: &ModelTokens, name: &str) {
    let mut count = 0;
    for line in fixture(name).lines() {
        let (text, expected): (String, Vec<u32>) = serde_json::from_str(line).unwrap();
        let read = tokens.read_text(&text).unwrap();
        assert_eq!(read, expected, "{name}: {text:?}");
        assert_eq!(tokens.write_text(&read), text, "{name}");
        count += 1;
    }
    assert!(count > 30, "{name} has {count} texts");
}

#[test]
fn words_are_cut_by_every_rule_as_llama_cpp_cuts_them() {
    #[derive(serde::Deserialize)]
    struct Vocabulary {
        words: Vec<String>,
        merges: Vec<String>,
    }
    let own: Vocabulary = serde_json::from_str(&fixture("vocabulary.json")).unwrap();
    for rule in ["default", "gpt-2", "llama-bpe", "qwen2", "smollm", "tekken", "seed-coder", "deepseek-coder"]
    {
        let kinds = Value::Array(own.words.iter().map(|_| Value::I32(1)).collect());
        let tokens = tokens_with(vec![
            ("pre", Value::String(rule.into())),
            ("tokens", texts(&own.words)),
            ("merges", texts(&own.merges)),
            ("token_type", kinds),
        ]);
        reads_as_llama_cpp_does(&tokens.unwrap(), &format!("{rule}.jsonl"));
    }
}

#[test]
fn pieces_are_merged_as_llama_cpp_merges_them() {
    #[derive(serde::Deserialize)]
    struct Vocabulary {
        words: Vec<String>,
        scores: Vec<f32>,
        kinds: Vec<i32>,
    }
    let own: Vocabulary = serde_json::from_str(&fixture("pieces.json")).unwrap();
    let tokens = tokens_with(vec![
        ("model", Value::String("llama".into())),
        ("tokens", texts(&own.words)),
        ("scores", Value::Array(own.scores.into_iter().map(Value::F32).collect())),
        ("token_type", Value::Array(own.kinds.into_iter().map(Value::I32).collect())),
    ]);
    reads_as_llama_cpp_does(&tokens.unwrap(), "pieces.jsonl");
}

#[test]
fn a_rule_that_nobody_knows_is_an_error_with_its_name() {
    let error = tokens_with(vec![("pre", Value::String("own-rule".into()))]).unwrap_err();
    assert!(error.to_string().contains("'own-rule'"), "{error}");
}

#[test]
fn pieces_with_scores_are_merged_best_first() {
    let words = [
        "<unk>",
        "<s>",
        "</s>",
        "\u{2581}",
        "h",
        "i",
        "hi",
        "\u{2581}hi",
        "<0x0A>",
        "<0xC3>",
        "<0xA9>",
        "[INST]",
    ];
    let scores = [0.0, 0.0, 0.0, -9.0, -9.0, -9.0, -2.0, -1.0, 0.0, 0.0, 0.0, 0.0];
    let kinds = [2, 3, 3, 1, 1, 1, 1, 1, 6, 6, 6, 3];
    let tokens = tokens_with(vec![
        ("model", Value::String("llama".into())),
        ("tokens", texts(words)),
        ("scores", Value::Array(scores.map(Value::F32).to_vec())),
        ("token_type", Value::Array(kinds.map(Value::I32).to_vec())),
        ("eos_token_id", Value::U32(2)),
    ]);
    let tokens = tokens.unwrap();
    assert_eq!(tokens.read_text("hi hi\né").unwrap(), [7, 7, 8, 9, 10]);
    assert_eq!(tokens.write_text(&[7, 7, 8, 9, 10]), "hi hi\né");
    // What only looks like a reserved token is spelt out.
    assert_eq!(tokens.read_text("[INST]").unwrap(), [3, 0, 0, 0, 0, 0, 0]);
    // Behind a reserved token no space is put.
    assert_eq!(tokens.read_pieces([("[INST]hi", true)].into_iter()).unwrap(), [11, 6]);
    assert_eq!(tokens.stops(), [2]);
}

#[test]
fn a_file_without_tokens_says_so() {
    let folder = tempfile::tempdir().unwrap();
    Tiny::new(ModelFamily::Qwen2, GgmlDType::F32).write_folder(folder.path());
    std::fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    let error = ModelTokens::of_file(&ModelFile::open(folder.path()).unwrap()).unwrap_err();
    assert!(error.to_string().contains("tokenizer.json"), "{error}");
}

#[test]
fn a_tokenizer_on_which_the_library_panics_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    Tiny::new(ModelFamily::Qwen2, GgmlDType::F32).write_folder(folder.path());
    let path = folder.path().join("tokenizer.json");
    let mut whole: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    whole["decoder"] = serde_json::json!({});
    std::fs::write(&path, whole.to_string().replace(r#""decoder":{}"#, r#""decoder":{!}"#)).unwrap();
    let error = ModelTokens::of_file(&ModelFile::open(folder.path()).unwrap()).unwrap_err();
    assert!(error.to_string().contains("tokenizer.json"), "{error}");
}

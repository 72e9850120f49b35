use super::*;
use crate::loopback::target as chat_target;

fn target(wire: WireKind, context_tokens: Option<u64>) -> ModelTarget {
    let mut target = chat_target("http://127.0.0.1:1");
    target.wire = wire;
    target.abilities.context_tokens = context_tokens;
    target
}

fn read(input: u64) -> Usage {
    Usage { input, output: 5, ..Usage::default() }
}

#[test]
fn ollama_5_a_prompt_that_was_cut_is_told_with_what_to_do() {
    let ollama = target(WireKind::Ollama, Some(4_096));
    let told = notice(&ollama, 40_000, &read(4_096)).unwrap();
    assert_eq!((told.kind, told.rule.as_str()), (NoticeKind::Trimmed, "provider_truncated"));
    for word in ["4096 of about 10000 tokens", "num_ctx", "providers.acme.context_tokens"] {
        assert!(told.message.contains(word), "{}", told.message);
    }
    assert_eq!(notice(&ollama, 8_000, &read(2_000)), None);
    assert_eq!(notice(&ollama, 40_000, &read(0)), None, "nothing was counted");
}

#[test]
fn openai_0_a_count_far_below_the_prompt_is_told_where_the_context_is_known() {
    for wire in [WireKind::Chat, WireKind::Responses, WireKind::Messages, WireKind::Gemini] {
        let known = target(wire, Some(128_000));
        assert!(notice(&known, 600_000, &read(30_000)).is_some(), "{wire:?}");
        // Prose that is easily read, an unknown context, a cache, no count, a short prompt: nothing is certain.
        assert_eq!(notice(&known, 600_000, &read(60_000)), None, "{wire:?}");
        assert_eq!(notice(&target(wire, None), 600_000, &read(30_000)), None, "{wire:?}");
        assert_eq!(notice(&known, 600_000, &Usage { cached: 10, ..read(30_000) }), None, "{wire:?}");
        assert_eq!(notice(&known, 600_000, &read(0)), None, "{wire:?}");
        assert_eq!(notice(&known, 6_000, &read(10)), None, "{wire:?}");
    }
}

#[test]
fn characters_are_counted_and_pictures_are_not() {
    let url = "data:image/png;base64,AAAA".to_owned();
    let body = format!("zwölf{url}");
    let picture = Part::Image { media_type: "image/png".into(), url };
    let messages = [Arc::new(Message::User { parts: vec![picture] })];
    assert_eq!(chars_of(body.as_bytes(), &messages), 5);
    assert_eq!(chars_of("zwölf".as_bytes(), &[]), 5);
}

#[test]
fn a_prompt_that_will_not_be_judged_is_not_counted() {
    let (long, short) = (vec![b'a'; 12_000], vec![b'a'; 11_000]);
    let known = target(WireKind::Chat, Some(128_000));
    assert_eq!(chars_judged(&known, &long, &[]), 12_000);
    assert_eq!(chars_judged(&known, &short, &[]), 0);
    assert_eq!(chars_judged(&target(WireKind::Chat, None), &long, &[]), 0);
    assert_eq!(chars_judged(&target(WireKind::Ollama, None), &short, &[]), 11_000);
}

use candle_core::Device;
use candle_core::quantized::GgmlDType;

use super::*;
use crate::decoder::SessionInput;
use crate::file::{ModelFamily, ModelFile};
use crate::tiny::Tiny;

fn decoder() -> LoadedDecoder {
    let bytes = Tiny::new(ModelFamily::Qwen2, GgmlDType::Q8_0).gguf().leak();
    LoadedDecoder::load(&ModelFile::of_program(bytes).unwrap(), 512, &Device::Cpu).unwrap()
}

fn cache_of(decoder: &LoadedDecoder, tokens: &[u32]) -> KvCache {
    let mut cache = decoder.cache().unwrap();
    decoder.read(&mut [SessionInput { cache: &mut cache, tokens, wants_scores: false }]).unwrap();
    cache
}

fn tokens(count: u32, last: u32) -> Vec<u32> {
    (0..count).chain([last]).collect()
}

#[test]
fn the_cache_with_the_longest_common_beginning_is_taken() {
    let (decoder, mut store) = (decoder(), PrefixStore::new(u64::MAX));
    for text in [tokens(10, 99), tokens(100, 98), tokens(5, 97)] {
        store.put(&text, cache_of(&decoder, &text));
    }
    assert_eq!(store.take(&tokens(150, 1), &decoder).unwrap().len(), 100);
    assert_eq!(store.take(&[200, 201], &decoder).unwrap().len(), 0);
}

#[test]
fn a_beginning_is_shared_and_the_rest_stays() {
    let (decoder, mut store) = (decoder(), PrefixStore::new(u64::MAX));
    let long = tokens(200, 7);
    store.put(&long, cache_of(&decoder, &long));
    let mut other = tokens(100, 250);
    other.extend([1, 2, 3]);
    assert_eq!(store.take(&other, &decoder).unwrap().len(), 100);
    assert_eq!(
        store.take(&long, &decoder).unwrap().len(),
        200,
        "all but the last token, which is read for its scores"
    );
    assert_eq!(store.bytes(), 0, "a cache that goes on is not copied");
}

#[test]
fn the_longest_unused_go_first_and_what_is_contained_goes_at_once() {
    let decoder = decoder();
    let one = cache_of(&decoder, &tokens(10, 1)).bytes();
    let mut store = PrefixStore::new(one * 2);
    for last in [101, 102, 103] {
        let text = [last, 1, 2, 3];
        store.put(&text, cache_of(&decoder, &text));
    }
    assert_eq!(store.bytes(), one * 2);
    assert_eq!(store.take(&[101, 1, 2, 3, 4], &decoder).unwrap().len(), 0);
    let longer = [103, 1, 2, 3, 4, 5];
    store.put(&longer, cache_of(&decoder, &longer));
    assert_eq!(store.bytes(), one * 2);
    assert_eq!(store.take(&[102, 1, 2, 3, 4], &decoder).unwrap().len(), 4);
    let mut none = PrefixStore::new(one - 1);
    none.put(&longer, cache_of(&decoder, &longer));
    assert_eq!(none.bytes(), 0);
}

use super::*;

fn mask(tokens: &[u32]) -> TokenMask {
    let mut words = vec![0_u32; 4];
    for token in tokens {
        words[usize::try_from(token / 32).unwrap()] |= 1 << (token % 32);
    }
    TokenMask::of_words(words)
}

#[test]
fn without_temperature_the_best_token_is_taken() {
    let mut sampler = Sampler::new(0.0, 1.0, 0);
    assert_eq!(sampler.choose(&[0.1, 3.0, 3.0, f32::NAN], None), Some(1));
    assert_eq!(sampler.choose(&[0.1, 3.0, 2.0], Some(&mask(&[0, 2]))), Some(2));
    assert_eq!(sampler.choose(&[0.1, 3.0], Some(&mask(&[]))), None);
    assert_eq!(sampler.choose(&[], None), None);
}

#[test]
fn chance_keeps_to_the_mask_and_to_the_nucleus() {
    let scores: Vec<f32> = (0..100).map(|at| if at < 2 { 5.0 } else { 0.0 }).collect();
    let mut sampler = Sampler::new(1.0, 0.5, 1);
    for _ in 0..200 {
        assert!(sampler.choose(&scores, None).unwrap() < 2);
        assert_eq!(sampler.choose(&scores, Some(&mask(&[77]))), Some(77));
    }
}

#[test]
fn chance_is_fair_and_repeatable() {
    let draw = |seed: u64| {
        let mut sampler = Sampler::new(1.0, 1.0, seed);
        (0..2_000).map(|_| sampler.choose(&[0.0, 0.0, 3.0_f32.ln()], None).unwrap()).collect::<Vec<u32>>()
    };
    assert_eq!(draw(5), draw(5));
    assert_ne!(draw(5), draw(6));
    let thirds = draw(5).iter().filter(|token| **token == 2).count();
    assert!((1_100..1_300).contains(&thirds), "{thirds} of 2000 instead of 1200");
}

#[test]
fn of_many_tokens_only_the_likely_are_weighed() {
    let scores: Vec<f32> = (0..5_000).map(|at| if at % 2 == 0 { 1.0 } else { -50.0 }).collect();
    let mut sampler = Sampler::new(0.7, 0.9, 3);
    assert!((0..100).all(|_| sampler.choose(&scores, None).unwrap().is_multiple_of(2)));
}

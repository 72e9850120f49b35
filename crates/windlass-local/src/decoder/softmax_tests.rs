use candle_core::{Device, Tensor};

use super::*;

#[test]
fn powers_are_right_to_six_digits() {
    for at in 0..4_000 {
        let exponent = -f32::from(i16::try_from(at).unwrap()) / 50.0;
        let (ours, theirs) = (exp(exponent), exponent.exp());
        assert!(
            (ours - theirs).abs() <= 2e-7 * (2.0 - exponent) * theirs.max(1e-30),
            "e^{exponent}: {ours} and {theirs}"
        );
    }
    assert!(exp(f32::NEG_INFINITY) < 1e-37);
    assert_eq!(exp(0.0), 1.0);
}

#[test]
fn rows_see_the_past_within_their_window() {
    let softmax = CausalSoftmax { count: 3, length: 5, window: 2 };
    assert_eq!((0..3).map(|row| softmax.seen(row)).collect::<Vec<_>>(), [1..3, 2..4, 3..5]);
    let open = CausalSoftmax { window: usize::MAX, ..softmax };
    assert_eq!(open.seen(1), 0..4);
    assert_eq!(open.seen(4), open.seen(1), "the second head is as the first");
    let scores = Tensor::new(&[[0.0_f32, 0.0, 9.0], [1.0, 1.0, 1.0]], &Device::Cpu).unwrap();
    let softmax = CausalSoftmax { count: 2, length: 3, window: usize::MAX };
    scores.inplace_op1(&softmax).unwrap();
    let rows = scores.to_vec2::<f32>().unwrap();
    assert_eq!(rows[0], [0.5, 0.5, 0.0]);
    assert!(rows[1].iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-6));
}

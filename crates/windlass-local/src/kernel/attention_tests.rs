use candle_core::{Device, Tensor};

use super::*;

/// Attention as it is defined, number by number.
fn defined(
    queries: &[Vec<Vec<f32>>],
    keys: &[Vec<Vec<f32>>],
    values: &[Vec<Vec<f32>>],
    window: usize,
) -> Vec<Vec<f32>> {
    let (count, length) = (queries.len(), keys[0].len());
    let group = queries[0].len() / keys.len();
    let of_head = |row: usize, head: usize| {
        let end = length - count + row + 1;
        let seen = end.saturating_sub(window)..end;
        let query = &queries[row][head];
        let weights: Vec<f64> = seen
            .clone()
            .map(|token| {
                let products = query.iter().zip(&keys[head / group][token]);
                let dot: f64 = products.map(|(left, right)| f64::from(*left) * f64::from(*right)).sum();
                (dot / (query.len() as f64).sqrt()).exp()
            })
            .collect();
        let whole: f64 = weights.iter().sum();
        (0..query.len())
            .map(move |at| {
                let sum: f64 = seen
                    .clone()
                    .zip(&weights)
                    .map(|(token, weight)| weight * f64::from(values[head / group][token][at]))
                    .sum();
                (sum / whole) as f32
            })
            .collect::<Vec<f32>>()
    };
    (0..count).map(|row| (0..queries[0].len()).flat_map(|head| of_head(row, head)).collect()).collect()
}

#[test]
fn few_rows_attend_as_attention_is_defined() {
    for (count, length, heads, shared, head, window) in [
        (1, 1, 2, 1, 8, usize::MAX),
        (1, 37, 6, 2, 64, usize::MAX),
        (4, 21, 4, 4, 20, usize::MAX),
        (3, 40, 4, 2, 32, 5),
    ] {
        let random = |rows: usize, heads: usize| {
            Tensor::randn(0.0_f32, 1.0, (rows, heads, head), &Device::Cpu).unwrap()
        };
        let (queries, values) = (random(count, heads), random(shared, length));
        // As in a cache: there is room behind the keys.
        let keys = random(shared, length + 9).narrow(1, 0, length).unwrap();
        let attended = queries.apply_op3_no_bwd(&keys, &values, &FewRows { window }).unwrap();
        let written = |tensor: &Tensor| tensor.to_vec3::<f32>().unwrap();
        let expected = defined(&written(&queries), &written(&keys), &written(&values), window);
        for (ours, exact) in
            attended.to_vec2::<f32>().unwrap().iter().flatten().zip(expected.iter().flatten())
        {
            assert!((ours - exact).abs() < 1e-5, "{ours} and {exact}");
        }
    }
}

#[test]
fn the_plain_way_is_the_wide_way() {
    let numbers: Vec<f32> = (0..3 * 24).map(|at| ((at * 37 % 101) as f32 - 50.0) / 25.0).collect();
    let queries: Vec<f32> = numbers.iter().take(48).map(|number| number * 0.5).collect();
    let (mut plain, mut chosen) = (vec![0.0; 48], vec![0.0; 48]);
    attend_by(dot, &queries, 24, &numbers, &numbers, &mut plain);
    attend(&queries, 24, &numbers, &numbers, &mut chosen);
    for (plain, chosen) in plain.iter().zip(&chosen) {
        assert!((plain - chosen).abs() < 1e-5, "{plain} and {chosen}");
    }
}

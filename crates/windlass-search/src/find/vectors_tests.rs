use super::*;
use crate::embed::cosine;

/// Numbers that look random and are the same each time.
fn numbers(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % 2_000) as f32 / 1_000.0 - 1.0
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn filled(rows: usize, dimension: usize) -> (Vectors, Vec<Vec<f32>>) {
    let all: Vec<Vec<f32>> = (0..rows as u64).map(|row| numbers(row + 1, dimension)).collect();
    let mut vectors = Vectors::new(dimension);
    all.iter().for_each(|row| vectors.push(&to_bytes(row)));
    (vectors, all)
}

#[test]
fn the_nearest_are_those_of_the_exact_cosines() {
    let (vectors, all) = filled(500, 64);
    let query = numbers(77_777, 64);
    let mut exact: Vec<(usize, f32)> =
        all.iter().enumerate().map(|(row, vector)| (row, cosine(vector, &query))).collect();
    exact.sort_by(|one, two| two.1.total_cmp(&one.1));
    let found = vectors.nearest(&query, 10, |_| true);
    assert_eq!(found.len(), 10);
    for ((_, found), (_, exact)) in found.iter().zip(&exact) {
        assert!((found - exact).abs() < 0.01, "{found} is not {exact}");
    }
    assert_eq!(found[0].0, exact[0].0);
}

#[test]
fn a_row_finds_itself_and_only_rows_to_be_kept_are_found() {
    let (vectors, all) = filled(50, 32);
    let found = vectors.nearest(&all[7], 3, |_| true);
    assert_eq!(found[0].0, 7);
    assert!(found[0].1 > 0.999);
    assert!(vectors.nearest(&all[7], 50, |row| row % 2 == 0).iter().all(|(row, _)| row % 2 == 0));
}

#[test]
fn many_rows_on_several_threads_give_what_one_thread_gives() {
    let (some, _) = filled(40, 16);
    let mut vectors = Vectors::new(16);
    for row in 0..ROWS_OF_A_THREAD * 2 + 5 {
        let at = (row % 40) * 16;
        let bytes: Vec<u8> = some.whole.numbers[at..at + 16].iter().map(|x| x.cast_unsigned()).collect();
        vectors.push(&bytes);
    }
    let query = numbers(9, 16);
    let found = vectors.nearest(&query, 100, |_| true);
    let best_of_some = some.nearest(&query, 1, |_| true)[0].0;
    let rows: Vec<usize> = found.iter().map(|(row, _)| *row).collect();
    let expected: Vec<usize> = (0..100).map(|nth| best_of_some + nth * 40).collect();
    assert_eq!(rows, expected, "equal rows come in their order");
}

#[test]
fn rows_without_a_direction_or_of_another_length_are_never_found() {
    let mut vectors = Vectors::new(4);
    vectors.push(&to_bytes(&[0.0; 4]));
    vectors.push(&[1, 2]);
    vectors.push(&to_bytes(&[1.0, 0.0, 0.0, 0.0]));
    assert_eq!(vectors.rows(), 3);
    assert_eq!(
        vectors.nearest(&[1.0, 0.0, 0.0, 0.0], 9, |_| true).iter().map(|it| it.0).collect::<Vec<_>>(),
        [2]
    );
    for query in [&[0.0; 4][..], &[1.0; 3], &[f32::NAN; 4], &[f32::INFINITY; 4]] {
        assert!(vectors.nearest(query, 9, |_| true).is_empty(), "{query:?}");
    }
    assert!(Vectors::new(4).nearest(&[1.0; 4], 9, |_| true).is_empty());
}

#[test]
fn the_longest_vectors_do_not_overflow() {
    let mut vectors = Vectors::new(DIMENSION_MAX);
    vectors.push(&to_bytes(&vec![1.0; DIMENSION_MAX]));
    let found = vectors.nearest(&vec![1.0; DIMENSION_MAX], 1, |_| true);
    assert!((found[0].1 - 1.0).abs() < 1e-3, "{found:?}");
}

#[test]
fn sketches_lead_to_the_nearest_of_many_long_vectors() {
    let dimension = SKETCHED_FROM + 100;
    let (mut vectors, _) = filled(LOOKED_AT_MIN * 3, dimension);
    let query = numbers(123_456, dimension);
    // Rows that are near, each a little less: the query with ever more of something else in it.
    let near: Vec<usize> = (1..=20_u8)
        .map(|much| {
            let other = numbers(u64::from(much) * 7_001, dimension);
            let row: Vec<f32> =
                query.iter().zip(&other).map(|(a, b)| a + b * f32::from(much) * 0.08).collect();
            vectors.push(&to_bytes(&row));
            vectors.rows() - 1
        })
        .collect();
    let exact = vectors.whole.nearest(&QuantizedQuery::of(&query), 10, &|_| true);
    assert!(exact.iter().all(|(row, _)| near.contains(row)), "{exact:?}");
    assert_eq!(vectors.nearest(&query, 10, |_| true), exact);
    assert!(vectors.nearest(&query, 10, |row| row != near[0]).iter().all(|(row, _)| *row != near[0]));
}

use super::*;

/// A file without tensors that has one entry of this kind, with these bytes.
fn file(kind: u32, value: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    bytes.push(b'a');
    bytes.extend(kind.to_le_bytes());
    value.iter().for_each(|part| bytes.extend(*part));
    bytes
}

/// A file whose one list says that it has so many values of a kind, and then zeros.
fn list(kind: u32, count: u64, zeros: usize) -> Vec<u8> {
    file(9, &[&kind.to_le_bytes(), &count.to_le_bytes(), &vec![0; zeros]])
}

#[test]
fn lists_are_kept_as_what_they_are() {
    let read = |kind, values: &[&[u8]], count: u64| {
        let bytes = file(9, &[&u32::to_le_bytes(kind), &count.to_le_bytes(), &values.concat()]);
        read(&bytes).unwrap().meta.remove("a").unwrap()
    };
    assert_eq!(read(3, &[&[0xff, 0xff, 2, 0]], 2).as_integers(), Some(&[-1, 2][..]));
    assert_eq!(read(6, &[&1.5_f32.to_le_bytes()], 1).as_floats(), Some(&[1.5][..]));
    assert_eq!(read(7, &[&[1, 0]], 2), Meta::List(MetaList::Bools(vec![true, false])));
    let text = [&1_u64.to_le_bytes()[..], b"b"];
    assert_eq!(read(8, &text, 1).as_texts(), Some(&["b".to_owned()][..]));
    assert_eq!(read(8, &text, 1).as_integers(), None);
}

#[test]
fn a_forged_count_is_refused_before_anything_is_allocated() {
    for (kind, count, zeros) in [
        // Sixty million zeros as numbers, as texts without a letter, as lists without a value.
        (0, 60_000_000, 60_000_000),
        (8, 7_000_000, 60_000_000),
        (9, 4_900_000, 60_000_000),
        (9, 70_000, 900_000),
    ] {
        let fault = read(&list(kind, count, zeros)).unwrap_err();
        assert!(matches!(&fault, HeaderFault::Wrong(why) if why.contains("more than")), "{kind}: {fault:?}");
    }
    for kind in [0, 8, 9, 12, 99] {
        for count in [1 << 20, 1 << 60, u64::MAX] {
            let fault = read(&list(kind, count, 1_000)).unwrap_err();
            assert!(matches!(fault, HeaderFault::Ends(_)), "{kind} {count}: {fault:?}");
        }
    }
}

#[test]
fn many_lists_and_long_texts_count_together() {
    // Three lists of 1.5 million each, one after the other.
    let one = list(0, 1_500_000, 1_500_000);
    let entry = one.get(24..).unwrap();
    let mut bytes = one.get(..16).unwrap().to_vec();
    bytes.extend(3_u64.to_le_bytes());
    (0..3).for_each(|_| bytes.extend(entry));
    assert!(matches!(read(&bytes), Err(HeaderFault::Wrong(_))));
    // A text that would be three times as long, for no byte of it is a letter.
    let long = vec![0xff; 40_000_000];
    let text = file(8, &[&40_000_000_u64.to_le_bytes(), &long]);
    assert!(matches!(read(&text), Err(HeaderFault::Wrong(why)) if why.contains("texts")));
}

#[test]
fn lists_within_lists_end_somewhere() {
    let mut value = 9_u32.to_le_bytes().to_vec();
    for _ in 0..100_000 {
        value.extend(1_u64.to_le_bytes());
        value.extend(9_u32.to_le_bytes());
    }
    assert!(matches!(read(&file(9, &[&value])), Err(HeaderFault::Wrong(why)) if why.contains("too deep")));
}

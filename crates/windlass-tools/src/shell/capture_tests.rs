use super::*;

#[test]
fn output_within_the_limit_is_kept_whole() {
    let mut capture = Capture::new(10);
    for piece in ["äbc".as_bytes(), b"", b"d", b"efghi"] {
        capture.push(piece);
    }
    assert_eq!((capture.text().as_str(), capture.total(), capture.left_out()), ("äbcdefghi", 10, 0));
}

#[test]
fn beginning_and_end_of_long_output_are_kept() {
    let mut capture = Capture::new(8);
    for _ in 0..1000 {
        capture.push(b"0123456789");
    }
    assert_eq!(capture.text(), "0123\n… (9992 bytes left out) …\n6789");
}

#[test]
fn r_43_no_character_is_cut_in_two_wherever_the_cut_falls() {
    for bytes_max in 2..40 {
        let mut capture = Capture::new(bytes_max);
        "🦀ä€".repeat(50).bytes().for_each(|byte| capture.push(&[byte]));
        assert!(!capture.text().contains('\u{fffd}'), "{bytes_max}");
    }
}

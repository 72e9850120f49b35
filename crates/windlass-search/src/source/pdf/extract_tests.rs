use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, Stream, dictionary};
use proptest::prelude::*;

use super::super::{PdfFailure, is_pdf};
use super::*;

fn text(bytes: Vec<u8>) -> Result<String, PdfFailure> {
    text_on_a_thread(bytes, Duration::from_secs(60))
}

/// A PDF with these pages.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let pages_id = document.new_object_id();
    let font =
        document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = pages
        .iter()
        .map(|page| {
            let operations = vec![
                Operation::new("BT", vec![]),
                Operation::new("Tf", vec!["F1".into(), 12.into()]),
                Operation::new("Tj", vec![Object::string_literal(*page)]),
                Operation::new("ET", vec![]),
            ];
            let content = Content { operations }.encode().unwrap();
            let content = document.add_object(Stream::new(dictionary! {}, content));
            let page = dictionary! { "Type" => "Page", "Parent" => pages_id, "Contents" => content };
            document.add_object(page).into()
        })
        .collect();
    let count = i64::try_from(kids.len()).unwrap();
    let tree = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources };
    document.objects.insert(pages_id, Object::Dictionary(tree));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages_id });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.compress();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn the_text_of_all_pages_comes_in_their_order() {
    let text = text(pdf(&["The windlass hauls.", "The pawl holds."])).unwrap();
    assert_eq!(text, "The windlass hauls.\n\nThe pawl holds.\n");
}

#[test]
fn a_pdf_is_known_by_its_name_or_its_first_bytes() {
    assert!(is_pdf("a.PDF", b"") && is_pdf("a", b"%PDF-1.4"));
    assert!(!is_pdf("pdf", b"text") && !is_pdf("a.pdf.md", b"text"));
}

#[test]
fn what_is_no_pdf_or_has_no_text_says_so() {
    assert_eq!(text(b"%PDF-1.5 and nothing more".to_vec()), Err(PdfFailure::Unreadable));
    assert_eq!(text(Vec::new()), Err(PdfFailure::Unreadable));
    assert_eq!(text(pdf(&[])), Err(PdfFailure::Empty));
    assert_eq!(text(pdf(&[" "])), Err(PdfFailure::Empty));
}

#[test]
fn a_stream_that_unpacks_to_too_much_costs_its_page_alone() {
    let mut document = Document::load_mem(&pdf(&["Small.", "Bomb."])).unwrap();
    let pages: Vec<_> = document.page_iter().collect();
    let mut bomb = Stream::new(dictionary! {}, vec![b' '; 80 * 1024 * 1024]);
    bomb.compress().unwrap();
    let content = document.get_page_contents(pages[1])[0];
    document.objects.insert(content, Object::Stream(bomb));
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    assert!(bytes.len() < 1024 * 1024);
    assert_eq!(text(bytes).unwrap(), "Small.\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_file_never_stops_the_reader(at in 0_usize..2_000, byte: u8, cut in 0_usize..2_000) {
        let mut bytes = pdf(&["The windlass hauls.", "The pawl holds."]);
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(bytes.len() - cut % bytes.len());
        let _ = text(bytes);
    }
}

#![no_main]
//! However an answer is split, its status, its body and its end are the same, and no more comes out than went in.

use windlass_models::transport::http1::head::HeadReader;
use windlass_models::transport::http1::payload::{Payload, PayloadFault};

/// Status and body, or the words of the fault in the head.
type Answer = Result<Option<(u16, Vec<u8>, Result<(), PayloadFault>)>, String>;

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Answer {
    let mut reader = HeadReader::default();
    let mut begun: Option<(u16, Payload)> = None;
    let mut body = Vec::new();
    for piece in pieces {
        let mut piece = piece.to_vec();
        if begun.is_none() {
            reader.push(&piece);
            let head = reader.read(|head| Payload::of(head).map(|payload| (head.status, payload)));
            begun = head.and_then(Option::transpose).map_err(|fault| fault.to_string())?;
            if begun.is_none() {
                continue;
            }
            piece = std::mem::take(&mut reader).into_rest();
        }
        let Some((status, payload)) = &mut begun else { continue };
        if payload.is_over() {
            break;
        }
        let joined = payload.join(&mut piece);
        assert!(joined.used <= piece.len());
        body.extend_from_slice(piece.get(joined.body).expect("the body is among the bytes"));
        if let Some(fault) = joined.fault {
            return Ok(Some((*status, body, Err(fault))));
        }
    }
    Ok(begun.map(|(status, mut payload)| {
        let end = if payload.is_over() { Ok(()) } else { payload.end() };
        (status, body, end)
    }))
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((size, bytes)) = input.split_last() else { return };
    let whole = read(std::iter::once(bytes));
    let split = read(bytes.chunks(usize::from(*size).max(1)));
    // What is no head is told by its first bytes or by its end, so only whether it is one is the same.
    match (&whole, &split) {
        (Ok(Some(_)), _) | (_, Ok(Some(_))) => assert_eq!(whole, split),
        (Ok(None) | Err(_), Ok(None) | Err(_)) => {}
    }
    if let Ok(Some((_, body, _))) = whole {
        assert!(body.len() < bytes.len());
    }
});

//! Places written are read back, and other bytes are no places.

use proptest::prelude::*;

use super::{PassageName, What, decode, encode};
use crate::parse::symbols::UseKind;

fn place() -> impl Strategy<Value = PassageName> {
    let what = prop_oneof![
        ("[a-z:]{0,40}", "[a-z]{1,9}", 0_usize..100_000).prop_map(|(path, kind, size)| What::Defined {
            path,
            kind,
            end: size
        }),
        prop::sample::select(vec![UseKind::Call, UseKind::Import, UseKind::Reference]).prop_map(What::Used),
    ];
    (what, 0_usize..1_000_000, 0_usize..200).prop_map(|(what, start, length)| {
        let name = start..start + length;
        let what = match what {
            What::Defined { path, kind, end } => What::Defined { path, kind, end: name.end + end },
            What::Used(kind) => What::Used(kind),
        };
        PassageName { what, name }
    })
}

proptest! {
    #[test]
    fn places_are_read_back_as_they_were(places in prop::collection::vec(place(), 0..20), base in 0_usize..100) {
        let moved: Vec<PassageName> = places.into_iter().map(|mut place| {
            place.name = place.name.start + base..place.name.end + base;
            if let What::Defined { end, .. } = &mut place.what { *end += base; }
            place
        }).collect();
        prop_assert_eq!(decode(base, &encode(base, &moved)), moved);
    }

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..400), base in any::<usize>()) {
        decode(base, &bytes);
    }
}

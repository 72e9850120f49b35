//! Pictures on the wire: what of a `data:` address is its type and what its bytes. Knows no wire.

/// The media type and the base64 text of a `data:` address; `None` for any other address.
pub fn split_base64(url: &str) -> Option<(&str, &str)> {
    let (head, bytes) = url.strip_prefix("data:")?.split_once(',')?;
    let kind = head.strip_suffix(";base64")?;
    Some((kind.split(';').next().unwrap_or(kind), bytes))
}

#[cfg(test)]
mod tests {
    use super::split_base64;

    #[test]
    fn a_base64_address_gives_its_type_and_its_bytes() {
        assert_eq!(split_base64("data:image/png;base64,AAAA"), Some(("image/png", "AAAA")));
        assert_eq!(split_base64("data:image/png;name=a;base64,AA=="), Some(("image/png", "AA==")));
        for other in
            ["https://example.org/a.png", "data:image/svg+xml,%3Csvg%3E", "data:image/png;base64", ""]
        {
            assert_eq!(split_base64(other), None, "{other}");
        }
    }
}

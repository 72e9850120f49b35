use std::sync::Arc;
use std::sync::Mutex;

use super::*;
use crate::loopback::*;

/// A server with one answer a connection; the last is repeated. Gives its address and what it heard.
async fn serve_all(answers: &[String]) -> (String, Arc<Mutex<Vec<String>>>) {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let (ears, answers) = (Arc::clone(&heard), answers.to_vec());
    let (url, _) = serve(move |mut socket| {
        let (ears, answers) = (Arc::clone(&ears), answers.clone());
        async move {
            let request = read_request(&mut socket).await;
            let count = {
                let mut ears = ears.lock().unwrap();
                ears.push(request.to_lowercase());
                ears.len()
            };
            say(&mut socket, answers.get(count - 1).or(answers.last()).unwrap()).await;
        }
    })
    .await;
    (url, heard)
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

async fn fetch(url: &str, start: &DownloadStart) -> Result<(OpenDownload, String), DownloadError> {
    let transport = transport(limits());
    let mut opened = open(&transport, url, start, &limits()).await?;
    let mut bytes = Vec::new();
    while opened.read(|piece| bytes.extend_from_slice(piece)).await? {}
    Ok((opened, String::from_utf8(bytes).unwrap()))
}

#[tokio::test]
async fn a_file_comes_with_its_size_and_mark_and_no_key() {
    let (url, heard) = serve_all(&[answer("200 OK", "etag: \"one\"\r\n", "weights")]).await;
    let (opened, text) =
        fetch(&format!("{url}/m.gguf?download=true"), &DownloadStart::default()).await.unwrap();
    assert_eq!(text, "weights");
    assert_eq!((opened.first_byte, opened.bytes_total), (0, Some(7)));
    assert_eq!(opened.etag.as_deref(), Some("\"one\""));
    let heard = heard.lock().unwrap();
    assert!(heard[0].starts_with("get /m.gguf?download=true http/1.1"), "{}", heard[0]);
    assert!(!heard[0].contains("authorization") && !heard[0].contains("range"), "{}", heard[0]);
}

#[tokio::test]
async fn the_rest_is_asked_for_by_range_and_only_of_the_same_file() {
    let part = answer("206 Partial Content", "content-range: bytes 3-6/7\r\n", "ghts");
    let (url, heard) = serve_all(&[part]).await;
    let start = DownloadStart { byte: 3, etag: Some("\"one\"".into()) };
    let (opened, text) = fetch(&url, &start).await.unwrap();
    assert_eq!((text.as_str(), opened.first_byte, opened.bytes_total), ("ghts", 3, Some(7)));
    let heard = heard.lock().unwrap();
    assert!(
        heard[0].contains("range: bytes=3-\r\n") && heard[0].contains("if-range: \"one\"\r\n"),
        "{}",
        heard[0]
    );
}

#[tokio::test]
async fn a_server_that_knows_no_ranges_sends_the_whole() {
    let (url, _) = serve_all(&[answer("200 OK", "", "weights")]).await;
    let (opened, text) = fetch(&url, &DownloadStart { byte: 3, etag: None }).await.unwrap();
    assert_eq!((opened.first_byte, text.as_str()), (0, "weights"));
}

#[tokio::test]
async fn another_part_than_was_asked_for_is_not_believed() {
    for range in ["content-range: bytes 0-6/7\r\n", "content-range: nonsense\r\n", ""] {
        let (url, _) = serve_all(&[answer("206 Partial Content", range, "weights")]).await;
        let error = fetch(&url, &DownloadStart { byte: 3, etag: None }).await.unwrap_err();
        assert!(error.to_string().contains("another part") && !error.is_passing(), "{error}");
    }
}

#[tokio::test]
async fn a_byte_behind_the_end_says_where_the_end_is() {
    let (url, _) =
        serve_all(&[answer("416 Range Not Satisfiable", "content-range: bytes */7\r\n", "")]).await;
    let error = fetch(&url, &DownloadStart { byte: 7, etag: None }).await.unwrap_err();
    assert_eq!(error, DownloadError::Past { byte: 7, bytes_total: Some(7) });
}

#[tokio::test]
async fn redirects_are_followed_and_the_announced_hash_is_kept() {
    let hash = "AB".repeat(32);
    let moved =
        answer("302 Found", &format!("location: /store/7?sig=x\r\nx-linked-etag: \"{hash}\"\r\n"), "");
    let (url, heard) = serve_all(&[moved, answer("200 OK", "", "weights")]).await;
    let (opened, text) = fetch(&format!("{url}/hub"), &DownloadStart::default()).await.unwrap();
    assert_eq!((text.as_str(), opened.sha256), ("weights", Some("ab".repeat(32))));
    assert!(heard.lock().unwrap()[1].starts_with("get /store/7?sig=x "));
}

#[tokio::test]
async fn redirects_end_and_lead_nowhere_unsafe() {
    let (url, heard) = serve_all(&[answer("302 Found", "location: /again\r\n", "")]).await;
    let error = fetch(&url, &DownloadStart::default()).await.unwrap_err();
    assert!(matches!(error, DownloadError::Redirects(_)), "{error}");
    assert_eq!(heard.lock().unwrap().len(), REDIRECTS_MAX + 1);
    let (url, _) = serve_all(&[answer("302 Found", "location: http://192.0.2.1/x\r\n", "")]).await;
    let error = fetch(&url, &DownloadStart::default()).await.unwrap_err();
    assert!(matches!(error, DownloadError::Unsafe(_)), "{error}");
    let (url, _) = serve_all(&[answer("302 Found", "", "")]).await;
    let error = fetch(&url, &DownloadStart::default()).await.unwrap_err();
    assert!(matches!(error, DownloadError::Refused { status: 302, .. }), "{error}");
}

#[tokio::test]
async fn addresses_that_are_not_safe_are_refused_before_anybody_is_asked() {
    for (address, word) in [
        ("http://example.com/m.gguf", "not encrypted"),
        ("http://127.0.0.1.example.com/m.gguf", "not encrypted"),
        ("ftp://example.com/m.gguf", "no https address"),
        ("file:///etc/passwd", "no https address"),
        ("m.gguf", "no https address"),
    ] {
        let error = fetch(address, &DownloadStart::default()).await.unwrap_err();
        assert!(error.to_string().contains(word) && !error.is_passing(), "{address}: {error}");
    }
    let error = fetch("http://me:secret@example.com/m?token=x", &DownloadStart::default()).await.unwrap_err();
    assert!(!error.to_string().contains("secret") && !error.to_string().contains("token"), "{error}");
}

#[tokio::test]
async fn what_a_status_means_for_the_next_try() {
    for (status, is_passing) in
        [("401 No", false), ("403 No", false), ("429 Later", true), ("503 Busy", true)]
    {
        let (url, _) = serve_all(&[answer(status, "", "")]).await;
        let error = fetch(&url, &DownloadStart::default()).await.unwrap_err();
        assert_eq!(error.is_passing(), is_passing, "{status}: {error}");
    }
    let (url, _) = serve_all(&[answer("404 Not Found", "", "")]).await;
    assert!(matches!(fetch(&url, &DownloadStart::default()).await.unwrap_err(), DownloadError::NotThere(_)));
}

#[tokio::test]
async fn a_connection_that_breaks_may_be_tried_again() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nweig".to_owned();
    let (url, _) = serve_all(&[cut]).await;
    let error = fetch(&url, &DownloadStart::default()).await.unwrap_err();
    assert!(error.is_passing() && error.to_string().contains("broke"), "{error}");
    let error = fetch("http://127.0.0.1:1/x", &DownloadStart::default()).await.unwrap_err();
    assert!(error.is_passing() && !error.to_string().contains("base_url"), "{error}");
}

use super::*;

#[tokio::test]
async fn the_name_is_read_however_the_message_is_cut() {
    let message = first_message("a.example").unwrap();
    for size in [1, 7, 500, message.len()] {
        let (mut ours, mut theirs) = tokio::io::duplex(size);
        let sent = message.clone();
        let writing =
            tokio::spawn(async move { tokio::io::AsyncWriteExt::write_all(&mut theirs, &sent).await });
        let hello = read_hello(&mut ours, Vec::new()).await.unwrap();
        writing.await.unwrap().unwrap();
        assert_eq!(hello.name.as_deref(), Some("a.example"));
        assert_eq!(hello.bytes, message);
    }
    let hello = read_hello(&mut &b""[..], message.clone()).await.unwrap();
    assert_eq!(hello.bytes, message, "it may have come with the request");
}

#[tokio::test]
async fn what_is_no_first_message_of_tls_is_nothing() {
    let message = first_message("a.example").unwrap();
    let half = message.get(..message.len() / 2).unwrap().to_vec();
    assert_eq!(read_hello(&mut &b""[..], Vec::new()).await.unwrap_err(), HelloFailure::Silent);
    for bytes in [b"SSH-2.0-OpenSSH_9\r\n".to_vec(), b"GET / HTTP/1.1\r\n\r\n".to_vec(), half] {
        let failed = read_hello(&mut bytes.as_slice(), Vec::new()).await.unwrap_err();
        assert_eq!(failed, HelloFailure::NotTls, "{bytes:?}");
    }
    // A record that promises more than it may have.
    let endless = [&[0x16, 0x03, 0x01, 0xff, 0xff][..], &[0; HELLO_BYTES_MAX * 2]].concat();
    assert!(read_hello(&mut endless.as_slice(), Vec::new()).await.is_err());
}

#[tokio::test]
async fn a_message_to_an_address_has_no_name() {
    let message = first_message("127.0.0.1").unwrap();
    let hello = read_hello(&mut message.as_slice(), Vec::new()).await.unwrap();
    assert_eq!(hello.name, None);
}

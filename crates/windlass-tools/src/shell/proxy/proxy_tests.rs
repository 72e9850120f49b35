use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use tokio::net::TcpListener;
use windlass_core::ports::BoxFuture;
use windlass_core::protocol::tool::ReachedHost;

use super::hello::first_message;
use super::*;
use crate::web::net_guard::{AddressLookup, AllowedHost};

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Gives the next answer each time, and the last for ever.
#[derive(Debug)]
struct ChangingLookup(Mutex<Vec<IpAddr>>, Mutex<usize>);

impl AddressLookup for ChangingLookup {
    fn lookup<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        *self.1.lock().unwrap() += 1;
        let mut answers = self.0.lock().unwrap();
        let next = if answers.len() > 1 { answers.remove(0) } else { answers[0] };
        Box::pin(async move { Ok(vec![next]) })
    }
}

/// A proxy, a server that says back what it got, and who says where names lead.
struct Stage {
    proxy: SocketAddr,
    server: u16,
    parts: ProxyParts,
    lookup: Arc<ChangingLookup>,
    _tasks: JoinSet<()>,
}

impl Stage {
    /// `PORT` in the lists is the server's.
    async fn new(granted: &[&str], allowed: &[&str], answers: &[IpAddr]) -> Self {
        let (proxy, server) = (listener().await, listener().await);
        let port = server.local_addr().unwrap().port();
        let named = |text: &&str| text.replace("PORT", &port.to_string());
        let allow: Vec<AllowedHost> = allowed.iter().map(|text| named(text).parse().unwrap()).collect();
        let lookup = Arc::new(ChangingLookup(Mutex::new(answers.to_vec()), Mutex::new(0)));
        let parts = ProxyParts {
            guard: Arc::new(NetGuard::new(allow, Arc::clone(&lookup) as Arc<dyn AddressLookup>)),
            hosts: granted.iter().map(|text| named(text).parse().unwrap()).collect(),
            reached: ReachLog::default(),
            refused: RefusalLog::default(),
        };
        let mut tasks = JoinSet::new();
        let address = proxy.local_addr().unwrap();
        tasks.spawn(serve(proxy, Arc::new(parts.clone())));
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((mut stream, _)) = server.accept().await {
                open.spawn(async move {
                    let mut piece = [0; 4_096];
                    while let Ok(count @ 1..) = stream.read(&mut piece).await {
                        stream.write_all(&piece[..count]).await.unwrap();
                    }
                });
            }
        });
        Self { proxy: address, server: port, parts, lookup, _tasks: tasks }
    }

    /// What comes back for these bytes, until `enough` of it or the end.
    async fn says(&self, pieces: &[&[u8]], enough: usize) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.proxy).await.unwrap();
        for piece in pieces {
            stream.write_all(piece).await.unwrap();
        }
        let mut all = Vec::new();
        let mut piece = [0; 4_096];
        while all.len() < enough {
            match stream.read(&mut piece).await {
                Ok(count @ 1..) => all.extend_from_slice(&piece[..count]),
                _ => break,
            }
        }
        all
    }

    async fn connects(&self, host: &str, said: &[u8]) -> Vec<u8> {
        let head = format!("CONNECT {host}:{} HTTP/1.1\r\n\r\n", self.server);
        self.says(&[head.as_bytes(), said], OPEN.len() + said.len()).await
    }

    fn reached(&self) -> Vec<ReachedHost> {
        self.parts.reached.take()
    }
}

async fn listener() -> TcpListener {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap()
}

#[tokio::test]
async fn a_tunnel_carries_tls_to_the_host_it_was_opened_for_and_counts_it() {
    let stage = Stage::new(&["*.a.example:PORT"], &["x.a.example"], &[LOCAL]).await;
    let hello = first_message("x.a.example").unwrap();
    let said = stage.connects("X.A.Example.", &hello).await;
    assert_eq!(said, [OPEN, &hello].concat());
    let reached = stage.reached();
    let bytes = hello.len() as u64;
    let host = format!("x.a.example:{}", stage.server);
    assert_eq!(
        reached,
        [ReachedHost {
            host,
            address: Some("127.0.0.1".into()),
            requests: 1,
            bytes_out: bytes,
            bytes_in: bytes
        }]
    );
    assert_eq!(stage.parts.refused.first_denial(), None);
}

#[tokio::test]
async fn a_tunnel_in_which_another_name_is_said_or_none_or_no_tls_carries_nothing() {
    let stage = Stage::new(&["a.example:PORT"], &["a.example", "b.example"], &[LOCAL]).await;
    for said in [
        first_message("b.example").unwrap(),
        first_message("a.example.b.example").unwrap(),
        first_message("127.0.0.1").unwrap(),
        b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".to_vec(),
        b"SSH-2.0-x\r\n".to_vec(),
    ] {
        let back = stage.connects("a.example", &said).await;
        assert_eq!(back, [OPEN, &NAME_REFUSED].concat());
        assert!(stage.parts.refused.first_denial().is_some());
    }
    assert_eq!(stage.reached(), [], "nothing went to the server");
}

#[tokio::test]
async fn only_what_is_on_the_list_is_looked_up_and_connected_to() {
    let stage = Stage::new(&["a.example:PORT"], &["a.example", "b.example", "127.0.0.1"], &[LOCAL]).await;
    for host in ["b.example", "x.a.example", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "[::1]"] {
        let back = String::from_utf8(stage.connects(host, b"").await).unwrap();
        assert!(
            back.starts_with("HTTP/1.1 403 the sandbox does not let this command reach"),
            "{host}: {back}"
        );
        assert!(back.contains(&format!("it may reach only a.example:{}", stage.server)), "{back}");
    }
    assert_eq!(*stage.lookup.1.lock().unwrap(), 0, "asking about a name tells its owner");
    let refused = stage.parts.refused.first_denial().unwrap();
    assert!(
        refused.hint().contains(&format!("--sandbox-host b.example:{}", stage.server)),
        "{}",
        refused.hint()
    );
}

#[tokio::test]
async fn a_granted_name_or_address_that_is_not_public_is_refused() {
    let private = "10.0.0.7".parse().unwrap();
    for (granted, host, answer) in [
        ("a.example:PORT", "a.example", LOCAL),
        ("a.example:PORT", "a.example", private),
        ("a.example:PORT", "a.example", "169.254.169.254".parse().unwrap()),
        ("127.0.0.1:PORT", "127.0.0.1", LOCAL),
        ("[::ffff:169.254.169.254]:PORT", "[::ffff:169.254.169.254]", LOCAL),
        ("localhost:PORT", "localhost", LOCAL),
    ] {
        let stage = Stage::new(&[granted], &[], &[answer]).await;
        let back = String::from_utf8(stage.connects(host, b"").await).unwrap();
        assert!(back.starts_with("HTTP/1.1 403 "), "{host}: {back}");
        let plain = format!("GET http://{host}:{}/ HTTP/1.1\r\n\r\n", stage.server);
        let back = String::from_utf8(stage.says(&[plain.as_bytes()], usize::MAX).await).unwrap();
        assert!(back.starts_with("HTTP/1.1 403 "), "{host}: {back}");
        assert_eq!(stage.reached(), []);
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_its_second_answer_never_counts() {
    // The first answer is nothing that is reached, the second would be: whoever looked again would get through.
    let stage = Stage::new(&["a.example:PORT"], &[], &["10.0.0.7".parse().unwrap(), LOCAL]).await;
    let back = stage.connects("a.example", b"").await;
    assert!(back.starts_with(b"HTTP/1.1 403 "));
    assert_eq!(*stage.lookup.1.lock().unwrap(), 1);
    let stage = Stage::new(&["a.example:PORT"], &["a.example"], &[LOCAL, "10.0.0.7".parse().unwrap()]).await;
    let hello = first_message("a.example").unwrap();
    assert_eq!(stage.connects("a.example", &hello).await, [OPEN, &hello].concat());
    assert_eq!(*stage.lookup.1.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_plain_request_goes_with_its_body_and_nothing_after_it() {
    let stage = Stage::new(&["a.example:PORT"], &["a.example"], &[LOCAL]).await;
    let port = stage.server;
    let sent = format!("POST http://a.example:{port}/x HTTP/1.1\r\nContent-Length: 4\r\n\r\n");
    let carried = format!(
        "POST /x HTTP/1.1\r\nHost: a.example:{port}\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody"
    );
    let rest = b"dyGET / HTTP/1.1\r\nHost: b.example\r\n\r\n";
    let back = stage.says(&[sent.as_bytes(), b"bo", rest], carried.len()).await;
    assert_eq!(String::from_utf8(back).unwrap(), carried);
    let reached = stage.reached();
    assert_eq!((reached[0].bytes_out, reached[0].bytes_in), (carried.len() as u64, carried.len() as u64));
    let other = format!("GET http://a.example:{port}/ HTTP/1.1\r\nHost: b.example\r\n\r\n");
    let back = stage.says(&[other.as_bytes()], usize::MAX).await;
    assert!(back.starts_with(b"HTTP/1.1 403 "), "{}", String::from_utf8_lossy(&back));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_no_denial() {
    let stage = Stage::new(&["a.example:1"], &["a.example"], &[LOCAL]).await;
    let back = stage.says(&[b"CONNECT a.example:1 HTTP/1.1\r\n\r\n"], usize::MAX).await;
    assert!(back.starts_with(b"HTTP/1.1 502 "), "{}", String::from_utf8_lossy(&back));
    assert_eq!(stage.parts.refused.first_denial(), None);
}

#[tokio::test]
async fn it_ends_with_the_command_and_everything_it_carries() {
    let stage = Stage::new(&["a.example:PORT"], &["a.example"], &[LOCAL]).await;
    let (ours, theirs) = UnixStream::pair().unwrap();
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    send(&theirs, &listener);
    drop(listener);
    let proxy = HostProxy::start(ours, stage.parts.clone());
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("CONNECT a.example:{} HTTP/1.1\r\n\r\n", stage.server);
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.read_exact(&mut vec![0; OPEN.len()]).await.unwrap();
    drop(proxy);
    assert!(!matches!(stream.read(&mut [0; 8]).await, Ok(1..)), "the connection is closed");
    assert!(TcpStream::connect(address).await.is_err(), "nothing listens");
}

/// What the helper does, with a socket of the test's own.
fn send(socket: &UnixStream, listener: &std::net::TcpListener) {
    use std::os::fd::AsFd as _;

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let sockets = [listener.as_fd()];
    assert!(control.push(SendAncillaryMessage::ScmRights(&sockets)));
    sendmsg(socket, &[io::IoSlice::new(b"l")], &mut control, SendFlags::empty()).unwrap();
}

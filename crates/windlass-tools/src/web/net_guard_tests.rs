use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Mutex;

use super::*;

/// Answers a name with one list of addresses after the other, and counts the questions.
#[derive(Debug)]
struct Answers(Mutex<Vec<Vec<&'static str>>>);

impl Answers {
    fn new(answers: &[&[&'static str]]) -> Arc<Self> {
        Arc::new(Self(Mutex::new(answers.iter().map(|answer| answer.to_vec()).collect())))
    }

    fn left(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl AddressLookup for Answers {
    fn lookup<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let answer = self.0.lock().unwrap().remove(0);
        Box::pin(async move { Ok(answer.iter().map(|address| address.parse().unwrap()).collect()) })
    }
}

fn guard(allow: &[&str]) -> NetGuard {
    let allow = allow.iter().map(|host| host.parse().unwrap()).collect();
    NetGuard::new(allow, Answers::new(&[]))
}

fn judge(url: &str) -> Result<ClientChoice, GuardFailure> {
    let guard = guard(&[]);
    guard.judge(&guard.parse(url)?)
}

/// Everything that must not be reached, with the word that the refusal must have.
const REFUSED: &[(&str, &str)] = &[
    // Loopback, plainly and in every spelling of a number.
    ("http://127.0.0.1/", "loopback"),
    ("http://127.0.0.1:8080/", "loopback"),
    ("https://127.0.0.1/", "loopback"),
    ("http://127.1/", "loopback"),
    ("http://127.0.1/", "loopback"),
    ("http://127.255.255.255/", "loopback"),
    ("http://127.0.0.53/", "loopback"),
    ("http://2130706433/", "loopback"),
    ("http://2130706433:8080/", "loopback"),
    ("http://017700000001/", "loopback"),
    ("http://0x7f000001/", "loopback"),
    ("http://0X7F000001/", "loopback"),
    ("http://0x7f.1/", "loopback"),
    ("http://0x7f.0x0.0x0.0x1/", "loopback"),
    ("http://0177.0.0.1/", "loopback"),
    ("http://0177.0.0.01/", "loopback"),
    ("http://0177.1/", "loopback"),
    ("http://00000177.0.0.1/", "loopback"),
    ("http://0x7f.0.0.1/", "loopback"),
    ("http://127.0x0.0.1/", "loopback"),
    ("http://127.0.0.0x1/", "loopback"),
    ("http://127.0.00000.1/", "loopback"),
    ("http://127.65535/", "loopback"),
    ("http://0x7f.65535/", "loopback"),
    ("http://127.0.0.1./", "loopback"),
    ("http://2130706433./", "loopback"),
    ("http://0x7f.1./", "loopback"),
    ("http://%31%32%37.0.0.1/", "loopback"),
    ("http://127%2e0%2e0%2e1/", "loopback"),
    ("http://%6c%6f%63%61%6c%68%6f%73%74/", "this machine"),
    ("http://１２７.０.０.１/", "loopback"),
    ("http://127。0。0。1/", "loopback"),
    ("http://127．0．0．1/", "loopback"),
    ("http://①②⑦.⓪.⓪.①/", "loopback"),
    ("http://127.0.0.1\t/", "loopback"),
    ("ht\ntp://127.0.0.1/", "loopback"),
    ("  http://127.0.0.1/  ", "loopback"),
    ("http:\\\\127.0.0.1\\", "loopback"),
    ("http:/127.0.0.1/", "loopback"),
    ("http:127.0.0.1/", "loopback"),
    ("http:////127.0.0.1/", "loopback"),
    ("HTTP://127.0.0.1/", "loopback"),
    ("http://127.0.0.1?x", "loopback"),
    ("http://127.0.0.1#x", "loopback"),
    ("http://127.0.0.1:443/", "loopback"),
    ("http://127.0.0.1:/", "loopback"),
    ("http://127.0.0.1:00080/", "loopback"),
    ("http://[::1]/", "loopback"),
    ("http://[::1]:3000/", "loopback"),
    ("http://[0:0:0:0:0:0:0:1]/", "loopback"),
    ("http://[0000:0000:0000:0000:0000:0000:0000:0001]/", "loopback"),
    ("http://[::0001]/", "loopback"),
    ("http://[0::1]/", "loopback"),
    ("http://[::0.0.0.1]/", "loopback"),
    // Names of this machine and its network.
    ("http://localhost/", "this machine"),
    ("http://localhost:8080/", "this machine"),
    ("http://LOCALHOST/", "this machine"),
    ("http://LocalHost./", "this machine"),
    ("http://localhost../", "this machine"),
    ("http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "this machine"),
    ("http://ｌｏｃａｌｈｏｓｔ/", "this machine"),
    ("http://loc\u{ad}alhost/", "this machine"),
    ("http://foo.localhost/", "this machine"),
    ("http://a.b.localhost./", "this machine"),
    ("http://localhost.localdomain/", "this machine"),
    ("http://x.localdomain/", "this machine"),
    ("http://ip6-localhost/", "this machine"),
    ("http://ip6-loopback/", "this machine"),
    ("http://printer.local/", "this machine"),
    ("http://nas.local./", "this machine"),
    ("http://metadata/", "this machine"),
    ("http://metadata.google.internal/", "this machine"),
    ("http://metadata.google.internal./computeMetadata/v1/", "this machine"),
    ("http://METADATA.GOOGLE.INTERNAL/", "this machine"),
    ("http://instance-data.ec2.internal/", "this machine"),
    ("http://db.internal:8080/", "this machine"),
    ("http://wiki.intranet/", "this machine"),
    ("http://router.home.arpa/", "this machine"),
    // Unspecified.
    ("http://0.0.0.0/", "unspecified"),
    ("http://0.0.0.0:8080/", "unspecified"),
    ("http://0/", "unspecified"),
    ("http://0x0/", "unspecified"),
    ("http://00/", "unspecified"),
    ("http://0.1/", "unspecified"),
    ("http://0.1.2.3/", "unspecified"),
    ("http://[::]/", "unspecified"),
    ("http://[0:0:0:0:0:0:0:0]/", "unspecified"),
    ("http://[::0.0.0.0]/", "unspecified"),
    // Private.
    ("http://10.0.0.1/", "private"),
    ("http://10.255.255.255/", "private"),
    ("http://10.1/", "private"),
    ("http://167772161/", "private"),
    ("http://0xa000001/", "private"),
    ("http://012.0.0.1/", "private"),
    ("http://0xa.0.0.1/", "private"),
    ("http://172.16.0.1/", "private"),
    ("http://172.31.255.255/", "private"),
    ("http://172.20.10.1:8000/", "private"),
    ("http://0254.0x10.0.1/", "private"),
    ("http://2886729729/", "private"),
    ("http://192.168.0.1/", "private"),
    ("http://192.168.1.1:8443/", "private"),
    ("http://192.168.257/", "private"),
    ("http://3232235777/", "private"),
    ("http://0xc0a80101/", "private"),
    ("http://0300.0250.1.1/", "private"),
    ("http://[fc00::1]/", "private"),
    ("http://[fd12:3456:789a::1]/", "private"),
    ("http://[fdff:ffff::1]/", "private"),
    ("http://[fec0::1]/", "private"),
    ("http://[feff::1]/", "private"),
    // Link-local and metadata.
    ("http://169.254.0.1/", "link-local"),
    ("http://169.254.255.255/", "link-local"),
    ("http://169.254.170.2/v2/credentials", "link-local"),
    ("http://[fe80::1]/", "link-local"),
    ("http://[febf::1]/", "link-local"),
    ("http://[fe80::a9fe:a9fe]/", "link-local"),
    ("http://169.254.169.254/", "metadata"),
    ("http://169.254.169.254/latest/meta-data/iam/", "metadata"),
    ("http://169.254.169.254./", "metadata"),
    ("http://169.254.43518/", "metadata"),
    ("http://2852039166/", "metadata"),
    ("http://0xa9fea9fe/", "metadata"),
    ("http://0xa9.0xfe.0xa9.0xfe/", "metadata"),
    ("http://0251.0376.0251.0376/", "metadata"),
    ("http://025177524776/", "metadata"),
    ("http://100.100.100.200/", "metadata"),
    ("http://192.0.0.192/", "metadata"),
    ("http://168.63.129.16/", "metadata"),
    ("http://[fd00:ec2::254]/", "metadata"),
    // Carrier-grade NAT.
    ("http://100.64.0.1/", "carrier"),
    ("http://100.127.255.255/", "carrier"),
    ("http://1681915905/", "carrier"),
    // Multicast, broadcast and reserved.
    ("http://224.0.0.1/", "multicast"),
    ("http://239.255.255.250/", "multicast"),
    ("http://[ff02::1]/", "multicast"),
    ("http://[ff0e::1]/", "multicast"),
    ("http://240.0.0.1/", "reserved"),
    ("http://255.255.255.255/", "reserved"),
    ("http://4294967295/", "reserved"),
    ("http://0xffffffff/", "reserved"),
    ("http://192.0.0.1/", "reserved"),
    ("http://192.88.99.1/", "reserved"),
    ("http://[100::1]/", "reserved"),
    ("http://[200::1]/", "reserved"),
    ("http://[400::1]/", "reserved"),
    ("http://[4000::1]/", "reserved"),
    ("http://[5f00::1]/", "reserved"),
    ("http://[8000::1]/", "reserved"),
    ("http://[e000::1]/", "reserved"),
    ("http://[fe00::1]/", "reserved"),
    ("http://[2001:1::1]/", "reserved"),
    ("http://[2001:10::1]/", "reserved"),
    ("http://[2001:20::1]/", "reserved"),
    // Documentation and benchmarking.
    ("http://192.0.2.1/", "documentation"),
    ("http://198.51.100.7/", "documentation"),
    ("http://203.0.113.9/", "documentation"),
    ("http://[2001:db8::1]/", "documentation"),
    ("http://[3fff::1]/", "documentation"),
    ("http://[3fff:fff::1]/", "documentation"),
    ("http://198.18.0.1/", "benchmarking"),
    ("http://198.19.255.255/", "benchmarking"),
    ("http://[2001:2::1]/", "benchmarking"),
    // IPv4 inside IPv6, public or not.
    ("http://[::ffff:127.0.0.1]/", "IPv4-in-IPv6"),
    ("http://[::ffff:10.0.0.1]/", "IPv4-in-IPv6"),
    ("http://[::ffff:7f00:1]/", "IPv4-in-IPv6"),
    ("http://[::FFFF:A9FE:A9FE]/", "IPv4-in-IPv6"),
    ("http://[0:0:0:0:0:ffff:127.0.0.1]/", "IPv4-in-IPv6"),
    ("http://[::ffff:8.8.8.8]/", "IPv4-in-IPv6"),
    ("http://[::127.0.0.1]/", "IPv4-in-IPv6"),
    ("http://[::7f00:1]/", "IPv4-in-IPv6"),
    ("http://[::10.0.0.1]/", "IPv4-in-IPv6"),
    ("http://[::ffff:0:127.0.0.1]/", "IPv4-in-IPv6"),
    ("http://[::ffff:0:7f00:1]/", "IPv4-in-IPv6"),
    ("http://[64:ff9b::127.0.0.1]/", "IPv4-in-IPv6"),
    ("http://[64:ff9b::7f00:1]/", "IPv4-in-IPv6"),
    ("http://[64:ff9b:1::a00:1]/", "IPv4-in-IPv6"),
    ("http://[64:ff9b::8.8.8.8]/", "IPv4-in-IPv6"),
    ("http://[2002:7f00:1::]/", "IPv4-in-IPv6"),
    ("http://[2002:a00:1::1]/", "IPv4-in-IPv6"),
    ("http://[2002:c0a8:101::1]/", "IPv4-in-IPv6"),
    ("http://[2001:0:7f00:1::]/", "IPv4-in-IPv6"),
    ("http://[2001::1]/", "IPv4-in-IPv6"),
    // Credentials that look like a host, or hide one.
    ("http://example.com@127.0.0.1/", "user name"),
    ("http://user:pass@example.com/", "user name"),
    ("http://user@example.com/", "user name"),
    ("http://:pass@example.com/", "user name"),
    ("http://127.0.0.1@example.com/", "user name"),
    ("http://example.com%40@127.0.0.1/", "user name"),
    ("http://example.com:80@127.0.0.1:80/", "user name"),
    ("http://a@b@127.0.0.1/", "user name"),
    ("http://example.com\\@127.0.0.1/", ""),
    // Other protocols.
    ("file:///etc/passwd", "only http and https"),
    ("file://localhost/etc/passwd", "only http and https"),
    ("ftp://example.com/", "only http and https"),
    ("gopher://127.0.0.1:6379/_INFO", "only http and https"),
    ("dict://127.0.0.1:11211/", "only http and https"),
    ("ldap://example.com/", "only http and https"),
    ("data:text/html,<b>x", "only http and https"),
    ("javascript:alert(1)", "only http and https"),
    ("ws://example.com/", "only http and https"),
    ("blob:http://example.com/x", "only http and https"),
    ("view-source:http://example.com", "only http and https"),
    ("jar:http://example.com!/", "only http and https"),
    ("about:blank", "only http and https"),
    ("mailto:a@example.com", "only http and https"),
    // Ports of other protocols.
    ("http://example.com:22/", "port 22"),
    ("http://example.com:25/", "port 25"),
    ("http://example.com:53/", "port 53"),
    ("http://example.com:110/", "port 110"),
    ("http://example.com:445/", "port 445"),
    ("http://example.com:0/", "port 0"),
    ("http://example.com:1023/", "port 1023"),
    ("http://example.com:2375/", "port 2375"),
    ("http://example.com:3306/", "port 3306"),
    ("http://example.com:5432/", "port 5432"),
    ("http://example.com:6379/", "port 6379"),
    ("http://example.com:11211/", "port 11211"),
    ("http://example.com:27017/", "port 27017"),
];

const PASSED: &[&str] = &[
    "http://example.com/",
    "https://example.com/a?b=c#d",
    "https://EXAMPLE.com./",
    "https://example.com:8443/",
    "http://example.com:8080/",
    "https://bücher.example/",
    "https://xn--bcher-kva.example/",
    "http://8.8.8.8/",
    "http://134744072/",
    "http://1.1.1.1:3000/",
    "http://100.63.255.255/",
    "http://100.128.0.1/",
    "http://172.15.0.1/",
    "http://172.32.0.1/",
    "http://11.0.0.1/",
    "http://126.255.255.255/",
    "http://128.0.0.1/",
    "http://169.253.0.1/",
    "http://169.255.0.1/",
    "http://192.167.0.1/",
    "http://192.169.0.1/",
    "http://198.17.0.1/",
    "http://198.20.0.1/",
    "http://223.255.255.255/",
    "http://192.0.1.1/",
    "http://[2606:4700:4700::1111]/",
    "http://[2001:4860:4860::8888]/",
    "http://[2a00:1450::1]/",
    "http://localhost.example.com/",
    "http://notlocalhost/",
    "http://internal.example.com/",
    "https://127.0.0.1.example.com/",
];

/// What is no URL with a host at all.
const MALFORMED: &[&str] = &[
    "",
    " ",
    "example.com",
    "//example.com/",
    "/path",
    "http://",
    "http:///",
    "https://?x",
    "http://[::1/",
    "http://[::g]/",
    "http://[fe80::1%25eth0]/",
    "http://[::ffff:256.0.0.1]/",
    "http://1.2.3.4.5/",
    "http://256.256.256.256/",
    "http://4294967296/",
    "http://0x100000000/",
    "http://127.0.0.08/",
    "http://a b/",
    "http://exa<mple.com/",
    "http://example.com:65536/",
    "http://example.com:abc/",
    "http://example.com:-1/",
    "http://user@/",
    "http://%00/",
    "http://exam%2fple.com/",
    "http://127.0.0.1%00.example.com/",
];

#[test]
fn no_spelling_of_a_forbidden_address_passes() {
    for (url, reason) in REFUSED {
        match judge(url) {
            Err(GuardFailure::Refused(told)) => assert!(told.contains(reason), "{url}: {told}"),
            // This one means `http://example.com/@127.0.0.1/`, as in every browser.
            Ok(ClientChoice::Guarded) if url.contains("example.com\\@") => {}
            other => panic!("{url}: {other:?}"),
        }
    }
    for url in MALFORMED {
        let Err(GuardFailure::Malformed { .. }) = judge(url) else { panic!("{url}: {:?}", judge(url)) };
    }
    assert!(REFUSED.len() + MALFORMED.len() > 240);
}

#[test]
fn the_public_web_passes() {
    for url in PASSED {
        assert_eq!(judge(url), Ok(ClientChoice::Guarded), "{url}");
    }
}

#[test]
fn every_address_of_the_forbidden_ranges_is_forbidden_and_its_neighbours_are_not() {
    for (first, last, before, after) in [
        ("10.0.0.0", "10.255.255.255", Some("9.255.255.255"), Some("11.0.0.0")),
        ("127.0.0.0", "127.255.255.255", Some("126.255.255.255"), Some("128.0.0.0")),
        ("172.16.0.0", "172.31.255.255", Some("172.15.255.255"), Some("172.32.0.0")),
        ("192.168.0.0", "192.168.255.255", Some("192.167.255.255"), Some("192.169.0.0")),
        ("169.254.0.0", "169.254.255.255", Some("169.253.255.255"), Some("169.255.0.0")),
        ("100.64.0.0", "100.127.255.255", Some("100.63.255.255"), Some("100.128.0.0")),
        ("198.18.0.0", "198.19.255.255", Some("198.17.255.255"), Some("198.20.0.0")),
        ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
        ("224.0.0.0", "255.255.255.255", Some("223.255.255.255"), None),
    ] {
        let number = |text: &str| u32::from(text.parse::<Ipv4Addr>().unwrap());
        let is_forbidden = |number: u32| forbidden_class(IpAddr::V4(Ipv4Addr::from(number))).is_some();
        let (first, last) = (number(first), number(last));
        for step in 0..=1_000u32 {
            let within = first + ((u64::from(last - first) * u64::from(step)) / 1_000) as u32;
            assert!(is_forbidden(within), "{}", Ipv4Addr::from(within));
        }
        for neighbour in [before, after].into_iter().flatten() {
            assert!(!is_forbidden(number(neighbour)), "{neighbour}");
        }
    }
    for v4 in [Ipv4Addr::LOCALHOST, Ipv4Addr::new(8, 8, 8, 8)] {
        for v6 in [v4.to_ipv6_mapped(), v4.to_ipv6_compatible(), Ipv6Addr::LOCALHOST] {
            assert!(forbidden_class(IpAddr::V6(v6)).is_some(), "{v6}");
        }
    }
}

#[test]
fn an_allowed_host_passes_on_its_port_alone() {
    let guard = guard(&["127.0.0.1:8080", "intranet.example", "[::1]:9000", "Wiki.Local."]);
    let judge = |url: &str| guard.judge(&guard.parse(url).unwrap());
    for url in [
        "http://127.0.0.1:8080/",
        "http://2130706433:8080/",
        "http://intranet.example:22/",
        "http://[0::1]:9000/",
        "https://wiki.local/",
    ] {
        assert_eq!(judge(url), Ok(ClientChoice::Allowed), "{url}");
    }
    for url in [
        "http://127.0.0.1/",
        "http://127.0.0.1:8081/",
        "http://localhost:8080/",
        "http://[::1]/",
        "http://127.0.0.2:8080/",
    ] {
        assert!(judge(url).is_err(), "{url}");
    }
    assert!(judge("http://u@127.0.0.1:8080/").is_err());
    assert!(judge("ftp://intranet.example/").is_err());
}

#[test]
fn an_allow_entry_that_is_no_host_says_how_to_write_one() {
    for entry in ["", ":80", "http://x/", "a/b", "x:99999", "x:", "a b", "u@h", "::1"] {
        let error = entry.parse::<AllowedHost>().unwrap_err();
        assert!(error.to_string().contains("write 'name'"), "{entry}: {error}");
    }
}

#[tokio::test]
async fn one_bad_address_refuses_the_name() {
    for (addresses, is_good) in [
        (&["93.184.216.34"][..], true),
        (&["93.184.216.34", "2606:2800:220:1::1"], true),
        (&["93.184.216.34", "127.0.0.1"], false),
        (&["::ffff:10.0.0.1", "93.184.216.34"], false),
        (&["169.254.169.254"], false),
        (&[], false),
    ] {
        let guard = NetGuard::new(Vec::new(), Answers::new(&[addresses]));
        assert_eq!(guard.addresses("a.example").await.is_ok(), is_good, "{addresses:?}");
    }
}

#[tokio::test]
async fn a_name_that_turns_to_loopback_is_refused_when_it_does() {
    let answers = Answers::new(&[&["93.184.216.34"], &["127.0.0.1"]]);
    let guard = NetGuard::new(Vec::new(), Arc::clone(&answers) as Arc<dyn AddressLookup>);
    // Judging asks nobody: the only lookup is the one whose addresses are connected to.
    assert_eq!(guard.judge(&guard.parse("http://rebind.example/").unwrap()), Ok(ClientChoice::Guarded));
    assert_eq!(answers.left(), 2);
    assert_eq!(
        guard.addresses("rebind.example").await.unwrap(),
        ["93.184.216.34".parse::<IpAddr>().unwrap()]
    );
    let Err(GuardFailure::Refused(reason)) = guard.addresses("rebind.example").await else { panic!() };
    assert_eq!(reason, "'rebind.example' leads to 127.0.0.1, a loopback address");
    assert_eq!(answers.left(), 0);
}

#[test]
fn failures_tell_the_model_what_kind_they_are() {
    let kinds = [
        (judge("nonsense").unwrap_err(), "invalid_args"),
        (judge("http://127.0.0.1/").unwrap_err(), "permission_denied"),
        (GuardFailure::Unresolved { host: "x".into(), reason: "y".into() }, "io_error"),
    ];
    for (failure, kind) in kinds {
        let failure = ToolFailure::from(failure);
        assert_eq!(failure.kind.word(), kind);
        assert!(failure.hint.is_some());
    }
    assert!(judge(&format!("http://e.org/{}", "x".repeat(9_000))).unwrap_err().to_string().len() < 400);
}

use super::*;

fn limits() -> ServerLimits {
    let near_rate = Rate { per_second: 1_000, burst: 1_000 };
    ServerLimits { near_rate, far_rate: Rate { per_second: 2, burst: 3 }, ..ServerLimits::default() }
}

#[test]
fn a_client_that_asks_too_often_waits_and_others_do_not() {
    let (limiter, now) = (RateLimiter::new(&limits()), Instant::now());
    let (far, other, near) = ("10.0.0.1", "10.0.0.2", "127.0.0.1");
    let admit = |client: &str, now| limiter.admit(client.parse().unwrap(), now);
    for _ in 0..3 {
        assert!(admit(far, now).is_ok());
    }
    assert_eq!(admit(far, now).unwrap_err().kind(), ProblemKind::TooMany);
    assert!(admit(other, now).is_ok());
    assert!((0..1_000).all(|_| admit(near, now).is_ok()));
    let later = now + Duration::from_millis(500);
    assert!(admit(far, later).is_ok());
    assert!(admit(far, later).is_err());
}

#[test]
fn only_so_many_addresses_are_remembered() {
    let (limiter, now) = (RateLimiter::new(&limits()), Instant::now());
    let address = |number: usize| IpAddr::from(u32::try_from(0x0a00_0000 + number).unwrap().to_be_bytes());
    for number in 0..CLIENTS_MAX {
        assert!(limiter.admit(address(number), now).is_ok());
    }
    assert!(limiter.admit(address(CLIENTS_MAX), now).is_err());
    assert!(limiter.admit(address(CLIENTS_MAX), now + Duration::from_secs(5)).is_ok());
    assert_eq!(limiter.buckets.lock().unwrap().len(), 1);
}

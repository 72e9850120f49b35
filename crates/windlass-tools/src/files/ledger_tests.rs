use super::*;

#[test]
fn a_session_knows_only_what_it_saw_itself() {
    let ledger = ReadLedger::default();
    let (one, two) = (SessionId::from("one"), SessionId::from("two"));
    ledger.record(&one, Path::new("/p/a"), "1");
    ledger.record(&one, Path::new("/p/a"), "2");
    assert_eq!(ledger.last_seen(&one, Path::new("/p/a")).as_deref(), Some("2"));
    assert_eq!(ledger.last_seen(&two, Path::new("/p/a")), None);
    assert_eq!(ledger.last_seen(&one, Path::new("/q/a")), None);
}

#[test]
fn the_ledger_forgets_the_oldest_and_stays_bounded() {
    let ledger = ReadLedger::default();
    let session = SessionId::from("s");
    for number in 0..LEDGER_ENTRIES_MAX + 5 {
        ledger.record(&session, Path::new(&format!("/p/{number}")), "h");
    }
    assert_eq!(ledger.lock().hashes.len(), LEDGER_ENTRIES_MAX);
    assert_eq!(ledger.last_seen(&session, Path::new("/p/4")), None);
    assert!(ledger.last_seen(&session, Path::new("/p/5")).is_some());
}

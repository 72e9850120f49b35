use super::*;

const ONE: &str = "01a1df1f-f76a-748d-8b68-fbcf48d0a252";
const TWIN: &str = "01a1df1f-f76a-7f00-8b68-fbcf48d0a252";

#[test]
fn an_id_is_as_short_as_it_can_be_in_its_list() {
    assert_eq!(short(ONE, &[ONE, "01a1df20-0000-748d-8b68-fbcf48d0a252"]), "01a1df1f-f76a");
    assert_eq!(short(ONE, &[ONE, TWIN]), ONE);
    assert_eq!(short("my-own-session", &["my-own-session"]), "my-own-session");
}

#[test]
fn the_beginning_of_an_id_is_enough_if_it_is_the_only_one() {
    let pick = |wanted: &str| pick("run", wanted, vec![ONE, TWIN, "other"], |id| id);
    assert_eq!(pick("oth").unwrap(), Ok("other"));
    assert_eq!(pick("01a1df1f-f76a-74").unwrap(), Ok(ONE));
    assert_eq!(pick("x").unwrap().unwrap_err().len(), 3);
    assert_eq!(pick("").unwrap().unwrap_err().len(), 3);
    let complaint = pick("01a1").unwrap_err().to_string();
    assert!(complaint.contains("begins the ids of 2 runs") && complaint.contains(TWIN), "{complaint}");
}

#[test]
fn an_unknown_id_suggests_the_nearest() {
    let complaint =
        unknown("session", "my-sesion", ["my-session", "x"].into_iter(), "windlass sessions list");
    assert!(complaint.to_string().contains("did you mean 'my-session'?"), "{complaint}");
    let complaint = unknown("run", "zzz", std::iter::empty(), "windlass runs list");
    assert!(complaint.to_string().contains("try: windlass runs list"), "{complaint}");
}

#[test]
fn ages_are_for_people() {
    let now = 1_763_208_000_000;
    let ages = [0, 59_000, 61_000, 7_200_000, 172_800_000].map(|ago| age(now, now - ago));
    assert_eq!(ages, ["just now", "just now", "1 min ago", "2 h ago", "2025-11-13"]);
    // A clock that went back makes nothing older than now.
    assert_eq!(age(now, now + 5_000), "just now");
}

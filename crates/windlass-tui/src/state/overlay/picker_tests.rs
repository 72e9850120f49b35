use super::*;

fn picker() -> Picker {
    let row = |id: &str| PickerRow::new(id, format!("{id} label"), "");
    Picker::new(PickerKind::Models, "Models", vec![row("alpha"), row("beta").current(true), row("gamma")])
}

#[test]
fn the_row_that_holds_now_is_chosen_at_first_and_the_ends_hold() {
    let mut picker = picker();
    assert_eq!(picker.chosen_row().unwrap().id, "beta");
    picker.step(isize::MAX);
    assert_eq!(picker.chosen_row().unwrap().id, "gamma");
    picker.step(-100);
    assert_eq!(picker.chosen_row().unwrap().id, "alpha");
    picker.jump(true);
    assert_eq!(picker.chosen(), 2);
}

#[test]
fn a_filter_narrows_and_its_end_brings_all_rows_back() {
    let mut picker = picker();
    picker.set_filter("gam".into());
    assert_eq!(picker.fitting().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["gamma"]);
    picker.set_filter("zzz".into());
    assert!(picker.chosen_row().is_none());
    picker.step(1);
    picker.set_filter(String::new());
    assert_eq!(picker.fitting().len(), 3);
}

#[test]
fn rows_that_come_again_leave_the_chosen_one_chosen() {
    let mut picker = picker();
    picker.jump(true);
    let rows = picker.rows().iter().rev().cloned().collect();
    picker.set_rows(rows);
    assert_eq!(picker.chosen_row().unwrap().id, "gamma");
    picker.set_rows(vec![PickerRow::new("delta", "delta", "")]);
    assert_eq!(picker.chosen_row().unwrap().id, "delta");
}

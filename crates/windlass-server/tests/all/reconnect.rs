//! The reconnect matrix: a client drops after every single event and comes back with its last id.

use crate::client::{Client, id_of};
use crate::stage::Stage;

const TALK: &str = "user Go.\nmodel reasoning I should look.\nmodel text One two three four five.\n\
    model call 1 calculate {\"expression\":\"1+2\"}\nmodel call 2 get_file_tree {}\nmodel usage input=10 output=5\n\
    tool 1 ok 3\ntool 2 ok [\"a\"]\nmodel text Six seven eight.\nmodel call 3 calculate {\"expression\":\"2\"}\n\
    tool 3 fail not_found Nothing there\nmodel text Done.\n";

/// Reads a run by coming back after every event: as many events as `step` says are read each time.
async fn read_in_pieces(client: &Client, run: &str, step: usize) -> String {
    let (mut kept, mut last) = (String::new(), None);
    loop {
        let mut reading = client.events(run, last).await;
        if reading.status == 204 {
            return kept;
        }
        let mut unsure = String::new();
        let mut ids = 0;
        while let Some(frame) = reading.frame().await {
            unsure.push_str(&frame);
            if let Some(id) = id_of(&frame) {
                // What came after the last id is dropped: it comes again.
                kept.push_str(&std::mem::take(&mut unsure));
                last = Some(id);
                ids += 1;
                if ids == step {
                    break;
                }
            }
        }
        if ids == 0 && unsure.is_empty() {
            return kept;
        }
    }
}

/// Drops after every frame, durable or not.
async fn read_with_drops(client: &Client, run: &str, whole: &str) {
    let frames: Vec<&str> = whole.split_inclusive("\n\n").collect();
    for dropped_after in 1..=frames.len() {
        let mut reading = client.events(run, None).await;
        let (mut kept, mut unsure, mut last) = (String::new(), String::new(), None);
        for _ in 0..dropped_after {
            let frame = reading.frame().await.unwrap();
            unsure.push_str(&frame);
            if let Some(id) = id_of(&frame) {
                kept.push_str(&std::mem::take(&mut unsure));
                last = Some(id);
            }
        }
        drop(reading);
        let again = client.events(run, last).await;
        if again.status != 204 {
            kept.push_str(&again.rest().await);
        }
        assert_eq!(kept, whole, "dropped after frame {dropped_after}");
    }
}

#[tokio::test]
async fn dropping_after_every_single_event_loses_nothing_after_the_end() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    let whole = client.all_events(&run).await;
    read_with_drops(&client, &run, &whole).await;
    for step in 1..4 {
        assert_eq!(read_in_pieces(&client, &run, step).await, whole);
    }
}

#[tokio::test]
async fn dropping_after_every_single_event_loses_nothing_while_the_run_goes_on() {
    for step in 1..4 {
        let stage = Stage::new(TALK).await;
        let client = stage.client();
        let run = client.run().await;
        let pieces = read_in_pieces(&client, &run, step).await;
        assert_eq!(pieces, client.all_events(&run).await);
    }
}

#[tokio::test]
async fn two_clients_read_the_same_bytes_whatever_they_do() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    let (steady, restless, slow) =
        tokio::join!(client.all_events(&run), read_in_pieces(&client, &run, 1), read_slowly(&client, &run),);
    assert_eq!(steady, restless);
    assert_eq!(steady, slow);
}

/// Reads one frame at a time and lets others go first in between.
async fn read_slowly(client: &Client, run: &str) -> String {
    let mut reading = client.events(run, None).await;
    let mut all = String::new();
    while let Some(frame) = reading.frame().await {
        all.push_str(&frame);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    all
}

#[tokio::test]
async fn a_reader_that_does_not_read_holds_up_nobody_and_gets_all_in_the_end() {
    let words = "word ".repeat(40_000);
    let stage = Stage::new(&format!("chunk words\nuser Go.\nmodel text {words}\n")).await;
    let client = stage.client();
    let run = client.run().await;
    let stalled = client.events(&run, None).await;
    let whole = client.all_events(&run).await;
    assert!(whole.len() > 1_000_000);
    assert_eq!(stalled.rest().await, whole);
}

#[tokio::test]
async fn after_a_restart_the_stream_is_byte_for_byte_what_it_was() {
    let stage = Stage::new(TALK).await;
    let run = stage.client().run().await;
    let whole = stage.client().all_events(&run).await;
    let again = stage.restart().await;
    assert_eq!(again.client().all_events(&run).await, whole);
    read_with_drops(&again.client(), &run, &whole).await;
}

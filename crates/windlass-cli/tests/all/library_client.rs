//! The library's client against the server as it is shipped.

use windlass::core::ports::host::HostError;
use windlass::prelude::*;
use windlass::{Client, Sessions};

use crate::place::Place;
use crate::serve::Served;

const SCRIPT: &str = "user Hi\nmodel call 1 calculate {\"expression\":\"6*7\"}\nmodel end\nmodel text It is 42.\n\
                      user Again\nmodel text Once more.\n";
const TOKEN: &str = "0123456789abcdef-token";

fn connect(served: &Served, token: &str) -> Result<Client, WindlassError> {
    Client::connect_sync(&format!("http://{}", served.address()), token)
}

#[test]
fn a_program_speaks_in_a_session_of_the_server_and_finds_it_after_a_restart() {
    let place = Place::with(&[("a.script", SCRIPT), ("token", TOKEN)]);
    let served = Served::start(&place, &["--token-file", "token"]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let refused = connect(&served, "another-0123456789").err();
    assert!(matches!(refused, Some(WindlassError::Host(HostError::Unauthorised(_)))), "{refused:?}");
    let client = connect(&served, TOKEN).unwrap();
    let session = Sessions::session(&client, "ada");
    let answer = session.run_sync("Hi").unwrap();
    assert_eq!((answer.text.as_str(), answer.trace.tools.len()), ("It is 42.", 1));
    let id = runtime.block_on(session.id()).unwrap();
    served.stop();
    let gone = session.run_sync("Again").err();
    assert!(matches!(gone, Some(WindlassError::Host(HostError::Unreachable(_)))), "{gone:?}");

    let served = Served::start(&place, &["--token-file", "token"]);
    let session = connect(&served, TOKEN).unwrap().session("ada");
    assert_eq!(session.run_sync("Again").unwrap().text, "Once more.");
    assert_eq!(runtime.block_on(session.id()).unwrap(), id);
    assert_eq!(runtime.block_on(session.runs()).unwrap().len(), 2);
}

//! A provider on loopback that plays a part: five protocols, strict about requests, with every fault to order.
//!
//! Owns the server, what it records and the parts it can play. The part stands in the model's name
//! ([`VendorScript`]), the vendor whose manners are played in the first piece of the path, so one server serves
//! all cases of a test. It knows the vendors' documents and nothing of how Windlass speaks to them.

mod act;
mod fault;
mod history;
mod http;
mod ledger;
mod limits;
mod play;
mod script;
mod server;
mod taught;
mod wire;

pub use fault::VendorFault;
pub use ledger::{Connection, Received, RequestLedger};
pub use script::{VendorScript, VendorTool};
pub use server::ProviderServer;
pub use taught::{TaughtCall, TaughtStep};

//! Text as it is: cut, shown, compared, read as a shell line, with secrets taken out. Knows no event and no tool.
//!
//! - `cut`: cutting without breaking characters
//! - `visible`: showing what is hidden in a text; `markdown`: quoting what others wrote for people
//! - `redact`: taking secrets out; `secret`: a key that prints as `***` and is never serialised; `secret_files`: names of
//!   files that hold them; `address_password`: passwords in addresses
//! - `protected_paths`: names of files that other programs obey
//! - `nearest`: which known name was meant
//! - `shell`: shell lines as people and models write them: which programs they run, with which arguments
//! - `time`: how long, how long ago, when; `base64`: bytes in JSON

pub mod address_password;
pub mod base64;
mod cut;
pub mod markdown;
pub mod nearest;
pub mod protected_paths;
pub mod redact;
pub mod secret;
pub mod secret_files;
pub mod shell;
pub mod time;
mod visible;

pub use cut::{ShortText, cut_bytes, cut_chars, hex, json_bytes, json_short};
pub use visible::{is_hidden, visible, visible_line};

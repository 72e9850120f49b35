//! Commands: the tool `execute_command`; how commands are written for people and rules (`line`), how dangerous they look, how
//! they run, are captured and stop (`process`, `capture`), what `environment` they get, and what holds them (`confine`), and
//! which hosts they reach (`proxy`).

pub(crate) mod capture;
pub(crate) mod confine;
pub(crate) mod danger;
pub(crate) mod environment;
pub(crate) mod execute_command;
pub(crate) mod line;
pub(crate) mod process;
pub(crate) mod proxy;

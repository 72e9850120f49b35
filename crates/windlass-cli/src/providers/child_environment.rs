//! The variables of the programs that this process starts for its user: a browser, a keyring, a command that knows a key. What
//! commands of tools get, is the tools' own business.

use std::ffi::OsString;

use windlass_core::text::redact::Redactor;
use windlass_tools::Environment;

use crate::terminal::out::redactor;

/// Where the desktop of the user is, and how its session is reached: without these no browser opens and no keyring answers.
const DESKTOP: [&str; 14] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    "XDG_RUNTIME_DIR",
    "XDG_CURRENT_DESKTOP",
    "XDG_SESSION_TYPE",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "XDG_CACHE_HOME",
    "KDE_FULL_SESSION",
];

/// Where password managers keep what they know, and on which terminal they ask.
const KEY_STORES: [&str; 4] = ["GNUPGHOME", "GPG_TTY", "GPG_AGENT_INFO", "PASSWORD_STORE_DIR"];

type Variables = Vec<(OsString, OsString)>;

/// Those of a program of the desktop.
pub(crate) fn of_desktop_program() -> Variables {
    let named: Vec<String> = DESKTOP.map(str::to_owned).into();
    allowed(&named, &redactor())
}

/// Those of a command that knows a key. What the user named is given as it is: such a command may need a key to find another.
pub(crate) fn of_key_command(named: &[String]) -> Variables {
    let usual: Vec<String> = DESKTOP.into_iter().chain(KEY_STORES).map(str::to_owned).collect();
    let mut variables = allowed(&usual, &redactor());
    variables.extend(named.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?))));
    variables
}

fn allowed(named: &[String], secrets: &Redactor) -> Variables {
    let environment = Environment::allowed(std::env::vars_os(), named, secrets);
    environment.variables().map(|(name, value)| (name.clone(), value.clone())).collect()
}

//! Starts a command in its sandbox: from a thread of its own that is held first, since what is held is inherited and cannot be
//! taken back. The rest of the program stays free.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use windlass_core::permission::ConfinedBy;

use super::enter::{ENTER, ENTER_REACHING};
use super::plan::ConfinePlan;
use super::{bwrap, seatbelt};

/// Where programs are looked for when nobody says.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Keeps the thread that started a command: bubblewrap ends with the thread that is its parent.
pub(crate) struct ThreadLeash {
    _end: mpsc::Sender<()>,
}

/// The words that start a command as its plan says; `folder` is where it runs, open; `is_reaching` where there is a proxy for it.
pub(crate) fn words_of(
    plan: &ConfinePlan,
    words: &[String],
    folder: &std::fs::Metadata,
    is_reaching: bool,
) -> io::Result<Vec<OsString>> {
    let own = words.iter().map(OsString::from);
    Ok(match plan.by {
        ConfinedBy::Bubblewrap => {
            let program = plan.program.clone().ok_or_else(|| io::Error::other("bubblewrap is gone"))?;
            let place = format!("{}:{}", folder.dev(), folder.ino());
            let enter = if is_reaching { ENTER_REACHING } else { ENTER };
            let inside = [bwrap::helper(), enter.into(), place.into()].into_iter();
            // The helper has another place inside.
            let own = own.map(|word| if Path::new(&word) == plan.helper { bwrap::helper() } else { word });
            std::iter::once(program.into()).chain(bwrap::arguments(plan)).chain(inside).chain(own).collect()
        }
        ConfinedBy::Seatbelt => {
            let lead = [seatbelt::PROGRAM.into(), "-p".into(), seatbelt::profile(plan).into(), "--".into()];
            lead.into_iter().chain(own).collect()
        }
        ConfinedBy::Landlock | ConfinedBy::Nothing => own.collect(),
    })
}

/// Says what starting would say: inside, nobody could tell a program that is not there from one that fails.
pub(crate) fn find_program(name: &str, path: Option<OsString>, folder: &Path) -> io::Result<()> {
    let is_program = |path: &PathBuf| path.metadata().is_ok_and(|facts| facts.is_file());
    let found = match name.contains('/') {
        true => Some(folder.join(name)).filter(is_program),
        false => {
            let folders = path.unwrap_or_else(|| USUAL_PATH.into());
            let mut folders =
                folders.to_string_lossy().split(':').map(|place| folder.join(place)).collect::<Vec<_>>();
            folders.retain(|place| is_program(&place.join(name)));
            folders.first().map(|place| place.join(name))
        }
    };
    let found = found.ok_or(io::ErrorKind::NotFound)?;
    match found.metadata()?.permissions().mode() & 0o111 {
        0 => Err(io::ErrorKind::PermissionDenied.into()),
        _ => Ok(()),
    }
}

/// Starts a command from a thread that is held as the plan says.
pub(crate) async fn spawn_held(
    mut command: Command,
    plan: Arc<ConfinePlan>,
) -> io::Result<(Child, ThreadLeash)> {
    let runtime = Handle::current();
    let (started, outcome) = oneshot::channel();
    let (end, ended) = mpsc::channel();
    let start = move || {
        let child = hold_this_thread(&plan).and_then(|()| {
            let _entered = runtime.enter();
            command.spawn()
        });
        let runs = child.is_ok();
        if started.send(child).is_ok() && runs {
            // Nothing is ever sent: it ends when the leash is dropped.
            let _ = ended.recv();
        }
    };
    std::thread::Builder::new().name("held command".to_owned()).spawn(start)?;
    let child = outcome.await.map_err(|_| io::Error::other("the thread that starts commands broke"))??;
    Ok((child, ThreadLeash { _end: end }))
}

#[cfg(target_os = "linux")]
fn hold_this_thread(plan: &ConfinePlan) -> io::Result<()> {
    match plan.by {
        ConfinedBy::Bubblewrap => super::seccomp::hold_this_thread(plan.by),
        ConfinedBy::Landlock => {
            super::landlock::hold_this_thread(plan)?;
            super::seccomp::hold_this_thread(plan.by)
        }
        ConfinedBy::Seatbelt | ConfinedBy::Nothing => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn hold_this_thread(_: &ConfinePlan) -> io::Result<()> {
    Ok(())
}

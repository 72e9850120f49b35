//! What bubblewrap leaves behind: to lay something over a folder that does not exist, it must be made. Whoever is the last
//! to need such an empty folder takes it away again.
//!
//! Taking it away earlier would lift the cover in the sandboxes that still run, so all who need one hold the same lock.

use std::fs;
use std::fs::File;
use std::path::PathBuf;

use rustix::fs::{FlockOperation, flock};
use windlass_core::permission::ConfinedBy;

use super::plan::ConfinePlan;

/// Holds empty folders in place; takes them away when nobody needs them any more.
#[derive(Debug)]
pub(crate) struct MaskLease {
    /// The project, locked by all who have a command in it.
    folder: File,
    masks: Vec<PathBuf>,
}

impl MaskLease {
    /// None where the folder cannot be locked: then an empty folder stays behind, and nothing is lifted.
    pub(crate) fn of(plan: &ConfinePlan) -> Option<Self> {
        if plan.by != ConfinedBy::Bubblewrap {
            return None;
        }
        let (folder, masks) = (File::open(&plan.root).ok()?, plan.missing());
        flock(&folder, FlockOperation::NonBlockingLockShared).ok()?;
        for mask in &masks {
            // Made here, since inside not even root may write in a project of somebody else. It may be there already.
            let _ = fs::create_dir(mask);
        }
        Some(Self { folder, masks })
    }
}

impl Drop for MaskLease {
    fn drop(&mut self) {
        if flock(&self.folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
            for mask in &self.masks {
                // One with something in it is not ours any more.
                let _ = fs::remove_dir(mask);
            }
        }
    }
}

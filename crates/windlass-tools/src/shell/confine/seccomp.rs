//! Calls to the kernel that no confined command may make. Set on the thread that starts it, and inherited.
//!
//! It refuses, it does not kill: a program that can do without goes on.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};
use windlass_core::permission::ConfinedBy;

/// Looking into other processes, keys of the kernel, and ways around the filter itself: io_uring opens sockets without
/// a call that could be seen.
const REFUSED: [i64; 16] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_open_by_handle_at,
];

/// Sockets that reach this machine's own services: those of a path lie in folders that can be read, and Landlock does
/// not see them. Pairs of sockets, which programs use among themselves, are another call.
const LOCAL_FAMILIES: [i32; 3] = [libc::AF_UNIX, libc::AF_VSOCK, libc::AF_BLUETOOTH];

/// Sockets of the network, for Landlock, which knows ports of TCP alone.
const NETWORK_FAMILIES: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_PACKET];

/// The second set of numbers that x86 knows for the same calls.
#[cfg(target_arch = "x86_64")]
const OTHER_NUMBERS: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const OTHER_NUMBERS: Option<i64> = None;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<TargetArch> = Some(TargetArch::x86_64);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<TargetArch> = Some(TargetArch::aarch64);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCHITECTURE: Option<TargetArch> = None;

/// Holds this thread, and what it starts, for good.
pub(crate) fn hold_this_thread(by: ConfinedBy) -> io::Result<()> {
    apply_filter(&program(by)?).map_err(io::Error::other)
}

fn program(by: ConfinedBy) -> io::Result<BpfProgram> {
    let architecture = ARCHITECTURE.ok_or_else(|| io::Error::other("no filter for this processor"))?;
    let network = match by {
        ConfinedBy::Landlock => &NETWORK_FAMILIES[..],
        // There they are in a network of their own.
        ConfinedBy::Bubblewrap | ConfinedBy::Seatbelt | ConfinedBy::Nothing => &[],
    };
    let families: Vec<SeccompRule> =
        LOCAL_FAMILIES.iter().chain(network).map(|family| of_family(*family)).collect::<io::Result<_>>()?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for offset in [Some(0), OTHER_NUMBERS].into_iter().flatten() {
        rules.extend(REFUSED.iter().map(|call| (call + offset, Vec::new())));
        rules.insert(libc::SYS_socket + offset, families.clone());
    }
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture);
    filter.and_then(BpfProgram::try_from).map_err(io::Error::other)
}

fn of_family(family: i32) -> io::Result<SeccompRule> {
    let wanted = u64::from(family.unsigned_abs());
    let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, wanted);
    condition.and_then(|condition| SeccompRule::new(vec![condition])).map_err(io::Error::other)
}

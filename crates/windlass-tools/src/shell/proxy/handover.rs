//! The listener of the proxy goes from inside the sandbox to outside: a socket stays in the network that it was made in, so
//! Windlass accepts outside what programs inside connect to, and nothing stands in between.
//!
//! The way out is the input of the helper, which is a socket until the command begins and nothing then. Knows no HTTP.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::stdio::{dup2_stdin, stdin};
use tokio::io::Interest;

/// What goes with the listener: a message must have a byte.
const MARK: [u8; 1] = [b'l'];

/// What comes is not inherited by programs that are started meanwhile; other systems have no bubblewrap, so nothing comes there.
#[cfg(target_os = "linux")]
const KEPT_HERE: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const KEPT_HERE: RecvFlags = RecvFlags::empty();

/// Our end, and the input of the helper.
pub(crate) fn pair() -> io::Result<(UnixStream, Stdio)> {
    let (ours, theirs) = UnixStream::pair()?;
    Ok((ours, Stdio::from(OwnedFd::from(theirs))))
}

/// In the helper: makes the listener, hands it out, and closes what it was handed out by. Gives its port.
pub(crate) fn hand_over() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let sockets = [listener.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&sockets)) {
        return Err(io::Error::other("there is no room for one socket"));
    }
    sendmsg(stdin(), &[IoSlice::new(&MARK)], &mut control, SendFlags::empty())?;
    // Commands have no input.
    dup2_stdin(File::open("/dev/null")?)?;
    Ok(port)
}

/// Waits for the listener; what else comes is refused.
pub(crate) async fn receive(ours: UnixStream) -> io::Result<tokio::net::TcpListener> {
    ours.set_nonblocking(true)?;
    let ours = tokio::net::UnixStream::from_std(ours)?;
    let socket = loop {
        ours.readable().await?;
        match ours.try_io(Interest::READABLE, || receive_now(&ours)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            other => break other?,
        }
    };
    let listener = TcpListener::from(socket);
    if !listener.local_addr()?.ip().is_loopback() {
        return Err(io::Error::other("what came is no listener of the sandbox"));
    }
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

fn receive_now(ours: &tokio::net::UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut mark = [0_u8; 1];
    recvmsg(ours, &mut [IoSliceMut::new(&mut mark)], &mut control, KEPT_HERE)?;
    let sockets = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
        _ => None,
    });
    let mut sockets: Vec<OwnedFd> = sockets.collect();
    sockets.pop().ok_or_else(|| io::Error::other("the sandbox handed out no listener"))
}

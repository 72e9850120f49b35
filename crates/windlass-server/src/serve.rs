//! Connections: accepting them up to a bound, with small buffers, until the server is asked to stop.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::guard::ClientAddress;
use crate::limits::{CONNECTION_BUFFER_BYTES, CONNECTIONS_MAX, DRAIN_TIMEOUT, HEAD_TIMEOUT, HEADERS_MAX};
use crate::shutdown::Closing;
use crate::tls::TlsIdentity;

/// Serves until `shutdown` ends; then lets requests come to their end for a while. Streams end at once: their
/// readers come back with the number of their last event.
pub async fn serve(listener: TcpListener, app: Router, shutdown: impl Future<Output = ()>) -> io::Result<()> {
    serve_with(listener, None, app, shutdown).await
}

/// The same; with an identity, clients must speak TLS.
pub async fn serve_with(
    listener: TcpListener,
    tls: Option<TlsIdentity>,
    app: Router,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let (close, closing) = watch::channel(false);
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            // Finished connections are collected as others come; the set holds no more than the semaphore.
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = accept(&listener, &places) => {
                let (stream, peer, place) = accepted;
                let connection = connect(app.clone(), stream, tls.clone(), peer, Closing::new(closing.clone()));
                connections.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
        }
    }
    // At once: who connects from now on is refused, and waits in no queue that nobody serves.
    drop(listener);
    close.send_replace(true);
    let drained =
        tokio::time::timeout(DRAIN_TIMEOUT, async { while connections.join_next().await.is_some() {} });
    if drained.await.is_err() {
        tracing::warn!(connections = connections.len(), "connections were cut when the server stopped");
        connections.shutdown().await;
    }
    Ok(())
}

type Accepted = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection for which there is a place. Others wait in the listener's queue.
async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> Accepted {
    loop {
        // Nobody closes the semaphore: there is always a place to wait for.
        let Ok(place) = Arc::clone(places).acquire_owned().await else { std::future::pending().await };
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, place),
            Err(error) => {
                // Out of file descriptors, mostly: it passes when connections end.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}

async fn connect(
    app: Router,
    stream: TcpStream,
    tls: Option<TlsIdentity>,
    peer: SocketAddr,
    closing: Closing,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small chunks may be held back");
    }
    let Some(tls) = tls else { return converse(app, stream, peer, closing).await };
    match tokio::time::timeout(HEAD_TIMEOUT, tls.greet(stream)).await {
        Ok(Ok(stream)) => converse(app, stream, peer, closing).await,
        Ok(Err(error)) => tracing::debug!(%peer, %error, "a client does not speak TLS as the server does"),
        Err(_) => tracing::debug!(%peer, "a client was too slow to agree on TLS"),
    }
}

async fn converse(
    app: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    closing: Closing,
) {
    let service = TowerToHyperService::new(app);
    let heard = closing.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ClientAddress(peer));
        request.extensions_mut().insert(heard.clone());
        hyper::service::Service::call(&service, request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(CONNECTION_BUFFER_BYTES)
        .max_headers(HEADERS_MAX)
        // Small chunks are copied together: a queue of them would keep each one's memory until it is written.
        .writev(false)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing.wait() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection ended early");
    }
}

//! Trust in the folder of the server's project: what it brings is shown, and just what was shown is trusted.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Shown;
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::JsonBody;
use crate::folder_trust::{FolderTrustFault, FolderTrustPort, SeenFolder};
use crate::shown::show_whole;
use crate::state::ServerApp;

const TAG: &str = "trust";

/// What trust is, for the document.
const NOTES: &str = "It counts from the next start on: a server that runs keeps what it began with.";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/trust", look)
            .about(TAG, "What the folder of this server brings, and whether that is trusted")
            .answers("The folder as it is now.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::post("/api/trust", trust)
            .about(TAG, "Trust the folder of this server as it was shown")
            .notes(NOTES)
            .body::<TrustBody>()
            .answers("The folder, which is trusted.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::delete("/api/trust", revoke)
            .about(TAG, "Trust the folder of this server no longer")
            .notes(NOTES)
            .answers("The folder, which is not trusted.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "TrustWish")]
struct TrustBody {
    /// The digest of what was shown: nothing else is trusted.
    #[schemars(length(min = 1))]
    digest: String,
}

async fn look(State(app): State<ServerApp>) -> RouteResult<Shown<SeenFolder>> {
    at_folder(&app, |folder| folder.look()).await
}

async fn trust(
    State(app): State<ServerApp>,
    JsonBody(body): JsonBody<TrustBody>,
) -> RouteResult<Shown<SeenFolder>> {
    if body.digest.is_empty() {
        return Err(Problem::field("digest", "digest is that of GET /api/trust, of what was shown"));
    }
    at_folder(&app, move |folder| folder.trust(&body.digest)).await
}

async fn revoke(State(app): State<ServerApp>) -> RouteResult<Shown<SeenFolder>> {
    at_folder(&app, |folder| folder.revoke()).await
}

/// Does something with the folder beside the runtime: files are read and written.
async fn at_folder(
    app: &ServerApp,
    work: impl FnOnce(&dyn FolderTrustPort) -> Result<SeenFolder, FolderTrustFault> + Send + 'static,
) -> RouteResult<Shown<SeenFolder>> {
    let Some(folder) = app.config.trust.as_ref().map(Arc::clone) else {
        return Err(Problem::new(
            ProblemKind::Missing,
            "folder_not_found",
            "this server has no folder that could be trusted; windlass serve has one",
        ));
    };
    let done = tokio::task::spawn_blocking(move || work(&*folder)).await;
    let seen = done.unwrap_or_else(|error| Err(FolderTrustFault::Failed(error.to_string())));
    // Whole: what is hidden because it looks like a key is not what somebody says yes to.
    show_whole(app, &seen?)
}

impl From<FolderTrustFault> for Problem {
    fn from(fault: FolderTrustFault) -> Self {
        match fault {
            FolderTrustFault::Changed(said) => Problem::new(ProblemKind::Conflict, "folder_changed", said),
            FolderTrustFault::Untrustable(said) => {
                Problem::new(ProblemKind::Conflict, "folder_untrustable", said)
            }
            FolderTrustFault::NotTrusted(said) => {
                Problem::new(ProblemKind::Conflict, "folder_not_trusted", said)
            }
            FolderTrustFault::Failed(reason) => {
                tracing::error!(reason, "the folder's trust could not be read or written");
                Problem::new(ProblemKind::Broken, "internal", "internal error; the server's log has more")
            }
        }
    }
}

// Generated from schema/openapi.json by `npm run schema`. Do not edit.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_s_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_runs_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_compare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_tools_name"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/modules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_modules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/modules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_modules_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_permissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/saves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_saves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/saves/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The web app */
        get: operations["get_saves_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/favicon.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of the web app */
        get: operations["get_favicon_svg"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/manifest.webmanifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of the web app */
        get: operations["get_manifest_webmanifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A script, style or font of the app
         * @description Its name changes whenever its content does: it may be kept for good.
         */
        get: operations["get_assets_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server lives */
        get: operations["get_healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server can do its work */
        get: operations["get_readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts, for Prometheus */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["get_openapi_json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document, to read */
        get: operations["get_docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The script of that page */
        get: operations["get_docs_js"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/page.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The style of that page */
        get: operations["get_page_css"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a browser in
         * @description With the code of a link that `windlass serve` or `windlass token --link` prints, which works once, or with the token.
         */
        post: operations["post_api_sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions, newest first */
        get: operations["get_api_sessions"];
        put?: never;
        /** Begin a session */
        post: operations["post_api_sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session */
        get: operations["get_api_sessions_id"];
        put?: never;
        post?: never;
        /**
         * Forget a session
         * @description A run that goes on in it is cancelled first.
         */
        delete: operations["delete_api_sessions_id"];
        options?: never;
        head?: never;
        /**
         * Give a session another title, another mode or other settings
         * @description A mode holds for the next call that is judged, of a run that goes on too. Settings hold for runs that begin from now on, instead of all that were set before: `{}` sets nothing.
         */
        patch: operations["patch_api_sessions_id"];
        trace?: never;
    };
    "/api/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The task list of a session */
        get: operations["get_api_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run
         * @description Answers at once with the run's id, or with the run's events if `Accept` asks for an event stream. The run goes on when the connection ends, unless `cancel_on_disconnect` is set.
         */
        post: operations["post_api_sessions_id_runs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs, newest first */
        get: operations["get_api_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run */
        get: operations["get_api_runs_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The trace of a run
         * @description Every call with its arguments, outcome and duration, and every block of thinking.
         */
        get: operations["get_api_runs_id_trace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a run
         * @description What was done is kept. A run that has ended stays as it is.
         */
        post: operations["post_api_runs_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take up a run that stopped in the middle */
        post: operations["post_api_runs_id_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Copy a run up to a step into a new session, and go on there */
        post: operations["post_api_runs_id_fork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Play a run again from its record and compare */
        post: operations["post_api_runs_id_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/steps/{step}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The exact request and response of a model step
         * @description The request is made again from the record, as the run machine made it and as the model's adapter writes it, without key and headers. The system text and the descriptions of tools are not on record: those of today are shown. Where the record shows that something is another today, `problem` says what, and what is on record is still there.
         */
        get: operations["get_api_runs_id_steps_step"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The events of a run
         * @description Frames of `data: <json>`; durable events have an `id`. A reader that comes back sends the last id it saw, drops what it saw after that, and gets the rest: byte for byte what it would have got.
         */
        get: operations["get_api_runs_id_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The records of a session
         * @description All runs of the session, in the order in which it happened: durable records are enough to fold the session's view, deltas make it live. As an event stream, what is on record comes first, and then what happens, for as long as the session is there: frames of `data: <record>`, with an `id` for durable ones. A reader that comes back sends the last id it saw. The stream of a session that is forgotten ends with `event: deleted`.
         */
        get: operations["get_api_sessions_id_records"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/calls/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One call of a run
         * @description Whole, whatever a stream of records cut of it.
         */
        get: operations["get_api_runs_id_calls_call_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The questions of a run that wait for an answer */
        get: operations["get_api_runs_id_permissions"];
        put?: never;
        /**
         * Answer several questions
         * @description All are checked before the first is answered.
         */
        post: operations["post_api_runs_id_permissions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/permissions/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a question
         * @description `digest` is that of the question that was shown: the answer counts for exactly that.
         */
        post: operations["post_api_runs_id_permissions_call_id"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/edits/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an edit that the run has staged
         * @description `digest` is that of the edit that was shown. It is made only if the file is as it was then; rules that deny it still do. The session's model is told with its next message. Each edit of a run is approved for itself, in any order.
         */
        post: operations["post_api_runs_id_edits_call_id"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the folder of this server brings, and whether that is trusted */
        get: operations["get_api_trust"];
        put?: never;
        /**
         * Trust the folder of this server as it was shown
         * @description It counts from the next start on: a server that runs keeps what it began with.
         */
        post: operations["post_api_trust"];
        /**
         * Trust the folder of this server no longer
         * @description It counts from the next start on: a server that runs keeps what it began with.
         */
        delete: operations["delete_api_trust"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tools */
        get: operations["get_api_tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One tool */
        get: operations["get_api_tools_name"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tools/{name}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a tool
         * @description Through the same validation, permission and limits as a model's call. What needs asking is answered with 409 and the `question`; the same call with `approve` and the question's `digest` says that somebody looked at it. Rules that deny it still do.
         */
        post: operations["post_api_tools_name_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The rules that hold, and what sessions are granted */
        get: operations["get_api_policies"];
        put?: never;
        /** Store a rule */
        post: operations["post_api_policies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/policies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Forget a rule, or take a grant back */
        delete: operations["delete_api_policies_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/policies/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Which gate decides a call, and why */
        post: operations["post_api_policies_explain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/policies/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Decisions about calls, newest first
         * @description From the audit log: secrets are struck out and long values cut.
         */
        get: operations["get_api_policies_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The executors that are there */
        get: operations["get_api_executors"];
        put?: never;
        /**
         * Offer tools whose calls this client runs
         * @description The tools are those of every session from now on, until the executor says goodbye or was silent for `lease_s` seconds. No name may be that of another tool. Calls are validated, judged by rules, asked about and limited before the executor gets them; what it gives is text from outside.
         */
        post: operations["post_api_executors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executors/{id}/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wait for calls
         * @description Also the sign that the executor is there. `after` is what the last answer said, 0 or nothing at first: what came later is given again until it is named, so nothing is lost with a connection. One request at a time; a newer one ends an older one.
         */
        post: operations["post_api_executors_id_poll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executors/{id}/calls/{call}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a call
         * @description With `output`, or with `error`. A call takes one answer; one that was answered, cancelled or is out of time takes none, and nothing changes.
         */
        post: operations["post_api_executors_id_calls_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Say goodbye */
        delete: operations["delete_api_executors_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What this server is, and what holds where nobody chooses */
        get: operations["get_api_about"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Models that can be chosen */
        get: operations["get_api_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a model's endpoint what it can really do
         * @description Sends about twenty small requests and waits for them, minutes if need be; ends when the client goes away. What is found is kept, and the next session with that model obeys it.
         */
        post: operations["post_api_models_doctor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/modules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Modules, and files of modules that are wrong
         * @description A changed file is taken in while the server runs; one that is wrong is told here, and the version from before still counts.
         */
        get: operations["get_api_modules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/modules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One module with its signature */
        get: operations["get_api_modules_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/modules/{id}/prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a module would ask a model
         * @description Nothing is asked. To run the module, start a run whose `model` is that of the module and whose `message` is the inputs as a JSON object.
         */
        post: operations["post_api_modules_id_prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find code, notes and documents
         * @description Passages come best first, with what their scores are made of. While the index is built, the answer is made from what is there, and `indexing` says how far it is.
         */
        get: operations["get_api_search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/index": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the index of the project holds */
        get: operations["get_api_index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Documents and notes in the index */
        get: operations["get_api_documents"];
        put?: never;
        /**
         * Add or replace a document
         * @description Markdown, text, HTML or PDF, as the ending of its name says; either `text` or, for a PDF, `base64`. With a session, its own searches find it (`rag_search`); without one, searches in all documents do.
         */
        post: operations["post_api_documents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/documents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a document */
        delete: operations["delete_api_documents_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams an answer to a prompt
         * @description SSE v1.1 with the profile `studio`: every frame is `data: …` alone, and the id of one that can be come back to follows as a block of its own. The stream ends with exactly one `done`, also when the request is wrong or a key is missing. With `request_id` a client that comes back reads the same run on. What would need asking is denied, unless `approve` is `ask`. top_k, penalties, stop, logprobs and logit_bias are ignored.
         */
        get: operations["get_api_chat_stream"];
        put?: never;
        /**
         * Streams an answer to a prompt, with a body
         * @description SSE v1.1 with the profile `studio`: every frame is `data: …` alone, and the id of one that can be come back to follows as a block of its own. The stream ends with exactly one `done`, also when the request is wrong or a key is missing. With `request_id` a client that comes back reads the same run on. What would need asking is denied, unless `approve` is `ask`. top_k, penalties, stop, logprobs and logit_bias are ignored.
         */
        post: operations["post_api_chat_stream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Snapshots, newest first */
        get: operations["get_api_saves"];
        put?: never;
        /**
         * Keeps a snapshot
         * @description With `run_id`, the complete trace of that run is kept in `data.runTrace`.
         */
        post: operations["post_api_saves"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saves/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One snapshot */
        get: operations["get_api_saves_id"];
        put?: never;
        post?: never;
        /** Forgets a snapshot */
        delete: operations["delete_api_saves_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * One exchange of a chat
         * @description Modes `agent` and `work` use tools; with `tools_allowed: false` a keyword search stands in for them. Mode `auto` becomes `agent` when the message asks for something to be done. Exchanges are kept by `chat_id`. Closing the connection cancels.
         */
        post: operations["post_chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chat/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** One exchange of a chat, as it comes */
        post: operations["post_chat_stream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/chat/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels an exchange */
        post: operations["post_chat_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generate-image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Renders a picture */
        post: operations["post_generate_image"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answers, as OpenAI does
         * @description Without `tools`: a run with this server's tools; the caller sees the answer alone. With `tools`: one step of the model, whose calls are handed back. System messages at the beginning are added to the server's own system text. `profile` chooses the profile of a run. `n` above 1 is refused; penalties, logit_bias and logprobs are ignored.
         */
        post: operations["post_v1_chat_completions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Models, as OpenAI lists them */
        get: operations["get_v1_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One model */
        get: operations["get_v1_models_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description One of the two. */
        SignIn: {
            /** @description The code of a link. */
            code?: string | null;
            token?: string | null;
        };
        NewSession: {
            title?: string | null;
            /** @description A name that somebody outside knows it by; unique. */
            key?: string | null;
            profile?: ("default" | "edison" | "dspy" | "studio" | "ploke" | "zodo") | null;
            model?: string | null;
            origin?: ("api" | "web" | "tui" | "cli") | null;
            approve?: ("read_only" | "ask" | "edit" | "all" | "never" | "safe" | "edit_only" | "stage" | "stage_only") | null;
            settings?: components["schemas"]["SettingsWish"] | null;
        };
        SettingsWish: {
            /** @description What the model is told after the usual system text. */
            system?: string | null;
            /** @description What the model may do with tools until it has called one. */
            tool_choice?: (("auto" | "required" | "none") | {
                name: string;
            }) | null;
            reasoning_effort?: ("low" | "medium" | "high" | "auto") | null;
            temperature?: number | null;
            top_p?: number | null;
            /** @description Most tokens of one answer. */
            output_tokens_max?: number | null;
            seed?: number | null;
            /** @description The form of the answer, as OpenAI's field of that name says it; {"type": "text"} is plain text. */
            response_format?: {
                [key: string]: unknown;
            } | null;
        };
        SessionChange: {
            title?: string | null;
            approve?: ("read_only" | "ask" | "edit" | "all" | "never" | "safe" | "edit_only" | "stage" | "stage_only") | null;
            settings?: components["schemas"]["SettingsWish"] | null;
        };
        StartRun: {
            message: string;
            model?: string | null;
            profile?: ("default" | "edison" | "dspy" | "studio" | "ploke" | "zodo") | null;
            /** @description Only these tools. */
            tools?: string[] | null;
            tools_allowed?: boolean | null;
            /** @description Background for the message. */
            context?: string | null;
            /** @description Where the background was taken from: the answer cites it. */
            context_sources?: string[] | null;
            executes_while_streaming?: boolean | null;
            /** @description Pictures that come after the text. */
            images?: {
                media_type: string;
                url: string;
            }[] | null;
            /** @description What the model is told in a last step without tools, beside the usual. */
            finalize_hint?: string | null;
            steps_max?: number | null;
            /** @description Most calls of the run, where the profile allows more. */
            calls_max?: number | null;
            /** @description Most tokens of the run, those of all steps together, where the profile allows more. */
            tokens_max?: number | null;
            /**
             * @description Most US dollars of the run, where the profile allows more. Steps whose cost is not known are warned of and do not
             *     count.
             */
            cost_usd_max?: number | null;
            /**
             * @description How long the run may take, where the profile allows longer, not counting the time that questions wait for their
             *     answers.
             */
            run_timeout_ms?: number | null;
            /**
             * @description What the answer must be: one JSON value that fits the schema. One that does not is asked for once more; then the
             *     run fails.
             */
            form?: {
                /** @description What the value is called. */
                name: string;
                /** @description A JSON Schema of the value, which is complete in itself. */
                schema: {
                    [key: string]: unknown;
                };
            } | null;
            approve?: ("read_only" | "ask" | "edit" | "all" | "never" | "safe" | "edit_only" | "stage" | "stage_only") | null;
            /** @description What the model is told after the usual system text. */
            system?: string | null;
            /** @description What the model may do with tools until it has called one. */
            tool_choice?: (("auto" | "required" | "none") | {
                name: string;
            }) | null;
            reasoning_effort?: ("low" | "medium" | "high" | "auto") | null;
            temperature?: number | null;
            top_p?: number | null;
            /** @description Most tokens of one answer. */
            output_tokens_max?: number | null;
            seed?: number | null;
            /** @description The form of the answer, as OpenAI's field of that name says it; {"type": "text"} is plain text. */
            response_format?: {
                [key: string]: unknown;
            } | null;
        };
        ResumeRun: {
            /** @description Calls that may run again although nobody knows whether they happened. */
            retry?: string[] | null;
        };
        ForkRun: {
            /** @description The last step that is taken over; 0 for the message alone. */
            step: number;
            model?: string | null;
            /** @description Another message, with step 0. */
            message?: string | null;
            outcome?: {
                call_id: string;
                json: unknown;
            } | null;
        };
        PermissionAnswer: {
            /** @enum {string} */
            decision: "once" | "session" | "remember" | "deny";
            /** @description The rule to store with remember, if it is changed. */
            rule?: string | null;
            /** @description The word to type for a critical call. */
            confirmation?: string | null;
            /** @description The digest of the question that was shown. */
            digest: string;
            /** @description With deny: what the model is told to do instead. */
            message?: string | null;
        };
        PermissionAnswers: {
            answers: components["schemas"]["CallAnswer"][];
        };
        CallAnswer: {
            call_id: string;
            /** @enum {string} */
            decision: "once" | "session" | "remember" | "deny";
            /** @description The rule to store with remember, if it is changed. */
            rule?: string | null;
            /** @description The word to type for a critical call. */
            confirmation?: string | null;
            /** @description The digest of the question that was shown. */
            digest: string;
            /** @description With deny: what the model is told to do instead. */
            message?: string | null;
        };
        EditApproval: {
            /** @description The digest of the edit that was shown. */
            digest: string;
            /** @description The word to type for a critical edit. */
            confirmation?: string | null;
        };
        TrustWish: {
            /** @description The digest of what was shown: nothing else is trusted. */
            digest: string;
        };
        ToolCallWish: {
            arguments?: {
                [key: string]: unknown;
            } | null;
            session_id?: string | null;
            /** @description Somebody looked at it and wants it. */
            approve?: "once" | null;
            /** @description What was looked at: the digest of the question, or of the staged edit. */
            digest?: string | null;
            /** @description The word to type for a critical call. */
            confirmation?: string | null;
        };
        NewRule: {
            /** @enum {string} */
            effect: "allow" | "deny" | "ask";
            /**
             * @description It holds in the server's root, or in all with `everywhere ` in front.
             * @example read_file(src/**)
             */
            rule: string;
        };
        ExplainWish: {
            tool: string;
            arguments?: {
                [key: string]: unknown;
            } | null;
        };
        ExecutorOffer: {
            name: string;
            /** @description Seconds of silence after which it counts as gone; 30 unless given. */
            lease_s?: number | null;
            tools: components["schemas"]["OfferedTool"][];
        };
        OfferedTool: {
            name: string;
            /** @description What it does, for models. */
            description: string;
            /** @description The JSON Schema of its arguments; it takes none unless given. */
            schema?: {
                [key: string]: unknown;
            } | null;
            /** @description What a call may change; external unless given. */
            effects?: components["schemas"]["Effects"] | null;
            /** @description Medium unless given. */
            risk?: components["schemas"]["Risk"] | null;
            /** @description Whether the same call twice does no more than once. */
            idempotent?: boolean | null;
            /**
             * @description Whether its output is made of the arguments alone, with nothing in it that others wrote. Unless this is claimed, it
             *     is text from outside.
             */
            own_output?: boolean | null;
            /** @description The profile's unless given. */
            timeout_s?: number | null;
        };
        /**
         * @description What running a tool does to the world. Decides scheduling, caching and recovery.
         *
         *     - `pure`: Depends on its arguments alone.
         *     - `read`: Looks at the world, changes nothing.
         *     - `write`: Changes files or state on this machine.
         *     - `external`: Reaches beyond this machine, or cannot be judged.
         * @enum {string}
         */
        Effects: "pure" | "read" | "write" | "external";
        /**
         * @description How much harm a call can do; decides what is asked of the user when no rule speaks (Z-12).
         *
         *     - `safe`: Runs without asking.
         *     - `low`: Asked once a session.
         *     - `medium`: Asked each time.
         *     - `high`: Asked each time, with the full preview.
         *     - `critical`: Needs a typed confirmation.
         * @enum {string}
         */
        Risk: "safe" | "low" | "medium" | "high" | "critical";
        ExecutorPoll: {
            after?: number | null;
            wait_s?: number | null;
        };
        ExecutorAnswer: {
            output?: unknown;
            /** @description Why it failed, for the model. */
            error?: string | null;
            /**
             * @description The kinds of failure that an executor can know of; the others are for the host to say.
             * @enum {string|null}
             */
            kind?: "invalid_args" | "not_found" | "io_error" | "unavailable" | "internal" | null;
        };
        ModelExamination: {
            name: string;
        };
        ModuleInputs: {
            inputs: {
                [key: string]: unknown;
            };
        };
        NewDocument: {
            name: string;
            session_id?: string | null;
            text: string;
            base64?: null;
        } | {
            name: string;
            session_id?: string | null;
            base64: string;
            text?: null;
        };
        StudioChat: {
            prompt: string;
            system?: string | null;
            model?: string | null;
            provider?: string | null;
            request_id?: string | null;
        };
        NewSave: {
            title: string;
            kind?: ("system" | "user" | "prompt" | "state") | null;
            provider?: string | null;
            model?: string | null;
            /** @default {} */
            data: {
                [key: string]: unknown;
            };
            run_id?: string | null;
        };
        /** @description What a client sends. Fields that are not named here are ignored. */
        EdisonChat: {
            message: string;
            mode?: string | null;
            chat_id?: string | null;
            tools_allowed?: boolean | null;
            request_id?: string | null;
            model?: string | null;
        };
        EdisonPicture: {
            prompt: string;
        };
        OpenaiChatRequest: {
            model?: string | null;
            messages: {
                /** @enum {string} */
                role: "system" | "developer" | "user" | "assistant" | "tool";
            }[];
            stream?: boolean | null;
            profile?: string | null;
        };
        /** @description A problem as it is written (RFC 9457). */
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description Stable. */
            code: string;
            /** @description What was wrong, where, what to do. */
            detail: string;
            field?: string;
            /** @description What it is about: the id of what is missing, the run that goes on, who holds the session. */
            subject?: string;
            question?: components["schemas"]["Question"];
        };
        /** @description A question to the user: complete arguments, true risk, nothing cut (R-51). */
        Question: {
            call_id: components["schemas"]["CallId"];
            /** @description The tool. */
            tool: string;
            /** @description Complete arguments, as they will be used. */
            arguments: string;
            risk: components["schemas"]["Risk"];
            /** @description What it would touch. */
            targets?: components["schemas"]["Target"][];
            preview?: components["schemas"]["Preview"];
            /** @description The folder it would run in. */
            folder?: string;
            /** @description What its tool warns of, in words of the program alone. */
            caution?: string;
            sandbox?: components["schemas"]["Sandbox"];
            /** @description The rule that *remember* would store: the narrowest that covers the call. */
            rule: string;
            /** @description The word to type for a critical call. */
            confirm_word?: string;
            /**
             * @description What an answer must name: a digest over the run and everything that is asked. Empty in what nobody can answer,
             *     and in records that are older than it.
             */
            digest: string;
            /** @description Its place among the questions of its step, in call order, from 1. */
            position: number;
            /** @description How many questions its step is expected to have, as far as its calls are known: it may grow. */
            total: number;
            /**
             * @description Characters of known secret values in what is asked. Some make the question critical; what leaves the program has
             *     `***` in their place.
             */
            hidden_chars: number;
        };
        /** @description One call. Unique in its session, whatever the provider sent (R-36, R-54). */
        CallId: string;
        /** @description Something a call would touch, in canonical form: never as the model spelled it. */
        Target: {
            path: string;
        } | {
            host: string;
        } | {
            command: string;
        };
        /** @description What a call would do, for the eyes of the user. */
        Preview: components["schemas"]["DiffPreview"] | components["schemas"]["CommandPreview"] | components["schemas"]["TextPreview"];
        /** @description A unified diff of a file change. */
        DiffPreview: {
            /** @constant */
            kind: "diff";
            text: string;
        };
        /** @description The exact command, and nothing else. */
        CommandPreview: {
            /** @constant */
            kind: "command";
            text: string;
        };
        /** @description Anything else worth seeing. */
        TextPreview: {
            /** @constant */
            kind: "text";
            text: string;
        };
        /** @description What one command is held to. */
        Sandbox: {
            confinement: components["schemas"]["Confinement"];
            reach: components["schemas"]["Reach"];
            /** @description The hosts that it may reach, where it may reach some: `crates.io`, `*.crates.io`, `pypi.org:8443`. */
            hosts?: string[];
            by: components["schemas"]["ConfinedBy"];
            /** @description What is not held although one might think so, a line each. */
            not_held?: string[];
            /** @description All of it in one line, for people. */
            words: string;
            /** @description Whether the call itself asked to leave the sandbox that there is. */
            leaves?: boolean;
        };
        /**
         * @description What a command may write.
         *
         *     - `read_only`: Nothing but a temporary folder of its own.
         *     - `workspace_write`: The project, but not what other programs obey in it, and a temporary folder of its own.
         *     - `full`: Whatever the user may write.
         * @enum {string}
         */
        Confinement: "read_only" | "workspace_write" | "full";
        /**
         * @description What a command may reach beyond this machine, and of this machine's own servers.
         *
         *     - `none`: Nothing.
         *     - `hosts`: The hosts that the user named, over HTTP and TLS alone.
         *     - `all`: Whatever the user reaches.
         * @enum {string}
         */
        Reach: "none" | "hosts" | "all";
        /**
         * @description By what a command is held.
         *
         *     - `bubblewrap`: Namespaces of Linux, made by bubblewrap.
         *     - `landlock`: Landlock of the Linux kernel.
         *     - `seatbelt`: Seatbelt of macOS.
         *     - `nothing`: Nothing.
         * @enum {string}
         */
        ConfinedBy: "bubblewrap" | "landlock" | "seatbelt" | "nothing";
        /** @description A session, as lists show it. */
        Session: {
            session_id: components["schemas"]["SessionId"];
            /** @description What people call it; the first message until they call it something. */
            title: string;
            /** @description A name that somebody outside knows it by, unique if there is one: `edison:CHAT_ID`. */
            key?: string;
            /** @description The front end that began it: `cli`, `web`, `tui`, `api`, `openai`, `edison`, `studio`. */
            origin: string;
            /** @description The project root. */
            root: string;
            /** @description The profile of its runs. */
            profile: string;
            /** @description The model of its runs, unless a run wishes for another. */
            model: string;
            /**
             * @description How calls of its runs are approved that need asking, if not as the host has it.
             *
             *     - `read_only`: Nothing but reading runs; the rest is denied, whatever allows it.
             *     - `ask`: The user is asked.
             *     - `edit`: Edits of files in the project run; about the rest the user is asked.
             *     - `all`: Everything runs that no rule denies and that destroys nothing beyond the project.
             *     - `never`: It is denied: nobody is there to answer.
             *     - `safe`: Safe and low calls run; the rest is denied.
             *     - `edit_only`: Edits run; the rest is denied: nobody is there to answer.
             *     - `stage`: Edits are staged: nothing is written until the user approves it later. About the rest the user is asked.
             *     - `stage_only`: Edits are staged; the rest is denied: nobody is there to answer.
             * @enum {string}
             */
            approve: "read_only" | "ask" | "edit" | "all" | "never" | "safe" | "edit_only" | "stage" | "stage_only";
            settings?: components["schemas"]["Settings"];
            /** @description What was said before its first run (clients that bring their own history). */
            history?: components["schemas"]["Message"][];
            fork?: components["schemas"]["ForkPoint"];
            /** @description When it began. */
            created_ms: number;
            /** @description When something last happened in it. */
            updated_ms: number;
            /** @description The number of its newest record; 0 before the first. */
            last_seq: number;
            /** @description How many runs it has. */
            runs: number;
        };
        /** @description A conversation and its history. */
        SessionId: string;
        /** @description What is set for the runs of a session; what is not set is as the host has it. */
        Settings: {
            /** @description What the model is told after the usual system text. */
            system?: string;
            /** @description What the model may do with tools. */
            tool_choice?: ("auto" | "required" | "none") | {
                name: string;
            };
            /** @description Sampling temperature. */
            temperature?: number;
            /** @description Nucleus sampling. */
            top_p?: number;
            /** @description Most tokens of one answer. */
            output_tokens_max?: number;
            /**
             * @description `low`, `medium`, `high` or `auto`; reasoning is shown when it is set (S-25).
             * @enum {string}
             */
            reasoning_effort?: "low" | "medium" | "high" | "auto";
            /** @description For repeatable answers. */
            seed?: number;
            /** @description The form of the answer, as OpenAI's `response_format` says it; other wires translate it. */
            response_format?: {
                [key: string]: unknown;
            };
        };
        /** @description One entry of a transcript. */
        Message: components["schemas"]["UserMessage"] | components["schemas"]["AssistantMessage"] | components["schemas"]["ToolMessage"] | components["schemas"]["NoteMessage"];
        /** @description From the user. */
        UserMessage: {
            /** @constant */
            role: "user";
            /** @description What was said. */
            parts: components["schemas"]["Part"][];
        };
        /** @description From the model: text, reasoning and calls in the order in which they came. */
        AssistantMessage: {
            /** @constant */
            role: "assistant";
            /** @description What was said, thought and called. */
            parts: components["schemas"]["Part"][];
        };
        /** @description The outcome of one call, in the form the model sees. */
        ToolMessage: {
            /** @constant */
            role: "tool";
            call_id: components["schemas"]["CallId"];
            /** @description The provider's id of that call. */
            provider_id?: string;
            /** @description The tool's name: canonical if it could be resolved, else as the model wrote it. */
            name: string;
            /** @description The envelope of the profile, cut to its budget. */
            content: string;
            /** @description Whether the call worked. */
            is_ok: boolean;
            /** @description Whether the call could be read at all; one that could not is answered by a correction. */
            is_valid_call: boolean;
            label?: components["schemas"]["Label"];
        };
        /** @description A remark of the runtime to the model: corrections, limits, waiting approvals. */
        NoteMessage: {
            /** @constant */
            role: "note";
            /** @description The remark. */
            text: string;
        };
        /** @description A piece of a message. */
        Part: components["schemas"]["TextPart"] | components["schemas"]["ReasoningPart"] | components["schemas"]["CallPart"] | components["schemas"]["ImagePart"];
        /** @description Text. */
        TextPart: {
            /** @constant */
            type: "text";
            /** @description The text. */
            text: string;
        };
        /** @description Thinking, with whatever the provider needs to see again. */
        ReasoningPart: {
            /** @constant */
            type: "reasoning";
            /** @description Readable thinking; may be empty. */
            text: string;
            opaque?: unknown;
            /** @description The model that made it. */
            model?: string;
        };
        /** @description A call. */
        CallPart: {
            /** @constant */
            type: "call";
            id: components["schemas"]["CallId"];
            /** @description What the provider called it; goes back on its wire. */
            provider_id?: string;
            /** @description The step that asked, counted from 1. */
            step: number;
            /** @description Its place among the calls of that step, from 0. */
            index: number;
            /** @description The canonical name if it could be resolved, else as written. */
            name: string;
            /** @description Arguments as JSON text, as the model wrote them. */
            arguments: string;
            state?: components["schemas"]["ProviderState"];
        };
        /** @description A picture. */
        ImagePart: {
            /** @constant */
            type: "image";
            /** @description Its media type. */
            media_type: string;
            /** @description A `data:` or `https:` address. */
            url: string;
        };
        /**
         * @description Thinking of a model. `opaque` is the provider's own state (signatures, encrypted content):
         *     echoed byte for byte to the same model, dropped on another.
         */
        Reasoning: {
            /** @description Readable thinking; may be empty. */
            text: string;
            opaque?: unknown;
            /** @description The model that made it. */
            model?: string;
        };
        /**
         * @description State that a provider hangs on something a model made (signatures, item ids): echoed untouched to the
         *     same model, dropped on another.
         */
        ProviderState: {
            /** @description The model that made it, `provider/model`. */
            model: string;
            value: unknown;
        };
        /** @description One call of a run, with its identity: in the transcript, the trace and the events. */
        ToolCall: {
            id: components["schemas"]["CallId"];
            /** @description What the provider called it; goes back on its wire. */
            provider_id?: string;
            /** @description The step that asked, counted from 1. */
            step: number;
            /** @description Its place among the calls of that step, from 0. */
            index: number;
            /** @description The canonical name if it could be resolved, else as written. */
            name: string;
            /** @description Arguments as JSON text, as the model wrote them. */
            arguments: string;
            state?: components["schemas"]["ProviderState"];
        };
        /** @description What is known of a text: who wrote it, whether it may be told on, where it came from. */
        Label: {
            integrity: components["schemas"]["Integrity"];
            secrecy: components["schemas"]["Secrecy"];
            /** @description `web:HOST`, `file:PATH`, `command`, `tool:NAME` or `context`. */
            source: string;
        };
        /**
         * @description Who wrote a text.
         *
         *     - `user`: The user.
         *     - `own`: This program, from the arguments of the call alone.
         *     - `untrusted`: Anybody.
         * @enum {string}
         */
        Integrity: "user" | "own" | "untrusted";
        /**
         * @description Whether a text may leave the machine unseen.
         *
         *     - `public`: Others have it already.
         *     - `private`: It may be the user's alone.
         * @enum {string}
         */
        Secrecy: "public" | "private";
        /** @description Where a session was forked from. */
        ForkPoint: {
            session_id: components["schemas"]["SessionId"];
            run_id: components["schemas"]["RunId"];
            /** @description The last step that was taken over; 0 for the user's message alone. */
            step: number;
        };
        /** @description Everything from one user message to its end. */
        RunId: string;
        /** @description One entry of the task list. */
        Task: {
            /** @description `task_1`, `task_2`, … */
            task_id: string;
            status: components["schemas"]["TaskStatus"];
            /** @description What is to be done. */
            content: string;
        };
        /**
         * @description How far a task is.
         *
         *     - `pending`: Not begun.
         *     - `in_progress`: Being worked on.
         *     - `completed`: Done.
         * @enum {string}
         */
        TaskStatus: "pending" | "in_progress" | "completed";
        /** @description What a client needs to follow a run. */
        StartedRun: {
            run_id: components["schemas"]["RunId"];
            session_id: components["schemas"]["SessionId"];
            after_seq: number;
            events: string;
        };
        /** @description A run, as lists show it. */
        Run: {
            run_id: components["schemas"]["RunId"];
            session_id: components["schemas"]["SessionId"];
            /** @description What the user said, cut short. */
            message: string;
            /** @description The model that answers. */
            model: string;
            /** @description The profile. */
            profile: string;
            /** @description When it began. */
            started_ms: number;
            /** @description When it ended; nothing while it has not. */
            ended_ms?: number;
            outcome?: components["schemas"]["RunOutcome"];
            reason?: components["schemas"]["StopReason"];
            /** @description The number of its first record. */
            first_seq: number;
            /** @description The number of its newest record. */
            last_seq: number;
            /** @description Steps so far. */
            steps: number;
            /** @description Calls so far. */
            calls: number;
            /** @description Questions that wait for an answer. */
            questions: number;
            usage: components["schemas"]["Usage"];
        };
        /**
         * @description How a run ended.
         *
         *     - `completed`: The model answered.
         *     - `limit_reached`: A limit was reached; there is still an answer.
         *     - `cancelled`: The user stopped it.
         *     - `failed`: It could not go on.
         * @enum {string}
         */
        RunOutcome: "completed" | "limit_reached" | "cancelled" | "failed";
        /**
         * @description Why a run stopped: typed, on every run.
         *
         *     - `answered`: The model answered.
         *     - `steps_max`: Too many steps.
         *     - `calls_max`: Too many calls.
         *     - `tokens_max`: Too many tokens.
         *     - `cost_max`: It cost too much.
         *     - `bytes_max`: Too much output.
         *     - `deadline`: Out of time.
         *     - `repeated_call`: The same call again and again.
         *     - `correction_failed`: A bad call was not corrected.
         *     - `answer_cut`: The answer was cut by its length, also after a continuation.
         *     - `cancelled`: The user stopped it.
         *     - `model_failed`: The model failed.
         *     - `tool_failed`: A tool failed and the profile does not go on (`dspy`).
         *     - `journal_failed`: The journal failed: going on would lose what happened.
         *     - `interrupted`: The program stopped in the middle of the run, which could not be taken up again.
         * @enum {string}
         */
        StopReason: "answered" | "steps_max" | "calls_max" | "tokens_max" | "cost_max" | "bytes_max" | "deadline" | "repeated_call" | "correction_failed" | "answer_cut" | "cancelled" | "model_failed" | "tool_failed" | "journal_failed" | "interrupted";
        /** @description Token counts in one normal form: `input` includes cached, `output` includes reasoning. */
        Usage: {
            /** @description Tokens read. */
            input: number;
            /** @description Tokens written. */
            output: number;
            /** @description Tokens read from the provider's cache. */
            cached: number;
            /** @description Tokens of thinking. */
            reasoning: number;
            /** @description What it cost, where prices are known. */
            cost_usd?: number;
        };
        /** @description Everything worth keeping of a run. */
        RunTrace: {
            /** @description The run. */
            runId: string;
            /** @description The model that answered. */
            model: string;
            /** @description RFC 3339. */
            startedAt: string;
            /** @description RFC 3339; empty while it goes on. */
            endedAt: string;
            /** @description From start to end. */
            totalDurationMs: number;
            tokens: components["schemas"]["TraceTokens"];
            /** @description Every call, in the order in which they were asked for. */
            tools: components["schemas"]["ToolTrace"][];
            /** @description Every block of thinking (S-32). */
            reasoning: components["schemas"]["ReasoningBlock"][];
            /** @description Warnings, each once. */
            warnings: components["schemas"]["TraceWarning"][];
            /** @description What had to be changed, imitated or left out of requests. */
            adjustments: components["schemas"]["TraceAdjustment"][];
            /** @description Waits before a step was asked for again. */
            delays: components["schemas"]["TraceDelay"][];
            /** @description How it ended. */
            outcome: components["schemas"]["RunOutcome"] | null;
            /** @description Why it stopped. */
            stopReason: components["schemas"]["StopReason"] | null;
            /** @description The answer. */
            answer: string;
        };
        /** @description Token counts of a run. */
        TraceTokens: {
            /** @description Tokens read. */
            input: number;
            /** @description Tokens written. */
            output: number;
            /** @description Both. */
            total: number;
            /** @description What it cost. */
            costUsd: number | null;
        };
        /** @description One call of a run. */
        ToolTrace: {
            /** @description The call. */
            id: string;
            /** @description The tool. */
            name: string;
            /** @description The tool, for people: `read_file` is "Read file". */
            displayName: string;
            status: components["schemas"]["ToolStatus"];
            /** @description RFC 3339; when it was asked for, then when it started. */
            startedAt: string;
            /** @description RFC 3339. */
            endedAt: string;
            /** @description How long it took. */
            durationMs: number;
            parameters: unknown;
            /** @description One line of its outcome. */
            outputSummary: string;
            /** @description Sources it found. */
            links: components["schemas"]["Link"][];
            outputRaw: unknown;
            /** @description Why it failed. */
            error: components["schemas"]["TraceError"] | null;
            category: components["schemas"]["Category"];
            visibility: components["schemas"]["Visibility"];
            /** @description Calls that it made itself, in order. */
            inside?: components["schemas"]["InnerCall"][];
            /** @description Whether an earlier outcome was given again. */
            cached: boolean;
            /** @description Arguments that were dropped. */
            droppedArgs: string[];
            /** @description Noise that was taken off the arguments. */
            repairs: components["schemas"]["RepairNote"][];
            /** @description Who allowed it. */
            decision: string | null;
        };
        /**
         * @description How far a call is (S-31).
         *
         *     - `queued`: Asked for.
         *     - `running`: Runs.
         *     - `completed`: Worked.
         *     - `failed`: Did not work.
         * @enum {string}
         */
        ToolStatus: "queued" | "running" | "completed" | "failed";
        /** @description A source found by a call. */
        Link: {
            /** @description Its title; the name of a document. */
            title: string;
            /** @description Its address; empty where it is a document of the index, which has none. */
            url: string;
            /** @description A piece of its text. */
            snippet?: string;
        };
        /** @description Why a call failed. */
        TraceError: {
            /** @description What happened. */
            message: string;
            /** @description Which kind. */
            code: string;
        };
        /**
         * @description Where a front end files a tool (S-12).
         *
         *     - `search`: Finds things.
         *     - `utility`: Small computations.
         *     - `other`: Everything else.
         * @enum {string}
         */
        Category: "search" | "utility" | "other";
        /**
         * @description How prominently a front end shows a tool (S-12).
         *
         *     - `primary`: In the middle of the screen.
         *     - `secondary`: As a chip.
         *     - `hidden`: Only in the inspector.
         * @enum {string}
         */
        Visibility: "primary" | "secondary" | "hidden";
        /** @description A call that a running call made itself. */
        InnerCall: {
            /** @description The tool. */
            name: string;
            /** @description Complete arguments. */
            arguments: string;
            effects?: components["schemas"]["Effects"];
            status?: components["schemas"]["OutcomeStatus"];
            /** @description What it gave or why it failed, cut. */
            said: string;
            /** @description When it began. */
            started_ms: number;
            /** @description How long it took. */
            duration_ms: number;
            /** @description Who allowed it: the gate's word. */
            decision?: string;
            /** @description Calls that it made itself, in order. */
            inside?: components["schemas"]["InnerCall"][];
        };
        /**
         * @description How a call ended.
         *
         *     - `ok`: It gave an output.
         *     - `failed`: It failed.
         *     - `denied`: It was not allowed.
         *     - `staged`: It is an edit that awaits the user's approval.
         *     - `cancelled`: The run was cancelled.
         *     - `interrupted`: The process died while it ran.
         * @enum {string}
         */
        OutcomeStatus: "ok" | "failed" | "denied" | "staged" | "cancelled" | "interrupted";
        /**
         * @description One kind of change that a repair made.
         *
         *     - `byte_order_mark`: A byte order mark before the text was left out.
         *     - `think_prefix`: Reasoning before the text (`<think>…</think>`) was left out.
         *     - `code_fence`: The code fence around the JSON was left out.
         *     - `special_tokens`: Special tokens of a model's template (`<|tool_call_end|>`, `</tool_call>`) were left out.
         *     - `prose_around`: Sentences around the only object were left out.
         *     - `double_encoded`: The JSON was a string that held the object.
         *     - `trailing_comma`: A comma before a closing bracket was left out.
         *     - `comment`: Comments were left out.
         *     - `single_quotes`: Strings stood in single quotes.
         *     - `smart_quotes`: Strings stood in typographic quotes.
         *     - `unquoted_key`: Keys stood without quotes.
         *     - `literal_spelling`: `True`, `False` or `None` stood for `true`, `false` or `null`.
         *     - `raw_control`: Strings held line breaks or other control characters that were not escaped.
         *     - `number_spelling`: Numbers were spelled like `+3`, `.5` or `5.`.
         *     - `missing_comma`: A comma was put in.
         *     - `extra_close`: A closing bracket that closed nothing was left out.
         *     - `missing_close`: A closing bracket was put in.
         *     - `cut_short`: The text ended inside a string, or between a key and its value.
         *     - `bad_escape`: An escape that JSON does not know was taken as text.
         *     - `not_a_number`: `NaN` or `Infinity` became `null`.
         *     - `duplicate_key`: A key stood twice in an object; its last value was taken.
         *     - `rounded_number`: A number was rounded to one that can be kept.
         *     - `not_utf8`: Bytes that were no UTF-8 were replaced.
         * @enum {string}
         */
        RepairNote: "byte_order_mark" | "think_prefix" | "code_fence" | "special_tokens" | "prose_around" | "double_encoded" | "trailing_comma" | "comment" | "single_quotes" | "smart_quotes" | "unquoted_key" | "literal_spelling" | "raw_control" | "number_spelling" | "missing_comma" | "extra_close" | "missing_close" | "cut_short" | "bad_escape" | "not_a_number" | "duplicate_key" | "rounded_number" | "not_utf8";
        /** @description One block of thinking. */
        ReasoningBlock: {
            /** @description `reasoning_0`, `reasoning_1`, … */
            id: string;
            /** @description What was thought. */
            content: string;
            /** @description RFC 3339. */
            timestamp: string;
        };
        /** @description One warning. */
        TraceWarning: {
            code: components["schemas"]["WarningCode"];
            /** @description What happened. */
            message: string;
        };
        /**
         * @description Codes of warnings (interface §3).
         *
         *     - `TOOL_CLAMP`: Calls of a category were trimmed to its quota.
         *     - `MAX_STEPS`: The step limit was reached.
         *     - `MAX_CALLS`: The call limit was reached.
         *     - `REPEAT_CALL`: The same call came again.
         *     - `TRUNCATED`: Something was cut.
         *     - `DROPPED_ARGS`: Unknown arguments were dropped.
         *     - `NO_TOOL_SUPPORT`: The model cannot use tools.
         *     - `FINALIZE_REFUSED_CALL`: A call in the final step was refused.
         *     - `EMULATED`: Something that the provider cannot do is imitated.
         *     - `COST_UNKNOWN`: There is a budget of money, and what a step cost is not known.
         * @enum {string}
         */
        WarningCode: "TOOL_CLAMP" | "MAX_STEPS" | "MAX_CALLS" | "REPEAT_CALL" | "TRUNCATED" | "DROPPED_ARGS" | "NO_TOOL_SUPPORT" | "FINALIZE_REFUSED_CALL" | "EMULATED" | "COST_UNKNOWN";
        /** @description One change of a request. */
        TraceAdjustment: {
            /** @description The step whose request it was. */
            step: number;
            kind: components["schemas"]["NoticeKind"];
            /** @description The rule that asked for it. */
            rule: string;
            /** @description What was done and why. */
            message: string;
        };
        /**
         * @description What was done to a request.
         *
         *     - `healed`: The history was not legal for the provider and was made so.
         *     - `lowered`: A schema or a name was put into the provider's dialect with a loss.
         *     - `emulated`: Something that the provider cannot do is imitated, or left out.
         *     - `trimmed`: The history was too long and was shortened.
         * @enum {string}
         */
        NoticeKind: "healed" | "lowered" | "emulated" | "trimmed";
        /** @description One wait before a step was asked for again. */
        TraceDelay: {
            /** @description The step. */
            step: number;
            /** @description The try that was waited for. */
            attempt: number;
            /** @description How long about. */
            delayMs: number;
            /** @description The failure's stable word. */
            code: string;
            /** @description What had happened. */
            message: string;
            /** @description RFC 3339. */
            timestamp: string;
        };
        /** @description What a replay found. */
        ReplayReport: {
            run_id: components["schemas"]["RunId"];
            /** @description Durable records that came out the same. */
            same: number;
            divergence?: components["schemas"]["ReplayDivergence"];
        };
        /** @description Where a replay went another way. */
        ReplayDivergence: {
            /** @description The number of the record. */
            seq: number;
            /** @description What is on record. */
            recorded: string;
            /** @description What came out now. */
            replayed: string;
        };
        /** @description A model step. */
        StepReport: {
            /** @description Which step, from 1. */
            step: number;
            /** @description Every time the model was asked, oldest first. */
            attempts: components["schemas"]["StepAttempt"][];
            request?: components["schemas"]["AskedRequest"];
            wire?: components["schemas"]["WrittenRequest"];
            response?: components["schemas"]["StepResponse"];
            /** @description Why something of the request is missing, or may not be as it was. */
            problem?: string;
        };
        /** @description One try of a step. */
        StepAttempt: {
            /** @description Which, from 1. */
            attempt: number;
            purpose: components["schemas"]["StepPurpose"];
            /** @description When it began; the wait before it is part of it. */
            started_ms: number;
            /** @description When it was over; nothing while it is not. */
            ended_ms?: number;
            /** @description How long was waited before the model was asked. */
            delay_ms?: number;
            failure?: components["schemas"]["AttemptFailure"];
        };
        /**
         * @description Why a step is asked for.
         *
         *     - `work`: An ordinary step.
         *     - `correction`: The last step had a bad call; this one may correct it. Does not count as a step (E-33).
         *     - `continuation`: The last answer was cut by its length (R-63), or the model paused; go on with it.
         *     - `finalise`: The last word of a run that reached a limit: no tools.
         * @enum {string}
         */
        StepPurpose: "work" | "correction" | "continuation" | "finalise";
        /** @description Why a try came to nothing. */
        AttemptFailure: {
            /** @description The failure's stable word. */
            code: string;
            /** @description What happened. */
            message: string;
        };
        /** @description What was asked, as the run machine made it. */
        AskedRequest: {
            /** @description The system text. */
            system: string;
            /** @description The history that was shown. */
            messages: components["schemas"]["Message"][];
            /** @description Notes that belong to this request alone. */
            trailer: string[];
            /** @description The tools. */
            tools: components["schemas"]["Tool"][];
            tool_choice: components["schemas"]["ToolChoice"];
            sampling: components["schemas"]["Sampling"];
        };
        /** @description The declaration of a tool. */
        Tool: {
            /** @description Canonical name, `verb_noun`. */
            name: string;
            /** @description Other names a model may use for it. */
            aliases?: string[];
            /** @description What it does, for the model and for people. */
            description: string;
            /** @description JSON Schema (draft 2020-12) of the arguments; always an object schema. */
            schema: {
                [key: string]: unknown;
            };
            /** @description Other names for arguments: alias → canonical. */
            arg_aliases?: {
                [key: string]: string;
            };
            effects: components["schemas"]["Effects"];
            /** @description Whether sending the same call twice does no more than once. */
            idempotent: boolean;
            risk: components["schemas"]["Risk"];
            /** @description What it touches. */
            scopes?: components["schemas"]["Scope"][];
            category: components["schemas"]["Category"];
            visibility: components["schemas"]["Visibility"];
            /** @description Own limit for one call; the profile's otherwise. */
            timeout_ms?: number;
            /** @description Own limit for what the model sees of an outcome; the profile's otherwise. */
            result_chars_max?: number;
            /** @description Refuse unknown arguments instead of dropping and reporting them. */
            strict_args: boolean;
            /** @description Whether `ToolPort::inspect` has something to say (paths, hosts, commands, a preview). */
            inspected: boolean;
            /** @description Honest repetition, such as polling: the loop guard leaves it alone. */
            repeatable: boolean;
            /** @description Whether its output is text from outside that must never be taken for an instruction. */
            untrusted_output: boolean;
            /** @description Whether its output is made of the arguments alone, or of this program's own words: nothing of others is in it. */
            own_output?: boolean;
            /** @description Example arguments, for help and for the model. */
            examples?: unknown[];
            /** @description The executor of a user's own that runs it; nothing where this program does. */
            executor?: string;
        };
        /**
         * @description Which part of the machine a tool touches.
         *
         *     - `read_files`: Reads files below the root.
         *     - `write_files`: Writes files below the root.
         *     - `execute_commands`: Starts processes.
         *     - `network_access`: Talks to other hosts.
         *     - `system_info`: Looks at the machine itself.
         *     - `task_management`: Keeps the task list.
         * @enum {string}
         */
        Scope: "read_files" | "write_files" | "execute_commands" | "network_access" | "system_info" | "task_management";
        /**
         * @description What a model may do with tools in a step.
         *
         *     - `auto`: As it likes.
         *     - `required`: It must call one.
         *     - `forbidden`: It must call none.
         */
        ToolChoice: ("auto" | "required" | "forbidden") | {
            named: string;
        };
        /** @description Wishes that go to the provider as they are. */
        Sampling: {
            /** @description Sampling temperature. */
            temperature?: number;
            /** @description Nucleus sampling. */
            top_p?: number;
            /** @description Most tokens of one answer. */
            output_tokens_max?: number;
            /** @description `low`, `medium`, `high` or `auto`; reasoning is shown when it is set (S-25). */
            reasoning_effort?: string;
            /** @description For repeatable answers. */
            seed?: number;
            response_format?: unknown;
        };
        /** @description A request as it goes over a wire, without key and headers. */
        WrittenRequest: {
            /** @description The method. */
            method: string;
            /** @description The address, without anything secret. */
            url: string;
            body: unknown;
        };
        /** @description What a step gave. */
        StepResponse: {
            message: components["schemas"]["Message"];
            finish: components["schemas"]["Finish"];
            usage?: components["schemas"]["Usage"];
        };
        /**
         * @description Why a model stopped. Never trusted alone: calls present are calls (providers lie).
         *
         *     - `stop`: It was done.
         *     - `calls`: It wants calls answered.
         *     - `length`: It ran out of tokens.
         *     - `paused`: It paused in the middle and goes on when it is asked again with what it said so far.
         *     - `filtered`: The provider withheld the rest.
         */
        Finish: ("stop" | "calls" | "length" | "paused" | "filtered") | {
            other: string;
        };
        /** @description A record as it is shown, in JSON: its events have a document of their own. */
        Record: {
            seq: number;
            ts_ms: number;
            session_id: string;
            run_id: string;
            parent_id: string;
            /** @description What happened; `schema/events.schema.json` has every kind. */
            event: {
                type: string;
            };
            clipped?: boolean;
        };
        /** @description A call and all that is on record of it. */
        ShownCall: {
            call: components["schemas"]["ToolCall"];
            category: components["schemas"]["Category"];
            visibility: components["schemas"]["Visibility"];
            requested_ms: number;
            started_ms?: number;
            ended_ms?: number;
            question?: components["schemas"]["Question"];
            decision?: components["schemas"]["Decided"];
            /** @description The gate that let it run. */
            allowed_by?: string;
            outcome?: components["schemas"]["ToolOutcome"];
            message?: components["schemas"]["Message"];
            /** @description Calls that it made itself. */
            inside?: components["schemas"]["InnerCall"][];
        };
        /** @description What somebody or some rule decided. */
        Decided: {
            decision: components["schemas"]["Decision"];
            by: string;
            rule?: string;
            problem?: string;
            denied_by?: components["schemas"]["DeniedBy"];
            message?: string;
        };
        /**
         * @description What the user decided (Z-13).
         *
         *     - `once`: This call only.
         *     - `session`: Until the session ends.
         *     - `remember`: Stored as a rule.
         *     - `deny`: Not at all.
         * @enum {string}
         */
        Decision: "once" | "session" | "remember" | "deny";
        /**
         * @description Who denied a call.
         *
         *     - `user`: The user, asked about this call.
         *     - `rule`: A rule.
         *     - `mode`: How the run is approved: the call needs asking, and nobody is asked.
         *     - `limit`: A limit: of the run, of the request, or of what the tool may touch.
         * @enum {string}
         */
        DeniedBy: "user" | "rule" | "mode" | "limit";
        /** @description What a call gave: exactly one for every call, whatever happened to it. */
        ToolOutcome: {
            body: components["schemas"]["OutcomeBody"];
            meta: components["schemas"]["OutcomeMeta"];
        };
        OutcomeBody: {
            Ok: components["schemas"]["ToolOutput"];
        } | {
            Err: components["schemas"]["ToolFailure"];
        };
        /** @description What a tool returns when it succeeds: JSON for machines, text for readers. */
        ToolOutput: {
            json: unknown;
            /** @description A text form for models and people; the JSON itself when absent. */
            text?: string;
            /** @description Sources that an answer can cite. */
            links?: components["schemas"]["Link"][];
            /** @description The 900-character summary of text dialects (E-26…E-29), made by the tool's renderer. */
            summary?: string;
            /** @description Whether the tool cut its own output to a limit. */
            is_truncated: boolean;
        };
        /**
         * @description A failed call: `message` is for model and user alike, `hint` tells the model what to do next,
         *     `detail` is for the operator's log and leaves the process nowhere else.
         */
        ToolFailure: {
            kind: components["schemas"]["ErrorKind"];
            /** @description What was wrong, where. */
            message: string;
            /** @description The argument at fault. */
            field?: string;
            /** @description What was expected there. */
            expected?: string;
            /** @description What was there instead, cut short. */
            received?: string;
            /** @description What to do. */
            hint?: string;
            denied_by?: components["schemas"]["DeniedBy"];
        };
        /**
         * @description The kinds of failure (requirements §6.2).
         *
         *     - `unknown_tool`: No such tool.
         *     - `invalid_args`: An argument is missing, of the wrong type or out of bounds.
         *     - `parse_error`: The arguments are not JSON.
         *     - `not_found`: The thing asked for does not exist.
         *     - `io_error`: The file system or the network failed.
         *     - `permission_denied`: The user, a rule or the run forbids it.
         *     - `sandbox_denied`: The sandbox around a command probably held it back.
         *     - `timeout`: It took too long and was stopped.
         *     - `cancelled`: The run was cancelled.
         *     - `limit_exceeded`: A limit of the run was reached.
         *     - `unavailable`: The back end is missing or not set up.
         *     - `interrupted`: It was running when the process died; whether it happened is not known.
         *     - `internal`: A fault of the tool itself.
         * @enum {string}
         */
        ErrorKind: "unknown_tool" | "invalid_args" | "parse_error" | "not_found" | "io_error" | "permission_denied" | "sandbox_denied" | "timeout" | "cancelled" | "limit_exceeded" | "unavailable" | "interrupted" | "internal";
        /** @description Facts about the running of a call. */
        OutcomeMeta: {
            /** @description When it started (or was refused). */
            started_ms: number;
            /** @description How long it took. */
            duration_ms: number;
            /** @description Size of the readable output. */
            output_bytes: number;
            /** @description Whether the model sees only a part. */
            is_truncated: boolean;
            /** @description Whether an earlier outcome was given again. */
            is_cached: boolean;
            /** @description Which try it was, from 1. */
            attempt: number;
            /** @description Arguments that were dropped (E-16). */
            dropped_args?: string[];
            /** @description Noise that was taken off the arguments before they could be read. */
            repairs?: components["schemas"]["RepairNote"][];
            /** @description Who allowed it: the gate's word. */
            decision?: string;
            /** @description The handle under which the whole output can be read. */
            result_ref?: string;
            trust: components["schemas"]["Trust"];
            label?: components["schemas"]["Label"];
            sandbox?: components["schemas"]["Sandbox"];
            proposal?: components["schemas"]["Question"];
            /**
             * @description Hosts that it has sent something to, those of calls inside it among them. A call that was cut off with the program has
             *     none on record, but that it began.
             */
            reached?: components["schemas"]["ReachedHost"][];
            /**
             * @description Calls that it made itself: in journals from before these had records of their own, and in the answer to a call
             *     from outside, of which there is no journal.
             */
            inside?: components["schemas"]["InnerCall"][];
        };
        /**
         * @description Where an output came from: untrusted text is never taken for an instruction.
         *
         *     - `own`: Made by this program.
         *     - `untrusted`: From outside: web pages, files, other programs.
         * @enum {string}
         */
        Trust: "own" | "untrusted";
        /** @description A host that a call has sent something to. */
        ReachedHost: {
            /** @description Its name and port, as the address of the request had it. */
            host: string;
            /** @description The address that was connected to; nothing where no answer came. */
            address?: string;
            /** @description Requests that were sent to it. */
            requests: number;
            /** @description Bytes of these: lines, headers that the tool wrote, bodies. */
            bytes_out: number;
            /** @description Bytes of bodies that were read. */
            bytes_in: number;
        };
        /** @description What a call gave. */
        ToolAnswer: {
            status: components["schemas"]["OutcomeStatus"];
            /** @description The envelope of the profile, as a model would see it. */
            content: string;
            duration_ms: number;
            outcome: components["schemas"]["ToolOutcome"];
            result?: unknown;
            /** @description Why a call failed. */
            error?: {
                kind: components["schemas"]["ErrorKind"];
                message: string;
                hint: string | null;
                field: string | null;
                expected: string | null;
                received: string | null;
            };
        };
        /** @description A folder, what it brings, and whether that is trusted. */
        FolderTrust: {
            /** @description The folder of the server's project. */
            root: string;
            /**
             * @description Whether what a folder brings is trusted.
             *
             *     - `untrusted`: It was never trusted, or is trusted no longer.
             *     - `changed`: It was trusted with other contents.
             *     - `unreadable`: It cannot be read as a whole.
             * @enum {string}
             */
            state: "trusted" | "untrusted" | "changed" | "unreadable";
            /** @description What is other now than when it was trusted, file by file. */
            changes?: string[];
            /** @description Why it cannot be read as a whole, and so not be trusted. */
            reason?: string;
            /** @description Whether it brings something that counts only with trust, and can be trusted. */
            can_be_trusted: boolean;
            /** @description Of everything that it brings: who trusts it says which contents they were shown. */
            digest: string;
            /** @description That trust, or its end, counts from the next start on, where this server began otherwise. */
            notice?: string;
            /** @description Settings that count only with trust. */
            settings: {
                name: string;
                value: string;
            }[];
            files: {
                /** @description Its path below the folder. */
                name: string;
                /** @description `module`, `tool` or `file`. */
                kind: string;
                bytes: number;
                /** @description Its first lines, each cut where it is long, with everything in them visible. */
                lines: string[];
                /** @description How many lines come after them. */
                more_lines: number;
            }[];
            /** @description All folders that are trusted on the server's machine. */
            trusted: {
                root: string;
                trusted_ms: number;
            }[];
        };
        Rule: {
            id: string;
            effect: components["schemas"]["RuleEffect"];
            rule: string;
            created_ms: number;
            source: components["schemas"]["RuleSource"];
            session_id?: components["schemas"]["SessionId"];
            /** @description The project root that it belongs to; a stored rule without one holds everywhere. */
            root?: string;
        };
        /**
         * @description What a rule does.
         *
         *     - `allow`: Lets a call run without asking.
         *     - `ask`: Asks each time, whatever allows it; only a grant of this session is stronger.
         *     - `deny`: Refuses a call, whatever else allows it.
         * @enum {string}
         */
        RuleEffect: "allow" | "ask" | "deny";
        /**
         * @description Where a rule comes from.
         *
         *     - `user`: The user's own file.
         *     - `project`: The project's file: can tighten, never loosen.
         *     - `flag`: The command line of this run.
         *     - `grant`: An answer given in a session: ends with it, and with the program that runs it.
         * @enum {string}
         */
        RuleSource: "user" | "project" | "flag" | "grant";
        /** @description What one gate says. */
        Gate: {
            /** @description The gate's word. */
            gate: string;
            /**
             * @description `silent`, `allow`, `ask`, `stage` or `deny`.
             * @enum {string}
             */
            opinion: "silent" | "allow" | "ask" | "stage" | "deny";
            /** @description Why. */
            reason: string;
            /** @description Whether it is the one that decides. */
            decides: boolean;
        };
        /** @description One decision; `Display` is its line. */
        AuditEntry: {
            ts_ms: number;
            decision: components["schemas"]["AuditDecision"];
            /** @description The tool, as far as it is known. */
            tool: string;
            /** @description Why, or by whom. */
            reason: string;
            /** @description The user who was there, where users have names. */
            user?: string;
            /** @description Arguments as JSON text: secrets struck out, long values cut. */
            args: string;
        };
        /**
         * @description What was decided, in the log's words.
         *
         *     - `user_approved`: The user let it run.
         *     - `denied_by_policy`: A gate or rule refused it.
         *     - `denied_by_user`: The user refused it.
         *     - `failed_validation`: It never came to the gates: unknown, unreadable or wrong.
         * @enum {string}
         */
        AuditDecision: "auto_approved" | "user_approved" | "denied_by_policy" | "denied_by_user" | "failed_validation";
        /** @description An executor, for lists. */
        Executor: {
            /** @description Its id. */
            executor_id: string;
            /** @description What people know it by. */
            name: string;
            /** @description Its tools. */
            tools: string[];
            /** @description Calls that wait for it or that it runs. */
            calls: number;
        };
        ExecutorTicket: {
            executor_id: string;
            /** @description For the header X-Executor-Secret; told once. */
            secret: string;
            lease_s: number;
        };
        /** @description What is new for an executor. */
        ExecutorNews: {
            /** @description Calls to run. */
            calls: components["schemas"]["RequestedCall"][];
            /** @description Numbers of calls that nobody waits for any more: cancelled, or out of time. */
            stopped: number[];
            /** @description What to name next time, as a sign that this has arrived. */
            after: number;
        };
        /** @description A call that an executor is to run. */
        RequestedCall: {
            /** @description Its number at this executor: what the answer names. */
            call: number;
            /** @description The tool. */
            tool: string;
            /** @description Complete arguments: they fit the schema, and whoever had to be asked has agreed to them. */
            arguments: {
                [key: string]: unknown;
            };
            session_id: components["schemas"]["SessionId"];
            run_id: components["schemas"]["RunId"];
            call_id: components["schemas"]["CallId"];
            /** @description The same when the call is sent again after a stop, and never that of another call. */
            idempotency_key: string;
            /** @description When it will be stopped. */
            deadline_ms: number;
        };
        About: {
            version: string;
            root: string;
            model: string;
            profile: components["schemas"]["ProfileName"];
            approve: components["schemas"]["ApproveMode"];
            approve_modes: {
                name: components["schemas"]["ApproveMode"];
                about: string;
            }[];
            profiles: {
                name: components["schemas"]["ProfileName"];
                about: string;
            }[];
            reasoning_efforts: ("low" | "medium" | "high" | "auto")[];
            settings: components["schemas"]["Settings"];
            tool_loop_v2: boolean;
            /**
             * @description What the folder of the project brings of its own that does not count, because nobody trusts it or because it has
             *     changed since; nothing where all of it counts.
             */
            folder_notice?: string;
        };
        /**
         * @description The six profiles.
         *
         *     - `default`: The better one.
         *     - `edison`: EDISON's structured loop.
         *     - `dspy`: The DSPy engine's tool wrapper.
         *     - `studio`: Prompt Studio's streaming loop.
         *     - `ploke`: ploke's event-bus loop.
         *     - `zodo`: ZodoLlama's terminal agent.
         * @enum {string}
         */
        ProfileName: "default" | "edison" | "dspy" | "studio" | "ploke" | "zodo";
        /**
         * @description What is done with a call that needs asking.
         *
         *     - `read_only`: Nothing but reading runs; the rest is denied, whatever allows it.
         *     - `ask`: The user is asked.
         *     - `edit`: Edits of files in the project run; about the rest the user is asked.
         *     - `all`: Everything runs that no rule denies and that destroys nothing beyond the project.
         *     - `never`: It is denied: nobody is there to answer.
         *     - `safe`: Safe and low calls run; the rest is denied.
         *     - `edit_only`: Edits run; the rest is denied: nobody is there to answer.
         *     - `stage`: Edits are staged: nothing is written until the user approves it later. About the rest the user is asked.
         *     - `stage_only`: Edits are staged; the rest is denied: nobody is there to answer.
         * @enum {string}
         */
        ApproveMode: "read_only" | "ask" | "edit" | "all" | "never" | "safe" | "edit_only" | "stage" | "stage_only";
        /** @description A model that can be chosen. */
        Model: {
            /** @description `provider/model`. */
            name: string;
            /** @description Who offers it. */
            provider: string;
            /** @description Whether it is chosen when nobody chooses. */
            is_default: boolean;
            /** @description Whether it can be asked as things are (a key is there, a script can be read). */
            is_ready: boolean;
            /** @description Tokens it holds, where that is known. */
            context_tokens?: number;
            /** @description Whether it can use tools, where that is known. */
            has_tools?: boolean;
            /** @description Whether it can think aloud, where that is known. */
            has_reasoning?: boolean;
            /** @description Who says so: the catalogue and where it has it from, the configuration, the doctor. */
            source?: string;
            price?: components["schemas"]["ModelPrice"];
            doctor?: components["schemas"]["Findings"];
        };
        /** @description What a million tokens cost, in US dollars. */
        ModelPrice: {
            /** @description Read. */
            input: number;
            /** @description Read from the provider's cache. */
            cached: number;
            /** @description Written, thinking included. */
            output: number;
        };
        /** @description What the doctor found of a model. */
        Findings: {
            /** @description When. */
            checked_ms: number;
            /** @description One a probe, in their order. */
            findings: components["schemas"]["ModelFinding"][];
        };
        /** @description What one probe found. */
        ModelFinding: {
            /** @description The probe's word. */
            probe: string;
            /** @description What it looks at, in a few words. */
            title: string;
            /**
             * @description `pass`, `fail`, `unsure` or `skipped`.
             * @enum {string}
             */
            verdict: "pass" | "fail" | "unsure" | "skipped";
            /** @description What it means for the user. */
            meaning: string;
            /** @description What the endpoint did or said. */
            detail?: string;
        };
        /** @description All modules of a host. */
        Modules: {
            /** @description The modules, by id. */
            modules: components["schemas"]["Module"][];
            /** @description Files that could not be taken in; where there is a version from before, it still counts. */
            faults: components["schemas"]["ModuleFault"][];
            /** @description Where modules are looked for. */
            folders: string[];
        };
        /** @description One module. */
        Module: {
            /** @description Its id. */
            module_id: string;
            /** @description The model that a run names to use it. */
            model: string;
            /**
             * @description `predict`, `chain_of_thought` or `react`.
             * @enum {string}
             */
            predictor: "predict" | "chain_of_thought" | "react";
            /** @description What the model is told to do. */
            instruction: string;
            /** @description What it takes. */
            inputs: components["schemas"]["ModuleField"][];
            /** @description What it gives. */
            outputs: components["schemas"]["ModuleField"][];
            /** @description The inputs as JSON Schema. */
            inputs_schema: {
                [key: string]: unknown;
            };
            /** @description The outputs as JSON Schema. */
            outputs_schema: {
                [key: string]: unknown;
            };
            /** @description How many examples it has. */
            demos: number;
            /** @description Whether it may use tools. */
            has_tools: boolean;
            /** @description The tools that it may use, if not all. */
            tools?: string[];
            /** @description Words to find it by. */
            tags: string[];
            /** @description Its version. */
            version: string;
            /** @description What made it. */
            optimizer: string;
            /** @description How good it was when it was made. */
            metric_score?: number;
        };
        /** @description An input or output of a module. */
        ModuleField: {
            /** @description Its name. */
            name: string;
            /**
             * @description `string`, `integer`, `number`, `boolean`, `array`, `object` or `json`.
             * @enum {string}
             */
            field_type: "string" | "integer" | "number" | "boolean" | "array" | "object" | "json";
            /** @description What it is. */
            description?: string;
        };
        /** @description A file that could not be taken in. */
        ModuleFault: {
            /** @description The file. */
            path: string;
            /** @description What is wrong with it, and where. */
            message: string;
        };
        /** @description What a module would ask a model. */
        ModulePrompt: {
            /** @description What the model is told first. */
            system: string;
            /** @description The examples and the inputs. */
            messages: components["schemas"]["PromptMessage"][];
            response_format?: unknown;
        };
        /** @description A message of a prompt. */
        PromptMessage: {
            /**
             * @description `user` or `assistant`.
             * @enum {string}
             */
            role: "user" | "assistant";
            /** @description What it says. */
            text: string;
        };
        /** @description What a search gave. */
        Found: {
            /** @description Passages, best first. */
            passages: components["schemas"]["Passage"][];
            indexing?: components["schemas"]["IndexProgress"];
            /** @description Set when a way of finding could not be used and the others answered: which, and why. */
            notice?: string;
        };
        /** @description A piece of text that was found, with its place. */
        Passage: {
            /** @description `path#start:end`, in bytes. */
            id: string;
            /** @description The file, relative to the root with `/`; the document's name for documents. */
            path: string;
            /** @description The document it is of; `None` for files of the project. */
            document_id?: string;
            /** @description The first byte. */
            start: number;
            /** @description The byte after the last. */
            end: number;
            /** @description The first line, from 1. */
            line: number;
            /** @description The language's word: `rust`, `python`, `markdown`, `text`, … */
            language: string;
            /** @description What it defines, from the outside in: `Windlass::haul`. */
            symbol?: string;
            /** @description The text. */
            text: string;
            /** @description The fused score: larger is better. */
            score: number;
            parts: components["schemas"]["ScoreParts"];
        };
        /** @description Parts of a score, for people who want to know why. */
        ScoreParts: {
            /** @description By words. */
            lexical?: number;
            /** @description By meaning. */
            vector?: number;
            /** @description By names that it defines or uses. */
            symbol?: number;
            /** @description By its path. */
            path?: number;
        };
        /** @description How far indexing is. */
        IndexProgress: {
            /** @description Files done. */
            done: number;
            /** @description Files known so far. */
            total: number;
        };
        /** @description What an index holds. */
        Index: {
            /** @description Files in it. */
            files: number;
            /** @description Passages in it. */
            passages: number;
            /** @description Definitions in its symbol graph. */
            symbols: number;
            /** @description Bytes on disk. */
            bytes: number;
            /** @description When it was last complete. */
            completed_ms?: number;
            indexing?: components["schemas"]["IndexProgress"];
            /** @description Files that were left out, by reason: `binary`, `too_large`, `unreadable`, `ignored`, … */
            skipped?: [
                string,
                number
            ][];
            /** @description Which embedder makes its vectors, if there is one. */
            embedder?: string;
            /** @description Files that this embedder has not made vectors of yet; words find them all the same. */
            files_without_vectors?: number;
            /** @description Why it last made none, if it failed. */
            embedder_failure?: string;
        };
        /** @description A document as it is listed. */
        Document: {
            /** @description By which it is removed. */
            document_id: string;
            /** @description Its name. */
            name: string;
            session_id?: components["schemas"]["SessionId"];
            /** @description When it was added. */
            added_ms: number;
            /** @description Bytes of its text. */
            bytes: number;
        };
        /** @description A snapshot as it is shown. What was saved is shown as it was. */
        Save: {
            id: string;
            title: string;
            /** @enum {string} */
            kind: "system" | "user" | "prompt" | "state";
            provider: string | null;
            model: string | null;
            created_ms: number;
            data: {
                [key: string]: unknown;
            };
        };
        /** @description What a chat is answered with. */
        EdisonAnswer: {
            response: string;
            mode_used: string;
            model_used: string;
            tools_used: string[];
            tool_events: {
                tool: string;
                args: unknown;
                result: unknown;
                summary: string;
            }[];
            chat_id: string | null;
            request_id: string;
            session_id: components["schemas"]["SessionId"];
            run_id: components["schemas"]["RunId"];
            outcome: components["schemas"]["RunOutcome"] | null;
            stopped: boolean;
        };
        /** @description The answer in one piece, as it is written. */
        OpenaiCompletion: {
            id: string;
            /** @constant */
            object: "chat.completion";
            created: number;
            model: string;
            choices: {
                index: number;
                message: {
                    role: string;
                    content: string | null;
                    refusal: null;
                    reasoning_content?: string;
                    tool_calls?: {
                        id: string;
                        type: string;
                        function: {
                            name: string;
                            arguments: string;
                        };
                    }[];
                };
                logprobs: null;
                finish_reason: string;
            }[];
            usage: {
                prompt_tokens: number;
                completion_tokens: number;
                total_tokens: number;
                prompt_tokens_details: {
                    cached_tokens: number;
                };
                completion_tokens_details: {
                    reasoning_tokens: number;
                };
            };
        };
        OpenaiModel: {
            id: string;
            /** @constant */
            object: "model";
            /** @description Nobody knows when a model was made; clients want a number. */
            created: number;
            owned_by: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_s_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What the page shows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_runs_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What the page shows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_compare: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_tasks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_tools: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_tools_name: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What the page shows. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_modules: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_modules_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What the page shows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_permissions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_models: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_search: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_saves: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_saves_id: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What the page shows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page; its script reads the path. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_favicon_svg: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_manifest_webmanifest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/manifest+json": unknown;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_assets_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags that the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The file. */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "text/javascript": string;
                    "text/css": string;
                    "application/json": unknown;
                    "application/manifest+json": unknown;
                    "image/svg+xml": string;
                    "font/woff2": string;
                    "image/png": string;
                    "application/octet-stream": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It lives. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The store answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts, in the text form 0.0.4. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_openapi_json: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Here. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_docs_js: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Here. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_page_css: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Here. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description The browser has a cookie from now on, unless the server wants no token. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_sessions: {
        parameters: {
            query?: {
                /** @description Only those with this text in their title or in what the user said. */
                text?: string;
                /** @description The same as `text`; only one of the two may be sent. */
                q?: string;
                /** @description Only the one that somebody outside knows by this name. */
                key?: string;
                /** @description The next page: `next` of the page before. */
                before?: string;
                /** @description At most so many. */
                rows?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["Session"][];
                        next?: string;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewSession"];
            };
        };
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_sessions_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_api_sessions_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is forgotten. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patch_api_sessions_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionChange"];
            };
        };
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_tasks: {
        parameters: {
            query: {
                /** @description The session. */
                session_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tasks, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tasks: components["schemas"]["Task"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_sessions_id_runs: {
        parameters: {
            query?: {
                /** @description Cancel the run when the reader of its events goes away. */
                cancel_on_disconnect?: boolean;
                /** @description The form of the events. */
                format?: "v1.1" | "edison";
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartRun"];
            };
        };
        responses: {
            /** @description The run's events, as they come. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description The run began. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_runs: {
        parameters: {
            query?: {
                /** @description Only those of this session. */
                session_id?: string;
                /** @description Only those that have not ended. */
                unfinished?: boolean;
                /** @description The next page: `next` of the page before. */
                before?: string;
                /** @description At most so many. */
                rows?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runs: components["schemas"]["Run"][];
                        next?: string;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_runs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_runs_id_trace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trace so far. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTrace"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_runs_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run; its end may come a moment later. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_runs_id_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeRun"];
            };
        };
        responses: {
            /** @description It goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_runs_id_fork: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForkRun"];
            };
        };
        responses: {
            /** @description The new run. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_runs_id_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayReport"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_runs_id_steps_step: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
                /** @description The step, from 1. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The step. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepReport"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_runs_id_events: {
        parameters: {
            query?: {
                /** @description The last event that was seen. */
                after?: number;
                /** @description Cancel the run when this reader goes away. */
                cancel_on_disconnect?: boolean;
                /** @description The form of the events. */
                format?: "v1.1" | "edison";
            };
            header?: {
                /** @description The last event that was seen; counts before `after`. */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events; the last is `done`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description The run has ended, and its last event was seen: there is nothing to come back for. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_sessions_id_records: {
        parameters: {
            query?: {
                /** @description The last record that was seen. */
                after?: number;
                /** @description Whether deltas are among them: usually not in a page, and in a stream. */
                deltas?: boolean;
                /** @description Cut texts in the outcomes of calls after so many characters. */
                clip?: number;
                /** @description At most so many, in a page. */
                rows?: number;
            };
            header?: {
                /** @description The last record that was seen; counts before `after`. */
                "Last-Event-ID"?: number;
            };
            path: {
                /** @description The session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        records: components["schemas"]["Record"][];
                        last_seq: number;
                        has_more: boolean;
                    };
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_runs_id_calls_call_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
                /** @description The call. */
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownCall"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_runs_id_permissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The questions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        questions: components["schemas"]["Question"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_runs_id_permissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PermissionAnswers"];
            };
        };
        responses: {
            /** @description The answers count. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_runs_id_permissions_call_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
                /** @description The call that waits. */
                call_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PermissionAnswer"];
            };
        };
        responses: {
            /** @description The answer counts. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_runs_id_edits_call_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                id: string;
                /** @description The call that was staged. */
                call_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditApproval"];
            };
        };
        responses: {
            /** @description The outcome, which may be a failure: then nothing was written. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolAnswer"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_trust: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderTrust"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_trust: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustWish"];
            };
        };
        responses: {
            /** @description The folder, which is trusted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderTrust"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_api_trust: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder, which is not trusted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderTrust"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_tools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Their specs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tools: components["schemas"]["Tool"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_tools_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its spec. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_tools_name_call: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tool. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolCallWish"];
            };
        };
        responses: {
            /** @description The outcome, which may be a failure. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolAnswer"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_policies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules; a grant names its session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rules: components["schemas"]["Rule"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_policies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            /** @description The rule. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_api_policies_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The rule or the grant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is forgotten: the next call is judged without it. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_policies_explain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExplainWish"];
            };
        };
        responses: {
            /** @description What each gate says, in their order; and what the user would be asked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        gates: components["schemas"]["Gate"][];
                        question?: components["schemas"]["Question"];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_policies_audit: {
        parameters: {
            query?: {
                /** @description Only those about this tool. */
                tool?: string;
                /** @description At most so many. */
                rows?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The decisions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: components["schemas"]["AuditEntry"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_executors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who they are and what they run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        executors: components["schemas"]["Executor"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_executors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecutorOffer"];
            };
        };
        responses: {
            /** @description It is let in. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutorTicket"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_executors_id_poll: {
        parameters: {
            query?: never;
            header: {
                /** @description What the executor was given when it was let in. */
                "x-executor-secret": string;
            };
            path: {
                /** @description The executor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecutorPoll"];
            };
        };
        responses: {
            /** @description Calls to run, and calls that nobody waits for any more; both may be empty. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutorNews"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_executors_id_calls_call: {
        parameters: {
            query?: never;
            header: {
                /** @description What the executor was given when it was let in. */
                "x-executor-secret": string;
            };
            path: {
                /** @description The executor. */
                id: string;
                /** @description The number of the call. */
                call: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecutorAnswer"];
            };
        };
        responses: {
            /** @description The run goes on with it. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_api_executors_id: {
        parameters: {
            query?: never;
            header: {
                /** @description What the executor was given when it was let in. */
                "x-executor-secret": string;
            };
            path: {
                /** @description The executor. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its tools are gone, and calls that it ran have ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_about: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its version, root, usual model and profile, and what can be chosen. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The models. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        models: components["schemas"]["Model"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_models_doctor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelExamination"];
            };
        };
        responses: {
            /** @description What was found, which may be that it does not answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Findings"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_modules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The modules by id, what is wrong, and where modules are looked for. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Modules"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_modules_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The module. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The module. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Module"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_modules_id_prompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The module. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModuleInputs"];
            };
        };
        responses: {
            /** @description The system text, the examples and the inputs as messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModulePrompt"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_search: {
        parameters: {
            query: {
                /** @description Words, a question, a name. */
                q: string;
                /** @description At most so many passages. */
                top_k?: number;
                /** @description Which ways of finding count. */
                kind?: "lexical" | "semantic" | "structural" | "hybrid";
                /** @description Files of the project, documents that were added, or both; `reachable`: files, documents of no session, and those of `session_id`. */
                scope?: "project" | "documents" | "everything" | "reachable";
                /** @description Only documents of this session, unless `scope` is `reachable`. */
                session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Found"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_index: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its size, and how far it is while it is built. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_documents: {
        parameters: {
            query?: {
                /** @description Only those of this session. */
                session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The documents, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        documents: components["schemas"]["Document"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_documents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDocument"];
            };
        };
        responses: {
            /** @description It can be found. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_api_documents_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The document. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_chat_stream: {
        parameters: {
            query?: {
                /** @description What is wanted. */
                prompt?: string;
                /** @description What the model is told beside the server's own system text. */
                system?: string;
                /** @description The provider, where the model's name does not say it. */
                provider?: string;
                /** @description The model. */
                model?: string;
                /** @description 0 to 2. */
                temperature?: string;
                /** @description 0 to 1. */
                top_p?: string;
                /** @description Most tokens of one answer. */
                max_tokens?: string;
                /** @description low, medium, high or auto. */
                reasoning_effort?: string;
                /** @description JSON: names or schemas of the tools that may be used; all if nothing is said. */
                tools?: string;
                /** @description The same. */
                tool_schemas?: string;
                /** @description auto, required, none, or a tool's name. */
                tool_choice?: string;
                /** @description Most steps, 1 to 20. */
                max_tool_calls?: string;
                /** @description For repeatable answers. */
                seed?: string;
                /** @description JSON, or json_object. */
                response_format?: string;
                /** @description What the model is told in a last step without tools, beside the usual. */
                finalize_hint?: string;
                /** @description The session to go on in. */
                session_id?: string;
                /** @description The client's name for the request, by which it can come back. */
                request_id?: string;
                /** @description ask or never. */
                approve?: string;
                /** @description true or false. */
                cancel_on_disconnect?: string;
                /** @description Whether a call may start as soon as it is complete. */
                tool_loop_v2?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events; the last is `done`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description The run that was asked for has ended, and its last event was seen. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_chat_stream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StudioChat"];
            };
        };
        responses: {
            /** @description The events; the last is `done`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description The run that was asked for has ended, and its last event was seen. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
        };
    };
    get_api_saves: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshots. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        saves: components["schemas"]["Save"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_api_saves: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSave"];
            };
        };
        responses: {
            /** @description It is kept. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Save"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_api_saves_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The snapshot. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Save"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_api_saves_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The snapshot. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_chat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdisonChat"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdisonAnswer"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Model error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_chat_stream: {
        parameters: {
            query?: {
                /** @description Which frames. */
                format?: "edison" | "v1.1";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdisonChat"];
            };
        };
        responses: {
            /** @description SSE v1.1, or `init`, `token`, `status`, `done`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Model error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_chat_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    request_id: string;
                };
            };
        };
        responses: {
            /** @description Whether there was one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "cancelled" | "not_found";
                        request_id: string;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_generate_image: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdisonPicture"];
            };
        };
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        data: unknown;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Format not available */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not supported */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Model error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_v1_chat_completions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenaiChatRequest"];
            };
        };
        responses: {
            /** @description The answer, or a stream of its pieces. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenaiCompletion"];
                    "text/event-stream": {
                        data: string;
                        id?: string;
                        event?: string;
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Body too slow */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description JSON required */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Model error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
        };
    };
    get_v1_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All models; `windlass` stands for the default one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        object: string;
                        data: components["schemas"]["OpenaiModel"][];
                    };
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
        };
    };
    get_v1_models_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name, with or without a slash. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenaiModel"];
                };
            };
            /** @description Invalid request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Token required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Try again later */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
            /** @description Timed out */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: {
                            message: string;
                            type: string;
                            param: string | null;
                            code: string | null;
                        };
                    };
                };
            };
        };
    };
}

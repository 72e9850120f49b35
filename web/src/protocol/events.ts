// Generated from schema/events.schema.json by `npm run schema`. Do not edit.
/**
 * A conversation and its history.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "SessionId".
 */
export type SessionId = string
/**
 * Everything from one user message to its end.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RunId".
 */
export type RunId = string
/**
 * One user message; the parent of everything that the run does.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "MessageId".
 */
export type MessageId = string
/**
 * Everything that can happen in a run.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Event".
 */
export type Event = (RunStartedEvent | RunResumedEvent | StepStartedEvent | StepDelayedEvent | RequestAdjustedEvent | StepEndedEvent | CallRequestedEvent | PermissionRequestedEvent | PermissionDecidedEvent | CallStartedEvent | InnerCallStartedEvent | InnerCallEndedEvent | CallEndedEvent | TasksChangedEvent | NoteAddedEvent | WarningRaisedEvent | ErrorRaisedEvent | EditAppliedEvent | RunEndedEvent | StepProgressedEvent | ReasoningDeltaEvent | TextDeltaEvent | CallDeltaEvent | CallProgressedEvent)
/**
 * One entry of a transcript.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Message".
 */
export type Message = (UserMessage | AssistantMessage | ToolMessage | NoteMessage)
/**
 * A piece of a message.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Part".
 */
export type Part = (TextPart | ReasoningPart | CallPart | ImagePart)
/**
 * One call. Unique in its session, whatever the provider sent (R-36, R-54).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallId".
 */
export type CallId = string
/**
 * Who wrote a text.
 * 
 * - `user`: The user.
 * - `own`: This program, from the arguments of the call alone.
 * - `untrusted`: Anybody.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Integrity".
 */
export type Integrity = ("user" | "own" | "untrusted")
/**
 * Whether a text may leave the machine unseen.
 * 
 * - `public`: Others have it already.
 * - `private`: It may be the user's alone.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Secrecy".
 */
export type Secrecy = ("public" | "private")
/**
 * What a model may do with tools in a step.
 * 
 * - `auto`: As it likes.
 * - `required`: It must call one.
 * - `forbidden`: It must call none.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ToolChoice".
 */
export type ToolChoice = (("auto" | "required" | "forbidden") | {
named: string
})
/**
 * What is done with a call that needs asking.
 * 
 * - `read_only`: Nothing but reading runs; the rest is denied, whatever allows it.
 * - `ask`: The user is asked.
 * - `edit`: Edits of files in the project run; about the rest the user is asked.
 * - `all`: Everything runs that no rule denies and that destroys nothing beyond the project.
 * - `never`: It is denied: nobody is there to answer.
 * - `safe`: Safe and low calls run; the rest is denied.
 * - `edit_only`: Edits run; the rest is denied: nobody is there to answer.
 * - `stage`: Edits are staged: nothing is written until the user approves it later. About the rest the user is asked.
 * - `stage_only`: Edits are staged; the rest is denied: nobody is there to answer.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ApproveMode".
 */
export type ApproveMode = ("read_only" | "ask" | "edit" | "all" | "never" | "safe" | "edit_only" | "stage" | "stage_only")
/**
 * The six profiles.
 * 
 * - `default`: The better one.
 * - `edison`: EDISON's structured loop.
 * - `dspy`: The DSPy engine's tool wrapper.
 * - `studio`: Prompt Studio's streaming loop.
 * - `ploke`: ploke's event-bus loop.
 * - `zodo`: ZodoLlama's terminal agent.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ProfileName".
 */
export type ProfileName = ("default" | "edison" | "dspy" | "studio" | "ploke" | "zodo")
/**
 * How calls and outcomes are written.
 * 
 * - `native`: The provider's own tool calling.
 * - `text`: A JSON object in plain text (EDISON).
 * - `field`: A field `tool_call` of a structured output (DSPy).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Dialect".
 */
export type Dialect = ("native" | "text" | "field")
/**
 * How an outcome is wrapped for its reader.
 * 
 * - `windlass`: `{ok, output | error{…}}`.
 * - `edison`: `{ok, error, data}` (E-20).
 * - `value`: The bare value (D-9).
 * - `studio`: `{success, result | error}` (S-8).
 * - `ploke`: `{ok, …}` (P-17, P-18).
 * - `zodo`: `{success, data, error_message, error_type, metadata}` (Z-9).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Envelope".
 */
export type Envelope = ("windlass" | "edison" | "value" | "studio" | "ploke" | "zodo")
/**
 * What a bad call leads to when no correction is left.
 * 
 * - `finalise`: One last answer without tools.
 * - `reject`: The run ends with the error as its answer (E-33).
 * - `ignore`: Bad calls are ordinary failures; only the step limit ends them.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Uncorrected".
 */
export type Uncorrected = ("finalise" | "reject" | "ignore")
/**
 * What a failed call leads to.
 * 
 * - `continue`: The model is told and goes on.
 * - `abort`: The run fails (D-18).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "OnToolError".
 */
export type OnToolError = ("continue" | "abort")
/**
 * What the step limit leads to.
 * 
 * - `finalise`: One last answer without tools.
 * - `fail`: The run fails (D-18, P-20).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "AtCap".
 */
export type AtCap = ("finalise" | "fail")
/**
 * Whether reading in the project needs asking when no rule speaks.
 * 
 * - `free`: It runs without asking; files that hold secrets excepted.
 * - `by_risk`: The risk of each call decides (Z-4, Z-12).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Reading".
 */
export type Reading = ("free" | "by_risk")
/**
 * What running a tool does to the world. Decides scheduling, caching and recovery.
 * 
 * - `pure`: Depends on its arguments alone.
 * - `read`: Looks at the world, changes nothing.
 * - `write`: Changes files or state on this machine.
 * - `external`: Reaches beyond this machine, or cannot be judged.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Effects".
 */
export type Effects = ("pure" | "read" | "write" | "external")
/**
 * Why a step is asked for.
 * 
 * - `work`: An ordinary step.
 * - `correction`: The last step had a bad call; this one may correct it. Does not count as a step (E-33).
 * - `continuation`: The last answer was cut by its length (R-63), or the model paused; go on with it.
 * - `finalise`: The last word of a run that reached a limit: no tools.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "StepPurpose".
 */
export type StepPurpose = ("work" | "correction" | "continuation" | "finalise")
/**
 * What was done to a request.
 * 
 * - `healed`: The history was not legal for the provider and was made so.
 * - `lowered`: A schema or a name was put into the provider's dialect with a loss.
 * - `emulated`: Something that the provider cannot do is imitated, or left out.
 * - `trimmed`: The history was too long and was shortened.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "NoticeKind".
 */
export type NoticeKind = ("healed" | "lowered" | "emulated" | "trimmed")
/**
 * Why a model stopped. Never trusted alone: calls present are calls (providers lie).
 * 
 * - `stop`: It was done.
 * - `calls`: It wants calls answered.
 * - `length`: It ran out of tokens.
 * - `paused`: It paused in the middle and goes on when it is asked again with what it said so far.
 * - `filtered`: The provider withheld the rest.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Finish".
 */
export type Finish = (("stop" | "calls" | "length" | "paused" | "filtered") | {
other: string
})
/**
 * Where a front end files a tool (S-12).
 * 
 * - `search`: Finds things.
 * - `utility`: Small computations.
 * - `other`: Everything else.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Category".
 */
export type Category = ("search" | "utility" | "other")
/**
 * How prominently a front end shows a tool (S-12).
 * 
 * - `primary`: In the middle of the screen.
 * - `secondary`: As a chip.
 * - `hidden`: Only in the inspector.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Visibility".
 */
export type Visibility = ("primary" | "secondary" | "hidden")
/**
 * How much harm a call can do; decides what is asked of the user when no rule speaks (Z-12).
 * 
 * - `safe`: Runs without asking.
 * - `low`: Asked once a session.
 * - `medium`: Asked each time.
 * - `high`: Asked each time, with the full preview.
 * - `critical`: Needs a typed confirmation.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Risk".
 */
export type Risk = ("safe" | "low" | "medium" | "high" | "critical")
/**
 * Something a call would touch, in canonical form: never as the model spelled it.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Target".
 */
export type Target = ({
path: string
} | {
host: string
} | {
command: string
})
/**
 * What a call would do, for the eyes of the user.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Preview".
 */
export type Preview = (DiffPreview | CommandPreview | TextPreview)
/**
 * What a command may write.
 * 
 * - `read_only`: Nothing but a temporary folder of its own.
 * - `workspace_write`: The project, but not what other programs obey in it, and a temporary folder of its own.
 * - `full`: Whatever the user may write.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Confinement".
 */
export type Confinement = ("read_only" | "workspace_write" | "full")
/**
 * What a command may reach beyond this machine, and of this machine's own servers.
 * 
 * - `none`: Nothing.
 * - `hosts`: The hosts that the user named, over HTTP and TLS alone.
 * - `all`: Whatever the user reaches.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Reach".
 */
export type Reach = ("none" | "hosts" | "all")
/**
 * By what a command is held.
 * 
 * - `bubblewrap`: Namespaces of Linux, made by bubblewrap.
 * - `landlock`: Landlock of the Linux kernel.
 * - `seatbelt`: Seatbelt of macOS.
 * - `nothing`: Nothing.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ConfinedBy".
 */
export type ConfinedBy = ("bubblewrap" | "landlock" | "seatbelt" | "nothing")
/**
 * What the user decided (Z-13).
 * 
 * - `once`: This call only.
 * - `session`: Until the session ends.
 * - `remember`: Stored as a rule.
 * - `deny`: Not at all.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Decision".
 */
export type Decision = ("once" | "session" | "remember" | "deny")
/**
 * Who denied a call.
 * 
 * - `user`: The user, asked about this call.
 * - `rule`: A rule.
 * - `mode`: How the run is approved: the call needs asking, and nobody is asked.
 * - `limit`: A limit: of the run, of the request, or of what the tool may touch.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "DeniedBy".
 */
export type DeniedBy = ("user" | "rule" | "mode" | "limit")
/**
 * How a call ended.
 * 
 * - `ok`: It gave an output.
 * - `failed`: It failed.
 * - `denied`: It was not allowed.
 * - `staged`: It is an edit that awaits the user's approval.
 * - `cancelled`: The run was cancelled.
 * - `interrupted`: The process died while it ran.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "OutcomeStatus".
 */
export type OutcomeStatus = ("ok" | "failed" | "denied" | "staged" | "cancelled" | "interrupted")
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "OutcomeBody".
 */
export type OutcomeBody = ({
Ok: ToolOutput
} | {
Err: ToolFailure
})
/**
 * The kinds of failure (requirements §6.2).
 * 
 * - `unknown_tool`: No such tool.
 * - `invalid_args`: An argument is missing, of the wrong type or out of bounds.
 * - `parse_error`: The arguments are not JSON.
 * - `not_found`: The thing asked for does not exist.
 * - `io_error`: The file system or the network failed.
 * - `permission_denied`: The user, a rule or the run forbids it.
 * - `sandbox_denied`: The sandbox around a command probably held it back.
 * - `timeout`: It took too long and was stopped.
 * - `cancelled`: The run was cancelled.
 * - `limit_exceeded`: A limit of the run was reached.
 * - `unavailable`: The back end is missing or not set up.
 * - `interrupted`: It was running when the process died; whether it happened is not known.
 * - `internal`: A fault of the tool itself.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ErrorKind".
 */
export type ErrorKind = ("unknown_tool" | "invalid_args" | "parse_error" | "not_found" | "io_error" | "permission_denied" | "sandbox_denied" | "timeout" | "cancelled" | "limit_exceeded" | "unavailable" | "interrupted" | "internal")
/**
 * One kind of change that a repair made.
 * 
 * - `byte_order_mark`: A byte order mark before the text was left out.
 * - `think_prefix`: Reasoning before the text (`<think>…</think>`) was left out.
 * - `code_fence`: The code fence around the JSON was left out.
 * - `special_tokens`: Special tokens of a model's template (`<|tool_call_end|>`, `</tool_call>`) were left out.
 * - `prose_around`: Sentences around the only object were left out.
 * - `double_encoded`: The JSON was a string that held the object.
 * - `trailing_comma`: A comma before a closing bracket was left out.
 * - `comment`: Comments were left out.
 * - `single_quotes`: Strings stood in single quotes.
 * - `smart_quotes`: Strings stood in typographic quotes.
 * - `unquoted_key`: Keys stood without quotes.
 * - `literal_spelling`: `True`, `False` or `None` stood for `true`, `false` or `null`.
 * - `raw_control`: Strings held line breaks or other control characters that were not escaped.
 * - `number_spelling`: Numbers were spelled like `+3`, `.5` or `5.`.
 * - `missing_comma`: A comma was put in.
 * - `extra_close`: A closing bracket that closed nothing was left out.
 * - `missing_close`: A closing bracket was put in.
 * - `cut_short`: The text ended inside a string, or between a key and its value.
 * - `bad_escape`: An escape that JSON does not know was taken as text.
 * - `not_a_number`: `NaN` or `Infinity` became `null`.
 * - `duplicate_key`: A key stood twice in an object; its last value was taken.
 * - `rounded_number`: A number was rounded to one that can be kept.
 * - `not_utf8`: Bytes that were no UTF-8 were replaced.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RepairNote".
 */
export type RepairNote = ("byte_order_mark" | "think_prefix" | "code_fence" | "special_tokens" | "prose_around" | "double_encoded" | "trailing_comma" | "comment" | "single_quotes" | "smart_quotes" | "unquoted_key" | "literal_spelling" | "raw_control" | "number_spelling" | "missing_comma" | "extra_close" | "missing_close" | "cut_short" | "bad_escape" | "not_a_number" | "duplicate_key" | "rounded_number" | "not_utf8")
/**
 * Where an output came from: untrusted text is never taken for an instruction.
 * 
 * - `own`: Made by this program.
 * - `untrusted`: From outside: web pages, files, other programs.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Trust".
 */
export type Trust = ("own" | "untrusted")
/**
 * How far a task is.
 * 
 * - `pending`: Not begun.
 * - `in_progress`: Being worked on.
 * - `completed`: Done.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "TaskStatus".
 */
export type TaskStatus = ("pending" | "in_progress" | "completed")
/**
 * Codes of warnings (interface §3).
 * 
 * - `TOOL_CLAMP`: Calls of a category were trimmed to its quota.
 * - `MAX_STEPS`: The step limit was reached.
 * - `MAX_CALLS`: The call limit was reached.
 * - `REPEAT_CALL`: The same call came again.
 * - `TRUNCATED`: Something was cut.
 * - `DROPPED_ARGS`: Unknown arguments were dropped.
 * - `NO_TOOL_SUPPORT`: The model cannot use tools.
 * - `FINALIZE_REFUSED_CALL`: A call in the final step was refused.
 * - `EMULATED`: Something that the provider cannot do is imitated.
 * - `COST_UNKNOWN`: There is a budget of money, and what a step cost is not known.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "WarningCode".
 */
export type WarningCode = ("TOOL_CLAMP" | "MAX_STEPS" | "MAX_CALLS" | "REPEAT_CALL" | "TRUNCATED" | "DROPPED_ARGS" | "NO_TOOL_SUPPORT" | "FINALIZE_REFUSED_CALL" | "EMULATED" | "COST_UNKNOWN")
/**
 * How a run ended.
 * 
 * - `completed`: The model answered.
 * - `limit_reached`: A limit was reached; there is still an answer.
 * - `cancelled`: The user stopped it.
 * - `failed`: It could not go on.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RunOutcome".
 */
export type RunOutcome = ("completed" | "limit_reached" | "cancelled" | "failed")
/**
 * Why a run stopped: typed, on every run.
 * 
 * - `answered`: The model answered.
 * - `steps_max`: Too many steps.
 * - `calls_max`: Too many calls.
 * - `tokens_max`: Too many tokens.
 * - `cost_max`: It cost too much.
 * - `bytes_max`: Too much output.
 * - `deadline`: Out of time.
 * - `repeated_call`: The same call again and again.
 * - `correction_failed`: A bad call was not corrected.
 * - `answer_cut`: The answer was cut by its length, also after a continuation.
 * - `cancelled`: The user stopped it.
 * - `model_failed`: The model failed.
 * - `tool_failed`: A tool failed and the profile does not go on (`dspy`).
 * - `journal_failed`: The journal failed: going on would lose what happened.
 * - `interrupted`: The program stopped in the middle of the run, which could not be taken up again.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "StopReason".
 */
export type StopReason = ("answered" | "steps_max" | "calls_max" | "tokens_max" | "cost_max" | "bytes_max" | "deadline" | "repeated_call" | "correction_failed" | "answer_cut" | "cancelled" | "model_failed" | "tool_failed" | "journal_failed" | "interrupted")
/**
 * What led to a record.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Cause".
 */
export type Cause = (MessageSentCause | CallReadyCause | ModelEndedCause | ModelGaveNothingCause | ModelFailedCause | ModelNoticedCause | CallInspectedCause | PermissionAnsweredCause | ModeChangedCause | CallEndedCause | CalledInsideCause | DeadlinePassedCause | CancelledCause | JournalFailedCause | ProgramStartedCause | AbandonedCause)
/**
 * The two deadlines of a run: when work must stop, and when the final answer must be there.
 * 
 * - `work`: No more tools after this.
 * - `final`: No more waiting for the final answer after this.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Deadline".
 */
export type Deadline = ("work" | "final")

/**
 * An event with its place: sequence numbers of a session only grow.
 */
export interface Record {
/**
 * Place in the session, from 1.
 */
seq: number
/**
 * When it happened.
 */
ts_ms: number
session_id: SessionId
run_id: RunId
parent_id: MessageId
event: Event
cause?: Cause
/**
 * Over HTTP alone: texts of the outcome were cut, as the reader wished.
 */
clipped?: boolean
/**
 * Over HTTP alone: binds an answer to exactly this question.
 */
digest?: string
}
/**
 * A run began.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RunStartedEvent".
 */
export interface RunStartedEvent {
type: "run_started"
/**
 * The model that answers.
 */
model: string
/**
 * The profile.
 */
profile: string
message: Message
wishes?: RunWishes
}
/**
 * From the user.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "UserMessage".
 */
export interface UserMessage {
role: "user"
/**
 * What was said.
 */
parts: Part[]
}
/**
 * Text.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "TextPart".
 */
export interface TextPart {
type: "text"
/**
 * The text.
 */
text: string
}
/**
 * Thinking, with whatever the provider needs to see again.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ReasoningPart".
 */
export interface ReasoningPart {
type: "reasoning"
/**
 * Readable thinking; may be empty.
 */
text: string
opaque?: unknown
/**
 * The model that made it.
 */
model?: string
}
/**
 * A call.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallPart".
 */
export interface CallPart {
type: "call"
id: CallId
/**
 * What the provider called it; goes back on its wire.
 */
provider_id?: string
/**
 * The step that asked, counted from 1.
 */
step: number
/**
 * Its place among the calls of that step, from 0.
 */
index: number
/**
 * The canonical name if it could be resolved, else as written.
 */
name: string
/**
 * Arguments as JSON text, as the model wrote them.
 */
arguments: string
state?: ProviderState
}
/**
 * State that a provider hangs on something a model made (signatures, item ids): echoed untouched to the
 * same model, dropped on another.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ProviderState".
 */
export interface ProviderState {
/**
 * The model that made it, `provider/model`.
 */
model: string
value: unknown
}
/**
 * A picture.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ImagePart".
 */
export interface ImagePart {
type: "image"
/**
 * Its media type.
 */
media_type: string
/**
 * A `data:` or `https:` address.
 */
url: string
}
/**
 * From the model: text, reasoning and calls in the order in which they came.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "AssistantMessage".
 */
export interface AssistantMessage {
role: "assistant"
/**
 * What was said, thought and called.
 */
parts: Part[]
}
/**
 * The outcome of one call, in the form the model sees.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ToolMessage".
 */
export interface ToolMessage {
role: "tool"
call_id: CallId
/**
 * The provider's id of that call.
 */
provider_id?: string
/**
 * The tool's name: canonical if it could be resolved, else as the model wrote it.
 */
name: string
/**
 * The envelope of the profile, cut to its budget.
 */
content: string
/**
 * Whether the call worked.
 */
is_ok: boolean
/**
 * Whether the call could be read at all; one that could not is answered by a correction.
 */
is_valid_call: boolean
label?: Label
}
/**
 * What is known of a text: who wrote it, whether it may be told on, where it came from.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Label".
 */
export interface Label {
integrity: Integrity
secrecy: Secrecy
/**
 * `web:HOST`, `file:PATH`, `command`, `tool:NAME` or `context`.
 */
source: string
}
/**
 * A remark of the runtime to the model: corrections, limits, waiting approvals.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "NoteMessage".
 */
export interface NoteMessage {
role: "note"
/**
 * The remark.
 */
text: string
}
/**
 * What a user wishes for a run, beside what is said, and what that came to when the run began: on record, so that
 * the run holds to it when it is taken up again, whatever the configuration says then.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RunWishes".
 */
export interface RunWishes {
/**
 * Which shape this is. The first one, which had no `approve` and no `setup`, does not say. The second always had
 * a `tool_choice`; since the third, only what was said is there.
 */
version: number
/**
 * Background for the message, before it was cut: found passages, a page, a selection (E-31).
 */
context?: string
/**
 * Where it was taken from, names of documents and addresses of pages: the answer cites them (E-35).
 */
context_sources?: string[]
/**
 * Whether tools may be used at all (gate 1).
 */
tools_allowed: boolean
/**
 * Only these tools (gate 3).
 */
tools?: string[]
tool_choice?: ToolChoice
sampling: Sampling
/**
 * What the model is told for this run after the session's system text (callers that bring their own).
 */
system?: string
/**
 * What the model is told in a last step without tools, beside the usual (S-20).
 */
finalize_hint?: string
/**
 * Another step limit than the profile's, up to `WISHED_STEPS_MAX`.
 */
steps_max?: number
/**
 * Most calls of the run, where the profile allows more.
 */
calls_max?: number
/**
 * Most tokens of the run, those of all steps together, where the profile allows more.
 */
tokens_max?: number
/**
 * Most US dollars of the run, where the profile allows more. Steps whose cost is not known are told of and do not
 * count.
 */
cost_usd_max?: number
/**
 * How long the run may take, where the profile allows longer, not counting the time the user thinks about a question.
 */
run_timeout_ms?: number
form?: WishedForm
approve?: ApproveMode
setup?: RunSetup
}
/**
 * Wishes that go to the provider as they are.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Sampling".
 */
export interface Sampling {
/**
 * Sampling temperature.
 */
temperature?: number
/**
 * Nucleus sampling.
 */
top_p?: number
/**
 * Most tokens of one answer.
 */
output_tokens_max?: number
/**
 * `low`, `medium`, `high` or `auto`; reasoning is shown when it is set (S-25).
 */
reasoning_effort?: string
/**
 * For repeatable answers.
 */
seed?: number
response_format?: unknown
}
/**
 * What the answer of a run must be: one JSON value that fits a schema.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "WishedForm".
 */
export interface WishedForm {
/**
 * What the value is called.
 */
name: string
schema: unknown
}
/**
 * What a run began with, before what was wished for it alone.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RunSetup".
 */
export interface RunSetup {
/**
 * The session's system text.
 */
system: string
profile: Profile
/**
 * Tokens that the model's context holds, where that is known.
 */
context_tokens?: number
/**
 * The model below, where the run's own is a module.
 */
model_below?: string
/**
 * The tools that may be called, and what each of them may change: no others are sent to the model.
 */
tools: {
[k: string]: Effects
}
/**
 * Those of them that executors of a user's own run.
 */
executed?: {
[k: string]: ExecutedTool
}
}
/**
 * A named manner of working, whole.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Profile".
 */
export interface Profile {
name: ProfileName
dialect: Dialect
envelope: Envelope
limits: Limits
uncorrected: Uncorrected
on_tool_error: OnToolError
at_cap: AtCap
/**
 * Whether the answer ends with the tools it used (E-35).
 */
has_sources_suffix: boolean
/**
 * Whether the answer is the fields of a module, which writes its own prompts; otherwise it is text.
 */
answers_in_fields: boolean
/**
 * Whether a failed call adds a note after the tool messages (P-18).
 */
has_failure_notes: boolean
/**
 * Whether identical reads are answered from the run itself (requirements §6.1 row 26).
 */
caches_repeats: boolean
/**
 * Start a read-only call as soon as it is complete, before the model has finished (`TOOL_LOOP_V2`).
 */
executes_while_streaming: boolean
reading: Reading
/**
 * Tools that run without asking, unless a rule says otherwise or a call is riskier than its tool.
 */
unasked_tools: string[]
/**
 * The tools of Windlass itself that it offers; all of them if it names none. What somebody adds is always offered.
 */
tools?: string[]
/**
 * Time limits of single tools, in milliseconds, before their own and before that of all calls.
 */
tool_timeouts_ms?: {
[k: string]: number
}
/**
 * What a model is told before everything else.
 */
instruction: string
}
/**
 * The limits of a run.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Limits".
 */
export interface Limits {
/**
 * Model steps that may use tools. Ten turns solve nearly all honest tasks; more is a loop.
 */
steps_max: number
/**
 * Calls of one step that run; the rest get a `limit_exceeded` outcome.
 */
calls_per_step_max: number
/**
 * Calls of a whole run, whatever the steps.
 */
calls_per_run_max: number
/**
 * How long one call may take when its spec says nothing.
 */
call_timeout_ms: number
/**
 * How long a run may take, not counting the time the user thinks about a question.
 */
run_timeout_ms: number
/**
 * The part of `run_timeout_ms` kept for the final answer.
 */
final_reserve_ms: number
/**
 * Tokens of a whole run, if there is a budget.
 */
tokens_max: (number | null)
/**
 * The part of `tokens_max` kept for the final answer.
 */
final_reserve_tokens: number
/**
 * US dollars of a whole run, if there is a budget. Kept of it for the final answer is what the last step cost, which
 * read nearly the same.
 */
cost_usd_max: (number | null)
/**
 * Bytes one outcome may have before the tool is told to stop; the result store holds that much.
 */
output_bytes_max: number
/**
 * Bytes all outcomes of a run may have together.
 */
run_output_bytes_max: number
/**
 * Characters of one outcome that the model sees; the rest is behind a handle.
 */
result_chars_max: number
/**
 * Reads that run side by side: enough to hide latency, few enough not to flood a disk or a host.
 */
parallel_reads_max: number
/**
 * Corrections of one bad call.
 */
corrections_per_call_max: number
/**
 * Corrections of a whole run.
 */
corrections_per_run_max: number
/**
 * How often the same call may come with the same outcome before the run is brought to an end.
 */
repeats_max: number
/**
 * Calls of the category `search` in a run; `None` is no quota (S-23).
 */
search_calls_max: (number | null)
/**
 * The same where the search server is one that is paid for; `None`: no difference (S-23).
 */
search_calls_paid_max: (number | null)
/**
 * Tries after a passing model failure.
 */
model_retries_max: number
/**
 * The wait before the first of those; doubled each time.
 */
model_retry_delay_ms: number
/**
 * Continuations of an answer that was cut by its length.
 */
continuations_max: number
/**
 * Characters of `context` shown to the model (E-31).
 */
context_chars_max: number
/**
 * Estimated tokens of history shown to the model; older groups are left out above it.
 */
history_tokens_max: number
/**
 * Bytes of one call's arguments.
 */
args_bytes_max: number
/**
 * Bytes of an outcome on a screen (Z-17).
 */
display_bytes_max: number
}
/**
 * A tool of an executor, as far as it must be known while the executor is away.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ExecutedTool".
 */
export interface ExecutedTool {
/**
 * The executor's name.
 */
executor: string
/**
 * Whether sending the same call twice does no more than once.
 */
idempotent: boolean
}
/**
 * The program stopped in the middle of the run, and took it up again (not the machine's own).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RunResumedEvent".
 */
export interface RunResumedEvent {
type: "run_resumed"
/**
 * Calls of which nobody knows whether they happened: they were not repeated.
 */
interrupted?: CallId[]
/**
 * Calls that ran when the program stopped and are run again: they change nothing twice.
 */
repeated?: CallId[]
/**
 * What the session is still granted.
 */
grants?: string[]
}
/**
 * A model was asked for a step; a second start of the same step throws the first away.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "StepStartedEvent".
 */
export interface StepStartedEvent {
type: "step_started"
/**
 * Which step, from 1.
 */
step: number
purpose: StepPurpose
/**
 * Which try, from 1.
 */
attempt: number
}
/**
 * The model failed in a way that may pass: the step is asked for again after a wait.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "StepDelayedEvent".
 */
export interface StepDelayedEvent {
type: "step_delayed"
/**
 * Which step.
 */
step: number
/**
 * The try that is waited for, from 2.
 */
attempt: number
/**
 * The last try there will be.
 */
attempts_max: number
/**
 * How long about; a provider's own wish is kept to the letter.
 */
delay_ms: number
/**
 * The failure's stable word: `rate_limit`, `overloaded`, `cut`, …
 */
code: string
/**
 * What happened.
 */
message: string
usage?: Usage
}
/**
 * Token counts in one normal form: `input` includes cached, `output` includes reasoning.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Usage".
 */
export interface Usage {
/**
 * Tokens read.
 */
input: number
/**
 * Tokens written.
 */
output: number
/**
 * Tokens read from the provider's cache.
 */
cached: number
/**
 * Tokens of thinking.
 */
reasoning: number
/**
 * What it cost, where prices are known.
 */
cost_usd?: number
}
/**
 * Something of a request had to be changed, imitated or left out; the same change is told once a run.
 * That a step was cut is told for every such step.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RequestAdjustedEvent".
 */
export interface RequestAdjustedEvent {
type: "request_adjusted"
/**
 * Which step.
 */
step: number
kind: NoticeKind
/**
 * The rule that asked for it, a stable word.
 */
rule: string
/**
 * What was done and why.
 */
message: string
}
/**
 * A model step is complete: text, reasoning and calls, as they go into the transcript.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "StepEndedEvent".
 */
export interface StepEndedEvent {
type: "step_ended"
/**
 * Which step.
 */
step: number
message: Message
finish: Finish
usage?: Usage
}
/**
 * The model asked for a call.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallRequestedEvent".
 */
export interface CallRequestedEvent {
type: "call_requested"
call: ToolCall
category: Category
visibility: Visibility
/**
 * Whose model asked: the provider's name (P-5); nothing in journals of earlier releases.
 */
vendor?: string
}
/**
 * One call of a run, with its identity: in the transcript, the trace and the events.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ToolCall".
 */
export interface ToolCall {
id: CallId
/**
 * What the provider called it; goes back on its wire.
 */
provider_id?: string
/**
 * The step that asked, counted from 1.
 */
step: number
/**
 * Its place among the calls of that step, from 0.
 */
index: number
/**
 * The canonical name if it could be resolved, else as written.
 */
name: string
/**
 * Arguments as JSON text, as the model wrote them.
 */
arguments: string
state?: ProviderState
}
/**
 * The user is asked.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "PermissionRequestedEvent".
 */
export interface PermissionRequestedEvent {
type: "permission_requested"
question: Question
}
/**
 * A question to the user: complete arguments, true risk, nothing cut (R-51).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Question".
 */
export interface Question {
call_id: CallId
/**
 * The tool.
 */
tool: string
/**
 * Complete arguments, as they will be used.
 */
arguments: string
risk: Risk
/**
 * What it would touch.
 */
targets?: Target[]
preview?: Preview
/**
 * The folder it would run in.
 */
folder?: string
/**
 * What its tool warns of, in words of the program alone.
 */
caution?: string
sandbox?: Sandbox
/**
 * The rule that *remember* would store: the narrowest that covers the call.
 */
rule: string
/**
 * The word to type for a critical call.
 */
confirm_word?: string
/**
 * What an answer must name: a digest over the run and everything that is asked. Empty in what nobody can answer,
 * and in records that are older than it.
 */
digest: string
/**
 * Its place among the questions of its step, in call order, from 1.
 */
position: number
/**
 * How many questions its step is expected to have, as far as its calls are known: it may grow.
 */
total: number
/**
 * Characters of known secret values in what is asked. Some make the question critical; what leaves the program has
 * `***` in their place.
 */
hidden_chars: number
}
/**
 * A unified diff of a file change.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "DiffPreview".
 */
export interface DiffPreview {
kind: "diff"
text: string
}
/**
 * The exact command, and nothing else.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CommandPreview".
 */
export interface CommandPreview {
kind: "command"
text: string
}
/**
 * Anything else worth seeing.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "TextPreview".
 */
export interface TextPreview {
kind: "text"
text: string
}
/**
 * What one command is held to.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Sandbox".
 */
export interface Sandbox {
confinement: Confinement
reach: Reach
/**
 * The hosts that it may reach, where it may reach some: `crates.io`, `*.crates.io`, `pypi.org:8443`.
 */
hosts?: string[]
by: ConfinedBy
/**
 * What is not held although one might think so, a line each.
 */
not_held?: string[]
/**
 * All of it in one line, for people.
 */
words: string
/**
 * Whether the call itself asked to leave the sandbox that there is.
 */
leaves?: boolean
}
/**
 * Somebody or some rule decided.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "PermissionDecidedEvent".
 */
export interface PermissionDecidedEvent {
type: "permission_decided"
call_id: CallId
decision: Decision
/**
 * Which gate decided: `user`, `rule:ID`, `grant`, `risk`, `mode`, …
 */
by: string
/**
 * The rule that was stored with *remember*, or the grant with *session*.
 */
rule?: string
/**
 * What the user should know about the decision: a rule that could not be kept, for one.
 */
problem?: string
denied_by?: DeniedBy
/**
 * What the user said to a denied call.
 */
message?: string
}
/**
 * A call is about to run: written before anything happens.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallStartedEvent".
 */
export interface CallStartedEvent {
type: "call_started"
call_id: CallId
/**
 * The tool.
 */
name: string
/**
 * Who allowed it: the gate's word.
 */
by?: string
category: Category
visibility: Visibility
}
/**
 * A running call makes a call itself: written before anything of that happens (not the machine's own).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "InnerCallStartedEvent".
 */
export interface InnerCallStartedEvent {
type: "inner_call_started"
call_id: CallId
/**
 * Its place inside: `[2]` is the second call that it made, `[2, 1]` the first call that this one made.
 */
path: number[]
/**
 * The tool.
 */
name: string
/**
 * Complete arguments.
 */
arguments: string
effects?: Effects
}
/**
 * A call inside a call has ended. One without this record was cut off, with the call around it or with the
 * program (not the machine's own).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "InnerCallEndedEvent".
 */
export interface InnerCallEndedEvent {
type: "inner_call_ended"
call_id: CallId
/**
 * Its place inside.
 */
path: number[]
status: OutcomeStatus
/**
 * What it gave or why it failed, cut.
 */
said: string
/**
 * How long it took.
 */
duration_ms: number
/**
 * Who allowed it: the gate's word.
 */
decision?: string
}
/**
 * A call has its outcome: exactly once for every requested call (R-38).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallEndedEvent".
 */
export interface CallEndedEvent {
type: "call_ended"
call_id: CallId
/**
 * The tool.
 */
name: string
outcome: ToolOutcome
message: Message
category: Category
visibility: Visibility
}
/**
 * What a call gave: exactly one for every call, whatever happened to it.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ToolOutcome".
 */
export interface ToolOutcome {
body: OutcomeBody
meta: OutcomeMeta
}
/**
 * What a tool returns when it succeeds: JSON for machines, text for readers.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ToolOutput".
 */
export interface ToolOutput {
json: unknown
/**
 * A text form for models and people; the JSON itself when absent.
 */
text?: string
/**
 * Sources that an answer can cite.
 */
links?: Link[]
/**
 * The 900-character summary of text dialects (E-26…E-29), made by the tool's renderer.
 */
summary?: string
/**
 * Whether the tool cut its own output to a limit.
 */
is_truncated: boolean
}
/**
 * A source found by a call.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Link".
 */
export interface Link {
/**
 * Its title; the name of a document.
 */
title: string
/**
 * Its address; empty where it is a document of the index, which has none.
 */
url: string
/**
 * A piece of its text.
 */
snippet?: string
}
/**
 * A failed call: `message` is for model and user alike, `hint` tells the model what to do next,
 * `detail` is for the operator's log and leaves the process nowhere else.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ToolFailure".
 */
export interface ToolFailure {
kind: ErrorKind
/**
 * What was wrong, where.
 */
message: string
/**
 * The argument at fault.
 */
field?: string
/**
 * What was expected there.
 */
expected?: string
/**
 * What was there instead, cut short.
 */
received?: string
/**
 * What to do.
 */
hint?: string
denied_by?: DeniedBy
}
/**
 * Facts about the running of a call.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "OutcomeMeta".
 */
export interface OutcomeMeta {
/**
 * When it started (or was refused).
 */
started_ms: number
/**
 * How long it took.
 */
duration_ms: number
/**
 * Size of the readable output.
 */
output_bytes: number
/**
 * Whether the model sees only a part.
 */
is_truncated: boolean
/**
 * Whether an earlier outcome was given again.
 */
is_cached: boolean
/**
 * Which try it was, from 1.
 */
attempt: number
/**
 * Arguments that were dropped (E-16).
 */
dropped_args?: string[]
/**
 * Noise that was taken off the arguments before they could be read.
 */
repairs?: RepairNote[]
/**
 * Who allowed it: the gate's word.
 */
decision?: string
/**
 * The handle under which the whole output can be read.
 */
result_ref?: string
trust: Trust
label?: Label
sandbox?: Sandbox
proposal?: Question
/**
 * Hosts that it has sent something to, those of calls inside it among them. A call that was cut off with the program has
 * none on record, but that it began.
 */
reached?: ReachedHost[]
/**
 * Calls that it made itself: in journals from before these had records of their own, and in the answer to a call
 * from outside, of which there is no journal.
 */
inside?: InnerCall[]
}
/**
 * A host that a call has sent something to.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ReachedHost".
 */
export interface ReachedHost {
/**
 * Its name and port, as the address of the request had it.
 */
host: string
/**
 * The address that was connected to; nothing where no answer came.
 */
address?: string
/**
 * Requests that were sent to it.
 */
requests: number
/**
 * Bytes of these: lines, headers that the tool wrote, bodies.
 */
bytes_out: number
/**
 * Bytes of bodies that were read.
 */
bytes_in: number
}
/**
 * A call that a running call made itself.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "InnerCall".
 */
export interface InnerCall {
/**
 * The tool.
 */
name: string
/**
 * Complete arguments.
 */
arguments: string
effects?: Effects
status?: OutcomeStatus
/**
 * What it gave or why it failed, cut.
 */
said: string
/**
 * When it began.
 */
started_ms: number
/**
 * How long it took.
 */
duration_ms: number
/**
 * Who allowed it: the gate's word.
 */
decision?: string
/**
 * Calls that it made itself, in order.
 */
inside?: InnerCall[]
}
/**
 * The task list is now this (not the machine's own).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "TasksChangedEvent".
 */
export interface TasksChangedEvent {
type: "tasks_changed"
/**
 * All tasks, oldest first.
 */
tasks: Task[]
}
/**
 * One entry of the task list.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Task".
 */
export interface Task {
/**
 * `task_1`, `task_2`, …
 */
task_id: string
status: TaskStatus
/**
 * What is to be done.
 */
content: string
}
/**
 * The runtime told the model something.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "NoteAddedEvent".
 */
export interface NoteAddedEvent {
type: "note_added"
/**
 * What.
 */
text: string
}
/**
 * Something the user should know; each code at most once a run.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "WarningRaisedEvent".
 */
export interface WarningRaisedEvent {
type: "warning_raised"
code: WarningCode
/**
 * What happened.
 */
message: string
}
/**
 * The run cannot go on.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ErrorRaisedEvent".
 */
export interface ErrorRaisedEvent {
type: "error_raised"
/**
 * A stable word.
 */
code: string
/**
 * What happened and what to do.
 */
message: string
}
/**
 * A staged edit of the run was made when the user approved it (not the machine's own); may come after its end.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "EditAppliedEvent".
 */
export interface EditAppliedEvent {
type: "edit_applied"
call_id: CallId
/**
 * What the model is told.
 */
note: string
}
/**
 * The run is over: exactly once. After it comes only what becomes of its staged edits.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "RunEndedEvent".
 */
export interface RunEndedEvent {
type: "run_ended"
outcome: RunOutcome
reason: StopReason
/**
 * The answer, or what there is of it.
 */
answer: string
usage: Usage
}
/**
 * A model in the process reads a long prompt: so far it is (not durable).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "StepProgressedEvent".
 */
export interface StepProgressedEvent {
type: "step_progressed"
/**
 * Tokens that are read.
 */
tokens_read: number
/**
 * Tokens of the whole prompt.
 */
tokens_total: number
/**
 * How long the rest takes about; said where reading takes longer than ten seconds.
 */
remaining_ms?: number
}
/**
 * Thinking arrived (not durable).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ReasoningDeltaEvent".
 */
export interface ReasoningDeltaEvent {
type: "reasoning_delta"
/**
 * Phase: 0 before the first calls, then one more after each batch of calls (S-32).
 */
phase: number
/**
 * The piece.
 */
text: string
}
/**
 * Answer text arrived (not durable).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "TextDeltaEvent".
 */
export interface TextDeltaEvent {
type: "text_delta"
/**
 * The piece.
 */
text: string
}
/**
 * A piece of a call arrived (not durable).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallDeltaEvent".
 */
export interface CallDeltaEvent {
type: "call_delta"
/**
 * Its place among the calls of the step.
 */
index: number
/**
 * Its name, once known.
 */
name: (string | null)
/**
 * How many characters of arguments so far.
 */
chars: number
}
/**
 * A call reported how far it is (not durable).
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallProgressedEvent".
 */
export interface CallProgressedEvent {
type: "call_progressed"
call_id: CallId
/**
 * One line.
 */
line: string
}
/**
 * The user said something, and the run began.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "MessageSentCause".
 */
export interface MessageSentCause {
type: "message_sent"
}
/**
 * A call was complete while the model still spoke.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallReadyCause".
 */
export interface CallReadyCause {
type: "call_ready"
}
/**
 * The model was done with a step.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ModelEndedCause".
 */
export interface ModelEndedCause {
type: "model_ended"
/**
 * Calls that were too many to be looked at.
 */
calls_left_out?: number
}
/**
 * The model was done with a step that had neither words nor calls.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ModelGaveNothingCause".
 */
export interface ModelGaveNothingCause {
type: "model_gave_nothing"
/**
 * What there was of it: thinking.
 */
parts?: Part[]
finish: Finish
usage?: Usage
}
/**
 * The model gave no step.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ModelFailedCause".
 */
export interface ModelFailedCause {
type: "model_failed"
failure: ModelFailure
}
/**
 * Why a model gave no step. `message` is for the user, `detail` for the operator.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ModelFailure".
 */
export interface ModelFailure {
/**
 * What kind of failure it is; a stable word in records and on wires.
 */
code: string
/**
 * What happened and what to do.
 */
message: string
/**
 * Whether asking again may help.
 */
is_retryable: boolean
/**
 * How long the provider asked us to wait.
 */
retry_after_ms?: number
}
/**
 * The model's adapter had to change something of the request.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ModelNoticedCause".
 */
export interface ModelNoticedCause {
type: "model_noticed"
}
/**
 * A tool said what a call would touch.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallInspectedCause".
 */
export interface CallInspectedCause {
type: "call_inspected"
call_id: CallId
}
/**
 * The user answered a question.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "PermissionAnsweredCause".
 */
export interface PermissionAnsweredCause {
type: "permission_answered"
call_id: CallId
}
/**
 * The user chose another mode while a question waited.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ModeChangedCause".
 */
export interface ModeChangedCause {
type: "mode_changed"
mode: ApproveMode
}
/**
 * A running call had its outcome.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CallEndedCause".
 */
export interface CallEndedCause {
type: "call_ended"
call_id: CallId
}
/**
 * A running call made a call itself.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CalledInsideCause".
 */
export interface CalledInsideCause {
type: "called_inside"
call_id: CallId
}
/**
 * The run was out of time.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "DeadlinePassedCause".
 */
export interface DeadlinePassedCause {
type: "deadline_passed"
deadline: Deadline
}
/**
 * The user stopped the run.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "CancelledCause".
 */
export interface CancelledCause {
type: "cancelled"
}
/**
 * The journal could not be written.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "JournalFailedCause".
 */
export interface JournalFailedCause {
type: "journal_failed"
/**
 * What the user was told.
 */
message: string
}
/**
 * The program had stopped in the middle of the run, and took it up again.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "ProgramStartedCause".
 */
export interface ProgramStartedCause {
type: "program_started"
}
/**
 * The run could not be taken up again.
 * 
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "AbandonedCause".
 */
export interface AbandonedCause {
type: "abandoned"
}

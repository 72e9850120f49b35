// Provisional: replaced by what `npm run schema` writes from schema/events.schema.json.
export type Json = unknown;
export type Category = 'search' | 'utility' | 'other';
export type Visibility = 'primary' | 'secondary' | 'hidden';
export type RunOutcome = 'completed' | 'limit_reached' | 'cancelled' | 'failed';
export type Risk = 'safe' | 'low' | 'medium' | 'high' | 'critical';
export type Decision = 'once' | 'session' | 'remember' | 'deny';
export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';
export interface Usage { input: number; output: number; cached: number; reasoning: number; cost_usd?: number }
export interface ProviderState { model: string; value: Json }
export interface ToolCall { id: string; provider_id?: string; step: number; index: number; name: string; arguments: string; state?: ProviderState }
export interface Reasoning { text: string; opaque?: Json; model?: string }
export type Part =
  | { type: 'text'; text: string }
  | ({ type: 'reasoning' } & Reasoning)
  | ({ type: 'call' } & ToolCall)
  | { type: 'image'; media_type: string; url: string };
export type Message =
  | { role: 'user'; parts: Part[] }
  | { role: 'assistant'; parts: Part[] }
  | { role: 'tool'; call_id: string; provider_id?: string; name: string; content: string; is_ok: boolean; is_valid_call: boolean }
  | { role: 'note'; text: string };
export interface Link { title: string; url: string; snippet?: string }
export interface ToolOutput { json: Json; text?: string; links?: Link[]; summary?: string; is_truncated: boolean }
export interface ToolFailure { kind: string; message: string; field?: string; expected?: string; received?: string; hint?: string }
export interface OutcomeMeta {
  started_ms: number; duration_ms: number; output_bytes: number; is_truncated: boolean; is_cached: boolean; attempt: number;
  dropped_args?: string[]; repairs?: string[]; decision?: string; result_ref?: string; trust: 'own' | 'untrusted';
}
export interface ToolOutcome { body: { Ok: ToolOutput } | { Err: ToolFailure }; meta: OutcomeMeta }
export type Target = { path: string } | { host: string } | { command: string };
export interface Preview { kind: 'diff' | 'command' | 'text'; text: string }
export interface Question {
  call_id: string; tool: string; arguments: string; risk: Risk; targets?: Target[]; preview?: Preview; rule: string; confirm_word?: string;
}
export interface Task { task_id: string; status: TaskStatus; content: string }
export interface Sampling { temperature?: number; top_p?: number; output_tokens_max?: number; reasoning_effort?: string; seed?: number; response_format?: Json }
export interface RunWishes { context?: string; tools_allowed: boolean; tools?: string[]; tool_choice: 'auto' | 'required' | 'forbidden' | { named: string }; sampling: Sampling; system?: string; steps_max?: number }
export type Finish = 'stop' | 'calls' | 'length' | 'paused' | 'filtered' | { other: string };
export type Event =
  | { type: 'run_started'; model: string; profile: string; message: Message; wishes?: RunWishes }
  | { type: 'run_resumed'; interrupted?: string[]; repeated?: string[] }
  | { type: 'step_started'; step: number; purpose: 'work' | 'correction' | 'continuation' | 'finalise'; attempt: number }
  | { type: 'step_delayed'; step: number; attempt: number; attempts_max: number; delay_ms: number; code: string; message: string; usage?: Usage }
  | { type: 'request_adjusted'; step: number; kind: 'healed' | 'lowered' | 'emulated' | 'trimmed'; rule: string; message: string }
  | { type: 'reasoning_delta'; phase: number; text: string }
  | { type: 'text_delta'; text: string }
  | { type: 'call_delta'; index: number; name: string | null; chars: number }
  | { type: 'step_ended'; step: number; message: Message; finish: Finish; usage?: Usage }
  | { type: 'call_requested'; call: ToolCall; category: Category; visibility: Visibility }
  | { type: 'permission_requested'; question: Question }
  | { type: 'permission_decided'; call_id: string; decision: Decision; by: string; rule?: string; problem?: string }
  | { type: 'call_started'; call_id: string; name: string; by?: string; category: Category; visibility: Visibility }
  | { type: 'call_progressed'; call_id: string; line: string }
  | { type: 'call_ended'; call_id: string; name: string; outcome: ToolOutcome; message: Message; category: Category; visibility: Visibility }
  | { type: 'tasks_changed'; tasks: Task[] }
  | { type: 'note_added'; text: string }
  | { type: 'warning_raised'; code: string; message: string }
  | { type: 'error_raised'; code: string; message: string }
  | { type: 'run_ended'; outcome: RunOutcome; reason: string; answer: string; usage: Usage };
export interface Record { seq: number; ts_ms: number; session_id: string; run_id: string; parent_id: string; event: Event }

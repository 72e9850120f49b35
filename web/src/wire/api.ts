// Every question that the app asks the server, one function each. Streams are `follow`'s business.

import type { Message, Question, ToolCall, ToolOutcome, Usage, Decision } from '../view/types';
import { askJson, path, query, type Schemas } from './http';

export type Session = Schemas['Session'];
export type Run = Schemas['Run'];
export type RunTrace = Schemas['RunTrace'];
export type Tool = Schemas['Tool'];
export type Rule = Schemas['Rule'];
export type Gate = Schemas['Gate'];
export type Save = Schemas['Save'];
export type Task = Schemas['Task'];
export type Settings = Schemas['Settings'];

export type About = Schemas['About'];
export type Found = Schemas['Found'];
export type Index = Schemas['Index'];
export type Document = Schemas['Document'];
export type Module = Schemas['Module'];

export interface RunWish {
  message: string;
  model?: string;
  profile?: string;
  tools?: string[];
  tool_choice?: unknown;
  reasoning_effort?: string;
}

export interface StepDetail {
  step: number;
  attempts: { attempt: number; purpose: string; started_ms: number; ended_ms?: number }[];
  request?: {
    system: string;
    messages: Message[];
    trailer: string[];
    tools: { name: string; description: string; schema: unknown }[];
    tool_choice: unknown;
    sampling: { [name: string]: unknown };
  };
  wire?: { method: string; url: string; body: unknown };
  response?: { message: Message; finish: unknown; usage?: Usage };
  problem?: string;
}

export interface CallDetail {
  call: ToolCall;
  category: string;
  visibility: string;
  requested_ms: number;
  started_ms?: number;
  ended_ms?: number;
  question?: Question;
  decision?: { decision: Decision; by: string; rule?: string; problem?: string };
  outcome?: ToolOutcome;
  message?: Message;
}

export interface Answer {
  decision: Decision;
  /** Of the question that was shown: the answer counts for nothing else. */
  digest: string;
  rule?: string;
  confirmation?: string;
  /** What the model is told with a denial. */
  message?: string;
}

export const about = () => askJson<About>('/api/about');

export const sessions = (wish: { text?: string; before?: string; rows?: number } = {}, signal?: AbortSignal) =>
  askJson<{ sessions: Session[]; next?: string }>('/api/sessions' + query(wish), signal ? { signal } : {});
export const session = (id: string) => askJson<Session>(path`/api/sessions/${id}`);
export const createSession = (body: { title?: string; model?: string; profile?: string; approve?: string; settings?: Settings; origin?: string }) =>
  askJson<Session>('/api/sessions', { method: 'POST', body });
export const renameSession = (id: string, title: string) =>
  askJson<Session>(path`/api/sessions/${id}`, { method: 'PATCH', body: { title } });
export const setMode = (id: string, approve: string) =>
  askJson<Session>(path`/api/sessions/${id}`, { method: 'PATCH', body: { approve } });
export const setSettings = (id: string, settings: Settings) =>
  askJson<Session>(path`/api/sessions/${id}`, { method: 'PATCH', body: { settings } });
export const deleteSession = (id: string) => askJson<undefined>(path`/api/sessions/${id}`, { method: 'DELETE' });
export const tasks = (sessionId: string) => askJson<{ tasks: Task[] }>('/api/tasks' + query({ session_id: sessionId }));

export const startRun = (sessionId: string, body: RunWish) =>
  askJson<Schemas['StartedRun']>(path`/api/sessions/${sessionId}/runs`, { method: 'POST', body });
export const run = (id: string) => askJson<Run>(path`/api/runs/${id}`);
export const runs = (wish: { session_id?: string; unfinished?: 1; before?: string; rows?: number } = {}) =>
  askJson<{ runs: Run[]; next?: string }>('/api/runs' + query(wish));
export const trace = (id: string) => askJson<RunTrace>(path`/api/runs/${id}/trace`);
export const cancelRun = (id: string) => askJson<undefined>(path`/api/runs/${id}/cancel`, { method: 'POST' });
export const resumeRun = (id: string, retry: string[] = []) =>
  askJson<Schemas['StartedRun']>(path`/api/runs/${id}/resume`, { method: 'POST', body: { retry } });
export const forkRun = (id: string, body: Schemas['ForkRun']) =>
  askJson<Schemas['StartedRun']>(path`/api/runs/${id}/fork`, { method: 'POST', body });
export const replayRun = (id: string) =>
  askJson<Schemas['ReplayReport']>(path`/api/runs/${id}/replay`, { method: 'POST' });
export const step = (runId: string, number: number) => askJson<StepDetail>(path`/api/runs/${runId}/steps/${number}`);
export const call = (runId: string, callId: string) => askJson<CallDetail>(path`/api/runs/${runId}/calls/${callId}`);
export const answer = (runId: string, callId: string, body: Answer) =>
  askJson<undefined>(path`/api/runs/${runId}/permissions/${callId}`, { method: 'POST', body });
/** Answers several questions: all are checked before the first counts. */
export const answerAll = (runId: string, answers: (Answer & { call_id: string })[]) =>
  askJson<undefined>(path`/api/runs/${runId}/permissions`, { method: 'POST', body: { answers } });
/** Makes an edit that a run has staged, if it is the one that was shown. */
export const applyEdit = (runId: string, callId: string, body: Schemas['EditApproval']) =>
  askJson<Schemas['ToolAnswer']>(path`/api/runs/${runId}/edits/${callId}`, { method: 'POST', body });
export const tools = () => askJson<{ tools: Tool[] }>('/api/tools');
export const callTool = (
  name: string,
  body: { arguments: object; session_id?: string; approve?: 'once'; digest?: string; confirmation?: string },
) => askJson<Schemas['ToolAnswer']>(path`/api/tools/${name}/call`, { method: 'POST', body });
export const rules = () => askJson<{ rules: Rule[] }>('/api/policies');
export const addRule = (effect: string, rule: string) =>
  askJson<Rule>('/api/policies', { method: 'POST', body: { effect, rule } });
export const removeRule = (id: string) => askJson<undefined>(path`/api/policies/${id}`, { method: 'DELETE' });
export const explain = (tool: string, args: object) =>
  askJson<{ gates: Gate[]; question?: Question }>('/api/policies/explain', {
    method: 'POST',
    body: { tool, arguments: args },
  });
export const audit = (wish: { rows?: number; tool?: string } = {}) =>
  askJson<{ entries: Schemas['AuditEntry'][] }>('/api/policies/audit' + query(wish));
export const folderTrust = () => askJson<Schemas['FolderTrust']>('/api/trust');
/** Trusts the folder of the server, if it is as it was when this digest was shown. */
export const trustFolder = (digest: string) => askJson<Schemas['FolderTrust']>('/api/trust', { method: 'POST', body: { digest } });
export const stopTrusting = () => askJson<Schemas['FolderTrust']>('/api/trust', { method: 'DELETE' });
export const models = () => askJson<{ models: Schemas['Model'][] }>('/api/models');
export const modules = () => askJson<Schemas['Modules']>('/api/modules');
export const modulePrompt = (id: string, inputs: object) =>
  askJson<Schemas['ModulePrompt']>(path`/api/modules/${id}/prompt`, { method: 'POST', body: { inputs } });
export const doctor = (name: string) =>
  askJson<Schemas['Findings']>('/api/models/doctor', { method: 'POST', body: { name } });

export const search = (wish: { q: string; kind?: string; top_k?: number }) =>
  askJson<Found>('/api/search' + query(wish));
export const indexStatus = () => askJson<Index>('/api/index');
export const documents = () => askJson<{ documents: Document[] }>('/api/documents');
export const addDocument = (body: Schemas['NewDocument']) => askJson<Document>('/api/documents', { method: 'POST', body });
export const removeDocument = (id: string) => askJson<undefined>(path`/api/documents/${id}`, { method: 'DELETE' });
export const saves = () => askJson<{ saves: Save[] }>('/api/saves');
export const save = (id: string) => askJson<Save>(path`/api/saves/${id}`);
export const putSave = (body: Schemas['NewSave']) => askJson<Save>('/api/saves', { method: 'POST', body });
export const deleteSave = (id: string) => askJson<undefined>(path`/api/saves/${id}`, { method: 'DELETE' });

// What the server says of a call. Knows no screen.

import { isObject, type Json } from '../schema_form/schema';

export interface ToolError {
  kind: string;
  message: string;
  /** The argument at fault, as a path: `edits/0/new`. */
  field?: string | null;
  expected?: string | null;
  received?: string | null;
  hint?: string | null;
}

export interface ToolAnswer {
  status: string;
  /** The envelope, as a model would see it. */
  content: string;
  duration_ms: number;
  result?: Json;
  error?: ToolError;
}

/** Why a call failed; what the answer itself does not say may stand in the envelope. */
export function errorOf(answer: ToolAnswer): ToolError | null {
  if (!answer.error) return null;
  return { ...inEnvelope(answer.content), ...answer.error };
}

function inEnvelope(content: string): Partial<ToolError> {
  try {
    const read: unknown = JSON.parse(content);
    return isObject(read) && isObject(read.error) ? (read.error as Partial<ToolError>) : {};
  } catch {
    return {};
  }
}

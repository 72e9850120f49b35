// What the server says of a call. Knows no screen.

import type { Json } from '../schema_form/schema';

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

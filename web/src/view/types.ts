// The words of the journal, as the server writes them, under names that do not clash with the language's own.
import type { Record as PlainRecord } from '../protocol/events';

export type {
  Category,
  Decision,
  Event,
  Link,
  Message,
  Part,
  Question,
  Risk,
  RunOutcome,
  Task,
  ToolCall,
  ToolFailure,
  ToolOutcome,
  ToolOutput,
  Usage,
  Visibility,
} from '../protocol/events';

/** A record as the server gives it to the app: long outcomes may have been cut for the screen. */
export type JournalRecord = PlainRecord & { clipped?: boolean };

// Server-sent events from a stream of bytes: lines, fields, blank line. Knows nothing of what they say.

export interface SseEvent {
  id: string | null;
  event: string;
  data: string;
}

/** Cuts text into events; pieces may end anywhere. */
export class SseParser {
  private rest = '';
  private id: string | null = null;
  private event = '';
  private lines: string[] = [];

  push(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    const whole = this.rest + text;
    let from = 0;
    for (let end = whole.indexOf('\n'); end >= 0; end = whole.indexOf('\n', from)) {
      const line = whole.slice(from, whole[end - 1] === '\r' ? end - 1 : end);
      from = end + 1;
      const event = this.line(line);
      if (event) events.push(event);
    }
    this.rest = whole.slice(from);
    return events;
  }

  private line(line: string): SseEvent | null {
    if (line === '') {
      const done = this.lines.length
        ? { id: this.id, event: this.event || 'message', data: this.lines.join('\n') }
        : null;
      this.id = null;
      this.event = '';
      this.lines = [];
      return done;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.lines.push(value);
    if (field === 'event') this.event = value;
    if (field === 'id') this.id = value;
    return null;
  }
}

/** The events of a body, as they come. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new SseParser();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = parser.push(decoder.decode(value, { stream: true }));
      if (events.length) yield events;
    }
  } finally {
    // Whoever stops reading stops the stream.
    await reader.cancel().catch(() => undefined);
  }
}

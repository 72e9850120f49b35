// The session on the screen: its view as it is and as it comes, and how the connection is.

import { emptySession, tasksOf, type SessionView } from '../view/session';
import { followSession, type Link } from '../wire/follow';
import type { Refusal } from '../wire/http';

/** One session that is followed; `stop` when its screen goes away. */
export class OpenSession {
  view = $state.raw<SessionView>(emptySession);
  link = $state<Link>('loading');
  refusal = $state.raw<Refusal | null>(null);
  /** Counts what was sent from here: whoever sends wants to see what comes of it. */
  sent = $state(0);
  /** The newest run, which is the one that goes on if any does. */
  newest = $derived(this.view.runs.at(-1) ?? null);
  /** The task list, which outlives the runs that changed it. */
  tasks = $derived(tasksOf(this.view));
  isRunning = $derived(this.newest !== null && this.newest.ended === null);

  readonly stop: () => void;

  constructor(readonly id: string) {
    const follower = followSession(id, {
      show: (view) => {
        this.view = view;
      },
      tell: (link, refusal) => {
        this.link = link;
        this.refusal = refusal;
      },
    });
    this.stop = () => follower.stop();
  }
}

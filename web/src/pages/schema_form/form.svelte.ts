// What all fields of a form share: the whole schema, and what is wrong where.

import { getContext, setContext, untrack } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';
import type { Fault } from './check';
import type { JsonObject, Schema } from './schema';
import { keyOfPath, type Path } from './value';

/** What a form is given. */
export interface FormProps {
  schema: Schema;
  value: JsonObject;
  faults: readonly Fault[];
  /** Whether fields that are needed and not there are said to be. */
  showsMissing: boolean;
  uid: string;
  /** Whether all that was typed could be read. */
  isRead?: boolean;
  onchange: (value: JsonObject) => void;
}

export class Form {
  /** Fields whose text is no value yet, by place. */
  private readonly unread = new SvelteSet<string>();
  readonly hasUnread = $derived(this.unread.size > 0);

  constructor(
    readonly uid: string,
    private readonly schema: () => Schema,
    private readonly faults: () => readonly Fault[],
    private readonly showsMissing: () => boolean,
  ) {}

  get root(): Schema {
    return this.schema();
  }

  /** What is wrong at just this place, as far as it is said yet. */
  faultsAt(path: Path): string[] {
    const key = keyOfPath(path);
    return this.faults()
      .filter((fault) => keyOfPath(fault.path) === key && (!fault.isMissing || this.showsMissing()))
      .map((fault) => fault.message);
  }

  idOf(path: Path): string {
    return idOf(this.uid, path);
  }

  /** A field holds text that cannot be read, or no longer. */
  markUnread(path: Path, isUnread: boolean): void {
    const key = keyOfPath(path);
    // Called by effects, which must not depend on what they change.
    untrack(() => (isUnread ? this.unread.add(key) : this.unread.delete(key)));
  }
}

/** The id of the control of a field. */
export function idOf(uid: string, path: Path): string {
  return [uid, ...path.map((part) => encodeURIComponent(String(part)))].join('-');
}

const KEY = Symbol('schema form');

export function provideForm(form: Form): void {
  setContext(KEY, form);
}

export function useForm(): Form {
  return getContext(KEY);
}

// What is said of modules: which fit some words, how good they are, what their outputs are worth showing as.

import type { Module } from '../../wire/api';
import type { Schema } from '../schema_form/schema';

/** Modules with all of these words in their name, tags or instruction. */
export function filterModules(modules: Module[], text: string): Module[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return modules.filter((module) => {
    const own = [module.module_id, module.instruction, ...module.tags].join(' ').toLowerCase();
    return words.every((word) => own.includes(word));
  });
}

/** `82 %`: how good it was when it was made; nothing where nobody knows. */
export function scoreOf(module: Module): string {
  return module.metric_score === undefined ? '' : `${Math.round(module.metric_score * 100)} %`;
}

/** The inputs that a person gives: what the run fills in itself is left out. */
export function formSchema(module: Module): Schema {
  const whole = module.inputs_schema as { properties?: { [name: string]: unknown }; required?: string[] };
  const names = new Set(module.inputs.map((field) => field.name));
  const properties = Object.fromEntries(Object.entries(whole.properties ?? {}).filter(([name]) => names.has(name)));
  const required = (whole.required ?? []).filter((name) => names.has(name));
  return { ...whole, properties, required } as Schema;
}

/** One output of a run. */
export interface Output {
  name: string;
  /** Text as it is; everything else as JSON. */
  text: string;
  isJson: boolean;
}

/** The outputs in the answer of a run; nothing where the answer is no object. */
export function outputsOf(module: Module, answer: string): Output[] | null {
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const fields = value as { [name: string]: unknown };
  const known = module.outputs.map((field) => field.name).filter((name) => name in fields);
  const others = Object.keys(fields).filter((name) => !known.includes(name));
  return [...known, ...others].map((name) => {
    const own = fields[name];
    const isText = typeof own === 'string';
    return { name, text: isText ? own : JSON.stringify(own, null, 2), isJson: !isText };
  });
}

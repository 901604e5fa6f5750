import type { Context } from './explanation.ts';
import type { Parameter, Snapshot, Value } from './snapshot.ts';

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

/** The two largest units: "4 min 12 s". */
export function durationText(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** "a, b and c". */
export function listText(words: readonly string[], none = 'none', last = 'and'): string {
  if (words.length < 2) return words[0] ?? none;
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

export function articleText(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** What a parameter held, in words; a secret by its kind and length. */
export function valueText(value: Value): string {
  if ('shown' in value) return value.shown;
  if ('fault' in value) return FAULTS[value.fault];
  const notes = value.notes ? `, which ${value.notes.join(' and ')}` : '';
  const kind = value.hidden === 'text' ? '' : `${articleText(value.hidden)} of `;
  const length = value.length === undefined ? 'a value' : `${value.length} characters`;
  return `${kind}${length} (not kept)${notes}`;
}

const FAULTS = {
  empty: 'no value',
  repeated: 'more than one value',
  malformed: 'a value whose percent-encoding is not valid UTF-8',
} as const;

export function paramOf({ received }: Snapshot, name: string): Parameter | undefined {
  return received.params[name];
}

export function paramText(snapshot: Snapshot, name: string): string {
  const parameter = paramOf(snapshot, name);
  return parameter ? `${name}: ${valueText(parameter.value)}` : `no ${name}`;
}

/** The value of a parameter, if it was kept. */
export function shownParam(snapshot: Snapshot, name: string): string | undefined {
  const value = paramOf(snapshot, name)?.value;
  return value && 'shown' in value ? value.shown : undefined;
}

/** Another application by its name, for readers who may know it. */
export function applicationText({ mayName }: Context, app: string): string {
  return mayName(app) ? `the application ${app}` : 'another application';
}

export function clientText({ snapshot, app }: Context): string {
  if (snapshot.client === undefined) return 'the client';
  return app === '' ? `client ${snapshot.client}` : `client ${app}/${snapshot.client}`;
}

/** What is expected or was received, with the text itself where it is known. */
export function withValue(what: string, value: string | undefined): string {
  return value === undefined || value === '' ? what : `${what}: ${value}`;
}

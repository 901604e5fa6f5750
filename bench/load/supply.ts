import { readFileSync } from 'node:fs';
import { TAB, type Values } from './request.ts';

/** Where the values of the requests come from. It goes on in the next run where it stopped in this one. */
export interface Supply {
  /** For a connection, by its number. Undefined: there is nothing left to send. */
  next(connection: number): string | undefined;
  /** The answer to it; false when it is not what the work is about. */
  answered(connection: number, text: string): boolean;
}

const NOTHING: Supply = { next: () => '', answered: () => true };

export function openSupply(values: Values | undefined): Supply {
  if (!values) return NOTHING;
  const lines = readFileSync(values.file, 'utf8').trim().split('\n');
  return values.use === 'chain' ? chain(lines) : list(lines, values.use === 'round');
}

function list(lines: readonly string[], again: boolean): Supply {
  let at = 0;
  return {
    next: () => {
      if (again && at === lines.length) at = 0;
      return lines[at++];
    },
    answered: () => true,
  };
}

const REFRESH_TOKEN = /"refresh_token":\s*"([^"]+)"/;

/** Every family in turn, so that none is asked for again before all others were: as a store meets them whose clients are many. */
function chain(lines: readonly string[]): Supply {
  const current = [...lines];
  /** A ring of those that no request uses at the moment, in the order in which they came back. */
  const waiting = Uint32Array.from(lines.keys());
  const inHand: number[] = [];
  let taken = 0;
  let returned = 0;
  return {
    next: connection => {
      if (taken - returned === lines.length) return undefined;
      const family = waiting[taken++ % lines.length] ?? 0;
      inHand[connection] = family;
      return current[family];
    },
    answered: (connection, text) => {
      const family = inHand[connection] ?? 0;
      waiting[returned++ % lines.length] = family;
      return advance(current, family, text);
    },
  };
}

/** Without a new refresh token and an ID token there was no rotation to count. */
function advance(current: string[], family: number, text: string): boolean {
  const line = current[family] ?? '';
  const before = line.slice(line.lastIndexOf(TAB) + 1);
  const next = REFRESH_TOKEN.exec(text)?.[1];
  if (next === undefined || next === before || !text.includes('"id_token":')) return false;
  current[family] = line.slice(0, line.length - before.length) + next;
  return true;
}

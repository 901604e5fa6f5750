import { readFileSync } from 'node:fs';
import type { Values } from './request.ts';

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
  return values.use === 'chain' ? chains(lines) : list(lines, values.use === 'round');
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

/** Each connection has a family of its own. Without a new refresh token and an ID token there was no rotation to count. */
function chains(lines: readonly string[]): Supply {
  const current = [...lines];
  return {
    next: connection => current[connection],
    answered: (connection, text) => {
      const next = REFRESH_TOKEN.exec(text)?.[1];
      if (next === undefined || next === current[connection] || !text.includes('"id_token":')) return false;
      current[connection] = next;
      return true;
    },
  };
}

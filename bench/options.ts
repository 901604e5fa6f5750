import { parseArgs } from 'node:util';

export interface Options {
  /** How long each measurement lasts. */
  readonly seconds: number;
  /** Every round measures every server once, so that a slow minute of the machine hits them all. */
  readonly rounds: number;
  /** Live access tokens in each server, each with a refresh token and a grant of its own. */
  readonly tokens: number;
  readonly connections: number;
  readonly store: 'sqlite' | 'postgres';
}

export const HELP = `Usage: npm run bench -- [--seconds N] [--rounds N] [--tokens N] [--connections N] [--store sqlite|postgres]`;

export function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '3' },
        rounds: { type: 'string', default: '5' },
        tokens: { type: 'string', default: '100000' },
        connections: { type: 'string', default: '64' },
        store: { type: 'string', default: 'sqlite' },
      },
    });
    const { store } = values;
    if (store !== 'sqlite' && store !== 'postgres') return undefined;
    const numbers = {
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
      tokens: Number(values.tokens),
      connections: Number(values.connections),
    };
    return Object.values(numbers).every(value => Number.isInteger(value) && value > 0)
      ? { ...numbers, store }
      : undefined;
  } catch {
    return undefined;
  }
}

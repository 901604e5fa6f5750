import { randomBytes } from 'node:crypto';
import { EXIT } from '../cli/exit.ts';
import { RemoteFault, type RemoteServer } from '../cli/remote.ts';
import type { ImportOptions } from './import-file.ts';
import type { ImportTarget, Line, LineOutcome } from './import-users.ts';

/** So many lines are sent at once: the server answers within a second, and a lost answer costs little to repeat. */
const MAX_LINES = 500;
const MAX_CHARACTERS = 1_000_000;

/**
 * Users of a file over the admin API, in small requests. The command reads and checks the whole file as on the database; the server reads the
 * records once more. What is sealed for the check alone is thrown away.
 */
export function importAt(remote: RemoteServer, { from, update, resetPasswords }: ImportOptions): ImportTarget {
  const options = { ...(from === undefined ? {} : { from }), update, reset_passwords: resetPasswords };
  const send = async (lines: readonly Line[], dryRun: boolean): Promise<LineOutcome[]> => {
    const outcomes: LineOutcome[] = [];
    for (const part of inParts(lines)) {
      const body = { ...options, dry_run: dryRun, lines: part.map(recordOf) };
      const outcome = await remote.perform('importUsers', { params: {}, query: {}, body });
      if (outcome.kind !== 'done') throw new RemoteFault(refusalText(remote, outcome), EXIT.data);
      outcomes.push(...(outcome.value as { readonly outcomes: readonly LineOutcome[] }).outcomes);
    }
    return outcomes;
  };
  return {
    clock: { now: () => Math.floor(Date.now() / 1000) },
    random: { bytes: count => randomBytes(count) },
    ring: { seal: () => Buffer.alloc(0), open: () => undefined },
    attributes: undefined,
    providers: undefined,
    needsRecords: true,
    check: lines => send(lines, true),
    write: lines => send(lines, false),
  };
}

function recordOf({ line, record }: Line) {
  if (record?.content.kind !== 'read') throw new Error(`line ${line} was not kept`);
  return { line, ...record.content };
}

function* inParts(lines: readonly Line[]): Generator<readonly Line[]> {
  let part: Line[] = [];
  let size = 0;
  for (const line of lines) {
    const length = JSON.stringify(recordOf(line)).length;
    if (part.length === MAX_LINES || (part.length > 0 && size + length > MAX_CHARACTERS)) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(line);
    size += length;
  }
  if (part.length > 0) yield part;
}

function refusalText(
  { url }: RemoteServer,
  refusal: { readonly kind: string; readonly errors?: readonly { detail: string }[] },
) {
  const detail = refusal.errors?.[0]?.detail;
  if (detail !== undefined) return detail;
  return refusal.kind === 'unknown' ? 'users need an API key for all applications' : `${url}: ${refusal.kind}`;
}

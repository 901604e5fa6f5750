import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { NodeProcess } from '../faults/nodes.ts';
import { inParallel, introspect, revoke } from '../faults/wire.ts';

/** A client that revokes one refresh token after the other during a fault, and remembers which were acknowledged. */
export interface Revocations {
  readonly acknowledged: readonly string[];
  stop(): Promise<void>;
}

const PAUSE_MS = 20;

export function startRevocations(nodes: readonly NodeProcess[], tokens: readonly string[]): Revocations {
  const acknowledged: string[] = [];
  let going = true;
  const work = async () => {
    let attempt = 0;
    for (const token of tokens) {
      while (going && (await revoke(nodes[attempt++ % nodes.length] as NodeProcess, token)).outcome !== 200)
        await pause(PAUSE_MS);
      if (!going) return;
      acknowledged.push(token);
      await pause(PAUSE_MS);
    }
  };
  const ended = work();
  return {
    acknowledged,
    stop: async () => {
      going = false;
      await ended;
    },
  };
}

export async function assertRevoked(nodes: readonly NodeProcess[], tokens: readonly string[]): Promise<void> {
  const alive: string[] = [];
  await inParallel([...tokens.entries()], 16, async ([index, token]) => {
    const { json, text } = await introspect(nodes[index % nodes.length] as NodeProcess, token);
    if (json?.active !== false) alive.push(text);
  });
  assert.deepEqual(alive, [], `of ${tokens.length} acknowledged revocations`);
}

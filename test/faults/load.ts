import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { NodeProcess } from './nodes.ts';
import { type Answer, authorize, inParallel, introspect, passwordGrant, redeem, refresh } from './wire.ts';

/**
 * Clients that go on during a fault: they request a code, redeem it and refresh. A request that is not answered, or is answered
 * with 503, they send again to the next node.
 */
export interface Load {
  /** Ends when every client has finished what it had begun. */
  stop(): Promise<void>;
  /** Requests with a final answer so far. */
  readonly done: number;
  /** When a request was last answered with 200, by performance.now(). */
  readonly lastSuccess: number;
  readonly tally: Tally;
  readonly sets: readonly TokenSet[];
}

export interface TokenSet {
  readonly code: string | undefined;
  access: string;
  refresh: string;
}

/** What the clients were answered. */
export interface Tally {
  readonly outcomes: Map<string, number>;
  slowest503: number;
  slowestName: string;
  slowest: number;
  withoutRetryAfter: number;
  /** A code whose redemption was done but not answered: the client asked for a new one. */
  begunAnew: number;
  /** Requests that succeeded at another attempt. */
  retried: number;
  /** Answers that no fault excuses. */
  readonly wrong: string[];
}

/** The final answer to a request. */
interface Persisted {
  readonly answer: Answer;
  readonly node: NodeProcess;
  readonly attempt: number;
  /** Milliseconds since the first attempt. */
  readonly after: number;
}

const RETRY_MS = 50;
const REFRESHES_EVERY = 3;

export function startLoad(nodes: readonly NodeProcess[], cookie: string, { clients = 16, passwords = 1 } = {}): Load {
  const tally: Tally = {
    outcomes: new Map(),
    slowest503: 0,
    slowestName: 'none',
    slowest: 0,
    withoutRetryAfter: 0,
    begunAnew: 0,
    retried: 0,
    wrong: [],
  };
  const sets: TokenSet[] = [];
  let going = true;
  let turn = 0;
  let done = 0;
  let lastSuccess = 0;

  const note = (what: string, answer: Answer) => {
    const { outcome, json, milliseconds, headers } = answer;
    const name = json?.error === undefined ? String(outcome) : `${outcome} ${json.error}`;
    tally.outcomes.set(name, (tally.outcomes.get(name) ?? 0) + 1);
    tally.slowest = Math.max(tally.slowest, milliseconds);
    if (outcome === 503) {
      if (milliseconds > tally.slowest503) Object.assign(tally, { slowest503: milliseconds, slowestName: what });
      if (!/^\d+$/.test(headers['retry-after'] ?? '')) tally.withoutRetryAfter++;
    }
    if (outcome === 200 || outcome === 302) lastSuccess = performance.now();
  };

  /** Retries until there is an answer that is neither 503 nor lost; returns it with the number of the attempt. */
  const persist = async <T extends Answer>(what: string, send: (node: NodeProcess) => Promise<T>) => {
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      const node = nodes[turn++ % nodes.length] as NodeProcess;
      const answer = await send(node);
      note(what, answer);
      if (answer.outcome !== 503 && answer.outcome !== 'lost') {
        done++;
        if (attempt > 1 && Number(answer.outcome) < 400) tally.retried++;
        return { answer, node, attempt, after: performance.now() - began };
      }
      await pause(RETRY_MS);
    }
  };
  const wrong = (what: string, { answer, node, attempt, after }: Persisted) => {
    const { outcome, text, headers } = answer;
    const asked = `${node.url}, request ${headers['x-request-id']}, attempt ${attempt}, after ${Math.round(after)} ms`;
    tally.wrong.push(`${what} at ${asked}: ${outcome} ${text.slice(0, 200)}`);
  };

  const journey = async (number: number) => {
    const authorized = await persist('authorization', node => authorize(node, cookie));
    const { code } = authorized.answer;
    if (code === '') return wrong('authorization', authorized);
    const redeemed = await persist('redemption', node => redeem(node, code));
    const { answer, attempt } = redeemed;
    if (answer.json?.error === 'invalid_grant' && attempt > 1) {
      tally.begunAnew++;
      return;
    }
    if (answer.outcome !== 200) return wrong('redemption', redeemed);
    const set: TokenSet = { code, access: answer.json.access_token, refresh: answer.json.refresh_token };
    sets.push(set);
    if (number % REFRESHES_EVERY !== 0) return;
    const renewed = await persist('refresh', node => refresh(node, set.refresh));
    if (renewed.answer.outcome !== 200) return wrong('refresh', renewed);
    set.access = renewed.answer.json.access_token;
    set.refresh = renewed.answer.json.refresh_token;
  };
  const client = async () => {
    for (let number = 0; going; number++) await journey(number);
  };
  const person = async () => {
    for (; going; await pause(200)) {
      const granted = await persist('password', node => passwordGrant(node));
      const { answer } = granted;
      if (answer.outcome !== 200) wrong('password', granted);
      else sets.push({ code: undefined, access: answer.json.access_token, refresh: answer.json.refresh_token });
    }
  };
  const all = [...Array.from({ length: clients }, client), ...Array.from({ length: passwords }, person)];
  return {
    tally,
    sets,
    get done() {
      return done;
    },
    get lastSuccess() {
      return lastSuccess;
    },
    stop: async () => {
      going = false;
      await Promise.all(all);
    },
  };
}

/** Every token set that a client was given is good, on any node; then none of their codes is good again. */
export async function assertKept(nodes: readonly NodeProcess[], sets: readonly TokenSet[]): Promise<void> {
  const node = (index: number) => nodes[index % nodes.length] as NodeProcess;
  const dead: string[] = [];
  await inParallel([...sets.entries()], 16, async ([index, set]) => {
    for (const token of [set.access, set.refresh]) {
      const { json, text } = await answered(() => introspect(node(index), token));
      if (json?.active !== true) dead.push(text);
    }
  });
  assert.deepEqual(dead, [], `of ${sets.length} acknowledged token sets`);
  const codes = sets.flatMap(({ code }) => (code === undefined ? [] : [code])).slice(-100);
  await inParallel([...codes.entries()], 16, async ([index, code]) => {
    const { json, text } = await answered(() => redeem(node(index), code));
    assert.equal(json?.error, 'invalid_grant', text);
  });
}

/** A busy machine may take longer than a request waits. A 503 says nothing about a token. */
async function answered(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.outcome !== 503) return answer;
    await pause(RETRY_MS);
  }
}

export function summary({ tally, sets }: Load): string {
  const outcomes = [...tally.outcomes].map(([name, times]) => `${times} × ${name}`).join(', ');
  return (
    `${sets.length} token sets acknowledged; answers ${outcomes}; ${tally.retried} succeeded at a retry, ` +
    `${tally.begunAnew} began anew with a fresh code; slowest 503 ${Math.round(tally.slowest503)} ms ` +
    `(${tally.slowestName}), slowest of all ${Math.round(tally.slowest)} ms`
  );
}

/** No code has more than one family: whatever was granted belongs to one code each, or to a password. */
export const FAMILIES_PER_CODE = `
  SELECT (SELECT count(*) FROM (
            SELECT 1 FROM codes WHERE grant_id IS NOT NULL GROUP BY app, grant_id HAVING count(*) > 1) AS twice)::int AS shared,
         (SELECT count(*) FROM grants g WHERE g.sid IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM codes c WHERE c.app = g.app AND c.grant_id = g.grant_id))::int AS without_code`;

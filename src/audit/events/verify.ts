import type { Deps } from '../../services.ts';
import { hex, type MacVerdict, verifyEntry, verifyHead } from './chain.ts';
import type { ChainDeps } from './maintain.ts';
import type { ChainHead, SealedEvent } from './store.ts';

/** What is wrong with the chain, and where. */
export interface Finding {
  readonly kind: 'altered' | 'missing' | 'inserted' | 'unsealed' | 'head' | 'unknownSecret' | 'restored';
  /** The number in the chain, of the first event that is concerned. */
  readonly seq?: number;
  readonly id?: string;
  readonly detail: string;
}

export interface Verification {
  readonly events: number;
  /** The time of the first and of the last event. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The end of the chain. Kept elsewhere, it shows later whether the database was restored to an older state. */
  readonly end: ChainEnd | undefined;
  readonly findings: readonly Finding[];
}

export interface ChainEnd {
  readonly seq: number;
  /** Hexadecimal. */
  readonly hash: string;
}

export interface VerifyOptions {
  /** An end that an earlier verification printed: the chain must still contain it. */
  readonly expected?: ChainEnd | undefined;
  readonly onProgress?: (events: number, total: number) => void;
}

const PAGE = 1000;
/** A damaged table has no more findings than a person reads. */
const MAX_FINDINGS = 100;
/** A server seals every second. */
const MAX_UNSEALED_SECONDS = 300;

type VerifyDeps = ChainDeps & Pick<Deps, 'clock'>;

/** Reads the whole chain. Servers may seal and prune meanwhile. */
export async function verifyEvents(deps: VerifyDeps, options: VerifyOptions = {}): Promise<Verification> {
  const { store, clock } = deps;
  const { head, minSeq, maxSeq, unsealed } = await store.chainState();
  const walk = new ChainWalk(deps, options.expected);
  if (head) {
    walk.begin(head);
    if (minSeq !== undefined && minSeq <= head.prunedSeq) {
      walk.report({ kind: 'inserted', seq: minSeq, detail: `events up to number ${head.prunedSeq} were pruned` });
    }
    await walkAll(deps, walk, head, options);
    if (maxSeq !== undefined && maxSeq > head.lastSeq) walk.report(afterHead(head));
  } else if (maxSeq !== undefined) {
    walk.report({ kind: 'head', detail: 'the head of the chain is missing, although events are sealed' });
  } else if (options.expected) {
    walk.report({
      kind: 'restored',
      detail: `there is no chain, and it went as far as ${options.expected.seq} before`,
    });
  }
  if (unsealed && clock.now() - unsealed.time > MAX_UNSEALED_SECONDS) {
    const since = new Date(unsealed.time * 1000).toISOString();
    const detail = `not sealed since ${since}: no server runs, its job fails, or the row was inserted or changed`;
    walk.report({ kind: 'unsealed', id: unsealed.id, detail });
  }
  return walk.result(head);
}

function afterHead({ lastSeq }: ChainHead): Finding {
  const detail = `the chain ends at number ${lastSeq}: events were inserted, or the head was restored to an older one`;
  return { kind: 'inserted', seq: lastSeq + 1, detail };
}

async function walkAll({ store }: VerifyDeps, walk: ChainWalk, head: ChainHead, { onProgress }: VerifyOptions) {
  const total = head.lastSeq - head.prunedSeq;
  for (let after = head.prunedSeq; after < head.lastSeq; ) {
    const page = await store.sealedEvents(after, PAGE);
    for (const event of page) {
      if (event.seq > head.lastSeq) break;
      // What is missing at the beginning may have been pruned since.
      if (walk.misses(event.seq)) walk.prunedMeanwhile((await store.chainState()).head);
      walk.visit(event);
    }
    const last = page.at(-1);
    if (!last) break;
    after = last.seq;
    onProgress?.(Math.min(after, head.lastSeq) - head.prunedSeq, total);
  }
  if (walk.misses(head.lastSeq + 1)) walk.prunedMeanwhile((await store.chainState()).head);
  walk.end(head);
}

/** Goes from event to event and compares each with the hash before it. */
class ChainWalk {
  readonly #deps: VerifyDeps;
  readonly #expected: ChainEnd | undefined;
  readonly #findings: Finding[] = [];
  readonly #unknownSecrets = new Set<string>();
  #nextSeq = 1;
  /** Undefined after a gap: the hash before the next event is not known. */
  #before: Uint8Array | undefined;
  #events = 0;
  #from: number | undefined;
  #to: number | undefined;

  constructor(deps: VerifyDeps, expected: ChainEnd | undefined) {
    this.#deps = deps;
    this.#expected = expected;
  }

  report(finding: Finding): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding);
  }

  begin(head: ChainHead): void {
    this.#judge(verifyHead(this.#deps.ring, head), head.mac, {
      kind: 'head',
      detail: 'the head of the chain was altered: it says how far the chain goes and how far it was pruned',
    });
    this.#startAfter(head);
    this.#compare(head.prunedSeq, head.prunedHash);
    if (this.#expected && this.#expected.seq > head.lastSeq) {
      const detail = `the chain ends at number ${head.lastSeq}, and went as far as ${this.#expected.seq} before: the database was restored to an older state`;
      this.report({ kind: 'restored', seq: head.lastSeq, detail });
    }
  }

  #startAfter({ prunedSeq, prunedHash }: ChainHead): void {
    this.#nextSeq = prunedSeq + 1;
    this.#before = prunedHash;
  }

  misses(seq: number): boolean {
    return seq > this.#nextSeq;
  }

  prunedMeanwhile(head: ChainHead | undefined): void {
    if (!head || head.prunedSeq < this.#nextSeq || verifyHead(this.#deps.ring, head) !== 'right') return;
    this.#startAfter(head);
  }

  visit(event: SealedEvent): void {
    // Pruned while this page was read.
    if (event.seq < this.#nextSeq) return;
    if (this.misses(event.seq)) this.#reportMissing(event.seq - 1);
    if (this.#before) {
      const finding = {
        kind: 'altered',
        seq: event.seq,
        id: event.id,
        detail: 'the row is not what was sealed',
      } as const;
      this.#judge(verifyEntry(this.#deps.ring, this.#before, event), event.hash, finding);
    }
    this.#compare(event.seq, event.hash);
    this.#before = event.hash;
    this.#nextSeq = event.seq + 1;
    this.#events++;
    this.#from ??= event.time;
    this.#to = event.time;
  }

  end({ lastSeq, lastHash }: ChainHead): void {
    if (this.misses(lastSeq + 1)) this.#reportMissing(lastSeq);
    if (this.#before && hex(this.#before) !== hex(lastHash)) {
      this.report({ kind: 'altered', seq: lastSeq, detail: 'the last hash is not the one that the head has' });
    }
  }

  #reportMissing(to: number): void {
    const from = this.#nextSeq;
    const detail = from === to ? 'the event was removed' : `the events ${from} to ${to} were removed`;
    this.report({ kind: 'missing', seq: from, detail });
    this.#before = undefined;
    this.#nextSeq = to + 1;
  }

  /** One finding for each secret that is not listed any more, at the first place that needs it. */
  #judge(verdict: MacVerdict, mac: Uint8Array, wrong: Finding): void {
    if (verdict === 'wrong') this.report(wrong);
    if (verdict !== 'unknownSecret') return;
    const secret = hex(mac.subarray(0, 4));
    if (this.#unknownSecrets.has(secret)) return;
    this.#unknownSecrets.add(secret);
    const detail = `sealed with a secret (id ${secret}) that GATEHOUSE_SECRET does not list: from here on it cannot be verified`;
    this.report({ ...wrong, kind: 'unknownSecret', detail });
  }

  #compare(seq: number, hash: Uint8Array): void {
    if (this.#expected?.seq !== seq || this.#expected.hash === hex(hash)) return;
    const detail =
      'another event had this number before: the chain was rebuilt, or the database restored to an older state';
    this.report({ kind: 'restored', seq, detail });
  }

  result(head: ChainHead | undefined): Verification {
    const end = head && { seq: head.lastSeq, hash: hex(head.lastHash) };
    return { events: this.#events, from: this.#from, to: this.#to, end, findings: this.#findings };
  }
}

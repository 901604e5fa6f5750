import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { ChainHead, ChainState, EventCells, NextSeals, SealedEvent, UnsealedEvent } from './store.ts';

/**
 * The hash chain of the audit log. The hash of an event is an HMAC over its number, its columns and the hash of the event before it.
 * An attacker who can write to the database, but does not know GATEHOUSE_SECRET, cannot alter, remove, insert or reorder sealed events
 * without detection. The head (one row) says where the chain ends, so that its end cannot be cut off, and how far it was pruned.
 */
type ChainKeys = Pick<KeyRing, 'auditMac' | 'verifyAuditMac'>;

/** The hash before the first event. */
const START = Buffer.alloc(0);

export type MacVerdict = ReturnType<KeyRing['verifyAuditMac']>;

export function verifyEntry(ring: ChainKeys, before: Uint8Array, { seq, cells, hash }: SealedEvent): MacVerdict {
  return ring.verifyAuditMac(entryInput(before, seq, cells), hash);
}

export function verifyHead(ring: ChainKeys, head: ChainHead): MacVerdict {
  return ring.verifyAuditMac(headInput(head), head.mac);
}

/** JSON of texts, numbers and null is unambiguous: two different events never have the same input. */
function entryInput(before: Uint8Array, seq: number, cells: EventCells): string {
  return JSON.stringify(['event', hex(before), seq, ...cells]);
}

function headInput({ lastSeq, lastHash, prunedSeq, prunedHash }: Omit<ChainHead, 'mac'>): string {
  return JSON.stringify(['head', lastSeq, hex(lastHash), prunedSeq, hex(prunedHash)]);
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function withMac(ring: ChainKeys, head: Omit<ChainHead, 'mac'>): ChainHead {
  return { ...head, mac: ring.auditMac(headInput(head)) };
}

/** Why the chain must not be continued: continuing would cover up what was done to it. */
export type Broken = { readonly kind: 'broken'; readonly reason: string };

/** `lostSecret`: an operator says that the secret of the head is lost, and not that somebody else made the head. */
export interface ContinueOptions {
  readonly lostSecret?: boolean;
}

/** The next seals. Checks what it continues: the head, and that no event has a number after it. */
export function continueChain(
  ring: ChainKeys,
  state: ChainState,
  events: readonly UnsealedEvent[],
  options: ContinueOptions = {},
): NextSeals | Broken {
  const reason = brokenBy(ring, state, options);
  if (reason !== undefined) return { kind: 'broken', reason };
  const { head } = state;
  let lastSeq = head?.lastSeq ?? 0;
  let lastHash: Uint8Array = head?.lastHash ?? START;
  const seals = events.map(({ id, cells }) => {
    lastSeq++;
    lastHash = ring.auditMac(entryInput(lastHash, lastSeq, cells));
    return { id, seq: lastSeq, hash: lastHash };
  });
  const pruned = { prunedSeq: head?.prunedSeq ?? 0, prunedHash: head?.prunedHash ?? START };
  return { seals, head: withMac(ring, { lastSeq, lastHash, ...pruned }) };
}

function brokenBy(ring: ChainKeys, { head, maxSeq }: ChainState, { lostSecret }: ContinueOptions): string | undefined {
  if (!head) return maxSeq === undefined ? undefined : 'the head of the chain is missing';
  const verdict = verifyHead(ring, head);
  if (verdict === 'unknownSecret' && !lostSecret) {
    return 'the head of the chain was made with a secret that GATEHOUSE_SECRET does not list';
  }
  if (verdict === 'wrong') return 'the head of the chain is not authentic';
  if (maxSeq === undefined || maxSeq <= head.lastSeq) return undefined;
  return `there are events after number ${head.lastSeq}, where the head says that the chain ends`;
}

/** The head without these events, which are the first of the chain. Events that do not verify stay, and with them the evidence. */
export function pruneChain(ring: ChainKeys, head: ChainHead, events: readonly SealedEvent[]): ChainHead | Broken {
  if (verifyHead(ring, head) !== 'right') return { kind: 'broken', reason: 'the head of the chain is not authentic' };
  let { prunedSeq, prunedHash } = head;
  for (const event of events) {
    if (event.seq !== prunedSeq + 1) return { kind: 'broken', reason: `event number ${prunedSeq + 1} is missing` };
    // A secret that is not listed any more cannot verify what it sealed; that must not keep events for ever.
    if (verifyEntry(ring, prunedHash, event) === 'wrong') {
      return { kind: 'broken', reason: `event number ${event.seq} is not what was sealed` };
    }
    prunedSeq = event.seq;
    prunedHash = event.hash;
  }
  return withMac(ring, { ...head, prunedSeq, prunedHash });
}

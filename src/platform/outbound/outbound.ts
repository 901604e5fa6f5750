import type { LookupAddress, LookupAllOptions } from 'node:dns';
import type { BlockList } from 'node:net';

/** What the operator says of requests that leave this server (GATEHOUSE_OUTBOUND_ALLOW and GATEHOUSE_OUTBOUND_TIMEOUT), and how names are looked up. */
export interface Outbound {
  /** Private networks that may be reached, in addition to public addresses. */
  readonly allowed: BlockList;
  /** How long somebody who waits for the other side waits. What is less worth waiting for has a share of it. */
  readonly timeoutMs: number;
  /** Undefined: as many names at a time as the threads take (names.ts). */
  readonly lookup?: NameLookup;
}

/** `isWanted`: false once its request is over, so that a lookup that has not begun need not begin. */
export type NameLookup = (hostname: string, options: LookupAllOptions, done: Resolved, isWanted: () => boolean) => void;
export type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

import type { BlockList } from 'node:net';

/** What the operator says of requests that leave this server: GATEHOUSE_OUTBOUND_ALLOW and GATEHOUSE_OUTBOUND_TIMEOUT. */
export interface Outbound {
  /** Private networks that may be reached, in addition to public addresses. */
  readonly allowed: BlockList;
  /** How long somebody who waits for the other side waits. What is less worth waiting for has a share of it. */
  readonly timeoutMs: number;
}

import type { Identity, ProviderFault } from '../federation/connector.ts';

/** What a response said, as it travels through the browser, sealed: from the post of the provider to the request that has cookies. */
export interface Said {
  /** The id of the assertion. */
  readonly assertion: string;
  readonly validUntil: number;
  /** Until then its id is remembered. */
  readonly staleAt: number;
  readonly authenticatedAt: number;
  readonly identity: Identity;
}

export function invalid(reason: string): { readonly kind: 'failed'; readonly fault: ProviderFault } {
  return { kind: 'failed', fault: { kind: 'invalid', reason } };
}

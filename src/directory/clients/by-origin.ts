import { ofStrangers } from '../../platform/outbound/names.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { type Client, isSelfRegistered } from './rules.ts';

/**
 * One for the clients of operators and one for those that have registered themselves: what strangers can fill, such as the fetches that
 * are under way at a time, is theirs alone.
 */
export interface ByOrigin<T> {
  of(client: Pick<Client, 'origin'>): T;
}

export type Origin = 'operators' | 'strangers';

export function byOrigin<T>(make: (origin: Origin) => T): ByOrigin<T> {
  const [ofOperators, ofStrangers] = [make('operators'), make('strangers')];
  return { of: client => (isSelfRegistered(client) ? ofStrangers : ofOperators) };
}

/** For a request to an address of this client. */
export function outboundTo(client: Pick<Client, 'origin'>, outbound: Outbound): Outbound {
  return isSelfRegistered(client) ? ofStrangers(outbound) : outbound;
}

import { hash } from 'node:crypto';
import type { Clock, Random } from '../../platform/deps.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Status } from '../overview/store.ts';

/**
 * The link that the server prints at its start while the deployment has no owner. It is for the person who can read that output. The store
 * has the hash of the newest one, so a new start makes the former void; the first owner makes it useless (page.ts).
 */
const LIFETIME_SECONDS = 3600;
const TOKEN_BYTES = 32;

interface Linking {
  readonly store: Pick<Status, 'replaceOwnerLink' | 'isOwnerLink'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly config: { readonly baseUrl: string };
}

export async function newOwnerLink({ store, clock, random, config }: Linking): Promise<string> {
  const token = random.bytes(TOKEN_BYTES).toString('base64url');
  await store.replaceOwnerLink(hashOf(token), clock.now() + LIFETIME_SECONDS);
  return `${config.baseUrl}/first-owner?token=${token}`;
}

export async function hasOwnerToken(
  { store, clock }: Linking,
  { queryParams }: Pick<Request, 'queryParams'>,
): Promise<boolean> {
  const token = queryParams.get('token');
  return token !== undefined && store.isOwnerLink(hashOf(token), clock.now());
}

function hashOf(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}

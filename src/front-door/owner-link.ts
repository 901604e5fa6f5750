import type { Clock } from '../deps.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Request } from '../message.ts';

/**
 * The link that the server prints at its start while the deployment has no owner. It is for the person who can read that output. Its
 * token is sealed, so every node opens it and nothing is stored; the first owner makes it useless (first-owner.ts).
 */
const LIFETIME_SECONDS = 3600;

interface Sealing {
  readonly ring: KeyRing;
  readonly clock: Clock;
}

export function ownerLink({
  config,
  ring,
  clock,
}: Sealing & { readonly config: { readonly baseUrl: string } }): string {
  const sealed = ring.seal('first owner', Buffer.from(String(clock.now() + LIFETIME_SECONDS)));
  return `${config.baseUrl}/first-owner?token=${sealed.toString('base64url')}`;
}

export function hasOwnerToken({ ring, clock }: Sealing, request: Pick<Request, 'queryParams'>): boolean {
  const token = request.queryParams.get('token') ?? '';
  const plain = ring.open('first owner', Buffer.from(token, 'base64url'));
  return plain !== undefined && clock.now() < Number(plain.toString());
}

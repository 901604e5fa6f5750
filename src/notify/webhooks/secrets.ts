import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Random } from '../../platform/deps.ts';
import { SECRET_PREFIX } from './rules.ts';

/**
 * The secrets of a webhook, sealed for the store. After a rotation the former ones sign beside the new one until their time is over.
 */
export interface WebhookSecrets {
  readonly sealed: Uint8Array;
  /** As it is shown, once. */
  readonly secret: string;
}

/** The specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;
/** Of secrets that sign at the same time. More rotations in a row drop the oldest. */
const MAX_SECRETS = 4;

/** A secret as it is sealed; `until` is undefined for the current one, which comes first. */
interface StoredSecret {
  readonly secret: string;
  readonly until?: number;
}

interface Keys {
  readonly ring: Pick<KeyRing, 'seal' | 'open'>;
  readonly random: Random;
}

export function newWebhookSecrets({ ring, random }: Keys, webhookId: string): WebhookSecrets {
  return sealWith({ ring, random }, webhookId, []);
}

/** The present secrets stay valid until `validUntil`, or less if their time is over before. */
export function rotateWebhookSecrets(
  keys: Keys,
  webhookId: string,
  sealed: Uint8Array,
  now: number,
  validUntil: number,
): WebhookSecrets {
  const former = openSecrets(keys, webhookId, sealed, now) ?? [];
  const kept = former.map(({ secret, until = validUntil }) => ({ secret, until: Math.min(until, validUntil) }));
  return sealWith(
    keys,
    webhookId,
    kept.filter(({ until }) => until > now),
  );
}

/** The secrets that sign at this time. Undefined: none of the server's secrets opens them. */
export function signingSecrets(
  keys: Pick<Keys, 'ring'>,
  webhookId: string,
  sealed: Uint8Array,
  now: number,
): Buffer[] | undefined {
  return openSecrets(keys, webhookId, sealed, now)?.map(({ secret }) => Buffer.from(secret, 'base64'));
}

function sealWith({ ring, random }: Keys, webhookId: string, former: readonly StoredSecret[]): WebhookSecrets {
  const secret = random.bytes(SECRET_BYTES).toString('base64');
  const stored = [{ secret }, ...former].slice(0, MAX_SECRETS);
  const sealed = ring.seal('webhook secret', Buffer.from(JSON.stringify(stored)), webhookId);
  return { sealed, secret: SECRET_PREFIX + secret };
}

function openSecrets(
  { ring }: Pick<Keys, 'ring'>,
  webhookId: string,
  sealed: Uint8Array,
  now: number,
): StoredSecret[] | undefined {
  const opened = ring.open('webhook secret', sealed, webhookId);
  if (opened === undefined) return undefined;
  const stored: StoredSecret[] = JSON.parse(opened.toString());
  return stored.filter(({ until }) => until === undefined || until > now);
}

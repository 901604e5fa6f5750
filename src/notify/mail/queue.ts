import { orderedId } from '../../audit/events/ordered-id.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Deps, Services } from '../../services.ts';
import type { Content } from './content.ts';
import type { Mail, NewMail } from './store.ts';

/** What waits in the queue of mails, sealed. A request adds an entry and does not send: job.ts does. */
export type Entry = Message | Deferred;

export interface Message extends Content {
  readonly kind: 'message';
  /** Which mail it is, for the log. */
  readonly name: string;
  readonly to: string;
}

/**
 * A mail that is made when it is due: the request has not looked whether its user exists, so it does the same, and takes as long, for
 * every name. `kind` names what makes it (`deferredMails` of a capability), which gets the further members.
 */
export interface Deferred {
  readonly kind: string;
}

/** What the makers of deferred mails know of the request. */
export interface Asked {
  readonly locale: Locale;
  /** For the event. */
  readonly requestId: string;
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** Makes the mail, if there is one to make, and removes the entry, in one transaction. */
export type MakeDeferred<E extends Deferred = Deferred> = (services: Services, id: string, entry: E) => Promise<void>;

/** By their kinds. */
export type DeferredMails = ReadonlyMap<string, MakeDeferred>;

export interface Sealing extends Pick<Deps, 'clock' | 'random'> {
  readonly ring: Pick<KeyRing, 'seal'>;
}

/** A mail that could not be sent for a day is given up. */
const LIFETIME_SECONDS = 86_400;
/** Mails that wait. Beyond it, requests without a session cannot add more. */
export const MAX_WAITING_MAILS = 10_000;

export function newMail(sealing: Sealing, message: Omit<Message, 'kind'>, lifetimeSeconds = LIFETIME_SECONDS): NewMail {
  return sealEntry(sealing, orderedId(sealing, 'eml'), { ...message, kind: 'message' }, lifetimeSeconds);
}

export function newDeferredMail<E extends Deferred>(
  sealing: Sealing,
  id: string,
  entry: E,
  lifetimeSeconds = LIFETIME_SECONDS,
): NewMail {
  return sealEntry(sealing, id, entry, lifetimeSeconds);
}

function sealEntry({ ring, clock }: Sealing, id: string, entry: Entry, lifetimeSeconds: number): NewMail {
  const createdAt = clock.now();
  const sealed = ring.seal('mail', Buffer.from(JSON.stringify(entry)), id);
  return { id, sealed, createdAt, expiresAt: createdAt + lifetimeSeconds };
}

/** Undefined: none of the server's secrets opens it. */
export function openEntry(ring: Pick<KeyRing, 'open'>, { id, sealed }: Mail): Entry | undefined {
  const opened = ring.open('mail', sealed, id);
  return opened && (JSON.parse(opened.toString()) as Entry);
}

export function isMessage(entry: Entry): entry is Message {
  return entry.kind === 'message';
}

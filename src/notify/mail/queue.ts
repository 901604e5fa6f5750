import { orderedId } from '../../audit/events/ordered-id.ts';
import { CONFIRMATION_SECONDS, type Confirmation } from '../../people/email/confirmation.ts';
import type { ResetContext } from '../../people/password/resets.store.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Deps } from '../../services.ts';
import type { Content } from './content.ts';
import type { Mail, NewMail } from './store.ts';

/**
 * What waits in the queue of mails, sealed. A request adds an entry and does not send: job.ts does. The other files of this
 * folder: content.ts (subject, text and HTML of a mail), messages.ts, people/email/mails.ts, notice-messages.ts and people/trusted-browsers/mail.ts (the
 * mails), notices.ts (which of them tells a user of a change), people/email/request-confirmation.ts (asks for one that confirms an address).
 */
export type Entry = Message | ForgottenPassword | RequestedConfirmation | NewBrowser;

export interface Message extends Content {
  readonly kind: 'message';
  /** Which mail it is, for the log. */
  readonly name: string;
  readonly to: string;
}

/**
 * A request for a link, before anybody has looked whether the user exists. So the request does the same, and takes as long, for every
 * name.
 */
export interface ForgottenPassword extends Asked {
  readonly kind: 'forgottenPassword';
  /** Normalised (directory/users/login-name.rules.ts). */
  readonly loginName: string;
  readonly context?: ResetContext | undefined;
}

/** A request for a code and a link that confirm an address, before anybody has looked whose it is. */
export interface RequestedConfirmation extends Asked {
  readonly kind: 'emailConfirmation';
  /** The id of the pending request. */
  readonly id: string;
  readonly confirmation: Confirmation;
}

interface Asked {
  readonly locale: Locale;
  /** Of the request, for the event. */
  readonly requestId: string;
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** A sign-in with a browser that is not known for the user, before anybody has looked whether the user is to be told. */
export interface NewBrowser {
  readonly kind: 'newBrowser';
  readonly sub: string;
  readonly locale: Locale;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly time: number;
}

interface Sealing extends Pick<Deps, 'clock' | 'random'> {
  readonly ring: Pick<KeyRing, 'seal'>;
}

/** A mail that could not be sent for a day is given up. */
const LIFETIME_SECONDS = 86_400;
/** Mails that wait. Beyond it, requests without a session cannot add more. */
export const MAX_WAITING_MAILS = 10_000;

export function newMail(sealing: Sealing, message: Omit<Message, 'kind'>, lifetimeSeconds = LIFETIME_SECONDS): NewMail {
  return sealEntry(sealing, orderedId(sealing, 'eml'), { ...message, kind: 'message' }, lifetimeSeconds);
}

export function newRequestedConfirmation(sealing: Sealing, request: Omit<RequestedConfirmation, 'kind'>): NewMail {
  const lifetime = CONFIRMATION_SECONDS;
  return sealEntry(sealing, orderedId(sealing, 'cnf'), { ...request, kind: 'emailConfirmation' }, lifetime);
}

/** The id is that of the login name: as long as one request waits, further ones for the same name add nothing. */
export function newForgottenPassword(
  sealing: Sealing & { readonly ring: Pick<KeyRing, 'standInPoint'> },
  request: Omit<ForgottenPassword, 'kind'>,
): NewMail {
  const id = `forgotten_${sealing.ring.standInPoint(request.loginName)}`;
  return sealEntry(sealing, id, { ...request, kind: 'forgottenPassword' }, LIFETIME_SECONDS);
}

export function newBrowserEntry(sealing: Sealing, signIn: Omit<NewBrowser, 'kind'>): NewMail {
  return sealEntry(sealing, orderedId(sealing, 'browser'), { ...signIn, kind: 'newBrowser' }, LIFETIME_SECONDS);
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

import { nameFault } from '../../platform/text/readable-name.rules.ts';

/** OpenID Connect Client-Initiated Backchannel Authentication (CIBA) Core 1.0. Sections are those of it unless said. */
export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';

/** Section 4. There is no push: tokens go to nobody who has not asked for them with credentials of its own. */
export const deliveryModes = ['poll', 'ping'] as const;
export type DeliveryMode = (typeof deliveryModes)[number];

/** Long enough to read the mail, to fetch a phone and to sign in with a second factor. */
export const DEFAULT_EXPIRY_SECONDS = 600;
const MIN_EXPIRY_SECONDS = 60;
export const MAX_EXPIRY_SECONDS = 3600;

/** Section 7.1: `requested_expiry` is a positive integer. The server keeps it within its limits. Undefined: it is none. */
export function expiryOf(requested: string | undefined): number | undefined {
  if (requested === undefined) return DEFAULT_EXPIRY_SECONDS;
  if (!/^[1-9]\d{0,9}$/.test(requested)) return undefined;
  return Math.min(Math.max(Number(requested), MIN_EXPIRY_SECONDS), MAX_EXPIRY_SECONDS);
}

/** It has to fit beside the same text on the screen of another device, at which the person looks too. */
export const MAX_BINDING_MESSAGE_LENGTH = 128;

/** Section 7.1: in the words of the client, on one line, without anything that cannot be seen. */
export function isBindingMessage(text: string): boolean {
  return text.trim() !== '' && [...text].length <= MAX_BINDING_MESSAGE_LENGTH && nameFault(text) === undefined;
}

const MIN_CODE_LENGTH = 4;
export const MAX_CODE_LENGTH = 32;

/** A code that a person may set, such as a PIN or a word. */
export function isApprovalCode(text: string): boolean {
  const { length } = [...text];
  return (
    length >= MIN_CODE_LENGTH && length <= MAX_CODE_LENGTH && text === text.trim() && nameFault(text) === undefined
  );
}

/** Section 7.1: at least 128 bits, which are 22 characters of base64url; a bearer token (RFC 6750 section 2.1). */
const NOTIFICATION_TOKEN = /^[\w.~+/-]{22,}=*$/;
const MAX_NOTIFICATION_TOKEN_LENGTH = 1024;

export function isNotificationToken(text: string): boolean {
  return text.length <= MAX_NOTIFICATION_TOKEN_LENGTH && NOTIFICATION_TOKEN.test(text);
}

/** A request of the last hour to a person. */
export interface RecentRequest {
  readonly app: string;
  readonly clientId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly isPending: boolean;
  /** The person has approved it: such requests are wanted. */
  readonly isApproved: boolean;
}

/** How long a request counts against further ones. */
export const WINDOW_SECONDS = 3600;
/** Requests to one person that wait at the same time: of one client, and of all. */
export const MAX_OPEN_OF_CLIENT = 3;
export const MAX_OPEN = 10;
/** Those of the last hour that the person did not approve: a client that nobody answers is not heard any more. */
export const MAX_UNWANTED_OF_CLIENT = 5;
export const MAX_UNWANTED = 15;
/** Mails to one person in an hour. Further requests are on the page alone. */
const MAX_MAILS = 5;
/** Requests of one client that wait at the same time, to whomever. */
export const MAX_WAITING_OF_CLIENT = 10_000;

export type Reach =
  /** The person was deleted or disabled meanwhile. */
  | { readonly kind: 'nobody' }
  /** `mails`: whether the person is told by mail. */
  | { readonly kind: 'reaches'; readonly mails: boolean }
  /** Seconds after which one more is taken. */
  | { readonly kind: 'tooMany'; readonly wait: number };

/** Whether one more request may reach a person. `recent`: those of the last hour. */
export function judgeReach(
  recent: readonly RecentRequest[],
  { app, clientId }: { readonly app: string; readonly clientId: string },
  now: number,
): Exclude<Reach, { kind: 'nobody' }> {
  const own = (one: RecentRequest) => one.app === app && one.clientId === clientId;
  const isOpen = ({ isPending, expiresAt }: RecentRequest) => isPending && expiresAt > now;
  const endOfWindow = ({ createdAt }: RecentRequest) => createdAt + WINDOW_SECONDS;
  const endOfWait = ({ expiresAt }: RecentRequest) => expiresAt;
  const open = recent.filter(isOpen);
  const unwanted = recent.filter(one => !one.isApproved);
  const wait = Math.max(
    waitFor(open.filter(own).map(endOfWait), MAX_OPEN_OF_CLIENT, now),
    waitFor(open.map(endOfWait), MAX_OPEN, now),
    waitFor(unwanted.filter(own).map(endOfWindow), MAX_UNWANTED_OF_CLIENT, now),
    waitFor(unwanted.map(endOfWindow), MAX_UNWANTED, now),
  );
  return wait > 0 ? { kind: 'tooMany', wait } : { kind: 'reaches', mails: recent.length < MAX_MAILS };
}

/** Until fewer than `max` of these times are to come. */
function waitFor(ends: readonly number[], max: number, now: number): number {
  const last = ends.toSorted((one, other) => one - other)[ends.length - max];
  return last === undefined ? 0 : Math.max(1, last - now);
}

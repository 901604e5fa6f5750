import { z } from 'zod';
import type { AlreadyAnswered } from '../../audit/acts/store.ts';
import { toNamedFactor } from '../../notify/mail/notice-messages.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import { hasRole } from '../../operators/api/caller.ts';
import { emptyBody, noBody, noQuery, subParam } from '../../operators/api/input.ts';
import { type PageQuery, pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { actOf, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, invalid, type Outcome, type Problem, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import type { HoldingPage, TimeAndId } from './store.ts';

/** /users/{sub}/sessions, /grants, /consents, /factors: what a user holds, and how one of it ends. /sign_out ends all sessions. */

const BAD_CURSOR = invalid('/cursor', 'must be the "next" of another page');

const list = {
  role: 'auditor',
  reach: 'deployment',
  params: subParam,
  query: z.strictObject(pageQuery),
  body: noBody,
  status: 200,
} as const;

/** What ends one thing of a user, by its id. */
export const end = {
  role: 'operator',
  reach: 'deployment',
  params: subParam.extend({ id: z.string() }),
  query: noQuery,
  body: noBody,
  result: z.undefined(),
  status: 204,
} as const;

export const listUserSessions = operation({
  ...list,
  summary: 'List the browser sessions of a user, newest first.',
  result: pageOf(
    z.object({
      id: z.string(),
      created_at: timeField,
      amr: z.array(z.string()),
      idle_expires_at: timeField,
      expires_at: timeField,
    }),
  ),
  run: (context, { params: { sub }, query }) =>
    newestFirst(context, sub, query, {
      read: context.services.store.userSessions,
      keyOf: ({ authTime, sid }) => [authTime, sid],
      view: ({ sid, authTime, amr, idleExpiresAt, expiresAt }) => ({
        id: sid,
        created_at: isoTime(authTime),
        amr: [...amr],
        idle_expires_at: isoTime(idleExpiresAt),
        expires_at: isoTime(expiresAt),
      }),
    }),
});

export const endUserSession = operation({
  ...end,
  summary: 'End one session, with the tokens that came from it.',
  run: (context, { params: { sub, id } }) => endById(context, 'session', sub, id),
});

export const listUserGrants = operation({
  ...list,
  summary: 'List the access that clients were granted and still have, newest first.',
  result: pageOf(
    z.object({
      id: z.string(),
      application: z.string(),
      client_id: z.string(),
      scope: z.string(),
      session: z.string().optional(),
      created_at: timeField,
      expires_at: timeField,
    }),
  ),
  run: (context, { params: { sub }, query }) =>
    newestFirst(context, sub, query, {
      read: context.services.store.userGrants,
      keyOf: ({ startedAt, grantId }) => [startedAt, grantId],
      view: ({ grantId, app, clientId, scope, sid, startedAt, expiresAt }) => ({
        id: grantId,
        application: app,
        client_id: clientId,
        scope: scope.join(' '),
        ...(sid === undefined ? {} : { session: sid }),
        created_at: isoTime(startedAt),
        expires_at: isoTime(expiresAt),
      }),
    }),
});

export const revokeUserGrant = operation({
  ...end,
  summary: 'Revoke one grant with its tokens.',
  run: (context, { params: { sub, id } }) => endById(context, 'grant', sub, id),
});

export const listUserConsents = operation({
  ...list,
  summary: 'List what the user agreed to, by application and client.',
  result: pageOf(
    z.object({
      id: z.string(),
      application: z.string(),
      client_id: z.string(),
      scope: z.string(),
      given_at: timeField,
    }),
  ),
  async run(context, { params: { sub }, query }) {
    const { services } = context;
    const page = { ...pageAfter(query), after: query.cursor === undefined ? undefined : clientOf(query.cursor) };
    const found = await services.store.userConsents(sub, page);
    if (found.length === 0 && !(await isUser(context, sub))) return unknown('user');
    const view = ({ app, clientId, scope, givenAt }: (typeof found)[number]) => ({
      id: consentId(app, clientId),
      application: app,
      client_id: clientId,
      scope: scope.join(' '),
      given_at: isoTime(givenAt),
    });
    return done(toPage(found, query, ({ app, clientId }) => consentId(app, clientId), view));
  },
});

export const withdrawUserConsent = operation({
  ...end,
  summary: 'Withdraw a consent, with the grants of its client.',
  async run(context, { params: { sub, id } }) {
    const { store, clock } = context.services;
    const client = clientOf(id);
    const event = { type: 'consent.withdrawn', subject: sub, app: client.app, clientId: client.clientId } as const;
    const act = actOf(context, event);
    return ended('consent', store.withdrawUserConsent(sub, client, clock.now(), act));
  },
});

export const listUserFactors = operation({
  ...list,
  query: noQuery,
  summary: 'List what the user signs in with, without any secret.',
  result: z.object({
    items: z.array(
      z.object({ id: z.string(), kind: z.string(), created_at: timeField, last_used_at: timeField.optional() }),
    ),
    next: z.null(),
  }),
  async run(context, { params: { sub } }) {
    const { services } = context;
    const found = await services.store.userFactors(sub);
    if (found.length === 0 && !(await isUser(context, sub))) return unknown('user');
    const items = found.map(({ id, kind, createdAt, lastUsedAt }) => ({
      id,
      kind,
      created_at: isoTime(createdAt),
      ...(lastUsedAt === undefined ? {} : { last_used_at: isoTime(lastUsedAt) }),
    }));
    return done({ items, next: null });
  },
});

export const removeUserFactor = operation({
  ...end,
  summary: 'Remove a factor. Without the password, the user cannot sign in by one; sessions and tokens end.',
  async run(context, { params: { sub, id } }) {
    return (
      (await roleProblem(context, sub)) ?? endById(context, 'factor', sub, id, await removedNotice(context, sub, id))
    );
  },
});

async function removedNotice({ services }: OperationContext, sub: string, id: string) {
  const { store } = services;
  const user = await store.findUser(sub);
  const factor = (await store.userFactors(sub)).find(each => each.id === id);
  const kind = factor && toNamedFactor(factor.kind);
  return user && kind && noticeTo(services, user, { kind: 'factorRemoved', factor: kind });
}

export const signOutUser = operation({
  ...end,
  params: subParam,
  body: emptyBody,
  summary: 'End all sessions of a user, and every code and token.',
  async run(context, { params: { sub } }) {
    const { store, clock } = context.services;
    const sessions = (await store.sessionsOf(sub, clock.now())).length;
    const act = actOf(context, { type: 'user.signed_out', subject: sub, details: { sessions } });
    return ended('user', store.signOutUser(sub, clock.now(), act));
  },
});

/** What has an id: the event of its end, and the operation of the store that ends it. */
const ENDS = {
  session: ['session.ended', 'endUserSession'],
  grant: ['grant.revoked', 'revokeUserGrant'],
  factor: ['factor.removed', 'removeUserFactor'],
} as const;

function endById(context: OperationContext, what: keyof typeof ENDS, sub: string, id: string, mail?: NewMail) {
  const { store, clock } = context.services;
  const [type, storeOperation] = ENDS[what];
  const details = what === 'session' ? { sid: id, reason: 'operator' } : { [what]: id };
  const act = actOf(context, { type, subject: sub, details }, undefined, mail);
  return ended(what, store[storeOperation](sub, id, clock.now(), act));
}

/** An operator must not weaken the account of an owner. */
export async function roleProblem({ services, caller }: OperationContext, sub: string): Promise<Problem | undefined> {
  const operator = await services.store.findOperator(sub);
  if (!operator || hasRole(caller, operator.role)) return undefined;
  return conflict(`The user has the role ${operator.role}: only a caller with that role may do this.`);
}

export async function ended(what: string, outcome: Promise<boolean | AlreadyAnswered>): Promise<Outcome<undefined>> {
  const found = await outcome;
  if (typeof found === 'object') return found;
  return found ? done(undefined) : unknown(what);
}

/** An empty list needs this: it is the same for a user who holds nothing and for a user who does not exist. */
export async function isUser({ services }: OperationContext, sub: string): Promise<boolean> {
  return (await services.store.findUser(sub)) !== undefined;
}

interface Listing<Held, View> {
  readonly read: (sub: string, now: number, page: HoldingPage<TimeAndId>) => Promise<Held[]>;
  /** The place of an entry in the list. */
  readonly keyOf: (held: Held) => TimeAndId;
  readonly view: (held: Held) => View;
}

async function newestFirst<Held, View>(
  context: OperationContext,
  sub: string,
  query: PageQuery,
  { read, keyOf, view }: Listing<Held, View>,
): Promise<Outcome<{ items: View[]; next: string | null }>> {
  const { services } = context;
  const after = timeAndId(query.cursor);
  if (after === 'malformed') return BAD_CURSOR;
  const found = await read(sub, services.clock.now(), { ...pageAfter(query), after });
  if (found.length === 0 && !(await isUser(context, sub))) return unknown('user');
  return done(toPage(found, query, held => keyOf(held).join(' '), view));
}

function timeAndId(cursor: string | undefined): TimeAndId | 'malformed' | undefined {
  if (cursor === undefined) return undefined;
  const [, time, id] = /^(\d{1,15}) (.+)$/s.exec(cursor) ?? [];
  return time === undefined || id === undefined ? 'malformed' : [Number(time), id];
}

/** The code of an application has no colon. */
function consentId(app: string, clientId: string): string {
  return `${app}:${clientId}`;
}

function clientOf(id: string): { readonly app: string; readonly clientId: string } {
  const colon = id.indexOf(':');
  return { app: id.slice(0, Math.max(colon, 0)), clientId: id.slice(colon + 1) };
}

import type { Event } from '../../audit/events/rules.ts';
import { standardClaims } from '../../directory/users/standard-claims.rules.ts';
import type { HeldGrant, HeldSession, HoldingPage, TimeAndId, User } from '../../directory/users/store.ts';
import type { Services } from '../../services.ts';
import type { TrustedBrowser } from '../trusted-browsers/store.ts';

/**
 * Everything that the server knows of a user, for the user. No secret: a credential is named without its data, and what other people
 * did to the account without who they are.
 */
export async function exportOf(services: Services, user: User) {
  const { store, clock } = services;
  const { sub } = user;
  const now = clock.now();
  const events = await eventsOf(services, sub);
  const sessions = await all(
    page => store.userSessions(sub, now, page),
    ({ authTime, sid }) => [authTime, sid],
  );
  const grants = await all(
    page => store.userGrants(sub, now, page),
    ({ startedAt, grantId }) => [startedAt, grantId],
  );
  return {
    exported_at: iso(now),
    profile: profileOf(user),
    factors: await factorsOf(services, sub),
    trusted_browsers: (await store.trustedBrowsersOf(sub, now)).map(trustedBrowserOf),
    links: (await store.linksOf(sub)).map(({ provider, subject, label, createdAt, lastUsedAt }) => ({
      provider,
      subject,
      label,
      created_at: iso(createdAt),
      last_used_at: iso(lastUsedAt),
    })),
    sessions: sessions.map(sessionOf),
    consents: (await store.consentsOf(sub)).map(({ app, clientId, scope, givenAt }) => ({
      application: app,
      client: clientId,
      scope: scope.join(' '),
      given_at: iso(givenAt),
    })),
    grants: grants.map(grantOf),
    email_undos: (await store.emailUndosOf(sub, now)).map(({ email, changedAt, expiresAt }) => ({
      email,
      changed_at: iso(changedAt),
      expires_at: iso(expiresAt),
    })),
    events: events.map(event => eventOf(event, sub)),
    events_are_complete: events.length < MAX_EVENTS,
  };
}

const PAGE_SIZE = 500;
/** What is written into memory for one download. Older events are left out. */
const MAX_EVENTS = 10_000;
const MAX_HOLDINGS = 10_000;

async function all<T>(
  read: (page: HoldingPage<TimeAndId>) => Promise<T[]>,
  keyOf: (last: T) => TimeAndId,
): Promise<T[]> {
  const found: T[] = [];
  for (let after: TimeAndId | undefined; found.length < MAX_HOLDINGS; ) {
    const page = await read({ after, limit: PAGE_SIZE });
    found.push(...page);
    const last = page.at(-1);
    if (page.length < PAGE_SIZE || last === undefined) break;
    after = keyOf(last);
  }
  return found;
}

async function eventsOf({ store }: Services, sub: string): Promise<Event[]> {
  const found: Event[] = [];
  for (let after: string | undefined; found.length < MAX_EVENTS; ) {
    const page = await store.listEvents({ user: sub }, { after, limit: PAGE_SIZE });
    found.push(...page);
    if (page.length < PAGE_SIZE) break;
    after = page.at(-1)?.id;
  }
  return found;
}

async function factorsOf({ store }: Services, sub: string) {
  const names = new Map((await store.passkeysOf(sub)).map(({ id, name }) => [id, name]));
  return (await store.userFactors(sub)).map(({ id, kind, createdAt, lastUsedAt }) => ({
    kind,
    name: names.get(id),
    created_at: iso(createdAt),
    last_used_at: iso(lastUsedAt),
  }));
}

function trustedBrowserOf({ userAgent, createdAt, lastUsedAt, expiresAt }: TrustedBrowser) {
  return {
    user_agent: userAgent,
    since: iso(createdAt),
    last_used_at: iso(lastUsedAt),
    expires_at: iso(expiresAt),
  };
}

function eventOf({ id, time, type, outcome, actor, app, clientId, address, userAgent, details }: Event, sub: string) {
  const isOwn = actor.kind === 'user' && (actor.id === undefined || actor.id === sub);
  return {
    id,
    time: iso(time),
    type,
    outcome,
    by: isOwn ? 'you' : actor.kind,
    application: app,
    client: clientId,
    ...(isOwn ? { address, user_agent: userAgent } : {}),
    details,
  };
}

function sessionOf({ sid, authTime, amr, startedAt, expiresAt, address, userAgent }: HeldSession) {
  return {
    id: sid,
    signed_in_at: iso(authTime),
    methods: amr,
    first_seen_at: iso(startedAt),
    expires_at: iso(expiresAt),
    address,
    user_agent: userAgent,
  };
}

function grantOf({ app, clientId, scope, claims, startedAt, expiresAt }: HeldGrant) {
  return {
    application: app,
    client: clientId,
    scope: scope.join(' '),
    claims: [...new Set([...claims.userinfo, ...claims.id_token])],
    since: iso(startedAt),
    expires_at: iso(expiresAt),
  };
}

function profileOf(user: User): { readonly sub: string; readonly [claim: string]: unknown } {
  const claims = standardClaims.map(name => [name, user.standardClaims?.[name]] as const);
  return {
    sub: user.sub,
    username: user.username,
    nickname: user.nickname,
    picture: user.picture,
    email: user.email,
    email_verified: user.emailVerified,
    phone_number: user.phoneNumber,
    phone_number_verified: user.phoneNumberVerified,
    ...Object.fromEntries(claims),
    groups: user.membership?.groups,
    roles: user.membership?.roles,
    attributes: user.standardClaims?.attributes,
    updated_at: iso(user.updatedAt),
  };
}

function iso(seconds: number): string;
function iso(seconds: number | undefined): string | undefined;
function iso(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
}

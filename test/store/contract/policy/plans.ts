import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PresentedCode } from '../../../../src/protocol/code-exchange.ts';
import type { PresentedRefresh } from '../../../../src/protocol/refresh-policy.ts';
import type { Scope } from '../../../../src/protocol/scope.ts';
import type { NewCode } from '../../../../src/store/codes.ts';
import type { TokenFamily } from '../../../../src/store/tokens.ts';
import { CALLBACK, code, credentialKey, DAY, rotation, token, tokens } from '../given.ts';
import type { Call } from './calls.ts';
import type { Model, ModelCode, ModelFamily } from './model.ts';

/** A random history. A plan names its target by a small number; `resolve` makes a call of it, from the facts at that moment. */
export interface Step {
  readonly wait: Wait;
  /** More than one: they run at the same time, on the same target. */
  readonly plans: readonly Plan[];
}

/** Seconds to wait, or until just before, at or after the moment on which the verdict of the first plan turns. */
type Wait = number | { readonly moment: 'expiry' | 'familyEnd' | 'graceEnd'; readonly offset: number };

/** Counted back from the newest code or family. */
interface Target {
  readonly of: 'code' | 'family';
  readonly back: number;
}

type Plan = Target & Action;

type Action =
  | ({ readonly kind: 'addCode' | 'addGrant' } & NewGrant)
  | {
      readonly kind: 'redeem';
      readonly elsewhere: boolean;
      readonly presented: Presentation;
      readonly accessTtl: number;
    }
  | {
      readonly kind: 'refresh';
      readonly elsewhere: boolean;
      /** Which token of the family, counted back from the newest. */
      readonly age: number;
      readonly presented: Omit<PresentedRefresh, 'clientId'>;
      readonly caller: Caller;
      readonly accessTtl: number;
      readonly withUser: boolean;
    }
  | {
      readonly kind: 'revokeRefreshToken' | 'revokeAccessToken';
      readonly elsewhere: boolean;
      readonly age: number;
      readonly caller: Caller;
    }
  | {
      readonly kind:
        | 'endSession'
        | 'endUserAccess'
        | 'disableUser'
        | 'enableUser'
        | 'withdrawConsent'
        | 'deleteClient'
        | 'addClient';
    };

/** The client of the target, the other one of its application, or (with a code) none. */
type Caller = 'own' | 'other';

interface Presentation extends Omit<PresentedCode, 'clientId'> {
  readonly caller: Caller | 'none';
}

interface NewGrant {
  readonly app: number;
  readonly client: number;
  /** A session of a user; without one the grant has a user only. */
  readonly session: number;
  readonly inSession: boolean;
  readonly grant: Pick<TokenFamily, 'scope' | 'claims'>;
  readonly code: Pick<NewCode, 'codeChallenge' | 'clientAuthenticationRequired' | 'withRefresh'>;
}

export const CLIENTS = ['web', 'other'];
const CODE_TTL = 300;
const REFRESH_TTL = 30 * DAY;
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const often = <T>(usual: T, ...seldom: T[]) =>
  fc.constantFrom(...seldom.flatMap(() => [usual, usual, usual]), ...seldom);
const accessTtl = fc.constantFrom(3600, 60, 45 * DAY);

const target: fc.Arbitrary<Target> = fc.record({
  of: fc.constantFrom('code', 'family'),
  back: fc.constantFrom(0, 0, 0, 1, 2, 3),
});

const newGrant: fc.Arbitrary<NewGrant> = fc.record({
  app: fc.nat(1),
  client: fc.nat(1),
  session: fc.nat(2),
  inSession: fc.boolean(),
  grant: fc.record({
    scope: fc.constantFrom<readonly Scope[]>(['openid', 'email'], ['openid'], ['openid', 'profile', 'email']),
    claims: often({ userinfo: [], id_token: [] }, { userinfo: ['nickname'], id_token: ['acr'] }),
  }),
  code: fc.record({
    codeChallenge: fc.constantFrom(undefined, CHALLENGE),
    clientAuthenticationRequired: often(false, true),
    withRefresh: often(true, false),
  }),
});

const redemption = fc.record({
  kind: fc.constant('redeem' as const),
  elsewhere: often(false, false, false, true),
  presented: fc.record({
    caller: fc.constantFrom<Presentation['caller']>('own', 'own', 'own', 'own', 'none', 'other'),
    clientAuthenticated: often(true, false),
    redirectUri: often(CALLBACK, CALLBACK, `${CALLBACK}/`),
    challenge: fc.constantFrom(undefined, CHALLENGE, CHALLENGE, 'x'.repeat(43)),
  }),
  accessTtl,
});

const refreshing = fc.record({
  kind: fc.constant('refresh' as const),
  elsewhere: often(false, false, false, true),
  age: fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 5),
  caller: often<Caller>('own', 'own', 'other'),
  presented: fc.record({
    scope: fc.constantFrom<readonly Scope[] | undefined>(
      ...[undefined, undefined, undefined],
      ...([['openid'], ['email'], ['email', 'openid'], ['openid', 'phone']] as Scope[][]),
    ),
    rotation: often(true, false),
    grace: fc.constantFrom(0, 1, 10, 30, 30, 120),
    familyTtl: fc.constantFrom(180 * DAY, 180 * DAY, 180 * DAY, 45 * DAY, 20 * DAY, 3600, 25),
  }),
  accessTtl,
  withUser: fc.boolean(),
});

const revocation = fc.record({
  kind: fc.constantFrom('revokeRefreshToken' as const, 'revokeAccessToken' as const),
  elsewhere: often(false, true),
  age: fc.constantFrom(0, 0, 1, 2),
  caller: often<Caller>('own', 'other'),
});

const ending = fc.record({
  kind: fc.constantFrom('endSession', 'endUserAccess', 'disableUser', 'withdrawConsent', 'deleteClient'),
});

const issuing = newGrant.chain(grant =>
  fc.record({ kind: fc.constantFrom('addCode' as const, 'addCode' as const, 'addGrant' as const) }).map(({ kind }) => ({
    kind,
    ...grant,
  })),
);

const anything: fc.Arbitrary<Action> = fc.oneof(
  { arbitrary: issuing, weight: 6 },
  { arbitrary: redemption, weight: 8 },
  { arbitrary: refreshing, weight: 14 },
  { arbitrary: revocation, weight: 3 },
  { arbitrary: ending, weight: 2 },
  { arbitrary: fc.record({ kind: fc.constantFrom('enableUser', 'addClient') }), weight: 2 },
);

const wait: fc.Arbitrary<Wait> = fc.oneof(
  { arbitrary: fc.constantFrom(0, 0, 0, 1, 9, 31, 100, -1, -10, 20 * DAY), weight: 1 },
  {
    arbitrary: fc.record({
      moment: fc.constantFrom('expiry', 'familyEnd', 'graceEnd'),
      offset: fc.constantFrom(-1, 0, 0, 1),
    }),
    weight: 1,
  },
);

/** What is worth doing at the same time as something else on the same target. */
const contending: fc.Arbitrary<Action> = fc.oneof(
  { arbitrary: redemption, weight: 4 },
  { arbitrary: refreshing, weight: 4 },
  { arbitrary: revocation, weight: 1 },
  { arbitrary: ending, weight: 2 },
);

const oneAfterAnother = fc.tuple(target, anything).map(([at, action]) => [{ ...at, ...action }]);
const atOnce = fc
  .tuple(target, fc.array(contending, { minLength: 2, maxLength: 3 }), fc.boolean())
  .map(([at, actions, same]) => actions.map(action => ({ ...at, ...((same && actions[0]) || action) })));

const step: fc.Arbitrary<Step> = fc.record({
  wait,
  plans: fc.oneof({ arbitrary: oneAfterAnother, weight: 4 }, { arbitrary: atOnce, weight: 1 }),
});

/** Begins with a grant and a code, so that there is something to act on. */
export const history: fc.Arbitrary<Step[]> = fc
  .tuple(newGrant, newGrant, fc.array(step, { minLength: 1, maxLength: 14, size: 'max' }))
  .map(([first, second, steps]) => [
    { wait: 0, plans: [{ of: 'family', back: 0, kind: 'addGrant', ...first }] },
    { wait: 0, plans: [{ of: 'code', back: 0, kind: 'addCode', ...second }] },
    ...steps,
  ]);

/** The call of a plan; undefined where there is nothing yet to apply it to. */
export function resolve(plan: Plan, model: Model, apps: readonly string[], now: number): Call | undefined {
  if (plan.kind === 'addCode' || plan.kind === 'addGrant') return issue(plan, model, apps, now);
  if (plan.kind === 'redeem') {
    const chosen = newest(model.codes, plan.back);
    return chosen && redeem(plan, chosen, apps, now);
  }
  if (plan.kind === 'refresh' || plan.kind === 'revokeRefreshToken' || plan.kind === 'revokeAccessToken') {
    const chosen = newest(model.families, plan.back);
    return chosen && useToken(plan, chosen, apps, now);
  }
  const chosen: ModelCode | ModelFamily | undefined =
    plan.of === 'code' ? newest(model.codes, plan.back) : newest(model.families, plan.back);
  return chosen && actOnOwner(plan.kind, chosen, model, now);
}

function newest<T>(list: readonly T[], back: number): T | undefined {
  return list[Math.max(0, list.length - 1 - back)];
}

const elsewhereThan = (app: string, apps: readonly string[]) => apps.find(one => one !== app) ?? assert.fail();
const nameOf = (caller: Caller, own: string) =>
  CLIENTS.find(id => (id === own) === (caller === 'own')) ?? assert.fail();

function issue(plan: Plan & NewGrant, model: Model, apps: readonly string[], now: number): Call | undefined {
  const { sid, sub } = model.sessions[plan.session] ?? assert.fail();
  const app = apps[plan.app] ?? assert.fail();
  const clientId = CLIENTS[plan.client] ?? assert.fail();
  const grant = {
    ...plan.grant,
    ...{ clientId, sub, sid: plan.inSession ? sid : undefined },
    ...{ authTime: now - 5, amr: ['pwd'] },
  };
  if (plan.kind === 'addGrant') {
    const pair = { issuedAt: now, access: token(now + 3600), refresh: token(now + REFRESH_TTL) };
    return { kind: 'addGrant', app, now, grant, tokens: tokens(pair) };
  }
  // No code is issued to a disabled user: the session ended with it.
  if (model.users.find(user => user.sub === sub)?.disabled) return undefined;
  const expiresAt = now + CODE_TTL;
  return {
    ...{ kind: 'addCode', app, now },
    code: code(grant, { ...plan.code, codeHash: credentialKey(expiresAt), expiresAt }),
  };
}

function redeem(plan: Plan & { kind: 'redeem' }, chosen: ModelCode, apps: readonly string[], now: number): Call {
  const { caller, ...presented } = plan.presented;
  const own = chosen.grant.clientId;
  return {
    kind: 'redeem',
    app: plan.elsewhere ? elsewhereThan(chosen.app, apps) : chosen.app,
    now,
    codeHash: Buffer.from(chosen.key, 'hex'),
    presented: { ...presented, clientId: caller === 'none' ? undefined : nameOf(caller, own) },
    tokens: tokens({ issuedAt: now, access: token(now + plan.accessTtl), refresh: token(now + REFRESH_TTL) }),
  };
}

function useToken(
  plan: Plan & { kind: 'refresh' | 'revokeRefreshToken' | 'revokeAccessToken' },
  family: ModelFamily,
  apps: readonly string[],
  now: number,
): Call | undefined {
  const app = plan.elsewhere ? elsewhereThan(family.app, apps) : family.app;
  const clientId = nameOf(plan.caller, family.grant.clientId);
  const list: readonly { readonly key: string }[] = plan.kind === 'revokeAccessToken' ? family.access : family.chain;
  const used = newest(list, plan.age);
  if (!used) return undefined;
  const hash = Buffer.from(used.key, 'hex');
  if (plan.kind !== 'refresh') return { kind: plan.kind, app, now, hash, clientId };
  const end = now + REFRESH_TTL;
  return {
    ...{ kind: 'refresh', app, now },
    rotation: rotation(hash, {
      presented: { ...plan.presented, clientId },
      issuedAt: now,
      access: token(now + plan.accessTtl),
      successors: [credentialKey(end)],
      successorExpiresAt: end,
      withUser: plan.withUser,
    }),
  };
}

function actOnOwner(
  kind: Exclude<
    Plan['kind'],
    'addCode' | 'addGrant' | 'redeem' | 'refresh' | 'revokeRefreshToken' | 'revokeAccessToken'
  >,
  { app, grant: { sub, sid, clientId } }: ModelCode | ModelFamily,
  { users }: Model,
  now: number,
): Call | undefined {
  switch (kind) {
    case 'endSession':
      return sid === undefined ? undefined : { kind, app, now, sub, sid };
    case 'endUserAccess':
      return { kind, app, now, sub };
    case 'disableUser':
    case 'enableUser': {
      const user = users.find(one => one.sub === sub) ?? assert.fail();
      const account = { ...user, disabled: kind === 'disableUser', updatedAt: now };
      return { kind: 'provisionUser', app, now, account };
    }
    case 'withdrawConsent':
      return { kind, app, now, sub, clientId };
    default:
      return { kind, app, now, clientId };
  }
}

/** When the step takes place. */
export function timeOf({ wait, plans }: Step, model: Model, now: number): number {
  if (typeof wait === 'number') {
    // A code is revoked by an end that the clock of the revoking node gives it.
    return wait < 0 && model.codes.some(({ revoked }) => revoked) ? now : now + wait;
  }
  const [plan = assert.fail()] = plans;
  return Math.max(now, (momentOf(plan, wait.moment, model) ?? now) + wait.offset);
}

function momentOf(plan: Plan, moment: 'expiry' | 'familyEnd' | 'graceEnd', model: Model): number | undefined {
  if (plan.kind === 'redeem') return newest(model.codes, plan.back)?.expiresAt;
  const family = newest(model.families, plan.back);
  if (plan.kind !== 'refresh' || !family) return undefined;
  const used = newest(family.chain, plan.age);
  if (moment === 'familyEnd') return family.startedAt + plan.presented.familyTtl;
  if (moment === 'expiry' || used?.rotatedAt === undefined) return used?.expiresAt;
  return used.rotatedAt + plan.presented.grace;
}

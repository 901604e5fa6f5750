import assert from 'node:assert/strict';
import type { NewCode } from '../../../../src/oauth/authorization-code/store.ts';
import { credentialKey, DAY } from '../given.ts';
import { code, rotation, type TokenPair, token, tokens } from '../given-tokens.ts';
import { firstAccess, planForApi } from './apis.ts';
import type { Call } from './calls.ts';
import type { Model, ModelCode, ModelFamily } from './model.ts';
import { type Caller, CHALLENGE, CLIENTS, type NewGrant, type Plan, type Step } from './plans.ts';

const CODE_TTL = 300;
const REFRESH_TTL = 30 * DAY;

/** The call of a plan; undefined where there is nothing yet to apply it to. */
export function resolve(plan: Plan, model: Model, apps: readonly string[], now: number): Call | undefined {
  if (plan.kind === 'addCode' || plan.kind === 'addTokenFamily') return issue(plan, model, apps, now);
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

function issue(plan: Plan & NewGrant, model: Model, apps: readonly string[], now: number): Call {
  const { sid, sub } = model.sessions[plan.session] ?? assert.fail();
  const app = apps[plan.app] ?? assert.fail();
  const clientId = CLIENTS[plan.client] ?? assert.fail();
  const grant = {
    ...plan.grant,
    ...{ clientId, sub, sid: plan.inSession ? sid : undefined },
    ...{ authTime: now - 5, amr: ['pwd'] },
  };
  if (plan.kind === 'addTokenFamily') {
    const access = firstAccess(grant, now);
    const fresh = tokens({ issuedAt: now, access, refresh: token(now + REFRESH_TTL) });
    return {
      kind: 'addTokenFamily',
      app,
      now,
      grant,
      tokens: { ...fresh, ...(plan.sameKeys && sameTokens(model, app)) },
    };
  }
  const expiresAt = now + CODE_TTL;
  const fresh = { codeHash: credentialKey(expiresAt), expiresAt };
  const key = { ...fresh, ...(plan.sameKeys && sameCode(model, app)) };
  return { kind: 'addCode', app, now, code: code(grant, { ...plan.code, ...key }) };
}

/** Of the newest code of another application, where it is not taken in this one. */
function sameCode({ codes }: Model, app: string): Pick<NewCode, 'codeHash' | 'expiresAt'> | undefined {
  const other = codes.findLast(one => one.app !== app);
  if (!other || codes.some(one => one.app === app && one.key === other.key)) return undefined;
  return { codeHash: Buffer.from(other.key, 'hex'), expiresAt: other.expiresAt };
}

function sameTokens({ families }: Model, app: string): Omit<TokenPair, 'issuedAt'> | undefined {
  const other = families.findLast(one => one.app !== app && one.chain.length > 0);
  if (!other || families.some(one => one.app === app && one.grantId === other.grantId)) return undefined;
  const { grantId, access, chain } = other;
  const [first = assert.fail()] = access;
  const [refresh = assert.fail()] = chain;
  return {
    grantId,
    access: { hash: Buffer.from(first.key, 'hex'), expiresAt: first.token.expiresAt },
    refresh: { hash: Buffer.from(refresh.key, 'hex'), expiresAt: refresh.expiresAt },
  };
}

function redeem(plan: Plan & { kind: 'redeem' }, chosen: ModelCode, apps: readonly string[], now: number): Call {
  const { caller, challenge, ...presented } = plan.presented;
  const challenges = { right: chosen.codeChallenge, none: undefined, any: CHALLENGE, wrong: 'x'.repeat(43) };
  const own = chosen.family.clientId;
  return {
    kind: 'redeem',
    app: plan.elsewhere ? elsewhereThan(chosen.app, apps) : chosen.app,
    now,
    codeHash: Buffer.from(chosen.key, 'hex'),
    presented: {
      ...presented,
      clientId: caller === 'none' ? undefined : nameOf(caller, own),
      challenge: challenges[challenge],
    },
    tokens: tokens({ issuedAt: now, access: token(now + plan.accessTtl), refresh: token(now + REFRESH_TTL) }),
    forApi: planForApi(chosen.family, { resources: plan.resources, scope: undefined }, now, plan.accessTtl),
  };
}

function useToken(
  plan: Plan & { kind: 'refresh' | 'revokeRefreshToken' | 'revokeAccessToken' },
  family: ModelFamily,
  apps: readonly string[],
  now: number,
): Call | undefined {
  const app = plan.elsewhere ? elsewhereThan(family.app, apps) : family.app;
  const clientId = nameOf(plan.caller, family.family.clientId);
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
      user: plan.withUser ? { isAllowed: undefined } : undefined,
    }),
    forApi: planForApi(family.family, { resources: plan.resources, scope: plan.presented.scope }, now, plan.accessTtl),
  };
}

function actOnOwner(
  kind: Exclude<
    Plan['kind'],
    'addCode' | 'addTokenFamily' | 'redeem' | 'refresh' | 'revokeRefreshToken' | 'revokeAccessToken'
  >,
  { app, family: { sub, sid, clientId } }: ModelCode | ModelFamily,
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
  if (typeof wait === 'number') return now + wait;
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

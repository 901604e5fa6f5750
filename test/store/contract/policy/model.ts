import assert from 'node:assert/strict';
import type { Account } from '../../../../src/directory/users/store.ts';
import { type CodeVerdict, judgeCode } from '../../../../src/oauth/authorization-code/rules.ts';
import type { NewCode } from '../../../../src/oauth/authorization-code/store.ts';
import { familyEnd, judgeRefresh } from '../../../../src/oauth/refresh/rules.ts';
import type { LiveRefreshToken } from '../../../../src/oauth/refresh/store.ts';
import { isNarrower } from '../../../../src/oauth/token/scope.rules.ts';
import type { LiveToken, TokenFamily, TokenUser } from '../../../../src/oauth/token/store.ts';
import { hex, profileOf } from '../given.ts';
import type { TokenPair } from '../given-tokens.ts';
import { rightAccess } from './apis.ts';
import type { Call } from './calls.ts';

/**
 * The facts of a history, without any SQL: what was issued, rotated and revoked. protocol/ gives every verdict on them. Plain
 * data, so that it can be copied and compared; keys are in hexadecimal.
 */
export interface Model {
  readonly codes: ModelCode[];
  readonly families: ModelFamily[];
  readonly users: Account[];
  readonly sessions: readonly { readonly sid: string; readonly sub: string }[];
  /** As `app/client_id`. */
  readonly clients: string[];
  readonly endedSids: string[];
  /** The families that a call of the present step found reused, as `app/grantId`. */
  reusedInStep: string[];
}

export interface ModelCode extends Omit<NewCode, 'codeHash'> {
  readonly app: string;
  readonly key: string;
  grantId?: string;
  revoked: boolean;
}

export interface ModelFamily {
  readonly app: string;
  readonly grantId: string;
  readonly family: TokenFamily;
  readonly startedAt: number;
  readonly access: ModelAccess[];
  /** In the order of rotation: each is the successor of the one before it. */
  readonly chain: ModelRefresh[];
  revoked: boolean;
}

interface ModelAccess {
  readonly key: string;
  readonly token: LiveToken;
  readonly claims: TokenFamily['claims'];
  revoked: boolean;
}

interface ModelRefresh {
  readonly key: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  rotatedAt?: number;
}

/** Any one of these answers is right. */
export type Permitted = readonly unknown[];

/** Applies the call to the facts, and says what the store may answer. */
export function apply(model: Model, call: Call): Permitted {
  const { app } = call;
  switch (call.kind) {
    case 'addCode': {
      const { codeHash, ...code } = call.code;
      return give(model, app, code.family, () => {
        if (!userOf(model, code.family.sub).disabled)
          model.codes.push({ ...code, app, key: hex(codeHash), revoked: false });
      });
    }
    case 'addTokenFamily':
      return give(model, app, call.grant, () => {
        if (!userOf(model, call.grant.sub).disabled) addFamily(model, app, call.grant, call.tokens);
      });
    case 'redeem':
      return redeem(model, call);
    case 'refresh':
      return refresh(model, call);
    case 'revokeRefreshToken': {
      const family = model.families.find(one => one.app === app && one.chain.some(({ key }) => key === hex(call.hash)));
      if (family?.family.clientId === call.clientId) family.revoked = true;
      return [undefined];
    }
    case 'revokeAccessToken': {
      const found = findAccess(model, app, hex(call.hash));
      if (found?.access.token.clientId === call.clientId) found.access.revoked = true;
      return [undefined];
    }
    case 'endSession':
      revokeWhere(model, one => one.family.sid === call.sid);
      model.endedSids.push(call.sid);
      return [undefined];
    case 'endUserAccess':
      endUserAccess(model, call.sub);
      return [undefined];
    case 'provisionUser': {
      const { sub } = call.account;
      model.users[model.users.findIndex(user => user.sub === sub)] = call.account;
      if (call.account.disabled) endUserAccess(model, sub);
      return [{ kind: 'done' }];
    }
    case 'withdrawConsent': {
      const { sub, clientId } = call;
      revokeWhere(model, one => one.app === app && one.family.sub === sub && one.family.clientId === clientId);
      return [undefined];
    }
    case 'deleteClient': {
      const at = model.clients.indexOf(`${app}/${call.clientId}`);
      if (at < 0) return [false];
      model.clients.splice(at, 1);
      revokeWhere(model, one => one.app === app && one.family.clientId === call.clientId);
      return [true];
    }
    case 'addClient':
      if (!model.clients.includes(`${app}/${call.clientId}`)) model.clients.push(`${app}/${call.clientId}`);
      return [{ kind: 'done' }];
  }
}

/** Verdicts that come after `expired` in judgeCode. */
const LATER_THAN_EXPIRED: readonly CodeVerdict[] = [
  'clientAuthenticationRequired',
  'redirectUriDiffers',
  'verifierWrong',
  'verifierUnexpected',
];

function redeem(model: Model, call: Call & { kind: 'redeem' }): Permitted {
  const { app, presented, tokens, now } = call;
  const code = model.codes.find(one => one.app === app && one.key === hex(call.codeHash));
  if (!code) return [{ kind: 'unknown' }];
  const { family, nonce, withRefresh } = code;
  const verdict = judgeCode(
    { ...code, clientId: family.clientId, redeemed: code.grantId !== undefined },
    presented,
    now,
  );
  if (verdict === 'replayed') revokeFamily(model, app, code.grantId);
  const expired = { kind: 'refused', verdict: 'expired' };
  const revoked = code.revoked || userOf(model, family.sub).disabled;
  if (revoked && (verdict === 'redeem' || LATER_THAN_EXPIRED.includes(verdict))) return [expired];
  if (verdict !== 'redeem') return [{ kind: 'refused', verdict }];
  const access = rightAccess(family, call.forApi, tokens.access);
  if (!access) return [{ kind: 'refused', verdict: 'targetInvalid' }];
  code.grantId = tokens.grantId;
  addFamily(model, app, family, { ...tokens, access, refresh: withRefresh ? tokens.refresh : undefined });
  return [{ kind: 'redeemed', family, user: profileOf(userOf(model, family.sub)), nonce, withRefresh }];
}

function refresh(model: Model, { app, rotation, forApi, now }: Call & { kind: 'refresh' }): Permitted {
  const invalid = { kind: 'refused', verdict: 'invalid' };
  const { presented } = rotation;
  const key = hex(rotation.tokenHash);
  const family = model.families.find(one => one.app === app && one.chain.some(each => each.key === key));
  if (!family) return [invalid];
  const { family: grant, chain } = family;
  const at = chain.findIndex(each => each.key === key);
  const token = chain[at] ?? assert.fail();
  const successor = chain[at + 1];
  const facts = {
    clientId: grant.clientId,
    scope: grant.scope,
    expiresAt: token.expiresAt,
    rotatedAt: token.rotatedAt,
    successorUsed: successor?.rotatedAt !== undefined,
    familyStartedAt: family.startedAt,
  };
  const verdict = judgeRefresh(facts, presented, now);
  const reused = { kind: 'reused', sub: grant.sub };
  if (family.revoked) {
    // Two callers may both find out before the family is revoked.
    const both = verdict === 'reused' && model.reusedInStep.includes(`${app}/${family.grantId}`);
    return both ? [invalid, reused] : [invalid];
  }
  const wantsUser = rotation.user !== undefined || grant.claims.userinfo.length + grant.claims.id_token.length > 0;
  const user = wantsUser ? profileOf(userOf(model, grant.sub)) : undefined;
  const isIssued = verdict === 'rotate' || verdict === 'repeat' || verdict === 'keep';
  const access = isIssued ? rightAccess(grant, forApi, rotation.access) : rotation.access;
  if (!access) return [{ kind: 'refused', verdict: 'targetInvalid' }];
  switch (verdict) {
    case 'rotate': {
      const next = hex(rotation.successors[0] ?? assert.fail());
      token.rotatedAt = now;
      const expiresAt = Math.min(rotation.successorExpiresAt, familyEnd(facts, presented));
      chain.push({ key: next, issuedAt: now, expiresAt });
      addAccess(family, { ...rotation, access });
      return [{ kind: 'rotated', family: grant, user, successor: next }];
    }
    case 'repeat':
      addAccess(family, { ...rotation, access });
      return [{ kind: 'repeated', family: grant, user, successor: successor?.key }];
    case 'keep':
      addAccess(family, { ...rotation, access });
      return [{ kind: 'kept', family: grant, user }];
    case 'reused':
      family.revoked = true;
      model.reusedInStep.push(`${app}/${family.grantId}`);
      return [reused];
    case 'scopeWider':
      return [{ kind: 'scopeWider', granted: grant.scope }];
    default:
      return [{ kind: 'refused', verdict }];
  }
}

/** For a deleted client the outcome says so; for a session that has ended nothing is issued, and the outcome does not say so. */
function give(model: Model, app: string, { clientId, sid }: TokenFamily, issue: () => void): Permitted {
  if (!model.clients.includes(`${app}/${clientId}`)) return ['clientGone'];
  if (sid === undefined || !model.endedSids.includes(sid)) issue();
  return ['issued'];
}

function addFamily(
  model: Model,
  app: string,
  grant: TokenFamily,
  tokens: Omit<TokenPair, 'refresh'> & { readonly refresh: TokenPair['refresh'] | undefined },
): void {
  const { grantId, issuedAt, refresh } = tokens;
  const chain = refresh ? [{ key: hex(refresh.hash), issuedAt, expiresAt: refresh.expiresAt }] : [];
  const family = { app, grantId, family: grant, startedAt: issuedAt, access: [], chain, revoked: false };
  model.families.push(family);
  addAccess(family, tokens);
}

function addAccess(
  { access, family: grant }: ModelFamily,
  { access: { hash, expiresAt, audience, scope = grant.scope }, issuedAt }: Pick<TokenPair, 'access' | 'issuedAt'>,
): void {
  const { clientId, sub } = grant;
  const ofApi = audience === undefined ? {} : { audience };
  const token = { clientId, sub, scope: scope.join(' '), issuedAt, expiresAt, ...ofApi };
  // Single claims are for userinfo, which takes no token of an API.
  const isPlain = audience === undefined && !isNarrower(scope, grant.scope);
  const claims = isPlain ? grant.claims : { userinfo: [], id_token: [] };
  access.push({ key: hex(hash), token, claims, revoked: false });
}

/** Families, and codes that were not redeemed yet. */
function revokeWhere(model: Model, applies: (one: ModelFamily | ModelCode) => boolean): void {
  for (const family of model.families) if (applies(family)) family.revoked = true;
  for (const code of model.codes) if (code.grantId === undefined && applies(code)) code.revoked = true;
}

function revokeFamily({ families }: Model, app: string, grantId: string | undefined): void {
  for (const family of families) if (family.app === app && family.grantId === grantId) family.revoked = true;
}

function endUserAccess(model: Model, sub: string): void {
  model.endedSids.push(...model.sessions.filter(session => session.sub === sub).map(({ sid }) => sid));
  revokeWhere(model, one => one.family.sub === sub);
}

function userOf({ users }: Model, sub: string): Account {
  return users.find(user => user.sub === sub) ?? assert.fail();
}

function findAccess(model: Model, app: string, key: string) {
  for (const family of model.families) {
    const access = family.app === app && family.access.find(one => one.key === key);
    if (access) return { family, access };
  }
  return undefined;
}

/** What a lookup must find. */
export function liveAccessToken(model: Model, app: string, key: string, now: number): LiveToken | undefined {
  const found = findAccess(model, app, key);
  if (!found || found.family.revoked || found.access.revoked) return undefined;
  const { authTime, amr } = found.family.family;
  return now < found.access.token.expiresAt ? { ...found.access.token, login: { authTime, amr } } : undefined;
}

export function liveTokenUser(model: Model, app: string, key: string, now: number): TokenUser | undefined {
  const live = liveAccessToken(model, app, key, now);
  if (!live) return undefined;
  const { login, ...token } = live;
  const claims = findAccess(model, app, key)?.access.claims ?? assert.fail();
  const { authTime, amr } = login ?? assert.fail();
  return { token, user: profileOf(userOf(model, token.sub)), claims, authTime, amr: amr.join(' ') };
}

export function liveRefreshToken(model: Model, app: string, key: string, now: number): LiveRefreshToken | undefined {
  for (const { app: of, chain, family, startedAt, revoked } of model.families) {
    const token = of === app && chain.find(one => one.key === key);
    if (!token) continue;
    if (revoked || token.rotatedAt !== undefined || now >= token.expiresAt) return undefined;
    const { clientId, sub, scope } = family;
    const { issuedAt, expiresAt } = token;
    return { familyStartedAt: startedAt, clientId, sub, scope: scope.join(' '), issuedAt, expiresAt };
  }
  return undefined;
}

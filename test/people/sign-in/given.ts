import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import type { Access, Membership } from '../../../src/directory/access/rules.ts';
import type { MfaPolicy, OperatorMfa } from '../../../src/directory/applications/rules.ts';
import { NO_CLAIMS, type RequestedClaims } from '../../../src/oauth/authorize/claims-request.rules.ts';
import type { Prompt } from '../../../src/oauth/authorize/request.rules.ts';
import type { Scope } from '../../../src/oauth/token/scope.rules.ts';
import type { RequestedAcr } from '../../../src/people/sign-in/acr.rules.ts';
import { NO_OUTCOMES, type Outcomes, type ShownFactor } from '../../../src/people/sign-in/current-user.rules.ts';
import { demandsOf } from '../../../src/people/sign-in/demands.rules.ts';
import { type NextStep, nextStep } from '../../../src/people/sign-in/next-step.rules.ts';
import { CALLBACK } from '../../oauth/authorize/given.ts';

/** As the server asks for them. */
export const { steps } = await loadTables();

export const NOW = 1_000_000;
export const [ALICE, BOB] = ['sub-alice', 'sub-bob'];

export interface Session {
  readonly sub: string;
  readonly authTime: number;
  readonly openedByRequest: string;
  readonly amr?: readonly string[];
  readonly hasTotp?: boolean;
  readonly requiresMfa?: boolean;
  readonly username?: string;
  readonly membership?: Membership;
  readonly email?: string;
  readonly emailVerified?: boolean;
  readonly hasPasskey?: boolean;
  readonly hasPassword?: boolean;
}
/** Signed in a minute ago, for another request. */
export const OLD: Session = { sub: ALICE, authTime: NOW - 60, openedByRequest: 'before' };
/** Signed in on the page of this very request. */
export const OWN: Session = { sub: ALICE, authTime: NOW, openedByRequest: 'this' };

export type Progress = Outcomes & { readonly id: string };
/** Was on a page of this request, and did nothing there yet. */
export const HERE: Progress = { ...NO_OUTCOMES, id: 'this' };
export const SELECTED: Progress = { ...HERE, selected: { sub: ALICE } };
export const ANOTHER: Progress = { ...HERE, selected: 'another' };
export const CONSENTED: Progress = { ...HERE, consentedBy: ALICE };
export const proofOf = (sub: string, hasTotp = false): ShownFactor => ({ sub, method: 'pwd', at: NOW, hasTotp });
export const codeOf = (sub: string, method: 'otp' | 'rec' = 'otp'): ShownFactor => ({ sub, method, at: NOW });
export const passkeyOf = (sub: string, isUserVerified: boolean): ShownFactor => ({
  sub,
  method: 'hwk',
  at: NOW,
  isUserVerified,
  hasPasskey: true,
  hasPassword: true,
});
/** The password was right, and the session is not open yet. */
export const PROVED: Progress = { ...HERE, proofs: [proofOf(ALICE)] };

export interface Given {
  readonly prompt?: readonly Prompt[];
  readonly maxAge?: number;
  readonly scope?: readonly Scope[];
  readonly claims?: RequestedClaims;
  readonly requireConsent?: boolean;
  /** Of a public client. */
  readonly nativeRedirect?: string;
  readonly session?: Session;
  readonly requiredSub?: string;
  readonly consented?: readonly Scope[];
  readonly progress?: Progress;
  readonly app?: string;
  readonly mfa?: MfaPolicy;
  readonly operatorMfa?: OperatorMfa;
  readonly verifiedEmail?: boolean;
  readonly passkeys?: boolean;
  readonly acr?: RequestedAcr;
  readonly defaultAcr?: readonly string[];
  readonly defaultMaxAge?: number;
  readonly trustsBrowsers?: boolean;
  readonly trustedFor?: string;
  readonly access?: Access;
}

function decided({ prompt = [], maxAge, scope = ['openid', 'email'], requireConsent = false, ...given }: Given) {
  const { mfa = 'optional', verifiedEmail = false, passkeys = true, acr, defaultAcr, defaultMaxAge } = given;
  const { app = 'shop', operatorMfa = 'optional' } = given;
  const { trustsBrowsers = false, trustedFor, access } = given;
  const { claims = NO_CLAIMS, session, requiredSub, consented = [], progress, nativeRedirect } = given;
  const client = {
    require_consent: requireConsent,
    token_endpoint_auth_method: nativeRedirect === undefined ? ('client_secret_basic' as const) : ('none' as const),
    default_acr_values: defaultAcr,
    default_max_age: defaultMaxAge,
  };
  const request = { prompt, maxAge, scope, claims, redirectUri: nativeRedirect ?? CALLBACK, acr };
  const held = { hasTotp: false, hasPasskey: false, hasPassword: true };
  const present = session && { amr: ['pwd'], ...held, ...session, user: { username: 'alice', ...session }, consented };
  const application = {
    ...{ code: app, access, mfa, passkeys },
    ...{ trusted_browsers: trustsBrowsers, require_verified_email: verifiedEmail },
  };
  const demands = demandsOf(request, client, requiredSub, application, operatorMfa);
  return named(nextStep(steps, demands, { session: present, progress, now: NOW, trustedFor }));
}

export function named(next: NextStep): string {
  if (next.kind === 'refuse') return next.failure.error;
  return next.kind === 'ask' ? next.step : next.kind;
}

export function table(cases: readonly (readonly [what: string, given: Given, outcome: string])[]): void {
  for (const [what, given, outcome] of cases) {
    it(`${what}: ${outcome}`, () => {
      assert.equal(decided(given), outcome);
    });
  }
}

import type { Api } from '../../../../src/directory/apis/rules.ts';
import type { PresentedCode } from '../../../../src/oauth/authorization-code/rules.ts';
import type { NewCode } from '../../../../src/oauth/authorization-code/store.ts';
import type { PresentedRefresh } from '../../../../src/oauth/refresh/rules.ts';
import type { GrantedApi } from '../../../../src/oauth/token/granted-api.rules.ts';
import type { Scope } from '../../../../src/oauth/token/scope.rules.ts';
import type { TokenFamily } from '../../../../src/oauth/token/store.ts';
import { fc } from '../../../build/random.ts';
import { CALLBACK, DAY } from '../given.ts';
import { GONE, ORDERS, STOCK } from './apis.ts';

/** A random history. A plan names its target by a small number; resolve.ts makes a call of it, from the facts at that moment. */
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

export type Plan = Target & Action;

type Action =
  | ({ readonly kind: 'addCode' | 'addTokenFamily' } & NewGrant)
  | {
      readonly kind: 'redeem';
      readonly elsewhere: boolean;
      readonly presented: Presentation;
      readonly resources: readonly string[];
      readonly accessTtl: number;
    }
  | {
      readonly kind: 'refresh';
      readonly elsewhere: boolean;
      /** Which token of the family, counted back from the newest. */
      readonly age: number;
      readonly presented: Omit<PresentedRefresh, 'clientId'>;
      readonly caller: Caller;
      readonly resources: readonly string[];
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
export type Caller = 'own' | 'other';

interface Presentation extends Omit<PresentedCode, 'clientId' | 'challenge'> {
  readonly caller: Caller | 'none';
  readonly challenge: 'right' | 'none' | 'any' | 'wrong';
}

export interface NewGrant {
  readonly app: number;
  readonly client: number;
  /** A session of a user; without one the grant has a user only. */
  readonly session: number;
  readonly inSession: boolean;
  /** With the keys of the newest one in the other application: nothing but the application tells them apart. */
  readonly sameKeys: boolean;
  readonly grant: Pick<TokenFamily, 'scope' | 'claims' | 'resources'>;
  readonly code: Pick<NewCode, 'codeChallenge' | 'clientAuthenticationRequired' | 'withRefresh'>;
}

export const CLIENTS = ['web', 'other'];
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

const often = <T>(usual: T, ...seldom: T[]) =>
  fc.constantFrom(...seldom.flatMap(() => [usual, usual, usual]), ...seldom);
const accessTtl = fc.constantFrom(3600, 60, 45 * DAY);

const target: fc.Arbitrary<Target> = fc.record({
  of: fc.constantFrom('code', 'family'),
  back: fc.constantFrom(0, 0, 0, 1, 2, 3),
});

const at = ({ identifier }: Api, ...scope: string[]): GrantedApi => ({ identifier, scope });
/** Half of the grants cover APIs; one of these is gone since. */
const covered = fc.constantFrom<Pick<TokenFamily, 'scope' | 'resources'>>(
  { scope: ['openid', 'email'] },
  { scope: ['openid', 'email'] },
  { scope: ['openid'] },
  { scope: ['openid', 'profile', 'email'] },
  { scope: ['openid', 'email', 'orders:read'], resources: [at(ORDERS, 'orders:read')] },
  {
    scope: ['openid', 'orders:read', 'list', 'stock:read'],
    // `list` at one of the two that have it.
    resources: [at(STOCK, 'list', 'stock:read'), at(ORDERS, 'orders:read')],
  },
  { scope: ['list'], resources: [at(ORDERS, 'list')] },
  { scope: ['openid', 'orders:read'], resources: [{ identifier: GONE, scope: [] }, at(ORDERS, 'orders:read')] },
);
const resources: fc.Arbitrary<readonly string[]> = often<readonly string[]>(
  [],
  [ORDERS.identifier],
  [STOCK.identifier],
  [ORDERS.identifier, STOCK.identifier],
  [GONE],
);

const newGrant: fc.Arbitrary<NewGrant> = fc.record({
  app: fc.nat(1),
  client: fc.nat(1),
  session: fc.nat(2),
  inSession: fc.boolean(),
  sameKeys: fc.boolean(),
  grant: fc
    .tuple(covered, often({ userinfo: [], id_token: [] }, { userinfo: ['nickname'], id_token: ['acr'] }))
    .map(([access, claims]) => ({ ...access, claims })),
  code: fc.record({
    codeChallenge: fc.constantFrom(undefined, CHALLENGE),
    clientAuthenticationRequired: fc.boolean(),
    withRefresh: often(true, false),
  }),
});

const redemption = fc.record({
  kind: fc.constant('redeem' as const),
  elsewhere: often(false, false, false, true),
  presented: fc.record({
    caller: fc.constantFrom<Presentation['caller']>('own', 'own', 'own', 'own', 'none', 'other'),
    clientAuthenticated: fc.constantFrom(true, true, false),
    redirectUri: often(CALLBACK, `${CALLBACK}/`),
    challenge: fc.constantFrom<Presentation['challenge']>('right', 'right', 'right', 'right', 'none', 'any', 'wrong'),
  }),
  resources,
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
      ...([['orders:read'], ['list'], ['openid', 'stock:read']] as Scope[][]),
    ),
    rotation: often(true, false),
    grace: fc.constantFrom(0, 1, 10, 30, 30, 120),
    familyTtl: fc.constantFrom(180 * DAY, 180 * DAY, 180 * DAY, 45 * DAY, 20 * DAY, 3600, 25),
  }),
  resources,
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
  fc
    .record({ kind: fc.constantFrom('addCode' as const, 'addCode' as const, 'addTokenFamily' as const) })
    .map(({ kind }) => ({
      kind,
      ...grant,
    })),
);

const anything: fc.Arbitrary<Action> = fc.oneof(
  { arbitrary: issuing, weight: 6 },
  { arbitrary: redemption, weight: 8 },
  { arbitrary: refreshing, weight: 14 },
  { arbitrary: revocation, weight: 3 },
  { arbitrary: ending, weight: 4 },
  { arbitrary: fc.record({ kind: fc.constantFrom('enableUser', 'addClient') }), weight: 3 },
);

const edge: fc.Arbitrary<Wait> = fc.record({
  moment: fc.constantFrom('expiry', 'familyEnd', 'graceEnd'),
  offset: fc.constantFrom(-1, 0, 0, 1),
});
const wait: fc.Arbitrary<Wait> = fc.oneof(fc.constantFrom(0, 0, 0, 1, 9, 31, 100, -1, -10, 20 * DAY), edge);

/** What is worth doing at the same time as something else on the same target. */
const contending: fc.Arbitrary<Action> = fc.oneof(
  { arbitrary: redemption, weight: 4 },
  { arbitrary: refreshing, weight: 4 },
  { arbitrary: revocation, weight: 1 },
  { arbitrary: ending, weight: 2 },
);

const oneAfterAnother = fc.tuple(target, anything).map(([at, action]) => [{ ...at, ...action }]);
/** By its own client, and right in everything: of several callers one is the first. */
const rightRedemption = fc.record({
  kind: fc.constant('redeem' as const),
  elsewhere: fc.constant(false),
  presented: fc.constant<Presentation>({
    caller: 'own',
    clientAuthenticated: true,
    redirectUri: CALLBACK,
    challenge: 'right',
  }),
  resources: fc.constant<readonly string[]>([]),
  accessTtl,
});
const several = { minLength: 2, maxLength: 3 } as const;
const atOnce = fc
  .tuple(
    target,
    fc.oneof(
      fc.array(contending, several),
      fc.array(rightRedemption, several),
      refreshing.chain(one => fc.array(fc.constant(one), several)),
      fc.tuple(fc.oneof(rightRedemption, refreshing), ending),
    ),
  )
  .map(([at, actions]) => actions.map(action => ({ ...at, ...action })));

const step: fc.Arbitrary<Step> = fc.record({
  wait,
  plans: fc.oneof({ arbitrary: oneAfterAnother, weight: 3 }, { arbitrary: atOnce, weight: 1 }),
});

/** What ends an access, between the issue of a code and its redemption. With a second code, which is issued too late. */
const redeemedTooLate: fc.Arbitrary<Step[]> = fc
  .tuple(newGrant, ending, rightRedemption, fc.constantFrom(0, 1), fc.boolean())
  .map(([grant, end, redeem, back, second]) => {
    const newest: Target = { of: 'code', back: 0 };
    const issue: Plan = { ...newest, kind: 'addCode', ...grant, sameKeys: false };
    const plans: Plan[] = [issue, { ...newest, ...end }, ...(second ? [issue] : []), { ...newest, ...redeem, back }];
    return plans.map(plan => ({ wait: 0, plans: [plan] }));
  });

/** A new family, rotated up to twice, of which its client uses a token at once or at the moment on which the verdict turns. */
const refreshedAtTheEdge: fc.Arbitrary<Step[]> = fc
  .tuple(newGrant, refreshing, fc.oneof(edge, fc.constant(0)), fc.nat(2), fc.nat(2))
  .map(([grant, use, wait, rotations, age]) => {
    const newest: Target = { of: 'family', back: 0 };
    const right = { ...newest, ...use, caller: 'own' as const, elsewhere: false };
    const presented = { ...right.presented, scope: undefined, rotation: true };
    const first: Plan = { ...right, age: 0, resources: [], presented };
    return [
      { wait: 0, plans: [{ ...newest, kind: 'addTokenFamily', ...grant, inSession: false, sameKeys: false }] },
      ...Array.from({ length: rotations }, () => ({ wait: 0, plans: [first] })),
      { wait, plans: [{ ...right, age }] },
    ];
  });

/** Two families with the same keys in two applications, and a token of one of them revoked. */
const revokedBesideItsTwin: fc.Arbitrary<Step[]> = fc
  .tuple(newGrant, revocation, fc.nat(1))
  .map(([grant, revoke, back]) => {
    const newest: Target = { of: 'family', back: 0 };
    const issue = { ...newest, kind: 'addTokenFamily' as const, ...grant, inSession: false };
    const plans: Plan[] = [
      { ...issue, app: 0, sameKeys: false },
      { ...issue, app: 1, sameKeys: true },
      { ...newest, ...revoke, back },
    ];
    return plans.map(plan => ({ wait: 0, plans: [plan] }));
  });

const episode = fc.oneof(
  { arbitrary: step.map(one => [one]), weight: 8 },
  { arbitrary: redeemedTooLate, weight: 1 },
  { arbitrary: refreshedAtTheEdge, weight: 1 },
  { arbitrary: revokedBesideItsTwin, weight: 1 },
);

/** Begins with a grant and a code, so that there is something to act on. */
export const history: fc.Arbitrary<Step[]> = fc
  .tuple(newGrant, newGrant, fc.array(episode, { minLength: 1, maxLength: 12, size: 'max' }))
  .map(([first, second, episodes]) => [
    { wait: 0, plans: [{ of: 'family', back: 0, kind: 'addTokenFamily', ...first }] },
    { wait: 0, plans: [{ of: 'code', back: 0, kind: 'addCode', ...second }] },
    ...episodes.flat(),
  ]);

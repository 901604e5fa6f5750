import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type CodeFacts, judgeCode, type PresentedCode } from '../../../src/protocol/code-exchange.ts';
import {
  familyEnd,
  judgeRefresh,
  type PresentedRefresh,
  type RefreshFacts,
  type RefreshVerdict,
} from '../../../src/protocol/refresh-policy.ts';
import type { Scope } from '../../../src/protocol/scope.ts';
import type { NewCode } from '../../../src/store/codes.ts';
import {
  ALIVE,
  aFamily,
  alive,
  aScene,
  CALLBACK,
  code,
  credentialKey,
  DAY,
  DEAD,
  hex,
  NOW,
  type Opened,
  type OpenStore,
  rotation,
  type Scene,
  type TokenPair,
  token,
  tokens,
} from './given.ts';

/**
 * A store repeats in SQL what protocol/code-exchange.ts and protocol/refresh-policy.ts decide, for speed. Here random histories
 * run through both, and every verdict is compared. Several histories run at once, so that they share statements and commits.
 */
const RUNS = 40;
const AT_ONCE = { minLength: 1, maxLength: 5 } as const;
const LENGTH = { minLength: 1, maxLength: 12 } as const;

export function historiesContract(open: OpenStore): void {
  describe('random histories, judged by the store and by the protocol', () => {
    let opened: Opened;
    let scene: Scene;
    before(async () => {
      opened = await open();
      scene = await aScene(opened.store);
    });
    after(() => opened.discard());

    it('of refresh tokens get the same verdicts (row 41)', () =>
      fc.assert(
        fc.asyncProperty(fc.array(refreshHistory, AT_ONCE), async histories => {
          await Promise.all(histories.map(history => refreshFamily(opened, scene, history)));
        }),
        { numRuns: RUNS },
      ));

    it('of codes get the same verdicts (rows 34, 37 and 38)', () =>
      fc.assert(
        fc.asyncProperty(fc.array(codeHistory, AT_ONCE), async histories => {
          await Promise.all(histories.map(history => redeemCode(opened, scene, history)));
        }),
        { numRuns: RUNS },
      ));
  });
}

// Refresh tokens

const GRANTED: readonly Scope[] = ['openid', 'email'];
const REFRESH_TTL = 30 * DAY;

interface Refresh {
  /** Which token of the family, counted back from the newest. */
  readonly back: number;
  /** Seconds since the step before: clocks of nodes differ, so it may be less than nothing. */
  readonly wait: number;
  readonly presented: PresentedRefresh;
}

const refreshHistory: fc.Arbitrary<Refresh[]> = fc.array(
  fc.record({
    back: fc.constantFrom(0, 0, 0, 1, 1, 2, 5),
    wait: fc.constantFrom(0, 0, 1, 5, 9, 10, 29, 30, 31, -1, -10, 20 * DAY, 29 * DAY, 30 * DAY),
    presented: fc.record({
      clientId: fc.constantFrom('web', 'web', 'web', 'web', 'other'),
      scope: fc.constantFrom<readonly Scope[] | undefined>(
        undefined,
        undefined,
        ['email'],
        ['email', 'openid'],
        ['phone'],
      ),
      rotation: fc.constantFrom(true, true, true, true, false),
      grace: fc.constantFrom(0, 10, 30, 30, 30),
      familyTtl: fc.constantFrom(180 * DAY, 180 * DAY, 180 * DAY, 45 * DAY, 25),
    }),
  }),
  LENGTH,
);

interface ModelToken {
  readonly hash: Uint8Array;
  readonly expiresAt: number;
  rotatedAt?: number;
}

async function refreshFamily({ store }: Opened, scene: Scene, history: readonly Refresh[]): Promise<void> {
  const { app } = scene;
  const pair = await aFamily(store, { ...scene, grant: { ...scene.grant, scope: GRANTED } });
  const chain: ModelToken[] = [pair.refresh];
  let revoked = false;
  let now = NOW;
  for (const { back, wait, presented } of history) {
    now += wait;
    const at = Math.max(0, chain.length - 1 - back);
    const used = chain[at] ?? assert.fail();
    const successor = chain[at + 1];
    const facts: RefreshFacts = {
      clientId: 'web',
      scope: GRANTED,
      expiresAt: used.expiresAt,
      rotatedAt: used.rotatedAt,
      successorUsed: successor?.rotatedAt !== undefined,
      familyStartedAt: NOW,
    };
    const verdict: RefreshVerdict = revoked ? 'invalid' : judgeRefresh(facts, presented, now);
    const end = now + REFRESH_TTL;
    const turn = rotation(used.hash, {
      issuedAt: now,
      presented,
      successors: [credentialKey(end)],
      successorExpiresAt: end,
    });
    const outcome = await store.rotateRefreshToken(app, turn);
    switch (verdict) {
      case 'rotate': {
        assert(outcome.kind === 'rotated', outcome.kind);
        used.rotatedAt = now;
        chain.push({ hash: outcome.successor, expiresAt: Math.min(end, familyEnd(facts, presented)) });
        assert.equal(hex(outcome.successor), hex(turn.successors[0] ?? assert.fail()));
        break;
      }
      case 'repeat':
        assert(outcome.kind === 'repeated', outcome.kind);
        assert.equal(hex(outcome.successor), hex(successor?.hash ?? assert.fail()));
        break;
      case 'keep':
        assert.equal(outcome.kind, 'kept');
        break;
      case 'reused':
        assert.deepEqual(outcome, { kind: 'reused', sub: scene.user.sub });
        revoked = true;
        break;
      case 'scopeWider':
        assert.deepEqual(outcome, { kind: 'scopeWider', granted: GRANTED });
        break;
      default:
        assert.deepEqual(outcome, { kind: 'refused', verdict });
    }
    const issued: boolean = verdict === 'rotate' || verdict === 'repeat' || verdict === 'keep';
    assert.equal((await store.findAccessToken(app, turn.access.hash, now)) !== undefined, issued);
    const live = chain.filter(each => !revoked && each.rotatedAt === undefined && now < each.expiresAt);
    const found = [];
    for (const each of chain) if (await store.findRefreshToken(app, each.hash, now)) found.push(each);
    assert.deepEqual(found, live);
  }
}

// Codes

const [RIGHT, WRONG] = ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', 'x'.repeat(43)];

interface CodeHistory {
  readonly put: Pick<NewCode, 'codeChallenge' | 'clientAuthenticationRequired' | 'withRefresh'>;
  readonly shown: readonly { readonly wait: number; readonly presented: PresentedCode }[];
}

const codeHistory: fc.Arbitrary<CodeHistory> = fc.record({
  put: fc.record({
    codeChallenge: fc.constantFrom(undefined, RIGHT),
    clientAuthenticationRequired: fc.constantFrom(false, false, true),
    withRefresh: fc.constantFrom(true, true, false),
  }),
  shown: fc.array(
    fc.record({
      wait: fc.constantFrom(0, 0, 1, 100, 299, 300, -1),
      presented: fc.record({
        clientId: fc.constantFrom('web', 'web', 'web', undefined, 'other'),
        clientAuthenticated: fc.boolean(),
        redirectUri: fc.constantFrom(CALLBACK, CALLBACK, CALLBACK, `${CALLBACK}/`),
        challenge: fc.constantFrom(undefined, RIGHT, RIGHT, WRONG),
      }),
    }),
    LENGTH,
  ),
});

async function redeemCode({ store }: Opened, { app, grant }: Scene, { put, shown }: CodeHistory): Promise<void> {
  const issued = code(grant, put);
  await store.addCode(app, issued);
  let family: TokenPair | undefined;
  let revoked = false;
  let now = NOW;
  for (const { wait, presented } of shown) {
    now += wait;
    const facts: CodeFacts = { ...issued, clientId: 'web', redeemed: family !== undefined };
    const verdict = judgeCode(facts, presented, now);
    const pair = tokens({ issuedAt: now, access: token(now + DAY) });
    const outcome = await store.redeemCode(app, issued.codeHash, presented, pair);
    if (verdict === 'redeem') {
      assert(outcome.kind === 'redeemed', outcome.kind);
      assert.equal(outcome.withRefresh, put.withRefresh);
      family = pair;
    } else assert.deepEqual(outcome, { kind: 'refused', verdict });
    if (verdict === 'replayed') revoked = true;
    if (pair !== family) assert.deepEqual(await alive(store, app, pair, now), DEAD);
    if (family) {
      assert.deepEqual(await alive(store, app, family, now), revoked ? DEAD : { ...ALIVE, refresh: put.withRefresh });
    }
  }
}

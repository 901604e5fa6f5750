import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { PresentedCode } from '../../../src/oauth/authorization-code/rules.ts';
import type { NewCode } from '../../../src/oauth/authorization-code/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, digest, disable, type Fixture, NOW, type OpenStore, profileOf, race } from './given.ts';
import { ALIVE, alive, code, DEAD, presentedCode, rotation, tokens } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

export function codesContract(open: OpenStore): void {
  describe('authorization codes', () => {
    const { store, another } = openForSuite(open);
    const fixture = madeBy(before, () => aFixture(store));

    const added = async (over: Partial<NewCode> = {}, of: Fixture = fixture) => {
      const put = code(of.grant, over);
      await store.addCode(of.app, put);
      return put;
    };
    const redeem = (put: NewCode, presented: Partial<PresentedCode> = {}, pair = tokens(), of: Fixture = fixture) =>
      store.redeemCode(of.app, put.codeHash, { ...presentedCode, ...presented }, pair);

    it('give the grant and the nonce they were made with, and the tokens exist', async () => {
      const put = await added({ codeChallenge: CHALLENGE });
      const pair = tokens();
      const outcome = await redeem(put, { challenge: CHALLENGE }, pair);
      const user = profileOf(fixture.user);
      assert.deepEqual(outcome, { kind: 'redeemed', family: fixture.grant, user, nonce: 'n-1', withRefresh: true });
      const scope = fixture.grant.scope.join(' ');
      const expected = { clientId: 'web', sub: fixture.user.sub, scope, issuedAt: NOW };
      assert.deepEqual(await store.findAccessToken(fixture.app, pair.access.hash, NOW), {
        ...expected,
        expiresAt: pair.access.expiresAt,
        login: { authTime: NOW - 5, amr: ['pwd', 'otp'] },
      });
      assert.deepEqual(await store.findRefreshToken(fixture.app, pair.refresh.hash, NOW), {
        ...expected,
        expiresAt: pair.refresh.expiresAt,
        familyStartedAt: NOW,
      });
    });

    it('stay good where the access token is refused, and say for which reason (RFC 8707, RFC 9449)', async () => {
      const put = await added();
      for (const verdict of ['targetInvalid', 'proofMissing', 'clientUnread'] as const) {
        const pair = { ...tokens(), target: { namesResource: true, accessFor: () => verdict } };
        assert.deepEqual(await redeem(put, {}, pair), { kind: 'refused', verdict });
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      }
      assert.equal((await redeem(put)).kind, 'redeemed');
    });

    for (const [what, over] of [
      ['without a session', { sid: undefined }],
      ['without authentication methods', { amr: [] }],
      ['of one scope', { scope: ['email'] as const }],
      ['with claims asked for one by one', { claims: { userinfo: ['email'], id_token: ['acr', 'nickname'] } }],
      ['with a user insisted on', { claims: { userinfo: ['email'], id_token: [], sub: 'sub-1' } }],
    ] as const) {
      it(`give back a grant ${what} as it was`, async () => {
        const grant = { ...fixture.grant, ...over };
        const put = code(grant, { nonce: undefined });
        await store.addCode(fixture.app, put);
        const user = profileOf(fixture.user);
        assert.deepEqual(await redeem(put), {
          kind: 'redeemed',
          family: grant,
          user,
          nonce: undefined,
          withRefresh: true,
        });
      });
    }

    it('of a client without the refresh grant bring no refresh token (row 40)', async () => {
      const put = await added({ withRefresh: false });
      const pair = tokens();
      const outcome = await redeem(put, {}, pair);
      assert(outcome.kind === 'redeemed');
      assert.equal(outcome.withRefresh, false);
      assert.deepEqual(await alive(store, fixture.app, pair), { access: true, user: true, refresh: false });
      assert.deepEqual(await store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash)), {
        kind: 'refused',
        verdict: 'invalid',
      });
    });

    it('are unknown when they were never issued (row 37)', async () => {
      assert.deepEqual(await redeem(code(fixture.grant)), { kind: 'unknown' });
    });

    const attempts: readonly {
      why: string;
      put?: Partial<NewCode>;
      presented: Partial<PresentedCode>;
      verdict: string;
      afterwards?: Partial<PresentedCode>;
    }[] = [
      { why: 'another client shows them', presented: { clientId: 'other' }, verdict: 'invalid' },
      {
        why: 'the redirect address differs',
        presented: { redirectUri: 'https://client.example/cb/' },
        verdict: 'redirectUriDiffers',
      },
      {
        why: 'the verifier is wrong',
        put: { codeChallenge: CHALLENGE },
        presented: { challenge: `${CHALLENGE.slice(0, -1)}N` },
        verdict: 'verifierWrong',
        afterwards: { challenge: CHALLENGE },
      },
      {
        why: 'the verifier is missing',
        put: { codeChallenge: CHALLENGE },
        presented: {},
        verdict: 'verifierWrong',
        afterwards: { challenge: CHALLENGE },
      },
      { why: 'a verifier comes for no challenge', presented: { challenge: CHALLENGE }, verdict: 'verifierUnexpected' },
      {
        why: 'a verifier alone is not enough for the client',
        put: { codeChallenge: CHALLENGE, clientAuthenticationRequired: true },
        presented: { challenge: CHALLENGE, clientAuthenticated: false },
        verdict: 'clientAuthenticationRequired',
        afterwards: { challenge: CHALLENGE },
      },
    ];
    for (const { why, put: over, presented, verdict, afterwards } of attempts) {
      it(`are not spent when ${why} (row 38)`, async () => {
        const put = await added(over);
        const pair = tokens();
        assert.deepEqual(await redeem(put, presented, pair), { kind: 'refused', verdict });
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
        assert.equal((await redeem(put, afterwards)).kind, 'redeemed');
      });
    }

    it('are good until the last second before they expire, and no longer', async () => {
      const [early, late] = [await added(), await added()];
      assert.equal((await redeem(early, {}, tokens({ issuedAt: NOW + 299 }))).kind, 'redeemed');
      const pair = tokens({ issuedAt: NOW + 300 });
      assert.deepEqual(await redeem(late, {}, pair), { kind: 'refused', verdict: 'expired' });
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('shown again by their own client end every token that came from them, rotated ones too (row 38)', async () => {
      const put = await added();
      const [pair, second] = [tokens(), tokens()];
      await redeem(put, {}, pair);
      const turned = rotation(pair.refresh.hash);
      assert.equal((await store.rotateRefreshToken(fixture.app, turned)).kind, 'rotated');
      const successor = turned.successors[0] ?? digest();
      assert.deepEqual(await redeem(put, {}, second), { kind: 'refused', verdict: 'replayed' });
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.deepEqual(await alive(store, fixture.app, second), DEAD);
      assert.equal(await store.findAccessToken(fixture.app, turned.access.hash, NOW), undefined);
      assert.equal(await store.findRefreshToken(fixture.app, successor, NOW), undefined);
      assert.deepEqual(await store.rotateRefreshToken(fixture.app, rotation(successor)), {
        kind: 'refused',
        verdict: 'invalid',
      });
    });

    it('end the family also when the replay comes after they expired', async () => {
      const put = await added();
      const pair = tokens();
      await redeem(put, {}, pair);
      const late = tokens({ issuedAt: NOW + 1000 });
      assert.deepEqual(await redeem(put, {}, late), { kind: 'refused', verdict: 'replayed' });
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('end only their own family', async () => {
      const [one, two] = [await added(), await added()];
      const [first, second] = [tokens(), tokens()];
      await redeem(one, {}, first);
      await redeem(two, {}, second);
      await redeem(one);
      assert.deepEqual(await alive(store, fixture.app, first), DEAD);
      assert.deepEqual(await alive(store, fixture.app, second), ALIVE);
    });

    for (const [caller, presented] of [
      ['another client', { clientId: 'other' }],
      ['a caller with a wrong verifier', { clientAuthenticated: false, challenge: 'x'.repeat(43) }],
      ['a caller without a proof', { clientAuthenticated: false }],
    ] as const) {
      it(`change nothing when ${caller} presents them again (row 38)`, async () => {
        const put = await added({ codeChallenge: CHALLENGE });
        const pair = tokens();
        await redeem(put, { challenge: CHALLENGE }, pair);
        assert.deepEqual(await redeem(put, presented), { kind: 'refused', verdict: 'invalid' });
        assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
      });
    }

    it('of a disabled user are refused', async () => {
      const own = await aFixture(store);
      const put = await added({}, own);
      await disable(store, own.user);
      const pair = tokens();
      assert.deepEqual(await redeem(put, {}, pair, own), { kind: 'refused', verdict: 'expired' });
      assert.deepEqual(await alive(store, own.app, pair), DEAD);
    });

    it('of a disabled user stay refused when the user is enabled again', async () => {
      const own = await aFixture(store);
      const put = await added({}, own);
      await disable(store, own.user);
      await disable(store, own.user, false);
      assert.deepEqual(await redeem(put, {}, tokens(), own), { kind: 'refused', verdict: 'expired' });
    });

    for (const objects of [1, 2]) {
      it(`are redeemed by exactly one of 20 parallel callers on ${objects} store object(s) (row 38)`, async () => {
        const stores = objects === 1 ? [store] : [store, await another()];
        const put = await added({ codeChallenge: CHALLENGE });
        const presented = { ...presentedCode, challenge: CHALLENGE };
        const calls = await race(stores, 20, async store => {
          const pair = tokens();
          return { pair, outcome: await store.redeemCode(fixture.app, put.codeHash, presented, pair) };
        });
        const kinds = calls.map(({ outcome }) => (outcome.kind === 'refused' ? outcome.verdict : outcome.kind)).sort();
        assert.deepEqual(kinds, ['redeemed', ...Array(19).fill('replayed')].sort());
        for (const { pair, outcome } of calls)
          if (outcome.kind !== 'redeemed') assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      });
    }

    it('leave the tokens of the one winner alive when the losers prove nothing', async () => {
      const stores = [store, await another()];
      const put = await added();
      const winner = tokens();
      assert.equal((await redeem(put, {}, winner)).kind, 'redeemed');
      const outcomes = await race(stores, 20, store =>
        store.redeemCode(fixture.app, put.codeHash, { ...presentedCode, clientAuthenticated: false }, tokens()),
      );
      for (const outcome of outcomes) assert.deepEqual(outcome, { kind: 'refused', verdict: 'invalid' });
      assert.deepEqual(await alive(stores[1] ?? store, fixture.app, winner), ALIVE);
    });
  });
}

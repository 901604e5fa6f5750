import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandTables } from '../../../src/assembly/tables.ts';
import { explain } from '../../../src/audit/explain/explain.ts';
import type { Context } from '../../../src/audit/explain/explanation.ts';
import type { Snapshot } from '../../../src/audit/explain/snapshot.ts';
import { durationText, timeText } from '../../../src/audit/explain/wording.ts';
import { type FailureName, failure, failureDefinitions } from '../../../src/failures.ts';

const NOW = 1_800_000_000;
const { grantTypes, failures } = commandTables();

/** A snapshot with nothing but the row: what an explanation gets when little could be captured. */
function bare(reason: FailureName, over: Partial<Snapshot> = {}): Context {
  const { error, status, description } = failure(reason);
  const snapshot: Snapshot = {
    time: NOW,
    reason,
    error,
    status,
    description,
    method: 'POST',
    received: { params: {} },
    ...over,
  };
  return { snapshot, app: 'shop', client: undefined, mayName: () => true, grantTypes, failures };
}

describe('an explanation', () => {
  for (const [reason] of failureDefinitions()) {
    it(`of ${reason} is complete, however little is known`, () => {
      for (const route of [
        'auth',
        'token',
        'introspect',
        'userinfo',
        'revoke',
        'logout',
        '/login',
        '/api/v1/admin/x',
        undefined,
      ]) {
        const { rule, expected, received, fix, progress, ...rest } = explain(bare(reason, { route }));
        for (const text of [rule.text, rule.reference, expected, received, fix]) {
          assert.match(text, /\S/);
          assert.doesNotMatch(text, /undefined|NaN|\[object/);
        }
        assert.doesNotMatch(JSON.stringify(rest), /undefined|NaN/);
        assert.equal(progress.filter(({ state }) => state === 'failed').length, 1, `${route}`);
      }
    });
  }

  it('says of a row at one endpoint how far it came: missing grant_type before missing code', () => {
    const failedOf = (parameter: string) =>
      explain(bare('parameterMissing', { route: 'token', parameter })).progress.find(({ state }) => state === 'failed');
    assert.equal(failedOf('grant_type')?.phase, 'grant type allowed');
    assert.equal(failedOf('code')?.phase, 'parameters of the grant complete');
  });

  it('names no application that the reader may not know', () => {
    const found = { client: { apps: ['secret-project'], received: 'web' } };
    const context = bare('clientUnknown', { route: 'auth', found });
    const limited = explain({ ...context, mayName: app => app === 'shop' });
    assert.match(limited.difference?.text ?? '', /belongs to another application/);
    assert.doesNotMatch(JSON.stringify(limited), /secret-project/);
    assert.match(JSON.stringify(explain(context)), /secret-project/);
  });

  const ended: readonly (readonly [string, Partial<Snapshot>, FailureName, string])[] = [
    ['deleted long ago', { found: { code: 'none', stampedEnd: NOW - 7 * 86_400 } }, 'codeExpired', 'expired'],
    ['of a disabled user', { found: { code: aFoundCode({ user: 'disabled' }) } }, 'codeExpired', 'user-disabled'],
    ['of a deleted user', { found: { code: aFoundCode({ user: 'deleted' }) } }, 'codeExpired', 'user-deleted'],
    ['revoked', { found: { code: aFoundCode({ expiresAt: 0 }) } }, 'codeExpired', 'revoked'],
    ['redeemed by another', { found: { code: aFoundCode({ isRedeemed: true }) } }, 'codeInvalid', 'already-redeemed'],
  ];
  const code = { in: 'body', value: { hidden: 'authorization code', length: 55 } } as const;
  for (const [name, over, reason, kind] of ended) {
    it(`tells that a code was ${name}`, () => {
      const context = bare(reason, { route: 'token', client: 'web', received: { params: { code } }, ...over });
      assert.deepEqual(explain(context).difference?.kinds, [kind]);
    });
  }
});

function aFoundCode(over: object) {
  return {
    app: 'shop',
    client: 'web',
    redirectUri: 'https://client.example/cb',
    hasChallenge: false,
    isChallengeSent: false,
    expiresAt: NOW + 60,
    isRedeemed: false,
    user: 'enabled',
    isSessionEnded: false,
    ...over,
  } as const;
}

describe('durations and times', () => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [59, '59 s'],
    [252, '4 min 12 s'],
    [3600, '1 h'],
    [3700, '1 h 1 min'],
    [90_061, '1 d 1 h'],
    [-5, '0 s'],
  ] as const) {
    it(text, () => assert.equal(durationText(seconds), text));
  }

  it('times are UTC, in whole seconds', () => assert.equal(timeText(NOW), '2027-01-15T08:00:00Z'));
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Dialect, dialectOf } from '../../../src/oauth/authorize/strict-oidc.rules.ts';
import { application } from './given.ts';

/** The table at the end of the decisions: topic, as the interface has it, as OpenID Connect Core has it. */
const table: { readonly [K in keyof Dialect]: readonly [Dialect[K], Dialect[K]] } = {
  userinfoClaims: ['client', 'standard'],
  idTokenWithoutOpenid: [true, false],
  userinfoWithoutOpenid: [true, false],
  documentedErrors: ['query', 'responseMode'],
  tokensInQuery: [true, false],
  nonceOptionalWithToken: [true, false],
  idTokenClaims: ['scope', 'minimal'],
  unknownScopes: ['refused', 'ignored'],
};

describe('strict_oidc', () => {
  for (const [topic, [ours, strict]] of Object.entries(table)) {
    it(`${topic}: ${ours}, and ${strict} when it is on`, () => {
      assert.equal(dialectOf(application())[topic as keyof Dialect], ours);
      assert.equal(dialectOf(application({ strict_oidc: true }))[topic as keyof Dialect], strict);
    });
  }

  it('changes exactly that', () => {
    for (const strict_oidc of [false, true])
      assert.deepEqual(Object.keys(dialectOf(application({ strict_oidc }))).sort(), Object.keys(table).sort());
  });

  it('is asked for in one file only', () => {
    const src = fileURLToPath(new URL('../../../src', import.meta.url));
    const asking = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .filter(name => /\.strict_oidc\b/.test(readFileSync(join(src, name), 'utf8')));
    assert.deepEqual(asking, [join('oauth', 'authorize', 'strict-oidc.rules.ts')]);
  });
});

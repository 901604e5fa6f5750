import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type CodeFacts,
  type CodeVerdict,
  judgeCode,
  type PresentedCode,
} from '../../../src/oauth/authorization-code/rules.ts';
import { CALLBACK } from '../authorize/given.ts';

const NOW = 1_000_000;
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const OTHER = 'x'.repeat(43);

const plain: CodeFacts = {
  clientId: 'web',
  redirectUri: CALLBACK,
  codeChallenge: undefined,
  clientAuthenticationRequired: false,
  expiresAt: NOW + 300,
  redeemed: false,
};
const pkce = { ...plain, codeChallenge: CHALLENGE };
const secret: PresentedCode = {
  clientId: 'web',
  clientAuthenticated: true,
  redirectUri: CALLBACK,
  challenge: undefined,
};
/** No header: the verifier is the proof, and the client may go unnamed. */
const verifier: PresentedCode = { ...secret, clientId: undefined, clientAuthenticated: false, challenge: CHALLENGE };

const rows: readonly (readonly [string, CodeFacts, PresentedCode, CodeVerdict])[] = [
  ['a secret', plain, secret, 'redeem'],
  ['a verifier alone (row 34)', pkce, verifier, 'redeem'],
  ['a verifier and the right client_id (row 34)', pkce, { ...verifier, clientId: 'web' }, 'redeem'],
  ['a verifier and a secret (row 34)', pkce, { ...secret, challenge: CHALLENGE }, 'redeem'],
  ['a verifier and a wrong client_id (row 34)', pkce, { ...verifier, clientId: 'other' }, 'invalid'],
  ['another client (row 37)', plain, { ...secret, clientId: 'other' }, 'invalid'],
  ['the last second', { ...plain, expiresAt: NOW + 1 }, secret, 'redeem'],
  ['the moment it expires', { ...plain, expiresAt: NOW }, secret, 'expired'],
  ['another client, after it expired', { ...plain, expiresAt: NOW }, { ...secret, clientId: 'other' }, 'invalid'],
  ['another redirect address', plain, { ...secret, redirectUri: `${CALLBACK}/` }, 'redirectUriDiffers'],
  ['a secret but no verifier (row 37)', pkce, secret, 'verifierWrong'],
  ['a secret and a wrong verifier (row 34)', pkce, { ...secret, challenge: OTHER }, 'verifierWrong'],
  ['a wrong verifier', pkce, { ...verifier, challenge: OTHER }, 'verifierWrong'],
  ['a malformed verifier', pkce, { ...verifier, challenge: 'malformed' }, 'verifierWrong'],
  [
    'a verifier for a code without a challenge (row 37)',
    plain,
    { ...secret, challenge: CHALLENGE },
    'verifierUnexpected',
  ],
  [
    'a verifier alone where a secret is demanded (row 34)',
    { ...pkce, clientAuthenticationRequired: true },
    verifier,
    'clientAuthenticationRequired',
  ],
  [
    'both where a secret is demanded (row 34)',
    { ...pkce, clientAuthenticationRequired: true },
    { ...secret, challenge: CHALLENGE },
    'redeem',
  ],
  ['a second time, with the secret (row 38)', { ...plain, redeemed: true }, secret, 'replayed'],
  ['a second time, with the verifier (row 38)', { ...pkce, redeemed: true }, verifier, 'replayed'],
  ['a second time, after it expired', { ...plain, redeemed: true, expiresAt: NOW - 9 }, secret, 'replayed'],
  [
    'a second time, with the secret and a wrong redirect address',
    { ...plain, redeemed: true },
    { ...secret, redirectUri: 'https://x.example' },
    'replayed',
  ],
  [
    'a second time, with a wrong verifier (row 38)',
    { ...pkce, redeemed: true },
    { ...verifier, challenge: OTHER },
    'invalid',
  ],
  [
    'a second time, by another client (row 38)',
    { ...plain, redeemed: true },
    { ...secret, clientId: 'other' },
    'invalid',
  ],
  [
    'a second time, with no proof (row 38)',
    { ...plain, redeemed: true },
    { ...secret, clientAuthenticated: false },
    'invalid',
  ],
  [
    'a second time, with a verifier for a code without challenge (row 38)',
    { ...plain, redeemed: true },
    verifier,
    'invalid',
  ],
];

describe('may this code be redeemed (RFC 6749 section 4.1.3, RFC 7636 section 4.6)', () => {
  for (const [what, code, presented, verdict] of rows) {
    it(`${what}: ${verdict}`, () => {
      assert.equal(judgeCode(code, presented, NOW), verdict);
    });
  }
});

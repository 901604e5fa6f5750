import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adviceOn } from '../../../src/people/federation/advice.rules.ts';
import { logoutFaults, metadataFaults, responseFaults } from '../../../src/people/saml/faults.rules.ts';

/** What providers, the library and the connection say, word by word, and what an operator is told of it. */
const KNOWN = [
  ['refused', 'invalid_client', /The secret there is another/, /Make a new secret/],
  ['refused', 'redirect_uri_mismatch', /redirect URI is not registered/, /character by character/],
  ['refused', 'unauthorized_client', /authorization code flow/, /web application/],
  ['refused', 'invalid_scope', /scopes/, /openid among them/],
  ['unavailable', 'connect ECONNREFUSED 203.0.113.1:443', /Nobody answers/, /firewall/],
  ['unavailable', 'getaddrinfo ENOTFOUND login.corp.example', /Nobody answers/, /DNS/],
  ['unavailable', 'the address is not public', /private network/, /GATEHOUSE_OUTBOUND_ALLOW/],
  ['unavailable', 'the address is not https', /plain http/, /https/],
  ['unavailable', 'the metadata name another issuer', /another issuer/, /exactly/],
  ['unavailable', 'the answer has the status 404', /no metadata at this address/, /well-known/],
  ['unavailable', 'the answer has the status 503', /a fault of its own/, /Wait/],
  ['unavailable', 'self-signed certificate in certificate chain', /certificate/, /NODE_EXTRA_CA_CERTS/],
  ['unavailable', 'it has failed several times in a row', /left alone for 30 seconds/, /before this one/],
  ['invalid', 'unexpected JWT "aud" (audience) claim value', /another client/, /client_id/],
  ['invalid', 'azp of the ID token names another client', /another client/, /client_id/],
  ['invalid', 'unexpected "iss" (issuer) response parameter value', /another issuer/, /tenant/],
  ['invalid', 'unexpected ID Token "nonce" claim value', /another sign-in/, /Try once more/],
  [
    'invalid',
    'unexpected JWT "exp" (expiration time) claim value, expiration is past current timestamp',
    /clock/,
    /NTP/,
  ],
  ['invalid', 'too much time has elapsed since the last End-User authentication', /max_age/, /auth_time/],
  ['invalid', 'JWT signature verification failed', /signature/, /jwks_uri/],
  ['invalid', 'the algorithm of the ID token is none of those that are taken', /signature/, /HS256/],
  ['unknownPerson', 'unknownPerson', /has no account here/, /create_users/],
] as const;

describe('what is told of the fault of a provider', () => {
  for (const [kind, reason, meaning, fix] of KNOWN) {
    it(`${kind}: ${reason}`, () => {
      const advice = adviceOn({ kind, reason });
      assert.match(advice.meaning.en, meaning);
      assert.match(advice.fix.en, fix);
      for (const text of [advice.meaning.zh, advice.fix.zh]) assert.match(text, /\p{Script=Han}/u);
    });
  }

  it('a reason that says what to do is taken at its word', () => {
    const advice = adviceOn({ kind: 'invalid', reason: 'the response is not signed: sign responses at the provider' });
    assert.equal(advice.meaning.en, 'The response is not signed.');
    assert.equal(advice.fix.en, 'Sign responses at the provider.');
  });

  const saying = [
    ...Object.values({ ...responseFaults }),
    ...Object.values({ ...logoutFaults }),
    ...Object.values(metadataFaults).map(text => `the metadata ${text}: compare metadata_url with the documentation`),
    'metadata_url returns 404: compare metadata_url with the documentation of the provider',
    'its metadata have ended (validUntil): get new ones',
    'nothing says who the person is: the NameID is transient, or the attribute that claims.sub names is not there once',
    'the search filter finds several entries for one name: make search_filter narrower',
    'bind_dn and bind_password were refused (49 invalidCredentials): compare them with those of the directory',
    'StartTLS was refused (2 protocolError): use ldaps first',
    'signing_secret is missing: set it here and there',
    'it does not take the request: compare signing_secret and the clocks',
    'the person has no subject: subject_claim names the field that has it',
  ].filter(reason => reason.includes(': '));
  for (const reason of new Set(saying)) {
    it(`in Chinese too: ${reason}`, () => {
      const { meaning, fix } = adviceOn({ kind: 'other', reason });
      for (const text of [meaning.zh, fix.zh]) assert.match(text, /\p{Script=Han}.*。$/u);
      assert.notEqual(meaning.en, meaning.zh);
    });
  }

  it('an error of the provider that nobody knows is looked up there', () => {
    const { isGeneral, fix } = adviceOn({ kind: 'refused', reason: 'constructor' });
    assert.equal(isGeneral, true);
    assert.match(fix.en, /documentation of the provider/);
  });
});

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { errorIndexPage, errorPage, isErrorCode } from '../../src/assembly/error-reference.html.ts';
import { type FailureName, failure, failureDefinitions, listedFailures } from '../../src/failures.ts';
import { causesOf, errorCodes, meanings } from '../../src/platform/http/error-meanings.rules.ts';
import { html } from '../../src/platform/ui/html.ts';

const SOURCES = join(import.meta.dirname, '../../src');

/** Section 7 of the interface, word for word: clients compare these texts. */
const documented: readonly (readonly [FailureName, string | undefined, string, string])[] = [
  ['clientNotAuthenticated', undefined, 'access_denied', 'Full authentication is required to access this resource'],
  [
    'clientAuthenticationFailed',
    undefined,
    'invalid_client',
    'Client authentication failed. Either the client or the client credentials are invalid.',
  ],
  ['grantTypeUnsupported', undefined, 'unsupported_grant_type', 'OAuth 2.0 Parameter: grant_type'],
  [
    'redirectUriDiffers',
    undefined,
    'invalid_grant',
    'The redirect_uri does not match the redirection URI used in the authorization request.',
  ],
  ['codeUnknown', undefined, 'invalid_grant', 'Client authentication failed: code'],
  ...(['codeInvalid', 'codeExpired', 'codeReplayed'] as const).map(
    name => [name, undefined, 'invalid_grant', 'The authorization code is invalid or has expired.'] as const,
  ),
  ...(['refreshTokenInvalid', 'refreshTokenExpired', 'refreshTokenReused'] as const).map(
    name => [name, undefined, 'invalid_grant', 'The refresh token is invalid or expired.'] as const,
  ),
  ['introspectionTokenMissing', undefined, 'invalid_request', 'OAuth 2.0 Token Introspection Parameter: token'],
  ['scopeInvalid', undefined, 'invalid_scope', 'OAuth 2.0 Parameter: scope'],
  ['codeChallengeInvalid', undefined, 'invalid_request', 'OAuth 2.0 Parameter: code_challenge'],
  ['codeChallengeMethodInvalid', undefined, 'invalid_request', 'OAuth 2.0 Parameter: code_challenge_method'],
  ['responseModeInvalid', undefined, 'invalid_request', 'OAuth 2.0 Parameter: response_mode'],
];

/** Rows of the decisions that fix a text. */
const decided: typeof documented = [
  ['responseTypeMissing', undefined, 'invalid_request', 'OAuth 2.0 Parameter: response_type'],
  ['responseTypeUnsupported', undefined, 'unsupported_response_type', 'OAuth 2.0 Parameter: response_type'],
  ['parameterMissing', 'nonce', 'invalid_request', 'OAuth 2.0 Parameter: nonce'],
  ['parameterMissing', 'grant_type', 'invalid_request', 'OAuth 2.0 Parameter: grant_type'],
  ['parameterDuplicated', 'state', 'invalid_request', 'OAuth 2.0 Parameter: state'],
  ['parameterInvalid', 'max_age', 'invalid_request', 'OAuth 2.0 Parameter: max_age'],
  ['verifierWrong', undefined, 'invalid_grant', 'Client authentication failed: code_verifier'],
  ['verifierUnexpected', undefined, 'invalid_grant', 'Client authentication failed: code_challenge'],
  ['credentialsWrong', undefined, 'invalid_grant', 'The username or password is incorrect.'],
];

describe('the catalogue of failures', () => {
  for (const [name, parameter, error, description] of [...documented, ...decided]) {
    it(`${name} says "${description}" (interface 7, decisions)`, () => {
      const made = failure(name, parameter);
      assert.equal(made.error, error);
      assert.equal(made.description, description);
    });
  }

  for (const [name, status] of [
    ['clientNotAuthenticated', 401],
    ['clientAuthenticationFailed', 401],
    ['bearerMissing', 401],
    ['tokenInvalid', 401],
    ['scopeInsufficient', 403],
    ['applicationUnknown', 404],
    ['methodNotAllowed', 405],
    ['bodyTooLarge', 413],
    ['tooManyParameters', 400],
    ['tooManyAttempts', 429],
    ['hashQueueFull', 503],
    ['serverBusy', 503],
    ['storeUnavailable', 503],
    ['codeInvalid', 400],
    ['grantTypeUnsupported', 400],
    ['clientUnknown', 400],
    ['redirectUriUntrusted', 400],
  ] as const) {
    it(`${name} has the status ${status} (rows 5, 11, 32, 54)`, () => {
      assert.equal(failure(name).status, status);
    });
  }

  it('has ASCII descriptions without the characters RFC 6749 section 5.2 forbids', () => {
    for (const [name] of failureDefinitions())
      assert.match(failure(name, 'p').description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/, name);
  });

  it('leaves no placeholder in a description', () => {
    for (const [name] of failureDefinitions()) assert.doesNotMatch(failure(name, 'p').description, /[{}]/, name);
  });

  it('has every failures.ts of src/, and no name twice', async () => {
    const files = globSync('*/**/*failures.ts', { cwd: SOURCES });
    const modules = await Promise.all(files.map(file => import(`${SOURCES}/${file}`)));
    const names = modules.flatMap(module => Object.values<object>(module).flatMap(failures => Object.keys(failures)));
    assert.deepEqual(
      names.sort(),
      failureDefinitions()
        .map(([name]) => name)
        .sort(),
    );
  });

  it('has no number of a decision in a text: nobody but the code refers to them', () => {
    for (const [name, definition] of failureDefinitions())
      assert.doesNotMatch(JSON.stringify(definition), /\brows? \d/, name);
  });

  it('has a document for every reference that is one', () => {
    for (const [name, { rule }] of failureDefinitions()) {
      if (!rule.reference.startsWith('docs/')) continue;
      const [, file = '', place] = /^(docs\/[\w/-]+\.md)(?:#([\w-]+)| section [\d.]+)$/.exec(rule.reference) ?? [];
      const headings = [...readFileSync(`${SOURCES}/../${file}`, 'utf8').matchAll(/^#+ (.*)$/gm)].map(
        ([, heading = '']) =>
          heading
            .toLowerCase()
            .replaceAll(' ', '-')
            .replaceAll(/[^\w-]/g, ''),
      );
      if (place !== undefined) assert(headings.includes(place), `${name}: ${rule.reference}`);
    }
  });

  it('names the setting of the client where the server itself supports what is refused', () => {
    for (const [name, settings] of [
      ['requestNotSupported', ['request_object_signing_alg']],
      ['requestUriNotSupported', ['request_uris']],
      ['responseTypeUnsupported', ['response_types', 'code id_token token', 'none']],
      ['responseTypeNotAllowed', ['response_types', 'grant_types']],
      ['responseModeInvalid', ['.jwt', 'authorization_signed_response_alg', 'authorization_encrypted_response_alg']],
      ['scopeInsufficient', ['API', 'resource']],
    ] as const) {
      const { cause, fix, rule, title } =
        failureDefinitions().find(([each]) => each === name)?.[1] ?? assert.fail(name);
      for (const setting of settings) assert(`${cause} ${fix}`.includes(setting), `${name} lacks ${setting}`);
      for (const text of [title.en, rule.en]) assert.doesNotMatch(text, /^Request objects.* are not supported/, name);
    }
  });

  it('takes a parameter literally, whatever is in it', () => {
    assert.equal(failure('methodNotAllowed', '$&').description, 'This address does not answer the method $&.');
  });
});

describe('the error reference (row 6)', () => {
  for (const [name, definition] of failureDefinitions()) {
    it(`has ${name} on the page of ${definition.error}, with its cause, its cure and its text`, () => {
      assert(isErrorCode(definition.error));
      const cause = causesOf(definition.error, listedFailures).find(each => each.name === name);
      assert(cause);
      assert.doesNotMatch(cause.description, /[{}]/);
      const page = String(errorPage(definition.error, listedFailures).body);
      for (const text of [cause.cause, cause.fix, cause.description, `HTTP ${cause.status}`])
        assert(page.includes(html`${text}`.text), `${text} is not on the page`);
    });
  }

  it('has a page for no other code, and lists every one', () => {
    assert.deepEqual(
      [...errorCodes].sort(),
      [...new Set(failureDefinitions().map(([, definition]) => definition.error))].sort(),
    );
    const index = String(errorIndexPage().body);
    for (const code of errorCodes) {
      assert(index.includes(`/docs/errors/${code}"`));
      assert.match(meanings[code].meaning, /\.$/);
      assert.match(meanings[code].specification, /^(RFC \d+ section|OpenID Connect (Core|CIBA) (section|Error Code))/);
    }
    for (const code of ['', 'unknown', '__proto__', 'constructor', 'toString']) assert.equal(isErrorCode(code), false);
  });
});

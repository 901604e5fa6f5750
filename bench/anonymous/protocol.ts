/** The endpoints of an application. */
import { ASSERTION_TYPE, aSigningPair } from '../../test/build/assertion.ts';
import { aProof } from '../../test/build/dpop.ts';
import { query } from '../../test/build/visitor.ts';
import {
  AT,
  assertion,
  auth,
  code,
  type Endpoint,
  escapes,
  fewMembers,
  floods,
  issuer,
  largeProof,
  manyMembers,
  manyTexts,
  members,
  metadata,
  VERIFIER,
  WRONG_BASIC,
  withHeaders,
  word,
} from './case.ts';
import { form, get, json } from './request.ts';
import * as text from './text.ts';

export const protocol: readonly Endpoint[] = [
  {
    name: '/auth',
    usual: auth({ state: 's' }),
    dear: {
      '15 KB of %zz&': get(`${AT}/auth?${text.BROKEN_PAIRS.slice(0, 15_000)}`),
      '200 parameters, 15 KB': get(`${AT}/auth?${text.BROKEN_200.slice(0, 15_000)}`),
      '64 KB of %zz& by POST': form(`${AT}/auth`, text.BROKEN_PAIRS),
      'client_id of 15 KB': auth({ client_id: '<'.repeat(5000) }),
      'state of 15 KB': auth({ state: 's'.repeat(15_000) }),
      'scope of 2,000 words': get(`${auth({}).path}&scope=${text.MISSPELT_WORDS.slice(0, 14_000)}`),
      '190 times resource': get(
        `${auth({}).path}&${Array(190)
          .fill(`resource=https://api.example/${'a'.repeat(40)}`)
          .join('&')}`,
      ),
      'claims of 4 KB': auth({ scope: 'openid', claims: JSON.stringify({ userinfo: members }).slice(0, 4000) }),
      'claims, nested': auth({ claims: `{"userinfo":${text.NESTED_JSON.slice(0, 2000)}${']'.repeat(2000)}}` }),
      'ui_locales of 15 KB': auth({ ui_locales: 'xx '.repeat(4000) }),
      'redirect_uri of 15 KB': auth({ redirect_uri: `http://127.0.0.1:1/${'a/../'.repeat(2900)}` }),
      'request object of 15 KB': auth({ request: text.aJwt({ alg: 'none' }, {}, 14_000, '') }),
      'id_token_hint of 15 KB, dots': auth({ id_token_hint: text.DOTS.slice(0, 15_000) }),
      'id_token_hint of 15 KB, JSON': auth({ id_token_hint: text.aJwt({ alg: 'ES256', typ: 'JWT' }, {}, 15_000) }),
      'acr_values of 15 KB': auth({ acr_values: 'a '.repeat(7000) }),
      'prompt of 15 KB': auth({ prompt: 'login '.repeat(2400) }),
      ...withHeaders(auth({})),
    },
  },
  {
    name: '/token',
    usual: form(`${AT}/token`, code({ client_id: 'spa', code: 'x', code_verifier: 'y'.repeat(43) })),
    dear: {
      ...floods(`${AT}/token`),
      'code of 64 KB': form(`${AT}/token`, code({ client_id: 'spa', code: 'x'.repeat(60_000) })),
      'code_verifier of 64 KB': form(
        `${AT}/token`,
        code({ client_id: 'spa', code: 'x', code_verifier: 'y'.repeat(60_000) }),
      ),
      'redirect_uri of 64 KB': form(
        `${AT}/token`,
        code({ client_id: 'spa', code: 'x', redirect_uri: `https://a/${'a/../'.repeat(12_000)}` }),
      ),
      'refresh_token of 64 KB': form(
        `${AT}/token`,
        query({ grant_type: 'refresh_token', client_id: 'spa', refresh_token: 'x'.repeat(60_000) }),
      ),
      'device_code of 64 KB': form(
        `${AT}/token`,
        query({
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          client_id: 'spa',
          device_code: 'x'.repeat(60_000),
        }),
      ),
      'client_secret of 64 KB': form(
        `${AT}/token`,
        query({ grant_type: 'refresh_token', client_id: 'web', client_secret: 'x'.repeat(60_000) }),
      ),
      'Basic of 40 KB, percent-encoded': form(`${AT}/token`, 'grant_type=x', {
        authorization: `Basic ${Buffer.from(`${text.PERCENTS.slice(0, 28_000)}:x`).toString('base64')}`,
      }),
      'assertion of 64 KB, dots': form(
        `${AT}/token`,
        query({ client_assertion_type: ASSERTION_TYPE, client_assertion: text.DOTS.slice(0, 60_000) }),
      ),
      'assertion of 64 KB, JSON': form(
        `${AT}/token`,
        query({
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: text.aJwt({ alg: 'RS256' }, { sub: 'jwt' }, 60_000),
        }),
      ),
      'assertion of 8 KB, wrong audience': form(
        `${AT}/token`,
        query({
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: text.aJwt({ alg: 'RS256' }, { sub: 'jwt', iss: 'jwt' }, 8000),
        }),
      ),
      'PBES2 key wrapping': form(
        `${AT}/token`,
        query({
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: text.aJwt({ alg: 'PBES2-HS512+A256KW', p2c: 2 ** 31 }, { sub: 'jwt' }, 4000),
        }),
      ),
      'subject_token of 64 KB': form(
        `${AT}/token`,
        query({
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          client_id: 'spa',
          subject_token: text.aJwt({ alg: 'ES256' }, {}, 50_000),
        }),
      ),
      'DPoP of 40 KB': form(`${AT}/token`, code({ client_id: 'spa', code: 'x' }), {
        dpop: text.aJwt({ typ: 'dpop+jwt', alg: 'ES256' }, {}, 38_000),
      }),
      ...withHeaders(form(`${AT}/token`, code({ client_id: 'spa', code: 'x' }))),
    },
  },
  {
    name: '/token, wrong client assertion',
    usual: form(`${AT}/token`, code({ client_id: 'spa', code: 'x' })),
    dear: { 'signed with another key': assertion({}), 'the same with 500 claims': assertion(members) },
    bounded: 'signature',
  },
  {
    name: '/token, DPoP proof',
    usual: world =>
      form(`${AT}/token`, code({ client_id: 'spa', code: 'x', code_verifier: VERIFIER }), {
        dpop: aProof(aSigningPair('ES256'), 'POST', `${issuer(world)}/token`, { now: world.now }),
      }),
    dear: { 'key of 8192 bits, exponent of 32': largeProof },
    bounded: 'signature',
  },
  {
    name: 'a body in chunks of one byte',
    usual: { ...form(`${AT}/token`, code({ client_id: 'spa', code: 'x' })), isByteByByte: true },
    dear: {
      '64 KB of them': { ...form(`${AT}/token`, 'a'.repeat(64_000)), isByteByByte: true },
      'beside GET': { ...form(`${AT}/token`, 'a'.repeat(64_000)), method: 'GET', isByteByByte: true },
      'beside GET of a document': { ...form('/openapi.json', 'a'.repeat(64_000)), method: 'GET', isByteByByte: true },
    },
  },
  {
    name: '/par',
    usual: form(`${AT}/par`, word({})),
    dear: {
      ...floods(`${AT}/par`),
      '190 parameters, 4 KB': form(`${AT}/par`, `${word({})}&${Array(190).fill('resource=https://a').join('&')}`),
      'request of 64 KB': form(`${AT}/par`, word({ state: 's'.repeat(60_000) })),
    },
  },
  {
    name: '/device_authorization',
    usual: form(`${AT}/device_authorization`, 'client_id=spa'),
    dear: floods(`${AT}/device_authorization`),
  },
  {
    name: '/introspect',
    usual: form(`${AT}/introspect`, 'token=x', WRONG_BASIC),
    dear: {
      ...floods(`${AT}/introspect`),
      ...floods(`${AT}/introspect?${text.BROKEN_200.slice(0, 30_000)}`),
      'bearer token of 40 KB, JSON': form(`${AT}/introspect`, 'token=x', {
        authorization: `Bearer ${text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 38_000)}`,
      }),
    },
  },
  {
    name: '/revoke',
    usual: form(`${AT}/revoke`, 'client_id=spa&token=x'),
    dear: {
      ...floods(`${AT}/revoke`),
      'token of 64 KB, JSON': form(
        `${AT}/revoke`,
        query({ client_id: 'spa', token: text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 60_000) }),
      ),
      'token of 64 KB, dots': form(`${AT}/revoke`, query({ client_id: 'spa', token: text.DOTS.slice(0, 60_000) })),
    },
  },
  {
    name: '/userinfo',
    usual: get(`${AT}/userinfo`, { authorization: 'Bearer x' }),
    dear: {
      ...floods(`${AT}/userinfo`),
      'access_token of 64 KB, JSON': form(
        `${AT}/userinfo`,
        query({ access_token: text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 60_000) }),
      ),
      'bearer token of 40 KB, JSON': get(`${AT}/userinfo`, {
        authorization: `Bearer ${text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 38_000)}`,
      }),
      'DPoP of 40 KB': get(`${AT}/userinfo`, {
        authorization: 'DPoP x',
        dpop: text.aJwt({ typ: 'dpop+jwt', alg: 'ES256' }, {}, 38_000),
      }),
      ...withHeaders(get(`${AT}/userinfo`)),
    },
  },
  {
    name: '/logout of an application',
    usual: get(`${AT}/logout`),
    dear: {
      ...floods(`${AT}/logout`),
      'id_token_hint of 64 KB, JSON': form(
        `${AT}/logout`,
        query({ id_token_hint: text.aJwt({ alg: 'ES256', typ: 'JWT' }, {}, 60_000) }),
      ),
      'id_token_hint of 64 KB, dots': form(`${AT}/logout`, query({ id_token_hint: text.DOTS.slice(0, 60_000) })),
      'state of 60 KB': form(`${AT}/logout`, `state=${'你'.repeat(20_000)}`),
    },
  },
  {
    name: '/register',
    usual: json(`${AT}/register`, metadata({})),
    dear: {
      'JSON of 32,000 levels': json(`${AT}/register`, text.NESTED_JSON),
      'JSON of 6,000 members': json(`${AT}/register`, manyMembers),
      'JSON of 1,990 members': json(`${AT}/register`, fewMembers),
      'JSON of 16,000 texts': json(`${AT}/register`, manyTexts),
      'JSON of 10,000 escapes': json(`${AT}/register`, escapes),
      'no JSON': json(`${AT}/register`, '"'.repeat(60_001)),
      '30 addresses of 2 KB': json(
        `${AT}/register`,
        metadata({
          redirect_uris: Array.from({ length: 30 }, (_, index) => `https://rp.example/${index}${'a/../'.repeat(390)}`),
        }),
      ),
      'grant_types of 12,000': json(`${AT}/register`, metadata({ grant_types: Array(12_000).fill('x') })),
      'default_acr_values of 12,000': json(`${AT}/register`, metadata({ default_acr_values: Array(12_000).fill('x') })),
      'jwks of 160 keys': json(
        `${AT}/register`,
        metadata({
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: {
            keys: Array.from({ length: 160 }, (_, index) => ({
              kty: 'RSA',
              n: 'A'.repeat(342),
              e: 'AQAB',
              kid: `k${index}`,
            })),
          },
        }),
      ),
      'jwks of 9,000 wrong keys': json(
        `${AT}/register`,
        metadata({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: Array(9000).fill({}) } }),
      ),
      'scope of 9,000 words': json(`${AT}/register`, metadata({ scope: 'opemid '.repeat(8000) })),
      'client_name of 60 KB': json(`${AT}/register`, metadata({ client_name: text.MARKS.slice(0, 29_000) })),
      'software_statement of 60 KB': json(
        `${AT}/register`,
        metadata({ software_statement: text.DOTS.slice(0, 60_000) }),
      ),
    },
  },
  {
    name: '/register/{client_id}',
    usual: get(`${AT}/register/x`, { authorization: 'Bearer x' }),
    dear: {
      'PUT of 6,000 members': {
        ...json(`${AT}/register/x`, manyMembers, { authorization: 'Bearer x' }),
        method: 'PUT',
      },
    },
  },
];

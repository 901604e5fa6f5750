import { ADMIN, AT, type Endpoint, fewMembers, manyMembers, manyTexts, withHeaders, withLines } from './case.ts';
import { get, json } from './request.ts';
import * as text from './text.ts';

export const documents: readonly Endpoint[] = [
  {
    name: 'discovery',
    usual: get(`${AT}/.well-known/openid-configuration`),
    dear: withHeaders(get(`${AT}/.well-known/openid-configuration`)),
  },
  { name: '/jwks', usual: get(`${AT}/jwks`), dear: withHeaders(get(`${AT}/jwks`)) },
  { name: 'openapi.json', usual: get(`${ADMIN}/openapi.json`), dear: withHeaders(get(`${ADMIN}/openapi.json`)) },
  { name: '/docs/api', usual: get('/docs/api'), dear: withHeaders(get('/docs/api')) },
  { name: '/docs/errors', usual: get('/docs/errors'), dear: { 'one of them': get('/docs/errors/invalid_request') } },
  {
    name: '/assets',
    usual: get('/favicon.ico'),
    dear: {
      'stylesheet of an accent': get('/assets/accent-123456.000000000000.css'),
      'name of 40 KB': get(`/assets/${text.PERCENTS}`),
    },
  },
  { name: 'logo', usual: get(`${AT}/logo/x`), dear: { 'name of 40 KB': get(`${AT}/logo/${text.PERCENTS}`) } },
  {
    name: 'admin API, wrong key',
    usual: get(`${ADMIN}/users`, { authorization: 'Bearer x' }),
    dear: {
      'JSON of 6,000 members': json(`${ADMIN}/users`, manyMembers, { authorization: 'Bearer gak_x' }),
      'JSON of 1,990 members': json(`${ADMIN}/users`, fewMembers),
      'JSON of 16,000 texts': json(`${ADMIN}/users`, manyTexts),
      'JSON of 32,000 levels': json(`${ADMIN}/users`, text.NESTED_JSON),
      'access token of 40 KB': get(`${ADMIN}/users`, {
        authorization: `Bearer ${text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 38_000)}`,
      }),
      'query of 40 KB': get(`${ADMIN}/users?${text.BROKEN_200.slice(0, 40_000)}`),
    },
  },
  {
    name: 'not found',
    usual: get('/nothing'),
    dear: {
      '20,000 segments': get(text.SLASHES),
      'path of 40 KB, encoded': get(`/${text.PERCENTS}`),
      'query of 40 KB of %zz&': get(`/nothing?${text.BROKEN_PAIRS.slice(0, 40_000)}`),
      '200 parameters, 40 KB': get(`/nothing?${text.BROKEN_200.slice(0, 40_000)}`),
      'unknown application, 40 KB': get(`/api/v1/authorize/${text.LONG_HEADER}/oauth2/auth`),
      'client of 40 KB': get(`${AT}/register/${text.PERCENTS}`),
      ...withHeaders(get('/nothing')),
      ...withLines(get('/nothing')),
    },
  },
  {
    name: 'OPTIONS',
    usual: { method: 'OPTIONS', path: `${AT}/token` },
    dear: {
      'Origin of 40 KB': { method: 'OPTIONS', path: `${AT}/token`, headers: { origin: `https://${text.LONG_HEADER}` } },
    },
  },
];

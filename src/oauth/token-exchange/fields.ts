import { z } from 'zod';
import { findApi, hasScope } from '../../directory/apis/rules.ts';
import { applicationField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { type ExchangePolicy, providerTarget, type WithExchange } from './rules.ts';

/** The policies of token exchange (rules.ts). */

export const MAX_POLICIES = 100;
const MAX_SCOPES = 200;
const name = z.string('must be a text').max(255, 'must have at most 255 characters');

/** A list, or the words of a text as in `scope` of a client. */
const scopes = z
  .preprocess(
    value => (typeof value === 'string' ? value.split(' ').filter(one => one !== '') : value),
    z.array(z.string(), 'must be a list of scopes').max(MAX_SCOPES, `must have at most ${MAX_SCOPES} entries`),
  )
  .transform(list => [...new Set(list)])
  .default([]);

export const policyFields = z.strictObject({
  from: name.meta({
    description: 'The API that the subject token is for, or the client_id of the client that exchanges it.',
  }),
  to: name.meta({
    description:
      'The API that the new token is for, or `urn:gatehouse:provider:{id}` for the token of an identity provider that keeps them (`keep_tokens`).',
  }),
  scopes: scopes.meta({ description: 'Scopes of this API: all that the new token may have.' }),
});

export const tokenExchangeFields: DeclaredFields = {
  application: [
    applicationField('token_exchange', {
      schema: z.array(policyFields).max(MAX_POLICIES, `must have at most ${MAX_POLICIES} entries`).default([]),
      meaning: 'Which access tokens may be exchanged for others (RFC 8693).',
      see: 'token-exchange.md',
      section: 'exchange',
      control: 'custom',
      text: {
        en: [
          'Policies',
          'One per line, separated by spaces: the API that the token is for, or the client that exchanges it; the API that the new token is for; the scopes that it may have. Clients also need the token exchange grant.',
        ],
        zh: [
          '策略',
          '每行一条，以空格分隔：原令牌所用于的 API，或进行交换的客户端；新令牌所用于的 API；新令牌可以拥有的范围。客户端还需要令牌交换的授权方式。',
        ],
      },
    }),
  ],
};

/** The syntax of a client_id that operators choose. An identifier of an API always has a colon. */
const CLIENT_ID = /^[\x21-\x39\x3b-\x7e]{1,128}$/;

export interface PolicyFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What the policies say that the application does not have. */
export function tokenExchangeFaults(application: WithExchange): PolicyFault[] {
  const { token_exchange: policies = [] } = application;
  return policies.flatMap(({ from, to, scopes }, index) => {
    const fault = (field: string, message: string) => ({ path: ['token_exchange', index, field], message });
    const api = findApi(application, to);
    const provider = providerTarget(application, [to]);
    const isOffered = provider !== undefined && application.providers?.includes(provider) === true;
    const isNamed = findApi(application, from) !== undefined || CLIENT_ID.test(from);
    const isRepeated = isRepeatedPolicy(policies, index);
    const unknown = api && scopes.find(one => !hasScope(api, one));
    const isEmpty = api && scopes.length === 0 && Object.keys(api.scopes).length > 0;
    return [
      ...(isNamed ? [] : [fault('from', 'must be the identifier of an API of the application, or a client_id')]),
      ...(api || isOffered ? [] : [fault('to', 'must be the identifier of an API of the application')]),
      ...(isOffered && scopes.length > 0
        ? [fault('scopes', 'must be empty: a token of a provider has what it has')]
        : []),
      ...(unknown === undefined ? [] : [fault('scopes', `${unknown} is no scope of ${to}`)]),
      ...(isEmpty ? [fault('scopes', `must name scopes of ${to}`)] : []),
      ...(isRepeated ? [fault('to', REPEATED)] : []),
    ];
  });
}

const REPEATED = 'another entry leads from here to there';

type Ends = Pick<ExchangePolicy, 'from' | 'to'>;

function isRepeatedPolicy(policies: readonly Ends[], index: number): boolean {
  const { from, to } = policies[index] ?? {};
  return policies.findIndex(other => other.from === from && other.to === to) !== index;
}

/** There is one policy from here to there. */
export function checkPolicyKeys(policies: readonly Ends[], context: z.RefinementCtx): void {
  policies.forEach((_, index) => {
    if (!isRepeatedPolicy(policies, index)) return;
    context.addIssue({ code: 'custom', path: [index, 'to'], message: REPEATED });
  });
}

/** For schemas of applications. */
export function checkTokenExchange(application: WithExchange, context: z.RefinementCtx): void {
  for (const { path, message } of tokenExchangeFaults(application)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
}

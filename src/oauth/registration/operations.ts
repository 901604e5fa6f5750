import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import { codeParam } from '../../directory/applications/operations.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../../operators/api/list.ts';
import { actOf, operation } from '../../operators/api/operation.ts';
import { done, invalid, type Outcome, unknown } from '../../operators/api/outcome.ts';
import { givenTime, isoTime, timeField } from '../../operators/api/times.ts';
import { checkName } from '../../platform/text/readable-name.rules.ts';
import type { InitialAccessToken } from './store.ts';
import { hashRegistrationToken, newRegistrationToken } from './tokens.ts';

/** /applications/{code}/initial_access_tokens (RFC 7591 section 1.2): their holders may register clients. Only the hash is stored. */

const tokenView = z.object({
  id: z.string(),
  name: z.string(),
  created_at: timeField,
  expires_at: timeField.optional(),
});
type TokenView = z.output<typeof tokenView>;

export const listInitialAccessTokens = operation({
  summary: 'List the initial access tokens of an application, without their values.',
  role: 'auditor',
  reach: 'application',
  params: codeParam,
  query: z.strictObject(pageQuery),
  result: pageOf(tokenView),
  async run({ services }, { params: { code }, query }) {
    if (!(await services.store.findApplication(code))) return unknown('application');
    const found = await services.store.listInitialAccessTokens(code, pageAfter(query));
    return done(toPage(found, query, ({ id }) => id, viewOf));
  },
});

export const createInitialAccessToken = operation({
  summary: 'Make an initial access token, with which clients can be registered. It is returned only in this response.',
  role: 'operator',
  reach: 'application',
  params: codeParam,
  body: z.strictObject({
    name: z.string().min(1, 'must not be empty').max(100, 'must have at most 100 characters').superRefine(checkName),
    expires_at: givenTime.optional(),
  }),
  result: tokenView.extend({ initial_access_token: z.string() }),
  status: 201,
  example: { name: 'partner' },
  async run(context, { params: { code }, body: { name, expires_at: expiresAt } }) {
    const { clock, random, store } = context.services;
    if (!(await store.findApplication(code))) return unknown('application');
    const createdAt = clock.now();
    if (expiresAt !== undefined && expiresAt <= createdAt) return invalid('/expires_at', 'must be in the future');
    const token = newRegistrationToken('initial', random);
    const id = `iat_${random.bytes(12).toString('hex')}`;
    const made = { id, name, createdAt, expiresAt };
    const result = { ...viewOf(made), initial_access_token: token };
    const event = { type: 'initial_access_token.created', app: code, subject: id, details: { name } } as const;
    const act = actOf(context, event, result);
    const value = { ...made, hash: hashRegistrationToken(token) };
    return store.changeInitialAccessToken(code, id, () => ({ result: done(result), write: { value, act } }));
  },
});

export const deleteInitialAccessToken = operation({
  summary: 'Delete an initial access token. It can register no further clients; those that it registered remain.',
  role: 'operator',
  reach: 'application',
  params: codeParam.extend({ id: z.string() }),
  async run(context, { params: { code, id } }) {
    const decide = (current: InitialAccessToken | undefined): Change<null, Outcome<undefined>> => {
      if (!current) return { result: unknown('initial access token') };
      const details = { name: current.name };
      const act = actOf(context, { type: 'initial_access_token.deleted', app: code, subject: id, details });
      return { result: done(undefined), write: { value: null, act } };
    };
    return context.services.store.changeInitialAccessToken(code, id, decide);
  },
});

function viewOf({ id, name, createdAt, expiresAt }: InitialAccessToken): TokenView {
  return {
    id,
    name,
    created_at: isoTime(createdAt),
    ...(expiresAt === undefined ? {} : { expires_at: isoTime(expiresAt) }),
  };
}

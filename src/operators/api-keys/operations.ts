import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import { checkName } from '../../platform/text/readable-name.rules.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../api/list.ts';
import { actOf, operation } from '../api/operation.ts';
import { done, invalid, type Outcome, unknown } from '../api/outcome.ts';
import { givenTime, isoTime, timeField } from '../api/times.ts';
import { faultsOfLimit, roleFields, shownRoleFields, unknownApplications } from '../roles/role-fields.ts';
import type { ApiKey } from '../roles/store.ts';
import { hashApiKey, newApiKey } from './api-key.ts';

/** /api_keys: keys for programs. Only the hash of a key is stored. */

const keyView = z.object({
  id: z.string(),
  name: z.string(),
  ...shownRoleFields,
  created_at: timeField,
  expires_at: timeField.optional(),
  last_used_at: timeField.optional(),
});
type KeyView = z.output<typeof keyView>;

export const listApiKeys = operation({
  summary: 'List API keys.',
  role: 'auditor',
  reach: 'deployment',
  query: z.strictObject(pageQuery),
  result: pageOf(keyView),
  async run({ services }, { query }) {
    const found = await services.store.listApiKeys(pageAfter(query));
    return done(toPage(found, query, ({ id }) => id, viewOf));
  },
});

export const createApiKey = operation({
  summary: 'Make an API key. It is returned only in this response.',
  role: 'owner',
  reach: 'deployment',
  body: z.strictObject({
    name: z.string().min(1, 'must not be empty').max(100, 'must have at most 100 characters').superRefine(checkName),
    ...roleFields,
    expires_at: givenTime.optional(),
  }),
  result: keyView.extend({ key: z.string() }),
  status: 201,
  example: { name: 'ci', role: 'operator', applications: ['shop'] },
  async run(context, { body: { name, role, applications, expires_at: expiresAt } }) {
    const { clock, random, store } = context.services;
    const createdAt = clock.now();
    if (expiresAt !== undefined && expiresAt <= createdAt) return invalid('/expires_at', 'must be in the future');
    const unknownCodes = await unknownApplications(context, applications);
    const faults = faultsOfLimit({ role, applications }, code => unknownCodes.has(code));
    if (faults) return faults;
    const key = newApiKey(random);
    const id = `key_${random.bytes(12).toString('hex')}`;
    const made = { id, name, role, applications, createdAt, expiresAt };
    const result = { ...viewOf({ ...made, lastUsedAt: undefined }), key };
    const act = actOf(context, { type: 'api_key.created', subject: id, details: { name, role, applications } }, result);
    return store.changeApiKey(id, () => ({
      result: done(result),
      write: { value: { ...made, hash: hashApiKey(key) }, act },
    }));
  },
});

export const deleteApiKey = operation({
  summary: 'Delete an API key. It stops working immediately.',
  role: 'owner',
  reach: 'deployment',
  params: z.object({ id: z.string() }),
  async run(context, { params: { id } }) {
    const decide = (current: ApiKey | undefined): Change<null, Outcome<undefined>> => {
      if (!current) return { result: unknown('API key') };
      const act = actOf(context, { type: 'api_key.deleted', subject: id, details: { name: current.name } });
      return { result: done(undefined), write: { value: null, act } };
    };
    return context.services.store.changeApiKey(id, decide);
  },
});

function viewOf({ id, name, role, applications, createdAt, expiresAt, lastUsedAt }: ApiKey): KeyView {
  return {
    id,
    name,
    role,
    ...(applications === undefined ? {} : { applications: [...applications] }),
    created_at: isoTime(createdAt),
    ...(expiresAt === undefined ? {} : { expires_at: isoTime(expiresAt) }),
    ...(lastUsedAt === undefined ? {} : { last_used_at: isoTime(lastUsedAt) }),
  };
}

import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { readOwnChange } from '../../directory/applications/operations.ts';
import type { Provider } from '../../directory/providers/rules.ts';
import { actOf, operation } from '../../operators/api/operation.ts';
import { conflict, done, type Outcome, unknown } from '../../operators/api/outcome.ts';
import { keyText } from '../federation/key-text.rules.ts';
import { ownKeysOf, presentKeysOf, withKeys } from '../federation/own-keys.ts';

/** A key of this server at a provider is replaced in three steps, so that the provider knows the new one before it is used. */
const steps = ['add', 'use', 'drop'] as const;

/** A SAML provider, or one where this server authenticates with a signed assertion. */
const hasOwnKeys = ({ type, token_endpoint_auth_method: method }: Provider) =>
  type === 'saml' || method === 'private_key_jwt';

const isKey = (key: KeyObject | undefined) => key !== undefined;

interface KeysView {
  readonly keys: number;
}

export const rotateProviderKey = operation({
  summary:
    'Replace the key of this server at a SAML provider, or at one that takes private_key_jwt: `add` publishes a new one, `use` signs with it, `drop` forgets the other one.',
  role: 'owner',
  reach: 'deployment',
  params: z.object({ id: z.string() }),
  body: z.strictObject({
    step: z
      .enum(steps)
      .meta({ description: 'Between the steps the provider reads the metadata or the JWKS of this server again.' }),
  }),
  result: z.object({ keys: z.int().meta({ description: 'How many keys are published.' }) }),
  example: { step: 'add' },
  async run(context, { params: { id }, body: { step } }) {
    const { services } = context;
    const found = (await services.store.listProviders()).find(each => each.id === id && hasOwnKeys(each));
    if (!found) return unknown('provider with a key of this server');
    await ownKeysOf(services, found);
    const made = step === 'add' ? (await services.generateKeyPair('RS256')).privateKey : undefined;
    const outcome = await services.store.changeProvider<Outcome<KeysView>>(id, ({ current }) => {
      const keys = current && presentKeysOf(services, current);
      if (!keys) return { result: unknown('provider with a key of this server') };
      const [used, other] = keys.map(({ privateKey }) => privateKey);
      if (step === 'add' && other) return { result: conflict('There are two keys already: use or drop one first.') };
      if (step !== 'add' && !other) return { result: conflict('There is one key: add another one first.') };
      const next = { add: [used, made], use: [other, used], drop: [used] }[step].filter(isKey);
      const result = { keys: next.length };
      const details = { fields: ['private_keys'], step };
      const act = actOf(context, { type: 'provider.updated', subject: id, details }, result);
      return { result: done(result), write: { value: withKeys(services, current, keyText(next)), act } };
    });
    await readOwnChange(services);
    return outcome;
  },
});

import { z } from 'zod';
import { codeParam } from '../../directory/applications/operations.ts';
import { actOf, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, unknown } from '../../operators/api/outcome.ts';
import { isoTime, timeField } from '../../operators/api/times.ts';
import { type KeyAlg, keyAlgs } from './algorithms.rules.ts';
import { keyState, makeSuccessor } from './rotation.ts';
import { makeKey } from './signing-key.ts';
import type { SealedKey } from './store.ts';

/** …/keys: the signing keys of an application. Private keys never leave the server. */

const keyView = z.object({
  kid: z.string(),
  alg: z.enum(keyAlgs),
  state: z.enum(['next', 'signing', 'retired', 'unused']),
  created_at: timeField,
  sign_from: timeField,
  retired_at: timeField.optional(),
});
const keyList = z.object({ items: z.array(keyView), next: z.null() });

export const listKeys = operation({
  summary: 'List the signing keys of an application.',
  role: 'auditor',
  reach: 'application',
  params: codeParam,
  result: keyList,
  async run(context, { params: { code } }) {
    if (!(await context.services.store.findApplication(code))) return unknown('application');
    return done({ items: await keysOf(context, code), next: null });
  },
});

export const rotateKeys = operation({
  summary: 'Publish the next signing key now. It starts to sign once verifiers have had time to fetch it.',
  role: 'owner',
  reach: 'application',
  params: codeParam,
  body: z.strictObject({ alg: z.enum(keyAlgs).optional() }).default({}),
  result: keyList,
  example: { alg: 'RS256' },
  async run(context, { params: { code }, body }) {
    const { store } = context.services;
    if (!(await store.findApplication(code))) return unknown('application');
    const inUse = await store.keyAlgs(code);
    const algs: readonly KeyAlg[] = body.alg === undefined ? inUse : [body.alg];
    const unused = algs.find(alg => !inUse.includes(alg));
    if (unused) {
      const reason = `No client of "${code}" uses ${unused}, and it is not the default of the application`;
      return conflict(`${reason}: there is nothing to rotate.`);
    }
    const before = await store.signingKeys(code);
    const successors = await Promise.all(algs.map(alg => makeSuccessor(context.services, code, alg, before)));
    const all = [...before, ...successors.map(({ key }) => key)];
    const answer = { items: viewsOf(context, all, inUse), next: null };
    const outcome = await store.addSuccessors(
      successors.map((successor, index) => {
        const { kid, alg } = successor.key;
        const event = { type: 'key.rotated', app: code, subject: kid, details: { alg } } as const;
        // The answer of a repeatable request is stored once, with the last key.
        const isLast = index === successors.length - 1;
        const act = isLast ? actOf(context, event, answer) : actOf({ ...context, answerFor: undefined }, event);
        return { ...successor, act };
      }),
    );
    context.services.signer.invalidate();
    if (outcome) return outcome;
    return done({ items: viewsOf(context, await store.signingKeys(code), inUse), next: null });
  },
});

export const deleteKey = operation({
  summary: 'Delete a compromised key immediately. What it signed is no longer valid; a new key takes its place.',
  role: 'owner',
  reach: 'application',
  params: codeParam.extend({ kid: z.string() }),
  async run(context, { params: { code, kid } }) {
    const { services } = context;
    if (!(await services.store.findApplication(code))) return unknown('key');
    const keys = await services.store.signingKeys(code);
    const compromised = keys.find(key => key.kid === kid);
    if (!compromised) return unknown('key');
    const replacements = await replacementsFor(context, code, compromised, keys);
    const { alg } = compromised;
    const { event } = actOf(context, { type: 'key.deleted', app: code, subject: kid, details: { alg } });
    await services.store.dropSigningKeys(code, [kid], replacements, [event]);
    services.signer.invalidate();
    return done(undefined);
  },
});

/** An algorithm in use must always have a key that signs: the last one is replaced in the same transaction. */
async function replacementsFor(
  { services }: OperationContext,
  app: string,
  { kid, alg }: SealedKey,
  keys: readonly SealedKey[],
): Promise<SealedKey[]> {
  const now = services.clock.now();
  const canSign = (key: SealedKey) =>
    key.kid !== kid && key.alg === alg && key.retiredAt === undefined && key.signFrom <= now;
  if (keys.some(canSign) || !(await services.store.keyAlgs(app)).includes(alg)) return [];
  return [await makeKey(services, app, alg, { now, signFrom: now })];
}

async function keysOf(context: OperationContext, app: string) {
  const { store } = context.services;
  return viewsOf(context, await store.signingKeys(app), await store.keyAlgs(app));
}

function viewsOf({ services }: OperationContext, keys: readonly SealedKey[], inUse: readonly KeyAlg[]) {
  const now = services.clock.now();
  return keys.map(key => ({
    kid: key.kid,
    alg: key.alg,
    state: keyState(keys, key, now, inUse),
    created_at: isoTime(key.createdAt),
    sign_from: isoTime(key.signFrom),
    ...(key.retiredAt === undefined ? {} : { retired_at: isoTime(key.retiredAt) }),
  }));
}

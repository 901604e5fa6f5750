import { CompactEncrypt, type JWK } from 'jose';
import { bareKey, type ClientKey } from '../../directory/clients/keys.rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Services } from '../../services.ts';
import type { KeySets } from '../client-authentication/jwt-verifier.ts';
import {
  type ChosenEncryption,
  chosenEncryption,
  type Encrypt,
  type EncryptedAnswer,
  encryptionKeysIn,
} from './rules.ts';

/** Loaded with the first answer that is encrypted. `claims`: not signed, so they are no nested JWT (RFC 7519 section 5.2). */
export async function encryptionTo(
  keySets: Services['keySets'],
  client: Client,
  answer: EncryptedAnswer,
  form: 'nested' | 'claims',
): Promise<Encrypt | undefined> {
  const chosen = chosenEncryption(client, answer);
  if (!chosen) throw new Error(`${client.client_id} has not asked for an encrypted ${answer}`);
  const key = await keyOf(keySets.of(client), client, chosen);
  return key && (plain => encrypt(plain, key, chosen, form === 'nested'));
}

async function keyOf(
  keySets: KeySets,
  { jwks, jwks_uri: uri }: Client,
  chosen: ChosenEncryption,
): Promise<ClientKey | undefined> {
  if (jwks) return usableKeyIn(jwks.keys, chosen);
  const known = uri === undefined ? undefined : await keySets.read(uri);
  if (uri === undefined || known?.kind !== 'read') return undefined;
  const key = await usableKeyIn(known.document.keys, chosen);
  if (key) return key;
  const newer = await keySets.readNewer(uri, known);
  return newer?.kind === 'read' ? usableKeyIn(newer.document.keys, chosen) : undefined;
}

async function usableKeyIn(keys: readonly ClientKey[], chosen: ChosenEncryption): Promise<ClientKey | undefined> {
  for (const key of encryptionKeysIn(keys, chosen.alg)) {
    if (await isUsable(key, chosen)) return key;
  }
  return undefined;
}

/** Keys to which something was encrypted. As long as the client or document is in a cache. */
const usable = new WeakMap<ClientKey, Promise<boolean>>();

/**
 * Whether the members are a key, which only encrypting shows: a point beside its curve, one of low order (RFC 7748 section 6.1) and an
 * even modulus look like others. It has to be known before a code or a refresh token is spent.
 */
function isUsable(key: ClientKey, chosen: ChosenEncryption): Promise<boolean> {
  const known = usable.get(key);
  if (known) return known;
  const tried = encrypt('', key, chosen, false).then(
    () => true,
    () => false,
  );
  usable.set(key, tried);
  return tried;
}

async function encrypt(
  plain: string,
  key: ClientKey,
  { alg, enc }: ChosenEncryption,
  isNested: boolean,
): Promise<string> {
  const { kid } = key;
  return new CompactEncrypt(Buffer.from(plain))
    .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }), ...(isNested ? { cty: 'JWT' } : {}) })
    .encrypt(bareKey(key) as JWK);
}

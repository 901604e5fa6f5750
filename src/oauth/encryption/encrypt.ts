import { CompactEncrypt, type JWK } from 'jose';
import { bareKey, type ClientKey } from '../../directory/clients/keys.rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Services } from '../../services.ts';
import type { KeySets } from '../client-authentication/jwt-verifier.ts';
import type { KeyEncryptionAlg } from './algorithms.rules.ts';
import {
  type ChosenEncryption,
  chosenEncryption,
  type Encrypt,
  type EncryptedAnswer,
  encryptionKeyIn,
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
  const key = await keyOf(keySets.of(client), client, chosen.alg);
  return key && (plain => encrypt(plain, key, chosen, form === 'nested'));
}

async function keyOf(
  keySets: KeySets,
  { jwks, jwks_uri: uri }: Client,
  alg: KeyEncryptionAlg,
): Promise<ClientKey | undefined> {
  if (jwks) return encryptionKeyIn(jwks.keys, alg);
  const known = uri === undefined ? undefined : await keySets.read(uri);
  if (uri === undefined || known?.kind !== 'read') return undefined;
  const key = encryptionKeyIn(known.document.keys, alg);
  if (key) return key;
  const newer = await keySets.readNewer(uri, known);
  return newer?.kind === 'read' ? encryptionKeyIn(newer.document.keys, alg) : undefined;
}

function encrypt(plain: string, key: ClientKey, { alg, enc }: ChosenEncryption, isNested: boolean): Promise<string> {
  const { kid } = key;
  return new CompactEncrypt(Buffer.from(plain))
    .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }), ...(isNested ? { cty: 'JWT' } : {}) })
    .encrypt(bareKey(key) as JWK);
}

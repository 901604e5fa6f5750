import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { SigningAlg } from '../protocol/client.ts';
import type { ScheduledKey } from '../protocol/key-schedule.ts';
import type { SealedKey } from '../store/store.ts';
import type { KeyRing } from './key-ring.ts';

/** A key pair, sealed at rest. `kid` is the RFC 7638 thumbprint. */
export interface PublicKey extends ScheduledKey {
  readonly alg: SigningAlg;
  readonly jwk: JWK & { readonly kid: string };
  readonly key: KeyObject;
}

/** What a JWT is for (RFC 8725 section 3.11). */
const jwtTypes = ['JWT', 'at+jwt', 'logout+jwt'] as const;
export type JwtType = (typeof jwtTypes)[number];

export interface SigningKey extends PublicKey {
  readonly privateKey: KeyObject;
  /** Encoded, as every JWT of that key begins. */
  readonly headers: Readonly<Record<JwtType, string>>;
}

const generate = promisify(generateKeyPair);

export async function makeKey(
  app: string,
  alg: SigningAlg,
  ring: KeyRing,
  when: { readonly now: number; readonly signFrom: number },
): Promise<SealedKey> {
  const { publicKey, privateKey } = await generatePair(alg);
  const bare = publicKey.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(bare);
  const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    app,
    kid,
    alg,
    publicJwk: JSON.stringify({ ...bare, kid, alg, use: 'sig' }),
    sealedPrivateKey: ring.seal(plain, sealContext(app, kid)),
    createdAt: when.now,
    signFrom: when.signFrom,
  };
}

function generatePair(alg: SigningAlg): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  switch (alg) {
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' });
    case 'RS256':
      return generate('rsa', { modulusLength: 2048 });
    case 'EdDSA':
      return generate('ed25519');
  }
}

export function openKey(sealed: SealedKey, ring: KeyRing): SigningKey {
  const plain = ring.open(sealed.sealedPrivateKey, sealContext(sealed.app, sealed.kid));
  if (!plain) throw new Error('a signing key cannot be opened: GATEHOUSE_SECRET is not the one it was sealed with');
  const privateKey = createPrivateKey({ key: plain, type: 'pkcs8', format: 'der' });
  const { alg, signFrom } = sealed;
  const headers = Object.fromEntries(jwtTypes.map(typ => [typ, base64url({ alg, typ, kid: sealed.kid })]));
  return {
    alg,
    signFrom,
    privateKey,
    key: createPublicKey(privateKey),
    jwk: JSON.parse(sealed.publicJwk),
    headers: headers as SigningKey['headers'],
  };
}

export function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A sealed key moved to another application's row does not open there. */
function sealContext(app: string, kid: string): string {
  return `signing key ${app} ${kid}`;
}

import { generateKeyPairSync, hash, sign } from 'node:crypto';
import type { Clock, Random } from '../../platform/deps.ts';

/** Makes DPoP proofs with a key of its own (RFC 9449 section 4.2), where the server acts as a client: the trial of a login in the console. */
export type ProofSigner = (method: string, url: string, accessToken?: string) => string;

const ID_BYTES = 16;

export function createProofSigner({ clock, random }: { clock: Clock; random: Random }): ProofSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) });
  return (method, url, accessToken) => {
    const ath = accessToken === undefined ? undefined : hash('sha256', accessToken, 'base64url');
    const jti = random.bytes(ID_BYTES).toString('base64url');
    const signed = `${header}.${encode({ jti, htm: method, htu: url, iat: clock.now(), ath })}`;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

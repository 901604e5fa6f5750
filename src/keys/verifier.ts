import { jwtVerify } from 'jose';
import type { Clock } from '../deps.ts';
import { signingAlgs } from '../protocol/client.ts';
import type { Signer } from './signer.ts';

/** RFC 9068 section 4: the `jti` of an access token that this application signed and that has not expired. */
export async function verifyAccessToken(
  deps: { readonly signer: Signer; readonly clock: Clock },
  app: string,
  issuer: string,
  token: string,
): Promise<string | undefined> {
  const keys = await deps.signer.publicKeys(app);
  try {
    const { payload } = await jwtVerify(
      token,
      header => {
        const found = keys.find(({ jwk }) => jwk.kid === header.kid && jwk.alg === header.alg);
        if (!found) throw new Error('unknown key');
        return found.key;
      },
      {
        algorithms: [...signingAlgs],
        typ: 'at+jwt',
        issuer,
        audience: issuer,
        currentDate: new Date(deps.clock.now() * 1000),
        requiredClaims: ['exp', 'jti'],
      },
    );
    return payload.jti;
  } catch {
    return undefined;
  }
}

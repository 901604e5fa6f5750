import { compactDecrypt, errors } from 'jose';
import { readJwtPart } from '../../platform/crypto/jwt-part.rules.ts';
import type { Services } from '../../services.ts';
import type { ChosenEncryption } from './rules.ts';

/** Why a JWE of a client was not opened. */
export type DecryptionFault = 'malformed' | 'encryption' | 'keyUnknown' | 'undecipherable';

/** Without a `kid` each key of the algorithm is tried: at most so many. */
const MAX_TRIED_KEYS = 4;

/**
 * The text inside of what a client has encrypted to a key of this application. The header is compared with what the client has
 * registered before any key is touched: never another `alg` or `enc`, no `zip` (a few bytes could become many), no extension.
 */
export async function decryptFor(
  { signer }: Pick<Services, 'signer'>,
  app: string,
  text: string,
  { alg, enc }: ChosenEncryption,
): Promise<{ readonly text: string } | DecryptionFault> {
  const header = readJwtPart(text.split('.', 1)[0]);
  if (!header || 'crit' in header) return 'malformed';
  if (header.alg !== alg || header.enc !== enc || 'zip' in header) return 'encryption';
  const { kid, cty } = header;
  if (kid !== undefined && typeof kid !== 'string') return 'malformed';
  // RFC 7519 section 5.2: what is inside is a JWT again.
  if (cty !== undefined && !(typeof cty === 'string' && INSIDE.test(cty))) return 'malformed';
  const keys = (await signer.decryptionKeys(app, alg, kid)).slice(0, MAX_TRIED_KEYS);
  if (keys.length === 0) return 'keyUnknown';
  for (const key of keys) {
    try {
      const options = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [enc] };
      const { plaintext } = await compactDecrypt(text, key, options);
      return { text: Buffer.from(plaintext).toString() };
    } catch (error) {
      // Also a point beside the curve: whoever sent it, nothing is opened with it.
      if (!(error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException))
        throw error;
    }
  }
  return 'undecipherable';
}

const INSIDE = /^(application\/)?(jwt|oauth-authz-req\+jwt)$/i;

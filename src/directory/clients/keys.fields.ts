import { z } from 'zod';
import { registrationFault } from '../../oauth/authorize/redirect-uri.rules.ts';
import { assertionAlgs, isAsymmetric, SECRET_ALG } from '../../oauth/client-authentication/client-assertion.rules.ts';
import { type ClientField, clientField, oneOf } from '../fields/declaration.fields.ts';
import { type ClientKeySet, canVerify, keyFault, MAX_CLIENT_KEYS } from './keys.rules.ts';
import { type AuthMethod, hasSecret } from './rules.ts';

/** How a client signs its assertions (RFC 7591 section 2): private_key_jwt and client_secret_jwt. */

const MAX_URI_LENGTH = 2048;
/** Of a secret that signs: whoever sees an assertion can guess offline (RFC 7518 section 3.2 asks for 256 bits). */
const MIN_SIGNING_SECRET_LENGTH = 32;

const key = z.looseObject({}).superRefine((jwk, context) => {
  const fault = keyFault(jwk);
  if (fault !== undefined) context.addIssue(fault);
});

export const jwks = z
  .looseObject(
    {
      keys: z
        .array(key, 'must be a list of keys')
        .min(1, 'must have a key')
        .max(MAX_CLIENT_KEYS, `must have at most ${MAX_CLIENT_KEYS} keys`),
    },
    'must be a JWK Set: an object with the list keys',
  )
  .transform(({ keys }) => ({ keys }) as unknown as ClientKeySet);

export const jwksUri = z
  .string()
  .max(MAX_URI_LENGTH, `must have at most ${MAX_URI_LENGTH} characters`)
  .superRefine((uri, context) => {
    const fault = /^https?:/i.test(uri) ? registrationFault(uri) : 'must be an https address';
    if (fault !== undefined) context.addIssue(fault);
  });

export const clientKeyFields: readonly ClientField[] = [
  clientField('token_endpoint_auth_signing_alg', {
    schema: oneOf(assertionAlgs).optional(),
    meaning: 'The only algorithm of its assertions, for `private_key_jwt` and `client_secret_jwt`.',
    byDefault: 'every one that its method and keys fit',
    own: 'value',
    section: 'authentication',
    text: {
      en: [
        'Client assertion algorithm',
        'For private_key_jwt: the only algorithm that is taken. client_secret_jwt has HS256 alone.',
      ],
      zh: ['断言的签名算法', '用于 private_key_jwt：只接受此算法。client_secret_jwt 只有 HS256。'],
    },
    unset: { en: 'Every algorithm that its keys fit', zh: '其密钥适用的所有算法' },
  }),
  clientField('jwks', {
    schema: jwks.optional(),
    meaning: `Its public keys, for \`private_key_jwt\`: a JWK Set (RFC 7517) of at most ${MAX_CLIENT_KEYS}. For \`self_signed_tls_client_auth\` each has its certificate (\`x5c\`).`,
    own: 'value',
    section: 'authentication',
    control: 'json',
    text: {
      en: [
        'Public keys (JWKS)',
        `For private_key_jwt, and with x5c for self_signed_tls_client_auth: a JWK Set as JSON, up to ${MAX_CLIENT_KEYS} keys. Never private keys.`,
      ],
      zh: [
        '公钥',
        `用于 private_key_jwt，以及（含 x5c）self_signed_tls_client_auth：JSON 格式的 JWK Set，最多 ${MAX_CLIENT_KEYS} 个密钥。切勿填写私钥。`,
      ],
    },
  }),
  clientField('jwks_uri', {
    schema: jwksUri.optional(),
    meaning: 'Where it publishes them instead: an https address. They are fetched when they are needed, and cached.',
    own: 'value',
    section: 'authentication',
    text: {
      en: [
        'JWKS URL',
        'In place of the keys: where the client publishes its JWK Set. https on a public address. It is read when it is needed, and cached.',
      ],
      zh: ['公钥地址', '代替公钥：客户端发布其 JWK Set 的地址。须为公网上的 https 地址。需要时读取并缓存。'],
    },
  }),
];

export interface ClientKeyEntry {
  readonly token_endpoint_auth_method: AuthMethod;
  readonly token_endpoint_auth_signing_alg?: (typeof assertionAlgs)[number] | undefined;
  readonly client_secret?: string | undefined;
  readonly jwks?: ClientKeySet | undefined;
  readonly jwks_uri?: string | undefined;
  readonly federated_credentials?: readonly unknown[] | undefined;
  readonly request_object_signing_alg?: string | undefined;
  readonly require_signed_request_object?: boolean | undefined;
  readonly request_uris?: readonly string[] | undefined;
}

/** What does not fit together, by field. */
export function clientKeyFaults(entry: ClientKeyEntry): ReadonlyMap<keyof ClientKeyEntry, string> {
  const { token_endpoint_auth_method: method, token_endpoint_auth_signing_alg: alg, client_secret, jwks } = entry;
  const faults = new Map<keyof ClientKeyEntry, string>();
  if (jwks && entry.jwks_uri !== undefined) faults.set('jwks_uri', 'must not be set together with jwks');
  const isWorkload = entry.federated_credentials?.length;
  if (isWorkload && method !== 'private_key_jwt') {
    faults.set('federated_credentials', 'needs the token_endpoint_auth_method private_key_jwt');
  }
  if (method === 'private_key_jwt' && !isWorkload && !jwks && entry.jwks_uri === undefined) {
    faults.set('jwks', 'must be set with private_key_jwt, or jwks_uri');
  }
  if (entry.request_object_signing_alg !== undefined && !jwks && entry.jwks_uri === undefined) {
    faults.set('jwks', 'must be set with request_object_signing_alg, or jwks_uri');
  }
  const isSigning = entry.request_object_signing_alg !== undefined || entry.require_signed_request_object === true;
  if (entry.request_uris?.length && !isSigning) {
    faults.set('request_uris', 'needs request_object_signing_alg: what is there is signed');
  }
  if (method !== 'none' && !hasSecret(method) && client_secret !== undefined) {
    faults.set('client_secret', `must not be set with token_endpoint_auth_method ${method}`);
  }
  if (
    method === 'client_secret_jwt' &&
    client_secret !== undefined &&
    client_secret.length < MIN_SIGNING_SECRET_LENGTH
  ) {
    faults.set('client_secret', `must have at least ${MIN_SIGNING_SECRET_LENGTH} characters with client_secret_jwt`);
  }
  if (alg !== undefined && !isAlgOf(method, alg)) {
    faults.set('token_endpoint_auth_signing_alg', `is no algorithm of ${method}`);
  }
  if (jwks?.keys.length && faults.size === 0 && method === 'private_key_jwt' && !hasSigningKey(jwks, alg)) {
    faults.set('jwks', alg === undefined ? 'must have a key for signatures' : `must have a key for ${alg}`);
  }
  return faults;
}

function isAlgOf(method: AuthMethod, alg: string): boolean {
  if (method === 'private_key_jwt') return isAsymmetric(alg);
  return method === 'client_secret_jwt' && alg === SECRET_ALG;
}

/** `alg` undefined: of any algorithm. */
export function hasSigningKey({ keys }: ClientKeySet, alg?: string): boolean {
  const algs = alg === undefined ? assertionAlgs : [alg];
  return keys.some(one => algs.some(each => isAsymmetric(each) && canVerify(one, each)));
}

import { issuerOf } from '../../directory/applications/rules.ts';
import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import { validSecrets } from '../../directory/clients/secrets.ts';
import type { SignedJwt } from '../../platform/crypto/signed-jwt.rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { keptImport } from '../../platform/kept-import.ts';
import { isFirstUse } from '../../platform/single-use/first-use.ts';
import { allowedAlgs } from '../fapi/rules.ts';
import {
  type AssertionFault,
  assertionFault,
  CLIENT_ASSERTION_TYPE,
  readAssertion,
  SECRET_ALG,
  useOfAssertion,
} from './client-assertion.rules.ts';
import { verifyWithKeys, verifyWithSecrets } from './jwt-verifier.ts';
import type { ClientAuthMethod, Verdict, Verification } from './method.ts';

const loadWorkloads = keptImport(() => import('../federated-credentials/verify.ts'));

/**
 * RFC 7523 section 2.2: an assertion that the client has signed, with its own key or with its secret. Both look the same in a request.
 * The algorithm tells them apart, so that each counts as a method of its own; what cannot be read counts as private_key_jwt.
 */
const TYPE = 'client_assertion_type';
const ASSERTION = 'client_assertion';

type AssertionMethod = 'private_key_jwt' | 'client_secret_jwt';

export function assertionMethod(name: AssertionMethod): ClientAuthMethod {
  return {
    name,
    parameters: [TYPE, ASSERTION],
    reusable: false,
    presented: (_request, params) => {
      const presented = presentedAssertion(params);
      return presented !== undefined && methodOf(presented) === name ? presented : undefined;
    },
    readings: presented => {
      const clientId = clientIn(partsOf(presented));
      return clientId === undefined ? [] : [{ clientId, secret: presented }];
    },
    verify: verification => verifyAssertion(name, verification),
  };
}

/** No parameter can hold it (platform/http/params.rules.ts). */
const SEPARATOR = '\0';

function presentedAssertion(params: Params): string | undefined {
  const parts = [params.get(TYPE), params.get(ASSERTION)];
  if (parts.every(part => part === undefined)) return undefined;
  return [...parts, params.get('client_id')].map(part => part ?? '').join(SEPARATOR);
}

interface Presented {
  readonly type: string | undefined;
  readonly assertion: SignedJwt | undefined;
  readonly clientId: string | undefined;
}

function partsOf(presented: string): Presented {
  const [type, assertion = '', clientId] = presented.split(SEPARATOR);
  return { type, assertion: readAssertion(assertion), clientId: clientId || undefined };
}

/** The token of a workload knows nothing of client identifiers: the request names its client (RFC 7521 section 4.2). */
function clientIn({ assertion, clientId }: Presented): string | undefined {
  const { iss, sub } = assertion?.claims ?? {};
  const own = typeof sub === 'string' ? sub : undefined;
  return own !== undefined && own === iss ? own : (clientId ?? own);
}

function methodOf(presented: string): AssertionMethod {
  return partsOf(presented).assertion?.alg.startsWith('HS') ? 'client_secret_jwt' : 'private_key_jwt';
}

const ALGS: Readonly<Record<AssertionMethod, readonly string[]>> = {
  private_key_jwt: asymmetricAlgs,
  client_secret_jwt: [SECRET_ALG],
};

/** What costs nothing comes first: only what is right so far has its signature verified, and only what is authentic is stored. */
async function verifyAssertion(method: AssertionMethod, verification: Verification): Promise<Verdict> {
  const { services, app, client, credentials } = verification;
  const { type, assertion } = partsOf(credentials.secret);
  if (type !== CLIENT_ASSERTION_TYPE) return 'type';
  if (client.token_endpoint_auth_method !== method) return 'method';
  if (!assertion) return 'malformed';
  if (client.federated_credentials?.length && assertion.claims.iss !== client.client_id) {
    const { verifyWorkload } = await loadWorkloads();
    return verifyWorkload(verification, assertion);
  }
  const { client_id: clientId, token_endpoint_auth_signing_alg: alg } = client;
  const algs = allowedAlgs(client, alg === undefined ? ALGS[method] : [alg]);
  const issuer = issuerOf(services.config.baseUrl, app);
  const expected = { clientId, issuer, algs, isForIssuerAlone: client.profile !== undefined };
  const fault = assertionFault(assertion, expected, services.clock.now());
  if (fault) return fault;
  const verdict = await SIGNATURES[method](verification, assertion);
  if (verdict !== 'verified') return verdict;
  const parts = [app, clientId, String(assertion.claims.jti)];
  const isFirst = await isFirstUse(services, 'client assertion', parts, useOfAssertion(assertion));
  return isFirst ? 'verified' : 'replayed';
}

type Signature = (verification: Verification, assertion: SignedJwt) => Promise<'verified' | AssertionFault>;

const SIGNATURES: Readonly<Record<AssertionMethod, Signature>> = {
  private_key_jwt: ({ services, client }, assertion) => verifyWithKeys(services.keySets.of(client), client, assertion),
  client_secret_jwt: async ({ services: { ring, clock }, app, client }, assertion) => {
    const secrets = validSecrets(ring, app, client, clock.now());
    return secrets.length === 0 ? 'secretNotKept' : verifyWithSecrets(secrets, assertion);
  },
};

import { z } from 'zod';
import { registrationFault } from '../../oauth/authorize/redirect-uri.rules.ts';
import { DEFAULT_REFRESH_FAMILY_TTL, defaultRefreshGrace, MAX_REFRESH_GRACE } from '../../oauth/refresh/rules.ts';
import { selfRegistrationFields } from '../../oauth/registration/fields.ts';
import { DEFAULT_SIGNING_ALG, signingAlgs } from '../../oauth/signing-keys/algorithms.rules.ts';
import { defaultScope, isWellFormed, type Scope } from '../../oauth/token/scope.rules.ts';
import { checkTokenExchange, tokenExchangeField } from '../../oauth/token-exchange/fields.ts';
import { TOKEN_EXCHANGE } from '../../oauth/token-exchange/rules.ts';
import { acrValues } from '../../people/sign-in/acr.rules.ts';
import { checkName } from '../../platform/text/readable-name.rules.ts';
import { accessField } from '../access/fields.ts';
import { apisField, unknownAccess } from '../apis/fields.ts';
import { BUILT_IN_APPLICATION } from '../applications/built-in.rules.ts';
import { type Application, DEFAULT_MFA, MIN_PASSWORD_LENGTH, mfaPolicies } from '../applications/rules.ts';
import { brandingFields, clientLinkFields } from '../branding/fields.ts';
import { clientKeyFaults, clientKeyFields } from './keys.fields.ts';
import { presets, withPreset } from './presets.fields.ts';
import { authMethods, type Client, claimsForms, grantTypes } from './rules.ts';

/** The schemas of applications and clients. The names of client metadata are those of RFC 7591 section 2. */
const YEAR_SECONDS = 31_536_000;
/** A greater one would demand more than people can type. */
const MAX_PASSWORD_MIN_LENGTH = 64;
const seconds = (min: number, max: number) =>
  z.int('must be a whole number of seconds').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);
const line = (maxLength: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .superRefine(checkName);

const redirectUri = z.string().superRefine((uri, context) => {
  const fault = registrationFault(uri);
  if (fault !== undefined) context.addIssue(fault);
});
const redirectUris = z.array(redirectUri).default([]);

/** Whether its application has these scopes is `misplacedFields`'s question. */
const scope = z
  .string()
  .transform((text, context): readonly Scope[] => {
    const tokens = [...new Set(text.split(' ').filter(token => token !== ''))];
    if (tokens.length > 0 && tokens.every(isWellFormed)) return tokens;
    context.addIssue('must be one or more scopes of the application, separated by spaces');
    return z.NEVER;
  })
  .default(defaultScope);

const signingAlg = z.enum(signingAlgs, `must be one of ${signingAlgs.join(', ')}`);

const acrList = z.array(z.enum(acrValues, `must be one of ${acrValues.join(', ')}`)).min(1, 'must not be empty');

export const clientFields = z.strictObject({
  client_id: z
    .string()
    .regex(/^[\x21-\x39\x3b-\x7e]{1,128}$/, 'must have 1 to 128 visible ASCII characters other than a colon')
    .optional(),
  client_secret: z
    .string()
    .regex(/^[\x20-\x7e]{12,256}$/, 'must have 12 to 256 printable ASCII characters')
    .optional(),
  client_name: line(100).optional(),
  ...clientLinkFields,
  redirect_uris: redirectUris,
  post_logout_redirect_uris: redirectUris,
  grant_types: z
    .array(z.enum(grantTypes, `must be one of ${grantTypes.join(', ')}`))
    .default(['authorization_code', 'refresh_token']),
  token_endpoint_auth_method: z
    .enum(authMethods, `must be one of ${authMethods.join(', ')}`)
    .default('client_secret_basic'),
  ...clientKeyFields,
  scope,
  id_token_signed_response_alg: signingAlg.optional(),
  id_token_claims: z.enum(['scope', 'minimal'], 'must be scope or minimal').optional(),
  userinfo_claims: z.enum(claimsForms, 'must be documented or standard').default('documented').meta({
    description:
      'The form of claims at userinfo. documented: updated_at is a text, and unset claims can be empty. standard: the types of OIDC Core, without unset claims; always under strict_oidc.',
  }),
  access_token_format: z.enum(['opaque', 'jwt'], 'must be opaque or jwt').default('opaque'),
  require_pkce: z.boolean().default(false),
  require_client_authentication: z.boolean().default(false),
  require_pushed_authorization_requests: z.boolean().default(false),
  dpop_bound_access_tokens: z.boolean().default(false),
  require_consent: z.boolean().default(false),
  refresh_token_rotation: z.boolean().default(true),
  refresh_token_grace: seconds(0, MAX_REFRESH_GRACE).optional(),
  backchannel_logout_uri: redirectUri
    .refine(uri => /^https?:/i.test(uri), 'must be an http or https address')
    .optional(),
  default_acr_values: acrList.optional(),
  default_max_age: seconds(0, YEAR_SECONDS).optional(),
  apis: z.array(z.string()).optional().meta({
    description:
      'The identifiers of the APIs whose access tokens the client may introspect, and exchange if it has the grant.',
  }),
});

/** Grants whose tokens are worth nothing to anybody but a client that proves who it is. */
const CONFIDENTIAL: readonly string[] = ['password', 'client_credentials', TOKEN_EXCHANGE];

/** What does not fit together, by field. */
export function clientFaults(client: z.output<typeof clientFields>): ReadonlyMap<string, string> {
  return new Map<string, string>([
    ...(client.token_endpoint_auth_method === 'none' ? publicClientFaults(client) : []),
    ...clientKeyFaults(client),
  ]);
}

function publicClientFaults(client: z.output<typeof clientFields>): Map<string, string> {
  const faults = new Map<string, string>();
  if (client.client_secret !== undefined) {
    faults.set('client_secret', 'must not be set with token_endpoint_auth_method none');
  }
  if (client.require_client_authentication) {
    faults.set('require_client_authentication', 'cannot be met with token_endpoint_auth_method none');
  }
  if (!client.refresh_token_rotation) {
    faults.set(
      'refresh_token_rotation',
      'cannot be turned off with token_endpoint_auth_method none: only rotation shows that a token was stolen',
    );
  }
  const confidential = client.grant_types.find(type => CONFIDENTIAL.includes(type));
  if (confidential) faults.set('grant_types', `${confidential} needs a client with a secret or a key`);
  return faults;
}

function checkClient(client: z.output<typeof clientFields>, context: z.RefinementCtx): void {
  for (const [field, message] of clientFaults(client)) context.addIssue({ code: 'custom', path: [field], message });
}

export const clientSchema = clientFields.superRefine(checkClient);

export const newClientFields = z.strictObject({
  preset: z
    .enum(presets, `must be one of ${presets.join(', ')}`)
    .optional()
    .meta({
      description:
        'Of a new client: the kind of client, which sets the fields that are not named. It is not stored; the fields are shown and can be changed.',
    }),
  ...clientFields.shape,
});

/** Of a client that is created: with `preset`, which the client itself does not have. */
export const newClientSchema = z.preprocess(
  withPreset,
  newClientFields.superRefine(checkClient).transform(({ preset: _, ...entry }): ClientEntry => entry),
) as unknown as z.ZodType<ClientEntry, z.input<typeof newClientFields>>;

/** What a client of this application must not have, and why. */
export function misplacedFields(
  application: Pick<Application, 'code' | 'apis'>,
  entry: ClientEntry,
): Map<keyof ClientEntry, string> {
  const { grant_types } = entry;
  const faults = new Map<keyof ClientEntry, string>(unknownAccess(application, entry));
  // The tokens of operators must not be in URLs, and no client may see their passwords.
  if (
    application.code === BUILT_IN_APPLICATION &&
    (grant_types.includes('implicit') || grant_types.includes('password'))
  ) {
    faults.set('grant_types', `must not have implicit or password in the application ${BUILT_IN_APPLICATION}`);
  }
  return faults;
}

export type ClientEntry = z.output<typeof clientSchema>;

export const applicationFields = z.strictObject({
  code: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must match ^[a-z0-9][a-z0-9_-]{0,62}$')
    .refine(code => code !== BUILT_IN_APPLICATION, 'is reserved for the application of the operators'),
  name: line(100),
  strict_oidc: z.boolean().default(false),
  access_token_ttl: seconds(1, YEAR_SECONDS).default(3600),
  id_token_ttl: seconds(1, YEAR_SECONDS).default(3600),
  refresh_token_ttl: seconds(1, 10 * YEAR_SECONDS).default(2_592_000),
  refresh_family_ttl: seconds(1, 10 * YEAR_SECONDS).default(DEFAULT_REFRESH_FAMILY_TTL),
  id_token_signed_response_alg: signingAlg.default(DEFAULT_SIGNING_ALG),
  ...brandingFields,
  password_min_length: z
    .int('must be a whole number of characters')
    .min(MIN_PASSWORD_LENGTH, `must be at least ${MIN_PASSWORD_LENGTH}`)
    .max(MAX_PASSWORD_MIN_LENGTH, `must be at most ${MAX_PASSWORD_MIN_LENGTH}`)
    .default(MIN_PASSWORD_LENGTH),
  mfa: z.enum(mfaPolicies, `must be one of ${mfaPolicies.join(', ')}`).default(DEFAULT_MFA),
  trusted_browsers: z.boolean().default(false),
  sign_up: z.boolean().default(false),
  require_verified_email: z.boolean().default(false),
  passkeys: z.boolean().default(true),
  access: accessField,
  apis: apisField,
  token_exchange: tokenExchangeField,
  userinfo_acr_values: acrList.optional().meta({
    description: 'Userinfo answers only tokens of a login of one of these classes, or a stronger one (RFC 9470).',
  }),
  userinfo_max_age: seconds(0, YEAR_SECONDS)
    .optional()
    .meta({ description: 'Userinfo answers only tokens of a login that is not older, in seconds (RFC 9470).' }),
  ...selfRegistrationFields,
  clients: z.array(newClientSchema).default([]),
});

/** With its clients, as an apply file has it. */
export const applicationSchema = applicationFields.superRefine((application, context) => {
  checkTokenExchange(application, context);
  application.clients.forEach((client, index) => {
    for (const [field, message] of misplacedFields(application, client)) {
      context.addIssue({ code: 'custom', path: ['clients', index, field], message });
    }
  });
});

export type ApplicationEntry = z.output<typeof applicationSchema>;

/** Turns an entry of the apply file into the client that is stored, with its defaults. */
export function clientOfEntry(
  entry: ClientEntry,
  clientId: string,
  /** Undefined: it has none. */
  secret: Pick<Client, 'secret_hash' | 'sealed_secret'> | undefined,
): Client {
  const { client_secret: _, ...metadata } = entry;
  return {
    ...metadata,
    client_id: clientId,
    client_name: entry.client_name ?? clientId,
    secret_hash: secret?.secret_hash,
    ...(secret?.sealed_secret === undefined ? {} : { sealed_secret: secret.sealed_secret }),
    refresh_token_grace: entry.refresh_token_grace ?? defaultRefreshGrace(entry.token_endpoint_auth_method),
    id_token_claims: entry.id_token_claims,
    backchannel_logout_uri: entry.backchannel_logout_uri,
    id_token_signed_response_alg: entry.id_token_signed_response_alg,
  };
}

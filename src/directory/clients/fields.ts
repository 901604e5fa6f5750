import { z } from 'zod';
import { hasSchemeOfItsOwn } from '../../oauth/authorize/redirect-uri.rules.ts';
import { neededGrant } from '../../oauth/authorize/response-type.rules.ts';
import { backchannelFaults } from '../../oauth/ciba/client.rules.ts';
import { encryptionFaults } from '../../oauth/encryption/rules.ts';
import { profileFaults, withProfile } from '../../oauth/fapi/rules.ts';
import { withFederation } from '../../oauth/federated-credentials/rules.ts';
import { isAtOwnOrigin } from '../../oauth/frontchannel-logout/rules.ts';
import { pairwiseFault } from '../../oauth/pairwise/rules.ts';
import { defaultRefreshGrace } from '../../oauth/refresh/rules.ts';
import type { GrantTypes } from '../../oauth/token/grant-types.rules.ts';
import { defaultScope, isWellFormed, type Scope } from '../../oauth/token/scope.rules.ts';
import { agentFaults } from '../../people/agents/rules.ts';
import { type ClientAccess, unknownAccess } from '../apis/fields.ts';
import { BUILT_IN_APPLICATION } from '../applications/built-in.rules.ts';
import type { Application } from '../applications/rules.ts';
import {
  type ClientField,
  clientField,
  type DeclaredFields,
  inOrder,
  line,
  oneOf,
  type Shape,
  shapeOf,
} from '../fields/declaration.fields.ts';
import { certificateFaults } from './certificate.fields.ts';
import { grantTypesField } from './grant-types.fields.ts';
import { clientKeyFaults, clientKeyFields } from './keys.fields.ts';
import { presets, withPreset } from './presets.fields.ts';
import { authMethods, type Client, type ClientEntry } from './rules.ts';

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

/** What every client has. The names are those of RFC 7591 section 2. */
export const clientsFields: DeclaredFields = {
  client: [
    clientField('client_id', {
      schema: z
        .string()
        .regex(/^[\x21-\x39\x3b-\x7e]{1,128}$/, 'must have 1 to 128 visible ASCII characters other than a colon')
        .optional(),
      meaning: 'How the client names itself in every request. It cannot be changed.',
      byDefault: 'generated; in an apply file from the application and `client_name`',
      isFixed: true,
      section: 'identity',
      text: {
        en: ['client_id', 'How the client names itself in every request. It cannot be changed later.'],
        zh: ['client_id', '客户端在每个请求中的标识，之后不能更改。'],
      },
      whenEmpty: { en: 'Generated', zh: '自动生成' },
    }),
    clientField('client_secret', {
      schema: z
        .string()
        .regex(/^[\x20-\x7e]{12,256}$/, 'must have 12 to 256 printable ASCII characters')
        .optional(),
      meaning:
        '12 characters or more, 32 with `client_secret_jwt`; only with a `token_endpoint_auth_method` that has a secret.',
      byDefault: 'generated, and shown once',
      isFixed: true,
      section: 'authentication',
      control: 'password',
      text: {
        en: ['Secret', 'Set it only if the client already has its secret: 12 to 256 characters.'],
        zh: ['密钥', '仅当客户端已有密钥时填写，12 至 256 个字符。'],
      },
      whenEmpty: { en: 'Generated, and shown once', zh: '自动生成，只显示一次' },
    }),
    clientField('client_name', {
      schema: line(100).optional(),
      meaning: 'The name that people see on the sign-in and consent pages.',
      byDefault: 'the `client_id`',
      own: 'value',
      section: 'identity',
      text: {
        en: ['Name', 'Shown to people on the sign-in and consent pages.'],
        zh: ['名称', '在登录页面和授权页面上显示给用户。'],
      },
      whenEmpty: { en: 'The client_id', zh: '使用 client_id' },
    }),
    clientField('token_endpoint_auth_method', {
      schema: oneOf(authMethods).default('client_secret_basic'),
      meaning: `How the client authenticates: ${authMethods.map(method => `\`${method}\``).join(', ')}. \`none\` is a public client, which has no secret and uses PKCE.`,
      own: 'value',
      section: 'authentication',
      text: {
        en: [
          'Client authentication',
          'A program that runs on the devices of users, such as a single-page or mobile app, cannot keep a secret: it uses PKCE instead.',
        ],
        zh: ['客户端身份验证', '在用户设备上运行的程序（如单页应用或移动应用）无法保守密钥：它没有密钥，使用 PKCE。'],
      },
      choices: {
        en: {
          client_secret_basic: 'Secret in the Authorization header (client_secret_basic)',
          client_secret_post: 'Secret in the form (client_secret_post)',
          client_secret_jwt: 'Assertion signed with the secret (client_secret_jwt)',
          private_key_jwt: 'Assertion signed with a private key (private_key_jwt)',
          tls_client_auth: 'TLS certificate issued by a CA (tls_client_auth)',
          self_signed_tls_client_auth: 'Registered TLS certificate (self_signed_tls_client_auth)',
          none: 'No secret: public client with PKCE (none)',
        },
        zh: {
          client_secret_basic: '密钥在 Authorization 标头中（client_secret_basic）',
          client_secret_post: '密钥在表单中（client_secret_post）',
          client_secret_jwt: '用密钥签名的断言（client_secret_jwt）',
          private_key_jwt: '用私钥签名的断言（private_key_jwt）',
          tls_client_auth: '证书机构签发的 TLS 证书（tls_client_auth）',
          self_signed_tls_client_auth: '已登记的 TLS 证书（self_signed_tls_client_auth）',
          none: '无密钥：使用 PKCE 的公开客户端（none）',
        },
      },
    }),
    ...clientKeyFields,
    clientField('scope', {
      schema: scope,
      meaning:
        'The allowed scopes, and the default where a request has none: of `openid`, `profile`, `email`, `phone`, `address`, `groups`, `roles`, `offline_access` and the scopes of the APIs.',
      own: 'list',
      section: 'access',
      control: 'boxes',
      text: {
        en: ['Scope', 'What the client can request, and what it gets if a request names no scope.'],
        zh: ['范围（scope）', '客户端可以请求的范围；请求未指明范围时使用全部。'],
      },
    }),
  ],
};

/** The order of answers and of exported files. The type has these fields, whatever further capabilities add. */
const ORDER = [
  ...[
    'client_id',
    'client_secret',
    'client_name',
    'client_type',
    'owner',
    'profile',
    'logo_uri',
    'client_uri',
    'policy_uri',
    'tos_uri',
  ],
  ...['initiate_login_uri', 'redirect_uris', 'post_logout_redirect_uris', 'grant_types', 'response_types'],
  ...[
    'token_endpoint_auth_method',
    'token_endpoint_auth_signing_alg',
    'jwks',
    'jwks_uri',
    'federated_credentials',
    'tls_client_auth_subject_dn',
    'tls_client_auth_san_dns',
    'tls_client_auth_san_uri',
    'tls_client_auth_san_ip',
    'tls_client_auth_san_email',
    'scope',
    'id_token_signed_response_alg',
  ],
  ...[
    'id_token_claims',
    'userinfo_claims',
    'userinfo_signed_response_alg',
    'authorization_signed_response_alg',
    'introspection_signed_response_alg',
    'id_token_encrypted_response_alg',
    'id_token_encrypted_response_enc',
    'userinfo_encrypted_response_alg',
    'userinfo_encrypted_response_enc',
    'authorization_encrypted_response_alg',
    'authorization_encrypted_response_enc',
    'introspection_encrypted_response_alg',
    'introspection_encrypted_response_enc',
    'subject_type',
    'sector_identifier_uri',
    'access_token_format',
    'require_pkce',
    'require_client_authentication',
  ],
  ...['request_object_signing_alg', 'require_signed_request_object', 'request_uris'],
  ...['request_object_encryption_alg', 'request_object_encryption_enc'],
  ...['require_pushed_authorization_requests', 'dpop_bound_access_tokens'],
  ...['tls_client_certificate_bound_access_tokens', 'require_consent'],
  ...['refresh_token_rotation', 'refresh_token_grace', 'backchannel_logout_uri', 'frontchannel_logout_uri'],
  ...['frontchannel_logout_session_required', 'default_acr_values', 'default_max_age'],
  ...['backchannel_token_delivery_mode', 'backchannel_client_notification_endpoint'],
  ...['backchannel_authentication_request_signing_alg', 'backchannel_user_code_parameter', 'apis'],
];

/** The fields that the capabilities declare, and the schemas that they make. */
export interface ClientFields {
  readonly declared: readonly ClientField[];
  readonly shape: Shape;
  readonly schema: z.ZodType<ClientEntry>;
  /** Of a client that is created: with `preset`, which the client itself does not have. */
  readonly newSchema: z.ZodType<ClientEntry>;
  readonly newShape: Shape;
  readonly defaults: ClientEntry;
  /** Those that a client that registers itself sets. */
  readonly own: readonly ClientField[];
  readonly grantTypes: GrantTypes;
}

export function clientFieldsOf(all: readonly ClientField[], grantTypes: GrantTypes): ClientFields {
  const declared = inOrder('a client', ORDER, [...all, grantTypesField(grantTypes)]);
  const shape = shapeOf(declared);
  const newShape = { preset, ...shape };
  const entry = (of: Shape) =>
    z.strictObject(of).superRefine((client, context) => checkClient(grantTypes, client as never, context));
  const schema = z.preprocess(completed, entry(shape)) as unknown as z.ZodType<ClientEntry>;
  const newEntry = entry(newShape).transform(({ preset: _, ...client }) => client);
  const newSchema = z.preprocess(given => withPreset(completed(given)), newEntry) as unknown as z.ZodType<ClientEntry>;
  const own = declared.filter(field => field.own !== undefined);
  return { declared, shape, schema, newSchema, newShape, defaults: schema.parse({}), own, grantTypes };
}

/** What other fields make of those that are not named. */
const completed = (given: unknown) => withFederation(withProfile(given));

const preset = oneOf(presets).optional().meta({
  description:
    'Of a new client: the kind of client, which sets the fields that are not named. It is not stored; the fields are shown and can be changed.',
});

/** What does not fit together, by field. */
export function clientFaults(grantTypes: GrantTypes, client: ClientEntry): ReadonlyMap<string, string> {
  return new Map<string, string>([
    ...(client.token_endpoint_auth_method === 'none'
      ? publicClientFaults(grantTypes, client)
      : confidentialClientFaults(client)),
    ...clientKeyFaults(client),
    ...encryptionFaults(client),
    ...certificateFaults(client),
    ...profileFaults(client),
    ...agentFaults(client),
    ...responseTypeFaults(client),
    ...frontchannelFaults(client),
    ...subjectFaults(client),
    ...backchannelFaults(client),
  ]);
}

/** A type that none of its grants stands for would never be answered. */
function responseTypeFaults({ response_types = [], grant_types }: ClientEntry): [string, string][] {
  const idle = response_types.find(type => !grant_types.includes(neededGrant(type)));
  return idle === undefined ? [] : [['response_types', `has ${idle}, which needs the grant ${neededGrant(idle)}`]];
}

function frontchannelFaults({ frontchannel_logout_uri: uri, redirect_uris }: ClientEntry): [string, string][] {
  if (uri === undefined || isAtOwnOrigin(uri, redirect_uris)) return [];
  return [['frontchannel_logout_uri', 'must have scheme, host and port of one of the redirect_uris']];
}

function subjectFaults(client: ClientEntry): [string, string][] {
  const fault = pairwiseFault(client);
  return fault === undefined ? [] : [['subject_type', fault]];
}

function publicClientFaults(grantTypes: GrantTypes, client: ClientEntry): Map<string, string> {
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
  const confidential = client.grant_types.find(type => grantTypes.get(type)?.isConfidential);
  if (confidential) faults.set('grant_types', `${confidential} needs a client with a secret or a key`);
  return faults;
}

function confidentialClientFaults({ redirect_uris }: ClientEntry): [string, string][] {
  const own = redirect_uris.find(hasSchemeOfItsOwn);
  if (own === undefined) return [];
  const scheme = own.slice(0, own.indexOf(':') + 1);
  const why = `only a client with token_endpoint_auth_method none may have the scheme ${scheme} (RFC 8252 section 7.1)`;
  return [['redirect_uris', why]];
}

function checkClient(grantTypes: GrantTypes, client: ClientEntry, context: z.RefinementCtx): void {
  for (const [field, message] of clientFaults(grantTypes, client))
    context.addIssue({ code: 'custom', path: [field], message });
}

const NO_ACCESS: ClientAccess = { scope: [] };

/**
 * What a client of this application must not have, and why. `registered`: what it has, which stays also where the application has lost it
 * since, and gives nothing then (docs/apis.md).
 */
export function misplacedFields(
  application: Pick<Application, 'code' | 'apis' | 'user_attributes'>,
  { grant_types, scope, apis = [] }: Pick<ClientEntry, 'grant_types' | 'scope' | 'apis'>,
  registered: ClientAccess = NO_ACCESS,
): Map<keyof ClientEntry, string> {
  const added: ClientAccess = {
    scope: scope.filter(one => !registered.scope.includes(one)),
    apis: apis.filter(one => !registered.apis?.includes(one)),
  };
  const faults = new Map<keyof ClientEntry, string>(unknownAccess(application, added));
  // The tokens of operators must not be in URLs, and no client may see their passwords.
  if (
    application.code === BUILT_IN_APPLICATION &&
    (grant_types.includes('implicit') || grant_types.includes('password'))
  ) {
    faults.set('grant_types', `must not have implicit or password in the application ${BUILT_IN_APPLICATION}`);
  }
  return faults;
}

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

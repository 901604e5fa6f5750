import { z } from 'zod';
import { schemaFault } from '../../oauth/authorization-details/schema.rules.ts';
import { isStandardScope, isWellFormed, type Scope, scopesOf } from '../../oauth/token/scope.rules.ts';
import { checkName } from '../../platform/text/readable-name.rules.ts';
import type { Application } from '../applications/rules.ts';
import { applicationField, clientField, type DeclaredFields } from '../fields/declaration.fields.ts';
import { type Api, findApi } from './rules.ts';

/** The APIs of an application, and what clients say about them (rules.ts). */

export const MAX_APIS = 100;
const MAX_SCOPES = 200;
const MAX_DETAILS_TYPES = 20;
const MAX_SCOPE_LENGTH = 100;
const MAX_TEXT_LENGTH = 200;
const YEAR_SECONDS = 31_536_000;

const text = (maxLength: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .superRefine(checkName);

/** RFC 8707 section 2: an absolute URI without a fragment. */
const identifier = z
  .string()
  .max(255, 'must have at most 255 characters')
  .refine(isAbsoluteUri, 'must be an absolute URI without a fragment, such as https://api.shop.example');

function isAbsoluteUri(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/i.test(value) && URL.canParse(value);
}

function scopeNameFault(name: string): string | undefined {
  if (name.length > MAX_SCOPE_LENGTH) return `must have at most ${MAX_SCOPE_LENGTH} characters`;
  if (!isWellFormed(name)) return 'must be a scope-token: visible ASCII characters other than quotes and backslashes';
  return isStandardScope(name) ? 'is a scope of the server itself' : undefined;
}

export const apiFields = z.strictObject({
  identifier: identifier.meta({
    description: 'The audience of its access tokens, and the value of `resource` (RFC 8707).',
  }),
  name: text(100),
  scopes: z
    .record(z.string(), text(MAX_TEXT_LENGTH))
    .refine(scopes => Object.keys(scopes).length <= MAX_SCOPES, `must have at most ${MAX_SCOPES} scopes`)
    // Not by a schema for the keys: zod reports a fault of a key without its reason.
    .superRefine((scopes, context) => {
      for (const name of Object.keys(scopes)) {
        const message = scopeNameFault(name);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .default({})
    .meta({ description: 'Each scope with the text that the consent page shows.' }),
  access_token_format: z
    .enum(['opaque', 'jwt'], 'must be opaque or jwt')
    .optional()
    .meta({ description: 'Of its access tokens, whatever the client has.' }),
  access_token_ttl: z
    .int('must be a whole number of seconds')
    .min(1, 'must be at least 1')
    .max(YEAR_SECONDS, `must be at most ${YEAR_SECONDS}`)
    .optional()
    .meta({ description: 'Of its access tokens, whatever the application has.' }),
  require_dpop: z.boolean().default(false),
  authorization_details_types: z
    .record(
      z.string(),
      z.strictObject({
        schema: z.looseObject({}).superRefine((schema, context) => {
          const fault = schemaFault(schema);
          if (fault !== undefined) context.addIssue(fault);
        }),
        display: text(MAX_TEXT_LENGTH),
      }),
    )
    .refine(types => Object.keys(types).length <= MAX_DETAILS_TYPES, `must have at most ${MAX_DETAILS_TYPES} types`)
    .superRefine((types, context) => {
      for (const type of Object.keys(types)) {
        if (!/^[\x21-\x7e]{1,100}$/.test(type)) {
          context.addIssue({ code: 'custom', path: [type], message: 'must have 1 to 100 visible ASCII characters' });
        }
      }
    })
    .optional()
    .meta({
      description:
        'Types of `authorization_details` (RFC 9396), each with a JSON Schema and the sentence of the consent page.',
    }),
});

export const apisFields: DeclaredFields = {
  client: [
    clientField('apis', {
      schema: z.array(z.string()).optional(),
      meaning:
        'The identifiers of the APIs whose access tokens the client may introspect, and exchange if it has the grant.',
      see: 'apis.md',
      section: 'access',
      control: 'boxes',
      text: {
        en: [
          'APIs for token introspection',
          'For the servers of these APIs: the client can check at the introspection endpoint whether a token for them is valid.',
        ],
        zh: ['可以内省其令牌的 API', '用于 API 自己的程序：它们可以查询发给该 API 的令牌是否有效。'],
      },
    }),
  ],
  application: [
    applicationField('apis', {
      schema: z
        .array(apiFields)
        .max(MAX_APIS, `must have at most ${MAX_APIS} entries`)
        .superRefine(checkIdentifiers)
        .default([]),
      meaning: 'The resources that access tokens are for (RFC 8707), each with scopes of its own.',
      see: 'apis.md',
      section: 'access',
      control: 'none',
      text: { en: ['APIs', 'Each has a page of its own.'], zh: ['API', '每个 API 都有自己的页面。'] },
    }),
  ],
};

/** Each API has an identifier of its own. */
export function checkIdentifiers(
  apis: readonly { readonly identifier: string; readonly authorization_details_types?: object | null | undefined }[],
  context: z.RefinementCtx,
): void {
  const types = new Map<string, number>();
  apis.forEach((one, index) => {
    for (const type of Object.keys(one.authorization_details_types ?? {})) {
      if ((types.get(type) ?? index) !== index) {
        const path = [index, 'authorization_details_types', type];
        context.addIssue({ code: 'custom', path, message: 'is a type of another API too' });
      }
      types.set(type, index);
    }
    if (apis.find(({ identifier }) => identifier === one.identifier) === one) return;
    context.addIssue({
      code: 'custom',
      path: [index, 'identifier'],
      message: 'is the identifier of another API too',
    });
  });
}

/** What a client names of its application. */
export type ClientAccess = { readonly scope: readonly Scope[]; readonly apis?: readonly string[] | undefined };

/** What a client says that its application does not have. */
export function unknownAccess(
  application: Pick<Application, 'code' | 'apis' | 'user_attributes'>,
  { scope, apis = [] }: ClientAccess,
): Map<'scope' | 'apis', string> {
  const faults = new Map<'scope' | 'apis', string>();
  const known = scopesOf(application);
  if (scope.some(one => !known.includes(one))) {
    faults.set('scope', `must be one or more of ${known.join(', ')}, separated by spaces`);
  }
  if (apis.some(one => !findApi(application, one))) {
    const identifiers = (application.apis ?? []).map((one: Api) => one.identifier);
    faults.set(
      'apis',
      identifiers.length === 0 ? 'the application has no API' : `must be among ${identifiers.join(', ')}`,
    );
  }
  return faults;
}

import { z } from 'zod';
import { dynamicRegistrations } from '../../directory/applications/rules.ts';
import { jwksUri } from '../../directory/clients/keys.fields.ts';
import { applicationField, type DeclaredFields, oneOf } from '../../directory/fields/declaration.fields.ts';
import { checkKeys, claimText, issuerShape } from '../trusted-issuers/issuer.fields.ts';
import type { TrustedIssuer } from '../trusted-issuers/issuer.rules.ts';
import type { SoftwareStatements } from './software-statement.rules.ts';

/** Which clients an application takes that no operator has set: docs/self-registration.md. */

const MAX_DOMAINS = 100;
const MAX_ISSUERS = 20;
const DOMAIN = /^(?:\*\.)?(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/;

const domain = z
  .string('must be a host name')
  .max(253, 'must have at most 253 characters')
  .refine(text => DOMAIN.test(text), {
    error: 'must be a host name in lower case, such as client.example, or *.client.example for all below it',
    // A union tells the faults of an option only where its other checks could go on.
    abort: false,
  });

const statementIssuer: z.ZodType<TrustedIssuer> = z
  .strictObject({
    issuer: claimText.meta({ description: 'The iss of its statements, compared exactly.' }),
    jwks: issuerShape.jwks,
    jwks_uri: jwksUri.optional().meta({ description: 'Where it publishes them instead.' }),
  })
  .superRefine((one, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    checkKeys(one, fault);
    if (!one.jwks && one.jwks_uri === undefined) fault('jwks', 'must be set, or jwks_uri');
  });

const statementIssuers = z
  .array(statementIssuer, 'must be a list of issuers')
  .min(1, 'must not be empty')
  .max(MAX_ISSUERS, `must have at most ${MAX_ISSUERS} entries`)
  .superRefine((issuers: readonly TrustedIssuer[], context) => {
    issuers.forEach(({ issuer }, index) => {
      const isRepeated = issuers.findIndex(other => other.issuer === issuer) !== index;
      if (isRepeated) context.addIssue({ code: 'custom', path: [index, 'issuer'], message: 'is there twice' });
    });
  });

const softwareStatements: z.ZodType<SoftwareStatements> = z.strictObject({
  required: z.boolean().default(false).meta({ description: 'Whether no client registers without a statement.' }),
  issuers: statementIssuers,
});

export const registrationFields: DeclaredFields = {
  application: [
    applicationField('client_id_metadata', {
      schema: z
        .union(
          [z.enum(['off', 'any']), z.array(domain).min(1, 'must not be empty').max(MAX_DOMAINS)],
          'must be off, any, or a list of host names',
        )
        .default('off'),
      meaning:
        'Whether a `client_id` may be the https address of a document that the client publishes (client ID metadata documents): `off`, of `any` host, or of a list of hosts.',
      see: 'self-registration.md',
      section: 'registration',
      control: 'custom',
      text: {
        en: [
          'Client ID metadata documents',
          'A client_id can be the https URL of a document that the client publishes. People are asked for consent each time.',
        ],
        zh: ['客户端 ID 元数据文档', 'client_id 可以是客户端所发布文档的 https 地址。每次都会询问用户。'],
      },
    }),
    applicationField('dynamic_registration', {
      schema: oneOf(dynamicRegistrations).default('off'),
      meaning:
        'Who may register clients at `{issuer}/register` (RFC 7591): nobody (`off`), holders of an initial access `token`, anybody (`open`).',
      see: 'self-registration.md',
      section: 'registration',
      text: {
        en: [
          'Dynamic registration',
          'Programs register clients at …/register (RFC 7591). People are asked for consent each time.',
        ],
        zh: ['动态注册', '程序在 …/register 注册客户端。每次都会询问用户。'],
      },
      choices: {
        en: { off: 'Off', token: 'With an initial access token', open: 'Open to everyone' },
        zh: { off: '关闭', token: '需要初始访问令牌', open: '任何人' },
      },
    }),
    applicationField('software_statements', {
      schema: softwareStatements.optional(),
      meaning:
        'Whose software statements count there (RFC 7591 section 2.3): `issuers`, and whether one is `required`.',
      byDefault: 'those of nobody',
      see: 'self-registration.md',
      section: 'registration',
      control: 'custom',
      text: {
        en: [
          'Trusted software statement issuers',
          'One per line: the iss, a space, and the https URL of the JWKS or the JWKS itself. What a statement says about a client overrides what the client says. If empty, no statement is accepted.',
        ],
        zh: [
          '软件声明的签发者',
          '每行一个：iss、空格，然后是其密钥的 https 地址，或写在同一行的 JWK Set。其声明中关于客户端的内容优先于客户端自己的说明。留空则任何声明都无效。',
        ],
      },
    }),
  ],
};

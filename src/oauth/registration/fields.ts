import { z } from 'zod';
import { dynamicRegistrations } from '../../directory/applications/rules.ts';
import { hasSigningKey, jwks, jwksUri } from '../../directory/clients/keys.fields.ts';
import type { SoftwareStatements, StatementIssuer } from './software-statement.rules.ts';

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

const statementIssuer = z
  .strictObject({
    issuer: z
      .string('must be a text')
      .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,255}$/u, 'must have 1 to 255 characters, all of them on one line')
      .refine(text => text === text.trim(), 'must not begin or end with white space')
      .meta({ description: 'The iss of its statements, compared exactly.' }),
    jwks: jwks.optional().meta({ description: 'Its public keys: a JWK Set (RFC 7517).' }),
    jwks_uri: jwksUri.optional().meta({ description: 'Where it publishes them instead.' }),
  })
  .superRefine(({ jwks: keys, jwks_uri: uri }, context) => {
    const fault = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (keys && uri !== undefined) fault('jwks_uri', 'must not be set together with jwks');
    if (!keys && uri === undefined) fault('jwks', 'must be set, or jwks_uri');
    if (keys?.keys.length && !hasSigningKey(keys)) fault('jwks', 'must have a key for signatures');
  });

const statementIssuers = z
  .array(statementIssuer, 'must be a list of issuers')
  .min(1, 'must not be empty')
  .max(MAX_ISSUERS, `must have at most ${MAX_ISSUERS} entries`)
  .superRefine((issuers: readonly StatementIssuer[], context) => {
    issuers.forEach(({ issuer }, index) => {
      const isRepeated = issuers.findIndex(other => other.issuer === issuer) !== index;
      if (isRepeated) context.addIssue({ code: 'custom', path: [index, 'issuer'], message: 'is there twice' });
    });
  });

const softwareStatements: z.ZodType<SoftwareStatements> = z.strictObject({
  required: z.boolean().default(false).meta({ description: 'Whether no client registers without a statement.' }),
  issuers: statementIssuers,
});

export const selfRegistrationFields = {
  client_id_metadata: z
    .union(
      [z.enum(['off', 'any']), z.array(domain).min(1, 'must not be empty').max(MAX_DOMAINS)],
      'must be off, any, or a list of host names',
    )
    .default('off')
    .meta({
      description:
        'Whether a client_id may be the https address of a document that the client publishes (client ID metadata documents): no, of any host, or of these hosts.',
    }),
  dynamic_registration: z
    .enum(dynamicRegistrations, `must be one of ${dynamicRegistrations.join(', ')}`)
    .default('off')
    .meta({
      description:
        'Who may register clients at {issuer}/register (RFC 7591): nobody, holders of an initial access token, anybody.',
    }),
  software_statements: softwareStatements.optional().meta({
    description: 'Whose software statements count there (RFC 7591 section 2.3). Absent: those of nobody.',
  }),
};

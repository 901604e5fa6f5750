import { z } from 'zod';
import { dynamicRegistrations } from '../protocol/client.ts';

/** Which clients an application takes that no operator has set: docs/self-registration.md. */

const MAX_DOMAINS = 100;
const DOMAIN = /^(?:\*\.)?(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/;

const domain = z
  .string('must be a host name')
  .max(253, 'must have at most 253 characters')
  .refine(text => DOMAIN.test(text), {
    error: 'must be a host name in lower case, such as client.example, or *.client.example for all below it',
    // A union tells the faults of an option only where its other checks could go on.
    abort: false,
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
};

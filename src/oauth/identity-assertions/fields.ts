import { z } from 'zod';
import { applicationField, type DeclaredFields, oneOf } from '../../directory/fields/declaration.fields.ts';
import { registrationFault } from '../authorize/redirect-uri.rules.ts';
import { isWellFormed } from '../token/scope.rules.ts';
import { checkIssuer, claimText, issuerShape } from '../trusted-issuers/issuer.fields.ts';
import type { AssertionPolicy } from './issue.rules.ts';
import { type AssertionIssuer, subjectRules } from './rules.ts';

const MAX_POLICIES = 100;
const MAX_ISSUERS = 20;
const MAX_ENTRIES = 100;

const texts = (what: string, one: z.ZodType<string>) =>
  z
    .array(one, `must be a list of ${what}`)
    .min(1, 'must not be empty')
    .max(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`);
const scopes = texts(
  'scopes',
  z
    .string('must be a text')
    .max(255, 'must have at most 255 characters')
    .refine(isWellFormed, 'must be a scope: printable ASCII without spaces, quotes and backslashes'),
);
/** An issuer has neither a query nor a fragment (RFC 8414 section 2). */
const otherIssuer = claimText.refine(
  text => /^https?:/i.test(text) && !/[?#]/.test(text) && registrationFault(text) === undefined,
  'must be the https address of an issuer',
);

const policy: z.ZodType<AssertionPolicy> = z.strictObject({
  client: claimText.meta({ description: 'The client_id of the client that asks.' }),
  audience: otherIssuer.meta({ description: 'The issuer of the other server, compared exactly.' }),
  scopes: scopes.meta({ description: 'Scopes there: all that the client may be given.' }),
  client_id: claimText
    .optional()
    .meta({ description: 'The client_id that the client has there. By default the same.' }),
  subject_client: claimText.optional().meta({
    description:
      'The client by which the other server signs people in here: the assertion has the sub that it sees. By default the sub that the asking client sees.',
  }),
  resources: texts('resources', claimText)
    .optional()
    .meta({ description: 'What the client may name as resource. By default nothing.' }),
  authorization_details_types: texts('types', claimText)
    .optional()
    .meta({ description: 'Types of authorization details that it may ask for. By default none.' }),
});

const issuer: z.ZodType<AssertionIssuer> = z
  .strictObject({
    ...issuerShape,
    subject: oneOf(subjectRules).default('link').meta({
      description:
        'How the person is found: by the link of an identity provider with this issuer, or (email) by an address that is verified on both sides.',
    }),
    clients: texts('clients', claimText).meta({ description: 'The clients that may bring its assertions.' }),
    scopes: scopes.meta({ description: 'All that their tokens can have.' }),
    authorization_details_types: texts('types', claimText)
      .optional()
      .meta({ description: 'Types of authorization details that they can have. By default none.' }),
  })
  .superRefine((one, context) =>
    checkIssuer(one, (field, message) => context.addIssue({ code: 'custom', path: [field], message })),
  );

/** Reports entries that are there twice, by what tells them apart. */
function checkRepeated<Entry>(field: keyof Entry & string, keyOf: (entry: Entry) => string) {
  return (entries: readonly Entry[], context: z.RefinementCtx) => {
    const keys = entries.map(keyOf);
    keys.forEach((key, index) => {
      if (keys.indexOf(key) === index) return;
      context.addIssue({ code: 'custom', path: [index, field], message: 'is there twice' });
    });
  };
}

export const identityAssertionFields: DeclaredFields = {
  application: [
    applicationField('identity_assertions', {
      schema: z
        .array(policy, 'must be a list of policies')
        .max(MAX_POLICIES, `must have at most ${MAX_POLICIES} entries`)
        .superRefine(checkRepeated('audience', ({ client, audience }) => JSON.stringify([client, audience])))
        .optional(),
      meaning:
        'Which clients get assertions about the people who signed in to them, for which other issuers (ID-JAG): each has `client`, `audience`, `scopes`, and where needed `client_id`, `subject_client`, `resources`, `authorization_details_types`.',
      see: 'identity-assertions.md',
      section: 'exchange',
      control: 'json',
      text: {
        en: [
          'Identity assertions for other issuers',
          'A JSON list with client, audience and scopes: the client gets an assertion about its user for the other issuer, with the token exchange grant.',
        ],
        zh: [
          '面向其他签发者的身份断言',
          'JSON 列表，含 client、audience 和 scopes：客户端通过令牌交换获取关于其用户、面向其他签发者的断言。',
        ],
      },
    }),
    applicationField('assertion_issuers', {
      schema: z
        .array(issuer, 'must be a list of issuers')
        .max(MAX_ISSUERS, `must have at most ${MAX_ISSUERS} entries`)
        .superRefine(checkRepeated('issuer', one => one.issuer))
        .optional(),
      meaning:
        'Whose assertions about people clients exchange for access tokens (ID-JAG): each has `issuer`, `clients`, `scopes`, `subject` (`link` by default, or `email`), `authorization_details_types` where needed; `jwks` or `jwks_uri` where the issuer publishes no metadata.',
      see: 'identity-assertions.md',
      section: 'exchange',
      control: 'json',
      text: {
        en: [
          'Trusted issuers of identity assertions',
          'A JSON list with issuer, clients, scopes and subject. link: the person has signed in with that provider before. email: the issuer is trusted for e-mail addresses.',
        ],
        zh: [
          '受信任的身份断言签发者',
          'JSON 列表，含 issuer、clients、scopes 和 subject。link：用户曾通过该提供方登录。email：信任该签发者的邮箱地址。',
        ],
      },
    }),
  ],
};

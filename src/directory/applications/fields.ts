import { z } from 'zod';
import { checkTokenExchange } from '../../oauth/token-exchange/fields.ts';
import {
  type ApplicationField,
  applicationField,
  type DeclaredFields,
  inOrder,
  line,
  type Shape,
  shapeOf,
} from '../fields/declaration.fields.ts';
import { BUILT_IN_APPLICATION } from './built-in.rules.ts';
import type { ApplicationSettings } from './rules.ts';

export const applicationsFields: DeclaredFields = {
  application: [
    applicationField('code', {
      schema: z
        .string()
        .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must match ^[a-z0-9][a-z0-9_-]{0,62}$')
        .refine(code => code !== BUILT_IN_APPLICATION, 'is reserved for the application of the operators'),
      meaning:
        'Part of every address of the application, and of its issuer: `^[a-z0-9][a-z0-9_-]{0,62}$`. It cannot be changed.',
      isFixed: true,
      section: 'identity',
      text: {
        en: ['Code', 'Part of every address of the application, and of its issuer. It cannot be changed later.'],
        zh: ['代码', '是应用的所有地址和签发者的一部分，之后不能更改。'],
      },
    }),
    applicationField('name', {
      schema: line(100),
      meaning: 'The name that people see on the sign-in and consent pages.',
      section: 'identity',
      text: {
        en: ['Name', 'Shown to people on the sign-in and consent pages.'],
        zh: ['名称', '在登录页面和授权页面上显示给用户。'],
      },
    }),
  ],
};

/** The order of answers and of exported files. The type has these fields, whatever further capabilities add. */
const ORDER = [
  ...['code', 'name', 'strict_oidc', 'access_token_ttl', 'id_token_ttl', 'refresh_token_ttl', 'refresh_family_ttl'],
  ...['id_token_signed_response_alg', 'logo_uri', 'accent_color', 'help_uri', 'policy_uri', 'tos_uri'],
  ...['password_min_length', 'mfa', 'trusted_browsers', 'sign_up', 'require_verified_email', 'passkeys', 'access'],
  ...['providers', 'local_sign_in'],
  ...[
    'apis',
    'token_exchange',
    'identity_assertions',
    'assertion_issuers',
    'userinfo_acr_values',
    'userinfo_max_age',
    'client_id_metadata',
  ],
  ...['dynamic_registration', 'software_statements'],
];

/** The fields that the capabilities declare, and the schema that they make. */
export interface ApplicationFields {
  readonly declared: readonly ApplicationField[];
  readonly shape: Shape;
  readonly schema: z.ZodType<ApplicationSettings>;
  /** Of everything but code and name. */
  readonly defaults: Omit<ApplicationSettings, 'code' | 'name'>;
}

export function applicationFieldsOf(all: readonly ApplicationField[]): ApplicationFields {
  const declared = inOrder('an application', ORDER, all);
  const shape = shapeOf(declared);
  const whole = z.strictObject(shape).superRefine((settings, context) => checkTokenExchange(settings, context));
  const schema = whole as unknown as z.ZodType<ApplicationSettings>;
  const { code: _, name: __, ...defaults } = schema.parse({ code: 'none', name: 'None' });
  return { declared, shape, schema, defaults };
}

import { z } from 'zod';
import { filterFault } from '../../people/ldap/filter.rules.ts';
import {
  applicationField,
  type DeclaredFields,
  inOrder,
  line,
  oneOf,
  type ProviderField,
  providerField,
  type Shape,
  seconds,
  shapeOf,
  YEAR_SECONDS,
} from '../fields/declaration.fields.ts';
import { MAX_PROVIDERS, PROVIDER_ID, type ProviderEntry, profileUpdates, providerTypes } from './rules.ts';

/** What every identity provider has; what those of one type have beside it is in the folder of their capability. */

const MAX_MAPPED = 100;

const id = z
  .string('must be a text')
  .regex(PROVIDER_ID, 'must be small letters, digits and hyphens, at most 63, such as corp');

/** Texts by texts. */
const mapping = (values: z.ZodType<string>) =>
  z
    .record(z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters'), values)
    .refine(map => Object.keys(map).length <= MAX_MAPPED, `must have at most ${MAX_MAPPED} entries`)
    .optional();

const groupName = z.string().min(1, 'must not be empty').max(64, 'must have at most 64 characters');
const groupMap = z
  .record(z.string().min(1).max(200), groupName)
  .refine(map => Object.keys(map).length <= MAX_MAPPED, `must have at most ${MAX_MAPPED} entries`);
const MAX_DN = 1000;
const MAX_FILTER = 2000;
const groupSearch = z.strictObject({
  search_base: z.string().min(1).max(MAX_DN),
  filter: z
    .string()
    .max(MAX_FILTER)
    .refine(text => filterFault(text, 'dn') === undefined)
    .optional(),
  nested: z.boolean().optional(),
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9.;-]*$/)
    .optional(),
  map: groupMap.optional(),
});
const GROUPS_FORM = `must name groups here by groups there; of a directory: search_base, and filter with {dn} in it, nested, name, map`;

/** A map could have the names of the other form: the type says which one is meant. */
function groupsFault(value: unknown, { type, search_base }: Readonly<Record<string, unknown>>): string | undefined {
  const isDirectory = type === 'ldap' || (type === 'password-check' && search_base !== undefined);
  const isFitting = isDirectory ? groupSearch.safeParse(value).success : groupMap.safeParse(value).success;
  return isFitting ? undefined : GROUPS_FORM;
}

const domain = z
  .string()
  .max(253, 'must have at most 253 characters')
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i, 'must be a domain such as corp.example')
  .overwrite(text => text.toLowerCase());

/** Those to which the browser goes. The others know no more than a password. */
const WITH_PAGES = providerTypes.filter(type => type !== 'ldap' && type !== 'password-check');

export const providersFields: DeclaredFields = {
  provider: [
    providerField('id', {
      schema: id,
      meaning: 'Part of its addresses, such as `/login/provider/corp/callback`. It cannot be changed.',
      isFixed: true,
      section: 'identity',
      text: {
        en: ['Identifier', 'Part of its addresses. It cannot be changed later.'],
        zh: ['标识', '是其地址的一部分，之后不能更改。'],
      },
    }),
    providerField('type', {
      schema: oneOf(providerTypes),
      meaning: `The protocol or service: ${providerTypes.map(type => `\`${type}\``).join(', ')}. It cannot be changed.`,
      isFixed: true,
      section: 'identity',
      text: {
        en: ['Type', 'The protocol that it speaks, or the service.'],
        zh: ['类型', '它使用的协议，或具体的服务。'],
      },
    }),
    providerField('name', {
      schema: line(100).optional(),
      meaning: 'What people know it by: the button says “Continue with Corp”.',
      byDefault: 'the name of the service, or the identifier',
      whenEmpty: { en: 'The identifier', zh: '标识' },
      section: 'identity',
      text: {
        en: ['Name', 'The button on the sign-in page says “Continue with” this name.'],
        zh: ['名称', '登录页面的按钮显示“使用此名称继续”。'],
      },
    }),
    providerField('domains', {
      schema: z.array(domain).max(MAX_MAPPED, `must have at most ${MAX_MAPPED} entries`).default([]),
      meaning: 'An e-mail address of one of these domains goes straight to this provider.',
      section: 'identity',
      control: 'lines',
      text: {
        en: ['E-mail domains', 'People with an e-mail address in one of these domains go straight to this provider.'],
        zh: ['邮箱域名', '邮箱属于这些域名的用户将直接前往该提供方。'],
      },
    }),
    providerField('create_users', {
      schema: z.boolean().default(true),
      meaning: 'A person who is new here gets an account. `false`: only people who are linked already sign in.',
      section: 'people',
      text: {
        en: ['Create accounts', 'A person who signs in for the first time gets an account.'],
        zh: ['自动创建账户', '首次登录的用户会自动获得账户。'],
      },
    }),
    providerField('trusts_email', {
      schema: z.boolean().default(false),
      meaning:
        'What the provider says about addresses is believed: a verified one is verified here too, and signs in to the account that has the same verified address. `false`: the person signs in to that account once.',
      section: 'people',
      text: {
        en: [
          'Trust verified e-mail addresses',
          'Whoever controls this provider can then sign in to every account whose verified address it names. Turn it on for providers that check addresses.',
        ],
        zh: [
          '信任已验证的邮箱',
          '开启后，控制该提供方的人可以登录其声明的邮箱所属的账户。仅对会核实邮箱的提供方开启。',
        ],
      },
    }),
    providerField('update_profile', {
      schema: oneOf(profileUpdates).default('first'),
      meaning: 'When the profile and groups of a person follow the provider: `first`, `always` or `never`.',
      section: 'people',
      text: {
        en: ['Update profiles', 'When the profile here is updated from the provider.'],
        zh: ['更新个人资料', '何时用提供方的信息更新此处的个人资料。'],
      },
      choices: {
        en: { first: 'At the first sign-in', always: 'At every sign-in', never: 'Never' },
        zh: { first: '首次登录时', always: '每次登录时', never: '从不' },
      },
    }),
    providerField('claims', {
      schema: mapping(z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters')),
      meaning:
        'Which claim of the provider a field of the user comes from, such as `username: preferred_username`. A dot leads into an object.',
      byDefault: 'the standard claims',
      whenEmpty: { en: 'The standard claims', zh: '标准声明' },
      section: 'claims',
      control: 'json',
      text: {
        en: ['Claims', 'User fields, each with the claim that its value comes from.'],
        zh: ['声明映射', '用户字段对应的声明。'],
      },
    }),
    providerField('groups', {
      schema: z.union([groupMap, groupSearch], GROUPS_FORM).optional(),
      meaning:
        'Groups of the provider, and the groups here that they become. Others are dropped. Of a directory: [where its groups are](providers.md#groups-of-a-directory).',
      fault: groupsFault,
      whenEmpty: { en: '{ "engineers": "staff" }', zh: '{ "engineers": "staff" }' },
      section: 'claims',
      control: 'json',
      text: {
        en: ['Groups', 'Groups of the provider and what they are called here. All others are dropped.'],
        zh: ['用户组映射', '提供方的组与此处的组的对应关系，其余的会被忽略。'],
      },
    }),
    providerField('acr_map', {
      schema: mapping(oneOf(['1', '2', 'phr'] as const)),
      meaning: 'Values of `acr` of the provider, and the class here that they amount to: `1`, `2` or `phr`.',
      types: WITH_PAGES,
      section: 'claims',
      control: 'json',
      text: {
        en: ['Authentication levels (acr)', 'acr values of the provider, each with the level that it stands for here.'],
        zh: ['认证级别（acr）', '提供方的取值与此处级别的对应关系。'],
      },
    }),
    providerField('max_age', {
      schema: seconds(0, YEAR_SECONDS).optional(),
      meaning:
        'Seconds that may have passed since the person authenticated there. It is asked of the provider, and checked.',
      types: WITH_PAGES,
      section: 'connection',
      text: {
        en: ['Maximum authentication age (seconds)', 'The provider asks people to sign in again after this time.'],
        zh: ['最长认证时间（秒）', '超过该时间后，提供方会要求用户重新登录。'],
      },
    }),
  ],
  application: [
    applicationField('providers', {
      schema: z
        .array(id)
        .max(MAX_PROVIDERS, `must have at most ${MAX_PROVIDERS} entries`)
        .refine(ids => new Set(ids).size === ids.length, 'must name each provider once')
        .default([]),
      meaning: 'The identity providers that the sign-in page offers, in the order of the buttons.',
      see: 'providers.md',
      section: 'signIn',
      control: 'custom',
      text: {
        en: ['Identity providers', 'Offered on the sign-in page, in this order.'],
        zh: ['身份提供方', '在登录页面上按此顺序提供。'],
      },
    }),
    applicationField('local_sign_in', {
      schema: z.boolean().default(true),
      meaning:
        'People sign in with a password or passkey of this server too. `false`: with the providers alone; one provider alone is used without a page.',
      see: 'providers.md',
      section: 'signIn',
      text: {
        en: [
          'Passwords and passkeys',
          'People can also sign in with a password or passkey, not only with identity providers.',
        ],
        zh: ['密码和通行密钥', '除身份提供方外，用户还可以使用密码或通行密钥登录。'],
      },
    }),
  ],
};

/** The order of answers and of exported files. */
const ORDER = ['id', 'type', 'name'];
const LAST = [
  'scope',
  'domains',
  'create_users',
  'trusts_email',
  'update_profile',
  'claims',
  'groups',
  'acr_map',
  'max_age',
];

/** The fields that the capabilities declare, and the schema that they make. */
export interface ProviderFields {
  readonly declared: readonly ProviderField[];
  readonly shape: Shape;
  readonly schema: z.ZodType<ProviderEntry>;
  /** The names of those that are stored encrypted. */
  readonly secrets: readonly string[];
  /** Of everything but id and type. */
  readonly defaults: Partial<ProviderEntry>;
}

export function providerFieldsOf(all: readonly ProviderField[]): ProviderFields {
  const place = ({ name }: ProviderField) => LAST.indexOf(name);
  const declared = inOrder('an identity provider', ORDER, all).toSorted((one, other) => place(one) - place(other));
  const shape = shapeOf(declared);
  const schema = z.strictObject(shape).superRefine((entry, context) => {
    for (const [name, message] of providerFaults(declared, entry)) {
      context.addIssue({ code: 'custom', path: [name], message });
    }
  }) as unknown as z.ZodType<ProviderEntry>;
  const defaults = Object.fromEntries(
    declared.flatMap(({ name, schema }) => {
      const byDefault = schema.safeParse(undefined);
      return byDefault.success && byDefault.data !== undefined ? [[name, byDefault.data]] : [];
    }),
  );
  return { declared, shape, schema, secrets: declared.flatMap(each => (each.isSecret ? [each.name] : [])), defaults };
}

/** What does not fit the type of the provider, by field. */
export function providerFaults(
  declared: readonly ProviderField[],
  entry: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, string> {
  const type = entry.type as ProviderEntry['type'];
  const faults = new Map<string, string>();
  const has = (name: string) => entry[name] !== undefined && entry[name] !== null;
  for (const { name, types, neededBy, insteadOf, fault } of declared) {
    const isSet = has(name);
    const isReplaced = insteadOf !== undefined && has(insteadOf);
    if (isSet && isReplaced) faults.set(name, `cannot be set together with ${insteadOf}`);
    if (isSet && types && !types.includes(type)) faults.set(name, `is not a field of a provider of the type ${type}`);
    const own = isSet && !faults.has(name) ? fault?.(entry[name], entry) : undefined;
    if (own !== undefined) faults.set(name, own);
    if (isSet || isReplaced || !neededBy?.includes(type)) continue;
    faults.set(name, insteadOf === undefined ? 'is missing' : `is missing, and so is ${insteadOf}`);
  }
  return faults;
}

import { z } from 'zod';
import { type DeclaredFields, providerField, seconds } from '../../directory/fields/declaration.fields.ts';
import { filterFault } from './filter.rules.ts';
import { DEFAULT_SEARCH_FILTER, DEFAULT_SUBJECT, MAX_URLS, urlFault } from './settings.rules.ts';

const text = (most: number) => z.string().min(1, 'must not be empty').max(most, `must have at most ${most} characters`);

const attribute = text(100).regex(/^[A-Za-z][A-Za-z0-9.;-]*$/, 'must be the name of an attribute');

const filter = text(2000).superRefine((typed, context) => {
  const fault = filterFault(typed, 'username');
  if (fault !== undefined) context.addIssue(fault);
});

const DAY_SECONDS = 86_400;
/** An old system can be a directory (people/password-check). */
const DIRECTORIES = ['ldap', 'password-check'] as const;

export const ldapFields: DeclaredFields = {
  provider: [
    providerField('url', {
      schema: z.union([text(300), z.array(text(300)).min(1, 'must not be empty').max(MAX_URLS)]).optional(),
      meaning: `The servers of the directory, such as \`ldaps://dc.corp.example\`: one, or a list of up to ${MAX_URLS}; another is asked where one does not answer. Without TLS only this machine is reached. Of a \`password-check\`: where the old system is asked, by https or as a directory.`,
      types: DIRECTORIES,
      neededBy: DIRECTORIES,
      fault: (_, entry) => urlFault(entry),
      section: 'connection',
      control: 'lines',
      text: {
        en: ['Server URLs', 'ldaps://dc.corp.example, one per line. If one doesn’t respond, the next is tried.'],
        zh: ['服务器地址', '例如 ldaps://dc.corp.example，每行一个。一个无响应时使用下一个。'],
      },
    }),
    providerField('starttls', {
      schema: z.boolean().optional(),
      meaning: 'The connection begins plain, and goes on by TLS before anything is sent (RFC 4511 section 4.14).',
      byDefault: '`false`',
      types: DIRECTORIES,
      section: 'connection',
      text: {
        en: ['StartTLS', 'For ldap: addresses. Nothing is sent before the certificate has been checked.'],
        zh: ['StartTLS', '用于 ldap: 地址。验证证书之前不会发送任何内容。'],
      },
    }),
    providerField('tls_ca', {
      schema: text(50_000)
        .regex(/-----BEGIN CERTIFICATE-----/, 'must be certificates in PEM')
        .optional(),
      meaning: 'Certificates in PEM that are trusted for this directory, in place of those of the system.',
      types: DIRECTORIES,
      section: 'connection',
      control: 'area',
      text: {
        en: ['Trusted certificates', 'In PEM, for a certificate authority of your own.'],
        zh: ['受信任的证书', 'PEM 格式，用于您自己的证书颁发机构。'],
      },
    }),
    providerField('bind_dn', {
      schema: text(1000).optional(),
      meaning: 'The entry that this server binds as to search. It needs read access only.',
      byDefault: 'anonymous',
      types: DIRECTORIES,
      section: 'connection',
      control: 'text',
      text: {
        en: ['Bind DN', 'The entry that this server binds as to search, such as cn=gatehouse,dc=corp,dc=example.'],
        zh: ['绑定 DN', '本服务器用于搜索的条目，例如 cn=gatehouse,dc=corp,dc=example。'],
      },
    }),
    providerField('bind_password', {
      schema: text(1000).optional(),
      meaning: 'The password of `bind_dn`. It is encrypted, and shown and exported nowhere.',
      types: DIRECTORIES,
      isSecret: true,
      section: 'connection',
      control: 'password',
      text: {
        en: ['Bind password', 'Of the bind DN. It is stored encrypted and not shown again.'],
        zh: ['绑定密码', '绑定 DN 的密码，加密存储，不再显示。'],
      },
    }),
    providerField('search_base', {
      schema: text(1000).optional(),
      meaning: 'The entry below which people are.',
      types: DIRECTORIES,
      neededBy: ['ldap'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Search base', 'Where people are, such as ou=people,dc=corp,dc=example.'],
        zh: ['搜索基准', '用户所在的位置，例如 ou=people,dc=corp,dc=example。'],
      },
    }),
    providerField('search_filter', {
      schema: filter.optional(),
      meaning: 'Who has the name that was typed (RFC 4515). Whoever it does not find does not sign in.',
      byDefault: `\`${DEFAULT_SEARCH_FILTER}\``,
      whenEmpty: { en: DEFAULT_SEARCH_FILTER, zh: DEFAULT_SEARCH_FILTER },
      types: DIRECTORIES,
      section: 'connection',
      control: 'text',
      text: {
        en: ['Search filter', '{username} is what was typed. Active Directory: (sAMAccountName={username}).'],
        zh: ['搜索过滤器', '{username} 为用户输入的名称。Active Directory：(sAMAccountName={username})。'],
      },
    }),
    providerField('subject_attribute', {
      schema: attribute.optional(),
      meaning:
        'The attribute that identifies a person permanently, never a name: `entryUUID`, or `objectGUID` of Active Directory.',
      byDefault: `\`${DEFAULT_SUBJECT}\``,
      whenEmpty: { en: DEFAULT_SUBJECT, zh: DEFAULT_SUBJECT },
      types: DIRECTORIES,
      section: 'people',
      control: 'text',
      text: {
        en: ['Subject attribute', 'Never changes and is never reused: entryUUID, or objectGUID of Active Directory.'],
        zh: ['主体属性', '永不更改、永不重复使用：entryUUID，或 Active Directory 的 objectGUID。'],
      },
    }),
    providerField('attributes', {
      schema: z.record(text(200), attribute).optional(),
      meaning: 'Which attribute a field of the user comes from, such as `username: sAMAccountName`.',
      byDefault: 'those of inetOrgPerson and Active Directory',
      whenEmpty: { en: 'Those of inetOrgPerson and Active Directory', zh: 'inetOrgPerson 和 Active Directory 的属性' },
      types: DIRECTORIES,
      section: 'claims',
      control: 'json',
      text: {
        en: ['Attributes', 'User fields, each with the attribute that its value comes from.'],
        zh: ['属性映射', '用户字段对应的目录属性。'],
      },
    }),
    providerField('recheck', {
      schema: z
        .union([z.string().regex(/^\d{1,6}[smhd]$/, 'must be a time such as 15m'), seconds(0, DAY_SECONDS * 365)])
        .optional(),
      meaning:
        'After this time, such as `15m`, the next refresh of a token asks the directory whether the person is still there.',
      byDefault: 'at sign-ins only',
      whenEmpty: { en: 'At sign-ins only', zh: '仅在登录时' },
      types: ['ldap'],
      section: 'people',
      control: 'text',
      text: {
        en: ['Recheck after', 'Such as 15m. The next token refresh then asks whether the person is still there.'],
        zh: ['重新核查间隔', '例如 15m。之后刷新令牌时会查询该用户是否仍然存在。'],
      },
    }),
  ],
};

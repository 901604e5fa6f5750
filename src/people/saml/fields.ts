import { z } from 'zod';
import { type DeclaredFields, oneOf, providerField } from '../../directory/fields/declaration.fields.ts';
import { privateKeysIn } from '../federation/key-text.rules.ts';
import { openidTypes } from '../openid-connect/presets.rules.ts';
import { metadataFaults } from './faults.rules.ts';
import { MAX_METADATA_LENGTH, readMetadata } from './metadata.rules.ts';
import { type NameIdFormat, nameIdFormats } from './names.rules.ts';

const formats = Object.keys(nameIdFormats) as [NameIdFormat, ...NameIdFormat[]];

const metadata = z
  .string()
  .max(MAX_METADATA_LENGTH, `must have at most ${MAX_METADATA_LENGTH} characters`)
  .superRefine((text, context) => {
    const read = readMetadata(text);
    if (read.kind === 'refused') context.addIssue(metadataFaults[read.fault]);
  });

const webAddress = z
  .string()
  .max(2000, 'must have at most 2000 characters')
  .refine(text => /^https?:\/\/[^/?#]/.test(text) && URL.canParse(text), 'must be an https address')
  .refine(text => !text.includes('#'), 'must have no fragment');

export const samlFields: DeclaredFields = {
  provider: [
    providerField('metadata', {
      schema: metadata.optional(),
      meaning: 'The SAML metadata of the provider, as XML. Either these or `metadata_url`.',
      types: ['saml'],
      neededBy: ['saml'],
      insteadOf: 'metadata_url',
      section: 'connection',
      control: 'area',
      text: {
        en: ['Metadata (XML)', 'The provider’s SAML metadata, if it isn’t published at a URL.'],
        zh: ['元数据（XML）', '提供方的 SAML 元数据，适用于没有公开地址的情况。'],
      },
    }),
    providerField('metadata_url', {
      schema: webAddress.optional(),
      meaning:
        'Where the provider publishes its SAML metadata. It is read again as its headers say, and when a response is signed with a new key.',
      types: ['saml'],
      section: 'connection',
      control: 'text',
      text: {
        en: [
          'Metadata URL',
          'The provider’s SAML metadata is read from this URL, and new keys are picked up automatically.',
        ],
        zh: ['元数据地址', '从此处读取提供方的 SAML 元数据，并自动获取新密钥。'],
      },
    }),
    providerField('entity_id', {
      schema: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/, 'must be a URI')
        .max(1024, 'must have at most 1024 characters')
        .optional(),
      meaning: 'What this server is called at the provider: the audience of its assertions.',
      byDefault: '`{base_url}/login/provider/{id}/metadata`',
      types: ['saml'],
      section: 'connection',
      control: 'text',
      text: {
        en: ['Entity ID', 'What this server is called at the provider, unless it is the URL of its own metadata.'],
        zh: ['实体 ID', '本服务器在提供方处的名称，默认为自身元数据的地址。'],
      },
    }),
    providerField('name_id_format', {
      schema: oneOf(formats).optional(),
      meaning: `The kind of \`NameID\` that is asked for, and demanded of the answer: ${formats.map(each => `\`${each}\``).join(', ')}. \`transient\` is no identity, so \`claims.sub\` has to name an attribute then.`,
      byDefault: 'that which the provider chooses',
      types: ['saml'],
      section: 'connection',
      text: {
        en: ['NameID format', 'Persistent is best: the person stays the same when the e-mail address changes.'],
        zh: ['NameID 格式', '建议使用 persistent：用户更换邮箱后身份保持不变。'],
      },
      unset: { en: 'The provider chooses', zh: '由提供方决定' },
    }),
    providerField('sign_requests', {
      schema: z.boolean().optional(),
      meaning:
        'Requests to the provider are signed with the key in the metadata of this server. Where the metadata of the provider ask for it (`WantAuthnRequestsSigned`), they always are.',
      byDefault: '`false`',
      types: ['saml'],
      section: 'connection',
      control: 'check',
      text: {
        en: ['Sign requests', 'The provider must know the key of this server, from its metadata.'],
        zh: ['签名请求', '提供方须从本服务器的元数据中获知密钥。'],
      },
    }),
    providerField('allow_unsolicited', {
      schema: z.boolean().optional(),
      meaning: 'People may begin at the provider (IdP-initiated): a response that answers no request is accepted.',
      byDefault: '`false`',
      types: ['saml'],
      section: 'people',
      control: 'check',
      text: {
        en: [
          'Allow sign-ins that begin at the provider',
          'Accepts responses that this server did not request (IdP-initiated). Leave it off unless people start from a portal of the provider.',
        ],
        zh: ['允许由提供方发起登录', '接受并非由本服务器请求的响应。除非用户从提供方的门户进入，否则请保持关闭。'],
      },
    }),
    providerField('private_keys', {
      schema: z
        .string()
        .max(20_000, 'must have at most 20000 characters')
        .refine(
          text => privateKeysIn(text) !== undefined,
          'must be one or two RSA private keys in PEM, of 2048 bits at least',
        )
        .optional(),
      meaning:
        'The keys of this server (PKCS #8, PEM): the first signs, and all of them decrypt. One is made when it is first needed. They are encrypted, and shown and exported nowhere.',
      types: ['saml', ...openidTypes],
      isSecret: true,
      section: 'connection',
      control: 'none',
      text: {
        en: ['Private keys', 'Created automatically.'],
        zh: ['私钥', '自动创建。'],
      },
    }),
  ],
};

import { z } from 'zod';
import {
  type ApplicationField,
  applicationField,
  type ClientField,
  checkedBy,
  clientField,
  type DeclaredFields,
} from '../fields/declaration.fields.ts';
import { linkFault, logoFault, MAX_LINK_LENGTH, MAX_LOGO_BYTES } from './rules.ts';

/** Null clears a field. */
const orNull = (value: z.ZodType<string, string>) =>
  value
    .nullable()
    .transform(given => given ?? undefined)
    .optional();

function link(name: 'help_uri' | 'policy_uri' | 'tos_uri', what: string, en: string, zh: string): ApplicationField {
  return applicationField(name, {
    schema: orNull(checkedBy(linkFault)),
    meaning: `${what}: an https address of at most ${MAX_LINK_LENGTH} characters that the sign-in pages link to (plain http for \`127.0.0.1\`, \`[::1]\` and \`localhost\`).`,
    section: 'look',
    text: {
      en: [en, 'An https URL, linked at the bottom of the pages.'],
      zh: [zh, 'https 地址，链接显示在页面底部。'],
    },
  });
}

function clientLink(name: 'client_uri' | 'policy_uri' | 'tos_uri', what: string, en: string, zh: string): ClientField {
  return clientField(name, {
    schema: checkedBy(linkFault).optional(),
    meaning: `${what}, which the consent page links to: an https address.`,
    own: 'value',
    section: 'identity',
    text: {
      en: [`${en} (${name})`, 'The consent page links to it.'],
      zh: [`${zh}（${name}）`, '授权页面会链接到此处。'],
    },
  });
}

export const brandingFields: DeclaredFields = {
  /** What a client says of itself to people (RFC 7591 section 2), and where a login at it begins (OpenID Connect Core section 4). */
  client: [
    clientField('logo_uri', {
      schema: checkedBy(linkFault).optional(),
      meaning:
        'The address of its logo: PNG, JPEG or WebP, at most 128 KiB. The server fetches and caches it; browsers get it with the consent page.',
      own: 'value',
      section: 'identity',
      text: {
        en: [
          'Logo URL (logo_uri)',
          'Shown on the consent page: PNG, JPEG or WebP, at most 128 KiB. The server fetches and caches the image.',
        ],
        zh: ['徽标地址（logo_uri）', '显示在授权页面上：PNG、JPEG 或 WebP，最大 128 KiB。由服务器获取并缓存。'],
      },
    }),
    clientLink('client_uri', 'Its website', 'Website', '网站'),
    clientLink('policy_uri', 'Its privacy policy', 'Privacy policy', '隐私政策'),
    clientLink('tos_uri', 'Its terms of service', 'Terms of service', '服务条款'),
    clientField('initiate_login_uri', {
      schema: checkedBy(
        uri => linkFault(uri) ?? (uri.includes('#') ? 'must not have a fragment' : undefined),
      ).optional(),
      meaning:
        'Where a login at the client begins (OpenID Connect Core section 4): `/` and the account page link to it, with the parameter `iss`.',
      own: 'value',
      section: 'identity',
      text: {
        en: [
          'Login initiation URL (initiate_login_uri)',
          'Starts a sign-in at the client. The account page and the start page link to it, with the parameter iss.',
        ],
        zh: ['登录发起地址（initiate_login_uri）', '从客户端开始登录的地址。账户页面和首页会带上 iss 参数链接到此处。'],
      },
    }),
  ],
  /** The logo, colour and links of an application (rules.ts). */
  application: [
    applicationField('logo_uri', {
      schema: orNull(checkedBy(logoFault)),
      meaning: `The logo on the sign-in pages, as a data: URI: PNG, JPEG, WebP or SVG in base64, at most ${MAX_LOGO_BYTES / 1024} KiB. Not an address: the pages load nothing from another server.`,
      see: '#the-look-of-an-application',
      section: 'look',
      control: 'custom',
      text: {
        en: [
          'Logo',
          `PNG, JPEG, WebP or SVG of at most ${MAX_LOGO_BYTES / 1024} KiB, as data:image/png;base64,… Left empty, the logo stays as it is.`,
        ],
        zh: [
          '标志',
          `PNG、JPEG、WebP 或 SVG，最大 ${MAX_LOGO_BYTES / 1024} KiB，格式为 data:image/png;base64,… 留空则保持不变。`,
        ],
      },
    }),
    applicationField('accent_color', {
      schema: orNull(
        z
          .string()
          .regex(/^#[0-9A-Fa-f]{6}$/, 'must be # and six hexadecimal digits, such as #1f5fbf')
          .toLowerCase(),
      ),
      meaning:
        'The colour of buttons on the sign-in pages, `#rrggbb`. Pages darken or lighten it until text is legible (WCAG AA).',
      see: '#the-look-of-an-application',
      section: 'look',
      control: 'custom',
      text: {
        en: ['Accent color', '#rrggbb. Pages darken or lighten it until text is legible.'],
        zh: ['强调色', '#rrggbb。页面会将其调深或调浅，直到文字清晰可读。'],
      },
      whenEmpty: { en: 'Gatehouse blue', zh: 'Gatehouse 蓝色' },
    }),
    link('help_uri', 'Help', 'Help', '帮助'),
    link('policy_uri', 'The privacy policy', 'Privacy policy', '隐私政策'),
    link('tos_uri', 'The terms of service', 'Terms of service', '服务条款'),
  ],
};

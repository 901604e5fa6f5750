import { z } from 'zod';
import { type ClientField, clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { parseName } from './distinguished-name.rules.ts';
import { canonicalIp } from './holder.rules.ts';

const MAX_NAME_LENGTH = 1000;
const name = (is: (text: string) => boolean, fault: string) =>
  z
    .string()
    .min(1)
    .max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`)
    .refine(is, fault)
    .optional();

const ONE = 'A client with `tls_client_auth` has exactly one of these names.';

/** RFC 8705 section 2.1.2: the name that the certificate of a client with tls_client_auth must have. */
const holders: readonly ClientField[] = [
  clientField('tls_client_auth_subject_dn', {
    schema: name(
      text => parseName(text) !== undefined,
      'must be a distinguished name such as CN=shop,O=Example (RFC 4514)',
    ),
    meaning: `The subject of its certificate, as RFC 4514 writes it: \`CN=shop,O=Example,C=DE\`, the most specific part first. ${ONE}`,
    own: 'value',
    section: 'authentication',
    text: {
      en: [
        'Certificate subject (DN)',
        'For tls_client_auth: the subject, the most specific part first, such as CN=shop,O=Example.',
      ],
      zh: ['证书主题（DN）', '用于 tls_client_auth：证书主题，最具体的部分在前，例如 CN=shop,O=Example。'],
    },
  }),
  clientField('tls_client_auth_san_dns', {
    schema: name(text => /^[\w.*-]+$/.test(text), 'must be a DNS name'),
    meaning: 'A DNS name among the alternative names of its certificate. Compared whole: no `*` stands for others.',
    own: 'value',
    section: 'authentication',
    text: {
      en: ['Certificate DNS name', 'For tls_client_auth: a DNS name of the certificate (subjectAltName).'],
      zh: ['证书 DNS 名称', '用于 tls_client_auth：证书的 DNS 名称（subjectAltName）。'],
    },
  }),
  clientField('tls_client_auth_san_uri', {
    schema: name(text => URL.canParse(text), 'must be a URI'),
    meaning: 'A URI among them, such as `spiffe://example.com/shop`. Compared character by character.',
    own: 'value',
    section: 'authentication',
    text: {
      en: ['Certificate URI', 'For tls_client_auth: a URI of the certificate (subjectAltName), such as a SPIFFE ID.'],
      zh: ['证书 URI', '用于 tls_client_auth：证书的 URI（subjectAltName），例如 SPIFFE ID。'],
    },
  }),
  clientField('tls_client_auth_san_ip', {
    schema: name(text => canonicalIp(text) !== undefined, 'must be an IP address'),
    meaning: 'An IP address among them.',
    own: 'value',
    section: 'authentication',
    text: {
      en: ['Certificate IP address', 'For tls_client_auth: an IP address of the certificate (subjectAltName).'],
      zh: ['证书 IP 地址', '用于 tls_client_auth：证书的 IP 地址（subjectAltName）。'],
    },
  }),
  clientField('tls_client_auth_san_email', {
    schema: name(text => /^[^@\s]+@[^@\s]+$/.test(text), 'must be an e-mail address'),
    meaning: 'An e-mail address among them.',
    own: 'value',
    section: 'authentication',
    text: {
      en: ['Certificate email address', 'For tls_client_auth: an email address of the certificate (subjectAltName).'],
      zh: ['证书电子邮件地址', '用于 tls_client_auth：证书的电子邮件地址（subjectAltName）。'],
    },
  }),
];

export const mtlsFields: DeclaredFields = {
  client: [
    ...holders,
    clientField('tls_client_certificate_bound_access_tokens', {
      schema: z.boolean().default(false),
      meaning:
        'Its access tokens are bound to its TLS client certificate (RFC 8705): a token request without one is refused, and so is a token that comes without it.',
      see: 'mtls.md',
      own: 'demand',
      section: 'tokens',
      text: {
        en: [
          'Bind access tokens to the client certificate',
          'The client presents its TLS certificate (RFC 8705) when it gets and when it uses a token; a request without it is refused.',
        ],
        zh: [
          '访问令牌绑定客户端证书',
          '客户端在获取和使用令牌时须出示其 TLS 证书（RFC 8705）；没有证书的请求会被拒绝。',
        ],
      },
    }),
  ],
};

import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of clients that register themselves at /register (RFC 7591, RFC 7592). */
export const registrationFailures = {
  registrationTokenInvalid: {
    error: 'invalid_token',
    status: 401,
    description: 'The token does not allow this registration.',
    cause:
      'The application takes registrations with an initial access token only (dynamic_registration: token), and the request has none that is valid. Or a registered client is read or changed with another token than its registration access token.',
    fix: 'Send "Authorization: Bearer" with an initial access token that an operator has made, or with the registration_access_token of this client.',
    title: { en: 'The token does not allow the registration', zh: '令牌不允许注册' },
    rule: {
      en: 'A registration needs an initial access token, and a registered client its own token.',
      zh: '注册需要初始访问令牌，已注册的客户端需要自己的令牌。',
      reference: 'RFC 7591 section 3, RFC 7592 section 2',
    },
  },
  redirectUriRejected: {
    error: 'invalid_redirect_uri',
    status: 400,
    description: 'The redirect_uris cannot be registered.',
    cause:
      'An address is no absolute URI, has a fragment or a wildcard, uses plain http beyond loopback, or a scheme that runs scripts.',
    fix: 'Register https addresses, http with 127.0.0.1, [::1] or localhost, or the private scheme of a native application.',
    title: { en: 'A redirect URI cannot be registered', zh: '重定向地址不能登记' },
    rule: {
      en: 'Redirect addresses are absolute URIs that lead back to the client.',
      zh: '重定向地址是能回到客户端的绝对 URI。',
      reference: 'RFC 7591 section 5',
    },
  },
  clientMetadataInvalid: {
    error: 'invalid_client_metadata',
    status: 400,
    description: 'The client metadata cannot be registered: {parameter}',
    cause: 'A field has a value that is not allowed, or two fields contradict each other.',
    fix: 'The description names the field. docs/self-registration.md lists the fields that clients may set.',
    title: { en: 'The client metadata cannot be registered', zh: '客户端元数据不能登记' },
    rule: {
      en: 'The metadata of a client follows the rules of the apply file.',
      zh: '客户端元数据遵循 apply 文件的规则。',
      reference: 'RFC 7591 section 2',
    },
  },
  softwareStatementInvalid: {
    error: 'invalid_software_statement',
    status: 400,
    description: 'The software_statement is not accepted: {parameter}',
    cause:
      'The field software_statement is no signed JWT about a client, has expired, is for another server, or no key of its issuer has signed it.',
    fix: 'Send the statement of the issuer unchanged, or a newer one. The description names the fault.',
    title: { en: 'The software statement is not accepted', zh: '软件声明不被接受' },
    rule: {
      en: 'A software statement is a JWT that its issuer has signed.',
      zh: '软件声明是由其签发者签名的 JWT。',
      reference: 'RFC 7591 section 2.3',
    },
  },
  softwareStatementUnapproved: {
    error: 'unapproved_software_statement',
    status: 400,
    description: 'The software_statement is of an issuer that this application does not trust.',
    cause: 'The iss of the statement is not among the issuers that the application trusts (software_statements).',
    fix: 'Register without software_statement, or ask the operator to trust its issuer.',
    title: { en: 'The software statement is not trusted', zh: '软件声明不受信任' },
    rule: {
      en: 'A software statement counts only if the application trusts its issuer.',
      zh: '只有应用信任其签发者时，软件声明才有效。',
      reference: 'RFC 7591 section 2.3',
    },
  },
  statementKeysUnreachable: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The software_statement cannot be verified now: the keys of its issuer cannot be fetched.',
    cause: 'The address of the keys (jwks_uri in software_statements) did not answer with a JWK Set.',
    fix: 'Wait as many seconds as the Retry-After header says. If it lasts, an operator has to open the address from the network of this server.',
    title: { en: 'Keys of an issuer cannot be fetched', zh: '无法获取签发者的密钥' },
    rule: {
      en: 'A software statement is verified with the keys of its issuer.',
      zh: '软件声明用其签发者的密钥验证。',
      reference: 'RFC 7591 section 2.3',
    },
  },
  tooManyRegistrations: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many registrations from this network address. Try again later.',
    cause: 'Each network address can register 20 clients at once, and one more every minute.',
    fix: 'Register once for each installation and keep the client_id. Wait as many seconds as the Retry-After header says.',
    title: { en: 'Too many registrations', zh: '注册次数过多' },
    rule: {
      en: 'Registrations are limited by network address.',
      zh: '注册次数按网络地址受限。',
      reference: 'RFC 7591 section 5',
    },
  },
  tooManyClients: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'This application takes no further clients at the moment.',
    cause: 'The application has as many self-registered clients as it may have (10,000).',
    fix: 'Clients that nobody uses are deleted after 90 days. An operator can delete others, or turn dynamic_registration and client_id_metadata off.',
    title: { en: 'The application has too many clients', zh: '应用的客户端过多' },
    rule: {
      en: 'An application has at most 10,000 self-registered clients.',
      zh: '一个应用最多有 10,000 个自行注册的客户端。',
      reference: 'RFC 7591 section 5',
    },
  },
} as const satisfies Record<string, FailureDefinition>;

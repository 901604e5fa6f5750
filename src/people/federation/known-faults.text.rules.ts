import { PAUSED } from '../../directory/providers/state.rules.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';

/** Pure: what providers, libraries and connections say, and what an operator does about it (advice.rules.ts). */
export interface Advice {
  /** What it means. */
  readonly meaning: InWords;
  readonly fix: InWords;
  /** It is known of the kind of the fault alone. */
  readonly isGeneral?: true;
}

type InWords = Readonly<Record<OperatorLocale, string>>;

export const advice = (en: readonly [string, string], zh: readonly [string, string]): Advice => ({
  meaning: { en: en[0], zh: zh[0] },
  fix: { en: en[1], zh: zh[1] },
});

const REDIRECT = advice(
  [
    'The redirect URI is not registered there.',
    'Register the redirect URI that the page of the provider shows, character by character.',
  ],
  ['对方没有登记此重定向 URI。', '请在对方处逐字登记此提供方页面上显示的重定向 URI。'],
);
const CLIENT = advice(
  [
    'The secret there is another, or the provider does not know this client_id, or expects another client authentication.',
    'Make a new secret at the provider and enter it here. Compare client_id and token_endpoint_auth_method.',
  ],
  [
    '对方的密钥不同，或对方不认识此 client_id，或要求其他的客户端身份验证方式。',
    '请在对方处生成新密钥并填写到此处。核对 client_id 和 token_endpoint_auth_method。',
  ],
);

/** RFC 6749 sections 4.1.2.1 and 5.2, OIDC Core section 3.1.2.6, and what services say instead. */
export const REFUSED: Readonly<Record<string, Advice>> = {
  invalid_client: CLIENT,
  // GitHub.
  incorrect_client_credentials: CLIENT,
  redirect_uri_mismatch: REDIRECT,
  unauthorized_client: advice(
    [
      'The provider does not allow this client the authorization code flow.',
      'Register a web application with the authorization code flow there, or allow it for this one.',
    ],
    ['对方不允许此客户端使用授权码方式。', '请在对方处登记使用授权码方式的 Web 应用，或为此应用启用该方式。'],
  ),
  invalid_grant: advice(
    [
      'The provider did not take the code: it was too old, used, or issued for another redirect URI.',
      'Try once more. If it fails again, compare the redirect URI there, and the clocks of both machines.',
    ],
    [
      '对方没有接受授权码：已过期、已使用，或属于其他重定向 URI。',
      '请重试。如仍失败，请核对对方的重定向 URI 以及两台机器的时钟。',
    ],
  ),
  invalid_scope: advice(
    [
      'The provider does not offer one of the scopes.',
      'Take the scopes that the provider documents into the field scope, openid among them.',
    ],
    ['对方不提供其中某个 scope。', '请在 scope 字段中填写对方文档列出的范围，其中包含 openid。'],
  ),
  invalid_request: advice(
    [
      'The provider did not understand the request; often the redirect URI is not registered there.',
      'Compare the redirect URI there. The log of the provider says which parameter it means.',
    ],
    ['对方无法理解该请求，常见原因是没有登记重定向 URI。', '请核对对方的重定向 URI。对方的日志会说明是哪个参数。'],
  ),
  unsupported_response_type: advice(
    [
      'The provider does not offer the authorization code flow to this client.',
      'Allow response_type code for this client there.',
    ],
    ['对方不向此客户端提供授权码方式。', '请在对方处为此客户端允许 response_type code。'],
  ),
  access_denied: advice(
    [
      'The person, or a policy there, refused the access.',
      'Ask the administrators there whether this person may use this application.',
    ],
    ['用户或对方的策略拒绝了访问。', '请向对方管理员确认该用户是否可以使用此应用。'],
  ),
  login_required: advice(
    ['The provider would have had to ask the person, and was told not to.', 'Try once more.'],
    ['对方需要询问用户，但被要求不询问。', '请重试。'],
  ),
};

export const OTHER_CODE = advice(
  [
    'The provider says why in its own words; its log has more.',
    'Look up this code in the documentation of the provider, and its log at this time.',
  ],
  ['提供方用自己的错误码说明原因，其日志中有更多信息。', '请在对方文档中查找此错误码，并查看对方此时的日志。'],
);

type Ruled = readonly (readonly [RegExp, Advice])[];

export const UNAVAILABLE: Ruled = [
  [
    /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|ECONNRESET/,
    advice(
      [
        'Nobody answers at its address.',
        'Compare the address with the documentation of the provider, and check that this server can reach it (DNS, firewall, proxy).',
      ],
      ['该地址没有响应。', '请与提供方文档核对地址，并检查本服务器能否访问（DNS、防火墙、代理）。'],
    ),
  ],
  [
    new RegExp(PAUSED),
    advice(
      [
        'It has failed three times in a row and is left alone for 30 seconds.',
        'Look at the failure before this one, and use Try it on the page of the provider.',
      ],
      ['已连续失败三次，暂停 30 秒。', '请查看之前的失败记录，并在提供方页面上试用。'],
    ),
  ],
  [
    /another issuer/,
    advice(
      [
        'The metadata at this address name another issuer.',
        'Copy the issuer from the metadata of the provider exactly, with or without the slash at its end.',
      ],
      ['该地址的元数据声明了其他签发者。', '请从提供方的元数据中原样复制 issuer，注意末尾是否有斜杠。'],
    ),
  ],
  [
    /no JSON|content type/,
    advice(
      [
        'What is at this address are no metadata of a provider.',
        'Enter the issuer: the address that comes before /.well-known/openid-configuration.',
      ],
      ['该地址的内容不是提供方的元数据。', '请填写 issuer，即 /.well-known/openid-configuration 之前的地址。'],
    ),
  ],
  [
    /status 404/,
    advice(
      [
        'The provider has no metadata at this address.',
        'Enter the issuer: the address that comes before /.well-known/openid-configuration.',
      ],
      ['提供方在该地址没有元数据。', '请填写 issuer，即 /.well-known/openid-configuration 之前的地址。'],
    ),
  ],
  [
    /status 5/,
    advice(
      ['The provider has a fault of its own.', 'Wait, or ask its administrators. Other ways to sign in go on.'],
      ['提供方自身出现故障。', '请等待，或联系对方管理员。其他登录方式不受影响。'],
    ),
  ],
  [
    /not https/,
    advice(
      [
        'Its address is plain http, by which this server reaches only what GATEHOUSE_OUTBOUND_ALLOW lists.',
        'Use the https address.',
      ],
      ['其地址为普通 http，本服务器仅能以此访问 GATEHOUSE_OUTBOUND_ALLOW 中列出的地址。', '请使用 https 地址。'],
    ),
  ],
  [
    /not public/,
    advice(
      [
        'Its address belongs to a private network, which this server does not call.',
        'Set GATEHOUSE_OUTBOUND_ALLOW to the address or network of the provider.',
      ],
      ['其地址属于私有网络，本服务器不会访问。', '请将 GATEHOUSE_OUTBOUND_ALLOW 设置为提供方的地址或网络。'],
    ),
  ],
  [
    /certificate|self[- ]signed|TLS|SSL/i,
    advice(
      [
        'The certificate of the provider is not one that this server trusts.',
        'Mend the certificate, or give Node.js the authority of your company (NODE_EXTRA_CA_CERTS).',
      ],
      ['本服务器不信任提供方的证书。', '请修复证书，或通过 NODE_EXTRA_CA_CERTS 提供公司的证书颁发机构。'],
    ),
  ],
];

export const INVALID: Ruled = [
  [
    /\bnonce\b/,
    advice(
      [
        'The ID token was made for another sign-in.',
        'Try once more. If it happens again, somebody may be replaying answers: look at the events of this address.',
      ],
      ['该 ID 令牌属于另一次登录。', '请重试。如果再次发生，可能有人重放响应：请查看此地址的事件。'],
    ),
  ],
  [
    /"aud"|\bazp\b/,
    advice(
      ['The ID token was made for another client.', 'Compare client_id here with the one there.'],
      ['该 ID 令牌属于另一个客户端。', '请核对此处与对方的 client_id。'],
    ),
  ],
  [
    /"iss"/,
    advice(
      [
        'The answer comes from another issuer than the one registered here.',
        'Copy the issuer from the metadata of the provider. With Entra ID, use the issuer of one tenant.',
      ],
      ['响应来自此处登记以外的签发者。', '请从提供方的元数据中复制 issuer。使用 Entra ID 时，请填写单个租户的签发者。'],
    ),
  ],
  [
    /"(exp|nbf|iat)"/,
    advice(
      [
        'The times of the ID token do not fit the clock of this server.',
        'Compare the clocks of both machines; both need NTP.',
      ],
      ['ID 令牌的时间与本服务器的时钟不符。', '请核对两台机器的时钟，两者都需要 NTP。'],
    ),
  ],
  [
    /auth_time|max_age|End-User authentication/,
    advice(
      [
        'The person authenticated there longer ago than max_age allows, or the provider does not say when.',
        'Raise max_age, or let the provider send auth_time.',
      ],
      ['用户在对方的认证时间早于 max_age 的要求，或对方没有说明时间。', '请增大 max_age，或让对方发送 auth_time。'],
    ),
  ],
  [
    /"alg"|algorithm of the ID token|JWT signature|JWS|verification key|at_hash/,
    advice(
      [
        'The signature of the ID token is not valid.',
        'The provider has to sign with RS, PS, ES or EdDSA, and publish the key in its jwks_uri. HS256 and none are never taken.',
      ],
      [
        'ID 令牌的签名无效。',
        '提供方须使用 RS、PS、ES 或 EdDSA 签名，并在其 jwks_uri 中公布密钥。HS256 和 none 一律不接受。',
      ],
    ),
  ],
];

import { DEVICE_GRANT } from '../../oauth/device/rules.ts';
import { TOKEN_EXCHANGE } from '../../oauth/token-exchange/rules.ts';
import { inLocale } from '../../operators/console/text.ts';

/** The fields of a client with their meanings, in the groups of the form. The names are those of the admin API (RFC 7591). */
export const CLIENT_GROUPS = {
  identity: ['client_name', 'logo_uri', 'client_uri', 'policy_uri', 'tos_uri'],
  addresses: ['redirect_uris', 'post_logout_redirect_uris', 'backchannel_logout_uri', 'initiate_login_uri'],
  access: ['grant_types', 'scope', 'apis', 'require_consent', 'default_acr_values', 'default_max_age'],
  authentication: [
    'token_endpoint_auth_method',
    'jwks_uri',
    'jwks',
    'token_endpoint_auth_signing_alg',
    'require_pkce',
    'require_client_authentication',
    'require_pushed_authorization_requests',
  ],
  tokens: [
    'id_token_signed_response_alg',
    'id_token_claims',
    'userinfo_claims',
    'access_token_format',
    'dpop_bound_access_tokens',
    'refresh_token_rotation',
    'refresh_token_grace',
  ],
} as const;

export type ClientGroup = keyof typeof CLIENT_GROUPS;
export type ClientField = (typeof CLIENT_GROUPS)[ClientGroup][number];
/** Only of a new client. */
export type NewClientField = 'client_id' | 'client_secret';

type Words = Readonly<Record<ClientField | NewClientField, readonly [label: string, meaning: string]>>;

export interface ClientWords {
  readonly groups: Readonly<Record<ClientGroup, string>>;
  readonly fields: Words;
  readonly choices: Readonly<Record<string, string>>;
  /** The choice that leaves a field to its default. */
  readonly byDefault: string;
  /** The choice of no algorithm in particular. */
  readonly anyAlg: string;
}

export const clientWords = inLocale<ClientWords>({
  en: {
    groups: {
      identity: 'Identity',
      addresses: 'Addresses',
      access: 'What it may request',
      authentication: 'How it authenticates',
      tokens: 'Tokens',
    },
    fields: {
      client_name: ['Name', 'Shown to people on the sign-in and consent pages. Empty: the client_id.'],
      logo_uri: [
        'Logo URL (logo_uri)',
        'Shown on the consent page: PNG, JPEG or WebP, at most 128 KiB. The server fetches and caches the image.',
      ],
      client_uri: ['Website (client_uri)', 'The consent page links to it.'],
      policy_uri: ['Privacy policy (policy_uri)', 'The consent page links to it.'],
      tos_uri: ['Terms of service (tos_uri)', 'The consent page links to it.'],
      client_id: [
        'client_id',
        'How the client names itself in every request. Empty: one is made. It cannot be changed later.',
      ],
      client_secret: [
        'Secret',
        'Empty: one is made and shown once. Set it only if the client has its secret already: 12 to 256 characters.',
      ],
      redirect_uris: [
        'Redirect URIs',
        'One per line. The user comes back only to one of these, compared character by character; https, or http on a loopback address.',
      ],
      post_logout_redirect_uris: [
        'Redirect URIs after sign-out',
        'One per line. Where the user may go after signing out.',
      ],
      backchannel_logout_uri: [
        'Back-channel logout address',
        'Gets a signed logout token when a session of this client ends. Empty: no notice.',
      ],
      initiate_login_uri: [
        'Login initiation URL (initiate_login_uri)',
        'Where a login at the client begins. The account page and the start page link to it, with the parameter iss.',
      ],
      grant_types: ['Grants', 'The ways in which the client may get tokens.'],
      scope: ['Scope', 'What the client may request, and what it gets if a request names no scope.'],
      apis: [
        'APIs whose tokens it may introspect',
        'For the programs of an API: they ask whether a token for it is good.',
      ],
      require_consent: ['Ask for consent', 'The user is asked once before the client gets access.'],
      default_acr_values: [
        'Level of authentication',
        'Where a request asks for none: 2 for two factors, 1 for one. Several, separated by spaces, in the order of preference.',
      ],
      default_max_age: [
        'Longest age of the login, seconds',
        'Where a request asks for none: after this time the user signs in again. Empty: no limit.',
      ],
      token_endpoint_auth_method: [
        'Client authentication',
        'A program that runs at its users, such as a single-page or mobile application, cannot keep a secret: it has none and uses PKCE.',
      ],
      jwks_uri: [
        'Address of its public keys',
        'For private_key_jwt: where the client publishes its JWK Set. https on a public address. It is read when it is needed, and cached.',
      ],
      jwks: [
        'Its public keys',
        'For private_key_jwt, in place of the address: a JWK Set as JSON, up to 20 keys. Never private keys.',
      ],
      token_endpoint_auth_signing_alg: [
        'Signature of its assertions',
        'For private_key_jwt: the only algorithm that is taken. client_secret_jwt has HS256 alone.',
      ],
      require_pkce: [
        'Require PKCE',
        'An authorization request without code_challenge is refused. Clients without a secret always need it.',
      ],
      require_client_authentication: [
        'Require the secret with PKCE',
        'Without this, a PKCE verifier is enough to exchange a code.',
      ],
      require_pushed_authorization_requests: [
        'Require pushed requests',
        'The client sends its authorization requests from its server (PAR, RFC 9126); one that comes through the browser is refused.',
      ],
      dpop_bound_access_tokens: [
        'Bind access tokens to a key',
        'The client proves possession of a key (DPoP, RFC 9449) when it gets and when it uses a token; a request without a proof is refused.',
      ],
      id_token_signed_response_alg: ['Signature of ID tokens', 'RS256 works with every library.'],
      id_token_claims: [
        'Claims of ID tokens',
        'With the claims of the scope, or minimal: then the client asks userinfo for name and e-mail.',
      ],
      userinfo_claims: [
        'Claims at userinfo',
        'Standard is what most libraries expect. Documented is for clients of the documented interface: updated_at is a text, and claims without a value can be empty.',
      ],
      access_token_format: [
        'Access tokens',
        'Opaque: an API asks the introspection endpoint, and a revoked token ends at once. JWT: an API verifies the signature itself.',
      ],
      refresh_token_rotation: [
        'Rotate refresh tokens',
        'Each use gives a new one; a second use of an old one shows that it was stolen, and ends the sign-in.',
      ],
      refresh_token_grace: [
        'Grace of rotation, seconds',
        'How long the token before may be repeated, for an answer that was lost. 0 to 120. Empty: 30, and 10 without a secret.',
      ],
    },
    choices: {
      client_secret_basic: 'Secret in the Authorization header (client_secret_basic)',
      client_secret_post: 'Secret in the form (client_secret_post)',
      client_secret_jwt: 'Assertion signed with the secret (client_secret_jwt)',
      private_key_jwt: 'Assertion signed with a private key (private_key_jwt)',
      none: 'No secret: public client with PKCE (none)',
      authorization_code: 'Authorization code: sign-in through the browser',
      refresh_token: 'Refresh token: new tokens without the user',
      client_credentials: 'Client credentials: the client acts for itself, without a user',
      [TOKEN_EXCHANGE]: 'Token exchange: an API gets tokens for another one, as the policies of the application say',
      password: 'Password: the client sees the password; only for clients of your own',
      implicit: 'Implicit: tokens in the address; only for old clients',
      [DEVICE_GRANT]: 'Device code: for devices without a browser; the user approves them at /device',
      opaque: 'Opaque',
      jwt: 'JWT (RFC 9068)',
      scope: 'Claims of the scope',
      minimal: 'Minimal',
      documented: 'Documented interface',
      standard: 'Standard (OpenID Connect)',
    },
    byDefault: 'As the application says',
    anyAlg: 'Every algorithm that its keys fit',
  },
  zh: {
    groups: {
      identity: '标识',
      addresses: '地址',
      access: '可以请求的内容',
      authentication: '身份验证方式',
      tokens: '令牌',
    },
    fields: {
      client_name: ['名称', '在登录页面和授权页面上显示给用户。留空则使用 client_id。'],
      logo_uri: ['徽标地址（logo_uri）', '显示在授权页面上：PNG、JPEG 或 WebP，最大 128 KiB。由服务器获取并缓存。'],
      client_uri: ['网站（client_uri）', '授权页面会链接到此处。'],
      policy_uri: ['隐私政策（policy_uri）', '授权页面会链接到此处。'],
      tos_uri: ['服务条款（tos_uri）', '授权页面会链接到此处。'],
      client_id: ['client_id', '客户端在每个请求中的标识。留空则自动生成，之后不能更改。'],
      client_secret: ['密钥', '留空则自动生成并只显示一次。仅当客户端已有密钥时填写，12 至 256 个字符。'],
      redirect_uris: ['重定向 URI', '每行一个。用户只会返回到其中之一，逐字符比较；使用 https，或回环地址上的 http。'],
      post_logout_redirect_uris: ['退出后的重定向 URI', '每行一个。用户退出登录后可以前往的地址。'],
      backchannel_logout_uri: ['后端退出地址', '此客户端的会话结束时，会收到已签名的退出令牌。留空则不通知。'],
      initiate_login_uri: [
        '登录发起地址（initiate_login_uri）',
        '从客户端开始登录的地址。账户页面和首页会带上 iss 参数链接到此处。',
      ],
      grant_types: ['授权方式', '客户端获取令牌的方式。'],
      scope: ['范围（scope）', '客户端可以请求的范围；请求未指明范围时使用全部。'],
      apis: ['可以内省其令牌的 API', '用于 API 自己的程序：它们可以查询发给该 API 的令牌是否有效。'],
      require_consent: ['征求同意', '客户端获得访问权限前，会询问用户一次。'],
      default_acr_values: [
        '认证级别',
        '请求未指定时使用：2 表示双重验证，1 表示单一验证。多个值以空格分隔，按优先顺序排列。',
      ],
      default_max_age: ['登录的最长时间（秒）', '请求未指定时使用：超过此时间后用户需要重新登录。留空则不限制。'],
      token_endpoint_auth_method: [
        '客户端身份验证',
        '在用户设备上运行的程序（如单页应用或移动应用）无法保守密钥：它没有密钥，使用 PKCE。',
      ],
      jwks_uri: [
        '公钥地址',
        '用于 private_key_jwt：客户端发布其 JWK Set 的地址。须为公网上的 https 地址。需要时读取并缓存。',
      ],
      jwks: ['公钥', '用于 private_key_jwt，代替上面的地址：JSON 格式的 JWK Set，最多 20 个密钥。切勿填写私钥。'],
      token_endpoint_auth_signing_alg: [
        '断言的签名算法',
        '用于 private_key_jwt：只接受此算法。client_secret_jwt 只有 HS256。',
      ],
      require_pkce: ['要求 PKCE', '拒绝不带 code_challenge 的授权请求。没有密钥的客户端始终需要。'],
      require_client_authentication: ['使用 PKCE 时也要求密钥', '不勾选时，仅凭 PKCE 校验码即可兑换授权码。'],
      require_pushed_authorization_requests: [
        '要求推送请求',
        '客户端须从服务器推送授权请求（PAR，RFC 9126）；经浏览器直接发来的请求会被拒绝。',
      ],
      dpop_bound_access_tokens: [
        '访问令牌绑定密钥',
        '客户端在获取和使用令牌时须证明持有密钥（DPoP，RFC 9449）；没有证明的请求会被拒绝。',
      ],
      id_token_signed_response_alg: ['ID 令牌签名算法', 'RS256 适用于所有库。'],
      id_token_claims: ['ID 令牌的声明', '包含范围内的声明，或最少声明：客户端另从 userinfo 获取姓名和电子邮件。'],
      userinfo_claims: [
        'userinfo 的声明',
        '大多数库需要“标准”。“文档接口”用于按文档接口编写的客户端：updated_at 为文本，未设置的声明可以为空。',
      ],
      access_token_format: ['访问令牌', '不透明：API 向内省端点查询，撤销后立即失效。JWT：API 自行验证签名。'],
      refresh_token_rotation: ['轮换刷新令牌', '每次使用都会得到新令牌；旧令牌被再次使用说明已被盗，登录随即结束。'],
      refresh_token_grace: [
        '轮换宽限（秒）',
        '应答丢失时，可在此时间内重复使用上一个令牌。0 至 120。留空：30，无密钥时为 10。',
      ],
    },
    choices: {
      client_secret_basic: '密钥在 Authorization 标头中（client_secret_basic）',
      client_secret_post: '密钥在表单中（client_secret_post）',
      client_secret_jwt: '用密钥签名的断言（client_secret_jwt）',
      private_key_jwt: '用私钥签名的断言（private_key_jwt）',
      none: '无密钥：使用 PKCE 的公开客户端（none）',
      authorization_code: '授权码：通过浏览器登录',
      refresh_token: '刷新令牌：无需用户即可获取新令牌',
      client_credentials: '客户端凭据：客户端代表自己，没有用户',
      [TOKEN_EXCHANGE]: '令牌交换：API 按应用的策略获取用于其他 API 的令牌',
      password: '密码：客户端会看到密码；仅用于您自己的客户端',
      implicit: '隐式：令牌出现在地址中；仅用于旧客户端',
      [DEVICE_GRANT]: '设备代码：用于没有浏览器的设备；用户在 /device 同意',
      opaque: '不透明',
      jwt: 'JWT（RFC 9068）',
      scope: '范围内的声明',
      minimal: '最少声明',
      documented: '文档接口',
      standard: '标准（OpenID Connect）',
    },
    byDefault: '由应用决定',
    anyAlg: '其密钥适用的所有算法',
  },
});

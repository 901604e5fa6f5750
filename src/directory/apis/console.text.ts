import { operatorTexts } from '../../platform/ui/texts.ts';

export const apiText = operatorTexts({
  en: {
    create: 'Add API',
    remove: 'Remove this API',
    removal:
      'Clients can no longer get access tokens for this API. Its scopes and the token exchange policies that name it are deleted. Tokens that were already issued stay valid until they expire or are revoked.',
    removeButton: 'Remove API',
    wrongName: 'That does not match the identifier of the API. Enter it exactly as shown.',
  },
  zh: {
    create: '添加 API',
    remove: '移除此 API',
    removal:
      '客户端不能再为它获取访问令牌，它的范围和涉及它的令牌交换策略也不复存在。已签发的令牌在到期或撤销之前仍然有效。',
    removeButton: '移除 API',
    wrongName: '标识符不正确。',
  },
});

/** The settings of an API, each with its meaning; the names are those of the admin API. */
export const apiFormText = operatorTexts({
  en: {
    fields: {
      identifier: [
        'Identifier',
        'An absolute URI, such as https://api.shop.example: the audience of its access tokens, and the value of resource. It cannot be changed later.',
      ],
      name: ['Name', 'Shown to people on the consent page.'],
      scopes: [
        'Scopes',
        'One per line: scope = text. The consent page shows the text, as in orders:read = Read your orders.',
      ],
      access_token_format: ['Access tokens', 'The format of its access tokens. Overrides the setting of the client.'],
      access_token_ttl: [
        'Access token lifetime (seconds)',
        'How long its access tokens are valid. If empty, the lifetime of the application applies.',
      ],
      require_dpop: [
        'Require DPoP-bound access tokens',
        'Clients prove possession of a key (DPoP, RFC 9449) when they get its access tokens and each time they use them.',
      ],
      authorization_details_types: [
        'Authorization details types',
        'JSON (RFC 9396): each type with a JSON Schema and the sentence that the consent page shows, such as {"payment": {"schema": {"properties": {"amount": {"type": "string"}}}, "display": "Pay {amount}"}}.',
      ],
    },
    formats: [
      ['', 'Client setting'],
      ['opaque', 'Opaque'],
      ['jwt', 'JWT (RFC 9068)'],
    ],
    repeated: (scope: string) => `${scope} is listed twice. Remove one of the lines.`,
  },
  zh: {
    fields: {
      identifier: [
        '标识符',
        '绝对 URI，如 https://api.shop.example：访问令牌的受众，也是 resource 参数的值。之后不能更改。',
      ],
      name: ['名称', '在授权页面上显示给用户。'],
      scopes: ['范围（scope）', '每行一个：范围 = 说明。授权页面显示说明，例如 orders:read = 查看您的订单。'],
      access_token_format: ['访问令牌', '此 API 的访问令牌格式，优先于客户端的设置。'],
      access_token_ttl: ['访问令牌（秒）', '此 API 的访问令牌有效期。留空则由应用决定。'],
      require_dpop: [
        '只接受绑定密钥的令牌',
        '客户端在获取和每次使用此 API 的访问令牌时，须证明持有密钥（DPoP，RFC 9449）。',
      ],
      authorization_details_types: [
        '授权详情类型',
        'JSON 格式（RFC 9396）：每个类型包含 JSON Schema 和授权页面上的语句，例如 {"payment": {"schema": {"properties": {"amount": {"type": "string"}}}, "display": "支付 {amount}"}}。',
      ],
    },
    formats: [
      ['', '由客户端决定'],
      ['opaque', '不透明'],
      ['jwt', 'JWT（RFC 9068）'],
    ],
    repeated: scope => `${scope} 出现在两行中。`,
  },
});

export const apisText = operatorTexts({
  en: {
    apis: 'APIs',
    columns: ['Name', 'Identifier', 'Scopes'],
    none: 'No APIs yet. Add an API to issue access tokens for it alone, with its own scopes.',
    create: 'New API',
  },
  zh: {
    apis: 'API',
    columns: ['名称', '标识符', '范围（scope）'],
    none: '还没有 API。有了 API，客户端可以获取只用于该 API 的访问令牌，并使用它自己的范围。',
    create: '新建 API',
  },
});

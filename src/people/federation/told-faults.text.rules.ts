/**
 * Pure, in Chinese: reasons of ours that say what to do behind a colon (advice.rules.ts takes them at their word in English). By how they begin,
 * since some hold a code of the provider.
 */
type InChinese = readonly [meaning: string, fix: string];

const CLOCKS = '请核对提供方与本服务器的时钟。';
const CALLBACK = '请核对对方配置的断言消费服务地址（ACS URL）。';

const BEGINNINGS: Readonly<Record<string, InChinese>> = {
  'a signature has an algorithm that is not accepted': [
    '签名使用了不被接受的算法，例如 SHA-1。',
    '请在提供方处将签名算法设置为 SHA-256。',
  ],
  'no key in the metadata of the provider has made the signature': [
    '签名不是由提供方元数据中的任何密钥生成的。',
    '请更新元数据，或设置 metadata_url。',
  ],
  'the assertion is encrypted with an algorithm that is not accepted': [
    '断言使用了不被接受的加密算法。',
    '请设置 AES-GCM，密钥使用 RSA-OAEP。',
  ],
  'the assertion is encrypted with CBC': [
    '断言使用 CBC 加密，且响应没有签名。',
    '请同时对响应签名，或使用 AES-GCM，或不加密。',
  ],
  'the assertion is encrypted for another key': ['断言是用其他密钥加密的。', '请将本服务器的元数据重新提供给对方。'],
  'the NameID is encrypted by itself': ['NameID 被单独加密。', '请改为加密整个断言。'],
  'Recipient is not the callback URL': ['Recipient 不是此提供方的回调地址。', CALLBACK],
  'Destination is not the callback URL': ['Destination 不是此提供方的回调地址。', CALLBACK],
  'it answers no request (IdP-initiated)': [
    '该响应不对应任何请求（由 IdP 发起）。',
    '请设置 allow_unsolicited，或从应用开始登录。',
  ],
  'Audience is not the entity ID': [
    'Audience 不是本服务器的实体 ID。',
    '请核对对方的实体 ID（audience）与此处的 entity_id。',
  ],
  'it is not valid yet': ['尚未生效。', CLOCKS],
  'it has expired': ['已过期。', CLOCKS],
  'nothing says who the person is': [
    '无法得知用户是谁。',
    'NameID 是临时的，或 claims.sub 指定的属性没有恰好出现一次：请使用持久的 NameID，或核对该属性。',
  ],
  'its metadata have ended': ['提供方的元数据已过期（validUntil）。', '请获取新的元数据。'],
  'metadata_url returns': ['metadata_url 返回了错误状态。', '请将 metadata_url 与提供方文档核对。'],
  'the metadata ': ['metadata_url 的内容无法使用。', '请将 metadata_url 与提供方文档核对。'],
  'the request is not signed': ['退出请求没有签名。', '请在提供方处启用退出请求的签名。'],
  'Destination is not the single logout URL': [
    'Destination 不是此提供方的单点退出地址。',
    '请将对方配置的退出地址与我们的元数据核对。',
  ],
  'the request has expired': ['退出请求已过期，或生成于五分钟以前。', CLOCKS],
  'the search filter finds several entries': [
    '搜索过滤器为一个用户名找到了多个条目。',
    '请将 search_filter 设置得更精确。',
  ],
  'bind_dn and bind_password were refused': ['目录拒绝了 bind_dn 和 bind_password。', '请与目录中的设置核对。'],
  'StartTLS was refused': ['目录拒绝了 StartTLS。', '请使用 ldaps。'],
  'signing_secret is missing': ['缺少 signing_secret。', '请在此处和旧系统中设置。'],
  'it does not take the request': ['旧系统不接受该请求。', '请核对 signing_secret 和双方的时钟。'],
  'the person has no subject': ['提供方没有给出用户标识。', '请在 subject_claim 中填写包含标识的字段名。'],
};

/** Undefined: nothing is known of it but its English text. */
export function toldInChinese(reason: string): InChinese | undefined {
  return Object.entries(BEGINNINGS).find(([beginning]) => reason.startsWith(beginning))?.[1];
}

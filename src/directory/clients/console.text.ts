import { type Html, html } from '../../platform/ui/html.ts';
import { operatorTexts } from '../../platform/ui/texts.ts';
import type { ClientSection } from '../fields/declaration.fields.ts';

/** What the pages of one client share. */
export const clientFrameText = operatorTexts({
  en: {
    tabs: {
      connect: 'Connect',
      settings: 'Settings',
      permissions: 'Permissions',
      authentication: 'Authentication',
      tokens: 'Tokens',
      secrets: 'Secrets',
      try: 'Try it',
    },
    tabList: 'Pages of this client',
    confidential: 'client with a secret',
    public: 'public client',
    keyed: 'client with a key',
    registeredBy: 'registered via:',
  },
  zh: {
    tabs: {
      connect: '接入',
      settings: '设置',
      permissions: '权限',
      authentication: '身份验证',
      tokens: '令牌',
      secrets: '密钥',
      try: '试用',
    },
    tabList: '此客户端的页面',
    confidential: '有密钥的客户端',
    public: '公开客户端',
    keyed: '有私钥的客户端',
    registeredBy: '注册方式：',
  },
});

/** Where a client comes from. */
export const originText = operatorTexts({
  en: {
    operator: 'Operator',
    dynamic_registration: 'Dynamic registration',
    client_id_metadata: 'Client ID metadata document',
  },
  zh: {
    operator: '管理员',
    dynamic_registration: '自行注册（/register）',
    client_id_metadata: '自行注册（元数据文档）',
  },
});

export const clientConnectText = operatorTexts({
  en: {
    libraries: 'Libraries',
    missing: 'No configurations are available: this installation does not include the folder docs/clients.',
    odd: 'The client_id contains characters that must be quoted in a configuration. Replace the client_id of the example yourself.',
    secret: (placeholder: Html) => html`Replace ${placeholder} with the client’s secret.`,
    tested: 'The same text as in docs/clients, where you can see how each configuration is tested.',
    notRegistered: (uri: Html) =>
      html`This configuration redirects to ${uri}, which is not registered for this client.`,
    notAfterLogout: (uri: Html) =>
      html`After sign-out it redirects to ${uri}, which is not registered for this client.`,
    register: (names: readonly string[]): string =>
      names.length > 1
        ? 'Add both addresses'
        : names[0] === 'redirect_uris'
          ? 'Add this redirect URI'
          : 'Add this address',
    addresses: 'URLs',
    issuer: 'Issuer',
    discovery: 'Discovery',
    redirectUris: 'Redirect URIs',
    postLogoutUris: 'Post-logout redirect URIs',
    none: 'None',
  },
  zh: {
    libraries: '库',
    missing: '此安装没有配置示例：缺少文件夹 docs/clients。',
    odd: 'client_id 含有在配置中需要转义的字符。请手动替换示例中的 client_id。',
    secret: placeholder => html`请将 ${placeholder} 替换为客户端的密钥。`,
    tested: '与 docs/clients 中的文本相同，其客户端列表说明了各自的检查方式。',
    notRegistered: uri => html`此配置返回到 ${uri}，客户端尚未登记该地址。`,
    notAfterLogout: uri => html`退出登录后它前往 ${uri}，客户端尚未登记该地址。`,
    register: names =>
      names.length > 1 ? '添加这两个地址' : names[0] === 'redirect_uris' ? '添加此重定向 URI' : '添加此地址',
    addresses: '地址',
    issuer: '签发者',
    discovery: '发现文档',
    redirectUris: '重定向 URI',
    postLogoutUris: '登出后的重定向 URI',
    none: '无',
  },
});

export const clientSettingsText = operatorTexts({
  en: {
    remove: 'Delete this client',
    removal: 'Its codes and tokens are revoked at once, and nobody can sign in with it. It cannot be restored.',
    removeButton: 'Delete client',
    wrongName: 'That does not match the client_id. Enter it exactly as shown.',
    ownChanges:
      'This client registered itself and can change its own metadata. Settings that you change here apply on top.',
    limited: 'Set by operators:',
    comma: ', ',
  },
  zh: {
    remove: '删除此客户端',
    removal: '它的授权码和令牌会立即撤销，任何人都无法再用它登录。删除后无法恢复。',
    removeButton: '删除客户端',
    wrongName: 'client_id 不正确。',
    ownChanges: '此客户端自行注册，可以更改自己的元数据。您在此处更改的设置优先生效。',
    limited: '由管理员设置：',
    comma: '、',
  },
});

export const clientSecretsText = operatorTexts({
  en: {
    title: 'Secrets',
    columns: ['Secret', 'State', 'Created', 'Valid until', 'Action'],
    current: 'current',
    former: 'previous',
    unknownTime: 'by an apply file',
    noEnd: 'until it is replaced',
    none: 'A public client has no secret. It uses PKCE.',
    keyed: 'The client has no secret: it signs with its private key (private_key_jwt).',
    noneYet: 'The client has no secret yet. Generate one.',
    end: 'Revoke',
    endTitle: 'Revoke a previous secret',
    endText: (id: string) =>
      `${id} stops working immediately. Instances of the client that still use it can no longer get tokens.`,
    make: 'New secret',
    makeText:
      'Previous secrets stay valid for the time you choose, so that every instance of the client can switch to the new one.',
    overlap: 'Previous secrets stay valid',
    overlaps: [
      ['0', 'not at all'],
      ['3600', '1 hour'],
      ['86400', '1 day'],
      ['604800', '7 days'],
      ['2592000', '30 days'],
    ],
    makeButton: 'Generate a new secret',
    made: 'The new secret',
    once: 'Copy it now: it is shown only here.',
    configurations: 'Configurations with the new secret',
    wrongName: 'That does not match the client_id. Enter it exactly as shown.',
  },
  zh: {
    title: '密钥',
    columns: ['密钥', '状态', '创建时间', '有效期至', '操作'],
    current: '当前',
    former: '旧',
    unknownTime: '由配置文件设置',
    noEnd: '直到被替换',
    none: '公开客户端没有密钥，使用 PKCE。',
    keyed: '此客户端没有密钥：它用私钥签名（private_key_jwt）。',
    noneYet: '此客户端还没有密钥，请新建一个。',
    end: '立即停用',
    endTitle: '停用旧密钥',
    endText: id => `${id} 会立即失效。仍在使用它的客户端将无法再获取令牌。`,
    make: '新建密钥',
    makeText: '旧密钥在您选择的时间内仍然有效，以便客户端的所有副本完成更换。',
    overlap: '旧密钥继续有效',
    overlaps: [
      ['0', '立即失效'],
      ['3600', '1 小时'],
      ['86400', '1 天'],
      ['604800', '7 天'],
      ['2592000', '30 天'],
    ],
    makeButton: '创建新密钥',
    made: '新密钥',
    once: '请立即复制：密钥只在此处显示一次。',
    configurations: '已填入新密钥的配置',
    wrongName: 'client_id 不正确。',
  },
});

/** The sections of the settings of a client: title, and what they are about. Each field has its own words (fields.ts). */
export const clientSectionText = operatorTexts<
  Readonly<Record<ClientSection, readonly [title: string, about: string]>>
>({
  en: {
    identity: ['Name and links', 'What people see on the sign-in and consent pages.'],
    addresses: ['URLs', 'Where users are redirected and where logout notices are sent.'],
    access: ['Permissions', 'What the client can request, and whether users are asked for consent.'],
    authentication: ['Authentication', 'How the client proves its identity.'],
    tokens: ['Tokens', 'The tokens and responses that the client receives.'],
  },
  zh: {
    identity: ['名称和链接', '用户在登录页面和授权页面上看到的内容。'],
    addresses: ['地址', '用户和通知被发送到的地址。'],
    access: ['权限', '客户端可以请求的内容，以及询问用户的内容。'],
    authentication: ['身份验证', '客户端如何证明身份。'],
    tokens: ['令牌', '客户端得到的内容。'],
  },
});

/** In the search of the console. */
export const clientsTitle = operatorTexts({ en: 'Clients', zh: '客户端' });

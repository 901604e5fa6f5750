import { type Html, html } from '../../platform/ui/html.ts';
import { operatorTexts } from '../../platform/ui/texts.ts';
import type { ClientSection } from '../fields/declaration.fields.ts';

/** What the pages of one client share. */
export const clientFrameText = operatorTexts({
  en: {
    tabs: { connect: 'Connect', settings: 'Settings', secrets: 'Secrets', try: 'Try it' },
    tabList: 'Pages of this client',
    confidential: 'client with a secret',
    public: 'public client',
    keyed: 'client with a key',
    registeredBy: 'registered by:',
  },
  zh: {
    tabs: { connect: '接入', settings: '设置', secrets: '密钥', try: '试用' },
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
    dynamic_registration: 'Itself, at /register',
    client_id_metadata: 'Itself, by its document',
  },
  zh: {
    operator: '管理员',
    dynamic_registration: '自行注册（/register）',
    client_id_metadata: '自行注册（元数据文档）',
  },
});

export const newClientText = operatorTexts({
  en: {
    title: 'New client',
    create: 'Create client',
    made: (name: string) => `${name} is registered`,
    secret: 'Its secret',
    once: 'Copy it now: it is shown only here.',
    noSecret: 'It has no secret.',
    connect: 'Connect it',
  },
  zh: {
    title: '新建客户端',
    create: '创建客户端',
    made: name => `${name} 已登记`,
    secret: '它的密钥',
    once: '请立即复制：密钥只在此处显示一次。',
    noSecret: '它没有密钥。',
    connect: '接入',
  },
});

export const presetsText = operatorTexts({
  en: {
    legend: 'Kind of client',
    hint: 'Fills in the settings below. You can change each of them.',
    use: 'Use these settings',
    kinds: {
      web: ['Web application', 'Runs on a server and keeps a secret. PKCE and the secret are both required.'],
      spa: ['Single-page application', 'Runs in the browser, so it has no secret. PKCE is required.'],
      native: [
        'Mobile or desktop application',
        'Has no secret. It redirects to a loopback address or to a URI scheme of its own, and people are asked for consent.',
      ],
      machine: ['Service', 'Acts for itself with client credentials. Nobody signs in.'],
      device: ['Device', 'A TV or a command-line tool without a browser. People approve it at /device.'],
      legacy: [
        'Legacy client',
        'Written for the documented interface: PKCE is optional, and userinfo answers as documented.',
      ],
    },
  },
  zh: {
    legend: '客户端类型',
    hint: '填写下面的设置。每一项都可以更改。',
    use: '使用这些设置',
    kinds: {
      web: ['Web 应用', '在服务器上运行并保存密钥。同时要求 PKCE 和密钥。'],
      spa: ['单页应用', '在浏览器中运行，因此没有密钥。要求 PKCE。'],
      native: ['移动或桌面应用', '没有密钥。重定向到回环地址或自己的 URI 方案，并征求用户同意。'],
      machine: ['服务', '以客户端凭据代表自己。没有人登录。'],
      device: ['设备', '没有浏览器的电视或命令行工具。用户在 /device 同意。'],
      legacy: ['旧客户端', '按文档接口编写：PKCE 可选，userinfo 按文档应答。'],
    },
  },
});

export const clientConnectText = operatorTexts({
  en: {
    libraries: 'Libraries',
    missing: 'This installation has no configurations: the folder docs/clients is not there.',
    odd: 'The client_id has characters that need quoting in a configuration. Replace the one of the example by hand.',
    secret: (placeholder: Html) => html`Replace ${placeholder} by the secret of the client.`,
    tested: 'The same text as in docs/clients, where the list of clients says how each one is checked.',
    notRegistered: (uri: Html) => html`This configuration comes back to ${uri}, which the client has not registered.`,
    register: 'Add this redirect URI',
    addresses: 'Addresses',
    issuer: 'Issuer',
    discovery: 'Discovery',
    redirectUris: 'Redirect URIs',
    none: 'none',
  },
  zh: {
    libraries: '库',
    missing: '此安装没有配置示例：缺少文件夹 docs/clients。',
    odd: 'client_id 含有在配置中需要转义的字符。请手动替换示例中的 client_id。',
    secret: placeholder => html`请将 ${placeholder} 替换为客户端的密钥。`,
    tested: '与 docs/clients 中的文本相同，其客户端列表说明了各自的检查方式。',
    notRegistered: uri => html`此配置返回到 ${uri}，客户端尚未登记该地址。`,
    register: '添加此重定向 URI',
    addresses: '地址',
    issuer: '签发者',
    discovery: '发现文档',
    redirectUris: '重定向 URI',
    none: '无',
  },
});

export const clientSettingsText = operatorTexts({
  en: {
    remove: 'Delete this client',
    removal: 'Its codes and tokens are revoked at once, and nobody can sign in with it. It cannot be restored.',
    removeButton: 'Delete client',
    wrongName: 'This is not its client_id.',
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
    columns: ['Secret', 'State', 'Made', 'Valid until', 'Action'],
    current: 'current',
    former: 'former',
    unknownTime: 'by an apply file',
    noEnd: 'until it is replaced',
    none: 'A public client has no secret. It uses PKCE.',
    keyed: 'The client has no secret: it signs with its private key (private_key_jwt).',
    noneYet: 'The client has no secret yet. Make one.',
    end: 'End now',
    endTitle: 'End a former secret',
    endText: (id: string) =>
      `${id} stops working at once. A copy of the client that still uses it can no longer get tokens.`,
    make: 'New secret',
    makeText:
      'The former secrets stay valid for the time you choose, so that every copy of the client can change over.',
    overlap: 'Former secrets stay valid',
    overlaps: [
      ['0', 'not at all'],
      ['3600', '1 hour'],
      ['86400', '1 day'],
      ['604800', '7 days'],
      ['2592000', '30 days'],
    ],
    makeButton: 'Make a new secret',
    made: 'The new secret',
    once: 'Copy it now: it is shown only here.',
    wrongName: 'This is not the client_id.',
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
    wrongName: 'client_id 不正确。',
  },
});

/** The sections of the form of a client. Each field has its own words (fields.ts). */
export const clientSectionText = operatorTexts<Readonly<Record<ClientSection, string>>>({
  en: {
    identity: 'Identity',
    addresses: 'Addresses',
    access: 'What it may request',
    authentication: 'How it authenticates',
    tokens: 'Tokens',
  },
  zh: {
    identity: '标识',
    addresses: '地址',
    access: '可以请求的内容',
    authentication: '身份验证方式',
    tokens: '令牌',
  },
});

/** In the search of the console. */
export const clientsTitle = operatorTexts({ en: 'Clients', zh: '客户端' });

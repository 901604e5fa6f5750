import { operatorTexts } from '../../platform/ui/texts.ts';
import type { ProviderSection } from '../fields/declaration.fields.ts';

export const providersPlace = operatorTexts({ en: 'Identity providers', zh: '身份提供方' });

/** The list, and what the pages of one share. */
export const providersText = operatorTexts({
  en: {
    create: 'New provider',
    intro:
      'Let people sign in with accounts that they already have. Each application chooses which providers it offers.',
    columns: ['Provider', 'State', 'Offered by', 'People'],
    empty: 'No identity providers yet. Connect one to let people sign in with their company account or with Google.',
    nobody: 'No application',
    states: { works: 'Working', fails: 'Failing', unused: 'Not used yet' },
    lastWorked: 'last worked',
    failsSince: 'since',
    reasons: {
      unavailable: 'It does not respond.',
      refused: 'It rejects requests.',
      invalid: 'Its response is not valid.',
    } as Readonly<Record<string, string>>,
    people: (count: number) => (count === 1 ? '1 person' : `${count.toLocaleString('en')} people`),
    atLeast: (count: number) => `${count.toLocaleString('en')} or more`,
    tabs: { settings: 'Settings', move: 'Progress', try: 'Try it' },
    tabList: 'Pages of this provider',
  },
  zh: {
    create: '新建提供方',
    intro: '用户可以使用已有的账户在此登录。每个应用选择自己提供哪些提供方。',
    columns: ['提供方', '状态', '提供此方式的应用', '用户'],
    empty: '还没有身份提供方。连接一个之后，用户可以使用公司账户或 Google 账户登录。',
    nobody: '没有应用',
    states: { works: '正常', fails: '失败', unused: '尚未使用' },
    lastWorked: '最近一次成功',
    failsSince: '开始于',
    reasons: {
      unavailable: '没有响应。',
      refused: '拒绝了请求。',
      invalid: '响应无效。',
    } as Readonly<Record<string, string>>,
    people: count => `${count.toLocaleString('zh')} 人`,
    atLeast: count => `${count.toLocaleString('zh')} 人以上`,
    tabs: { settings: '设置', move: '进度', try: '试用' },
    tabList: '此提供方的页面',
  },
});

/** The page of one provider. */
export const providerText = operatorTexts({
  en: {
    facts: 'At a glance',
    factNames: { type: 'Type', state: 'State', offeredBy: 'Offered by', people: 'Linked people' },
    notOffered: 'No application offers it yet. Choose it on the Sign-in tab of an application.',
    onlyWay: (count: string) => `${count} without any other way to sign in`,
    atProvider: 'Register at the provider',
    effect: 'Takes effect at the next sign-in.',
    tryIt: 'Try it',
    remove: 'Delete this provider',
    removal: (linked: string) => `This removes the links of ${linked}. They cannot be restored.`,
    removalOfNone: 'Nobody is linked to it.',
    locksOut: (count: string) => `For ${count} of them it is the only way to sign in: they need a password first.`,
    locksOutNobody: 'All of them have another way to sign in.',
    offeredFirst: 'These applications still offer it. Remove it on their Sign-in tabs first:',
    removeButton: 'Delete provider',
    wrongName: 'That does not match the identifier of the provider. Enter it exactly as shown.',
  },
  zh: {
    facts: '概览',
    factNames: { type: '类型', state: '状态', offeredBy: '提供此方式的应用', people: '已关联用户' },
    notOffered: '还没有应用提供它。请在应用的“登录”选项卡中选择。',
    onlyWay: count => `${count}没有其他登录方式`,
    atProvider: '在提供方处登记',
    effect: '从下一次登录开始生效。',
    tryIt: '试用',
    remove: '删除此提供方',
    removal: linked => `${linked}的关联将被删除，无法恢复。`,
    removalOfNone: '没有用户与其关联。',
    locksOut: count => `其中${count}没有其他登录方式，需要先设置密码。`,
    locksOutNobody: '他们都有其他登录方式。',
    offeredFirst: '仍有应用提供它。请先在其“登录”选项卡中移除：',
    removeButton: '删除提供方',
    wrongName: '请输入提供方的标识。',
  },
});

/** What is copied from here to the provider. */
export const addressText = operatorTexts({
  en: {
    callback: ['Redirect URI', 'Register exactly this URI at the provider.'],
    keys: ['JWKS URL', 'The public keys of this server, for private_key_jwt.'],
    consumer: ['Assertion consumer service (ACS) URL', 'Where the provider posts its responses.'],
    metadata: ['Service provider metadata', 'The entity ID, and everything else that a provider reads automatically.'],
  },
  zh: {
    callback: ['重定向 URI', '请按原样登记此地址。'],
    keys: ['JWKS URL', '本服务器的公钥，用于 private_key_jwt。'],
    consumer: ['断言消费服务（ACS）URL', '提供方将响应发送到此地址。'],
    metadata: ['服务提供方元数据', '实体 ID 以及提供方可自行读取的信息。'],
  },
});

export const providerSectionText = operatorTexts<
  Readonly<Record<ProviderSection, readonly [title: string, about: string]>>
>({
  en: {
    identity: ['Name and domains', 'What people see, and whose sign-ins go straight to this provider.'],
    connection: ['Connection', 'How this server reaches the provider.'],
    people: ['People', 'Who gets which account.'],
    claims: ['Claims and groups', 'How the claims and groups of the provider map to users here.'],
  },
  zh: {
    identity: ['名称和域名', '用户看到的内容，以及谁会直接前往该提供方。'],
    connection: ['连接', '本服务器如何访问该提供方。'],
    people: ['用户', '谁获得哪个账户。'],
    claims: ['声明和用户组', '提供方的信息在此处成为什么。'],
  },
});

/** In the settings of an application. */
export const offeredText = operatorTexts({
  en: {
    none: 'No identity provider yet.',
    create: 'Connect one',
    notOffered: 'Not offered',
    place: (place: number) => `Button ${place}`,
  },
  zh: {
    none: '还没有身份提供方。',
    create: '连接一个',
    notOffered: '不提供',
    place: place => `第 ${place} 个按钮`,
  },
});

export const ownKeysText = operatorTexts({
  en: {
    title: 'Signing keys of this server',
    about: {
      one: 'This server signs with one key. To replace it, publish a new one first: the provider must read it before it is used.',
      two: 'Two keys are published, and the first one signs. Once the provider has read both, sign with the other key, then remove the old one.',
    },
    steps: { add: 'Publish a new key', use: 'Sign with the other key', drop: 'Remove the other key' },
  },
  zh: {
    title: '本服务器的密钥',
    about: {
      one: '本服务器使用一个密钥签名。如需更换，请先公布新密钥：提供方须在使用前读取它。',
      two: '已公布两个密钥，第一个用于签名。提供方读取两者之后，改用另一个签名，然后移除不再签名的密钥。',
    },
    steps: { add: '公布新密钥', use: '改用另一个密钥签名', drop: '移除另一个密钥' },
  },
});

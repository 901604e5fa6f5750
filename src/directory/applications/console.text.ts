import { operatorTexts } from '../../platform/ui/texts.ts';
import type { ApplicationSection } from '../fields/declaration.fields.ts';

export const applicationsPlace = operatorTexts({ en: 'Applications', zh: '应用' });

export const applicationsText = operatorTexts({
  en: {
    create: 'New application',
    columns: ['Name', 'Code', 'ID token algorithm', 'Access token lifetime'],
    empty: 'No applications yet. An application is one issuer with its own clients, keys and tokens.',
    search: 'Search by name or code',
    noneFound: (q: string) => `No application has “${q}” in its name or code.`,
    showAll: 'Show all applications',
    deleted: 'Deleted',
    deletedAbout: 'You can restore a deleted application, with everything in it, for 30 days.',
    deletedColumns: ['Name', 'Code', 'Deleted', ''],
    restore: 'Restore',
    restoreOne: (name: string) => `Restore ${name}`,
  },
  zh: {
    create: '新建应用',
    columns: ['名称', '代码', 'ID 令牌', '访问令牌有效期'],
    empty: '还没有应用。每个应用都是一个签发者，拥有自己的客户端、密钥和令牌。',
    search: '名称或代码的一部分',
    noneFound: q => `没有名称或代码包含“${q}”的应用。`,
    showAll: '显示所有应用',
    deleted: '已删除',
    deletedAbout: '删除后 30 天内，可以恢复应用及其所有内容。',
    deletedColumns: ['名称', '代码', '删除时间', ''],
    restore: '恢复',
    restoreOne: name => `恢复 ${name}`,
  },
});

/** What the pages of one application share. */
export const applicationFrameText = operatorTexts({
  en: {
    issuer: 'Issuer',
    tabList: 'Pages of this application',
    tabs: { clients: 'Clients', apis: 'APIs', signIn: 'Sign-in', look: 'Branding', keys: 'Keys', advanced: 'Advanced' },
  },
  zh: {
    issuer: '签发者',
    tabList: '此应用的页面',
    tabs: { clients: '客户端', apis: 'API', signIn: '登录', look: '外观', keys: '签名密钥', advanced: '高级' },
  },
});

export const applicationText = operatorTexts({
  en: {
    clients: 'Clients',
    clientColumns: ['Name', 'client_id', 'Authentication', 'Registered by'],
    noClients: 'No clients yet. A client is a program that signs people in or calls your APIs.',
    newClient: 'New client',
    initialTokens: 'Initial access tokens',
    aboutInitialTokens:
      'A program with an initial access token can register clients if dynamic registration accepts tokens.',
    initialTokensLink: 'Manage initial access tokens',
    refusals: 'Recent refusals',
    refusalColumns: ['Reason', 'Client', 'Count', 'Latest'],
    noRefusals: 'No requests were refused in the last seven days.',
    allRefusals: 'All refusals of this application',
    explain: 'Explain',
    remove: 'Delete this application',
    removal: 'The application stops working immediately. You can restore it for 30 days.',
    removeButton: 'Delete application',
    wrongName: 'That does not match the code of the application. Enter it exactly as shown.',
  },
  zh: {
    clients: '客户端',
    clientColumns: ['名称', 'client_id', '身份验证', '注册方式'],
    noClients: '还没有客户端。客户端是在此登录用户的程序。',
    newClient: '新建客户端',
    initialTokens: '初始访问令牌',
    aboutInitialTokens: '注册要求令牌时，持有此类令牌的程序可以注册客户端。',
    initialTokensLink: '管理初始访问令牌',
    refusals: '最近被拒绝的请求',
    refusalColumns: ['原因', '客户端', '次数', '最近一次'],
    noRefusals: '最近七天没有被拒绝的请求。',
    allRefusals: '此应用被拒绝的所有请求',
    explain: '查看原因',
    remove: '删除此应用',
    removal: '应用会立即无法访问，30 天内可以恢复。',
    removeButton: '删除应用',
    wrongName: '代码不正确。',
  },
});

export const newApplicationText = operatorTexts({
  en: {
    title: 'New application',
    card: 'Name the application',
    about: 'An application is one issuer with its own clients, keys and sign-in pages.',
    effect: 'You can change everything but the code later.',
    create: 'Create application',
  },
  zh: {
    title: '新建应用',
    card: '为应用命名',
    about: '每个应用都是一个签发者，拥有自己的客户端、密钥和登录页面。',
    effect: '除代码外，之后都可以更改。',
    create: '创建应用',
  },
});

/** The sections of the settings of an application: title, and what they are about. Each field has its own words (fields.ts of its capability). */
export const applicationSectionText = operatorTexts<
  Readonly<Record<ApplicationSection, readonly [title: string, about: string]>>
>({
  en: {
    identity: ['Name and links', 'Shown on the sign-in and consent pages.'],
    look: ['Logo and color', 'The look of the sign-in pages.'],
    signIn: ['Sign-in', 'How people prove who they are.'],
    access: ['Access', 'Who can sign in to this application.'],
    tokens: ['Tokens', 'How long they are valid, and how they are signed.'],
    exchange: [
      'Token exchange',
      'Which tokens can be exchanged for others (RFC 8693), and for assertions across issuers (ID-JAG).',
    ],
    registration: ['Client registration', 'Clients that register themselves.'],
  },
  zh: {
    identity: ['名称和链接', '显示在登录页面和授权页面上。'],
    look: ['标志和颜色', '登录页面的外观。'],
    signIn: ['登录', '用户如何证明身份。'],
    access: ['访问', '谁可以登录此应用。'],
    tokens: ['令牌', '有效期和签名方式。'],
    exchange: ['令牌交换', '哪些令牌可以交换为其他令牌（RFC 8693），以及跨签发者的身份断言（ID-JAG）。'],
    registration: ['客户端注册', '自行注册的客户端。'],
  },
});

import { operatorTexts } from '../../platform/ui/texts.ts';
import type { ApplicationSection } from '../fields/declaration.fields.ts';

export const applicationsPlace = operatorTexts({ en: 'Applications', zh: '应用' });

export const applicationsText = operatorTexts({
  en: {
    create: 'New application',
    columns: ['Name', 'Code', 'ID tokens', 'Access token'],
    empty: 'No application yet. An application is one issuer with its own clients, keys and tokens.',
    seconds: (count: number) => `${count} s`,
    search: 'Part of a name or code',
    noneFound: (q: string) => `No application has “${q}” in its name or code.`,
    showAll: 'Show all applications',
    deleted: 'Deleted',
    deletedAbout: 'For 30 days after its deletion, an application can be restored with everything it had.',
    deletedColumns: ['Name', 'Code', 'Deleted', ''],
    restore: 'Restore',
    restoreOne: (name: string) => `Restore ${name}`,
  },
  zh: {
    create: '新建应用',
    columns: ['名称', '代码', 'ID 令牌', '访问令牌'],
    empty: '还没有应用。每个应用都是一个签发者，拥有自己的客户端、密钥和令牌。',
    seconds: count => `${count} 秒`,
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

export const applicationText = operatorTexts({
  en: {
    issuer: 'Issuer',
    clients: 'Clients',
    clientColumns: ['Name', 'client_id', 'Authentication', 'Registered by'],
    noClients: 'No client yet. A client is a program that signs people in here.',
    newClient: 'New client',
    keys: 'Signing keys',
    initialTokens: 'Initial access tokens',
    refusals: 'Recent refusals',
    refusalColumns: ['Reason', 'Client', 'Times', 'Latest'],
    noRefusals: 'No request was refused in the last seven days.',
    allRefusals: 'All refusals of this application',
    explain: 'Explain',
    settings: 'Settings',
    remove: 'Delete this application',
    removal: 'It is unreachable at once, and can be restored for 30 days.',
    removeButton: 'Delete application',
    wrongName: 'This is not its code.',
  },
  zh: {
    issuer: '签发者',
    clients: '客户端',
    clientColumns: ['名称', 'client_id', '身份验证', '注册方式'],
    noClients: '还没有客户端。客户端是在此登录用户的程序。',
    newClient: '新建客户端',
    keys: '签名密钥',
    initialTokens: '初始访问令牌',
    refusals: '最近被拒绝的请求',
    refusalColumns: ['原因', '客户端', '次数', '最近一次'],
    noRefusals: '最近七天没有被拒绝的请求。',
    allRefusals: '此应用被拒绝的所有请求',
    explain: '查看原因',
    settings: '设置',
    remove: '删除此应用',
    removal: '应用会立即无法访问，30 天内可以恢复。',
    removeButton: '删除应用',
    wrongName: '代码不正确。',
  },
});

export const newApplicationText = operatorTexts({
  en: {
    title: 'New application',
    create: 'Create application',
  },
  zh: {
    title: '新建应用',
    create: '创建应用',
  },
});

/** The sections of the form of an application. Each field has its own words (fields.ts of its capability). */
export const applicationSectionText = operatorTexts<Readonly<Record<ApplicationSection, string>>>({
  en: {
    identity: 'Identity',
    tokens: 'Tokens',
    signIn: 'Sign-in',
    access: 'Who may sign in',
    exchange: 'Token exchange',
    registration: 'Clients that register themselves',
    look: 'Look of the sign-in pages',
  },
  zh: {
    identity: '标识',
    tokens: '令牌',
    signIn: '登录',
    access: '谁可以登录',
    exchange: '令牌交换',
    registration: '自行注册的客户端',
    look: '登录页面的外观',
  },
});

import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import { operatorTexts } from '../../platform/ui/texts.ts';

export const operatorsPlace = operatorTexts({ en: 'Operators', zh: '管理员' });

export const operatorsText = operatorTexts({
  en: {
    columns: ['User name', 'Role', 'Applications', 'Account', 'Since'],
    empty: 'No operator.',
    add: 'Add an operator',
    username: 'User name',
    usernameHint: 'Of an existing user. The e-mail address or telephone number works too.',
    addButton: 'Add operator',
    noSuchUser: 'There is no such user.',
  },
  zh: {
    columns: ['用户名', '角色', '应用', '账户', '开始时间'],
    empty: '没有管理员。',
    add: '添加管理员',
    username: '用户名',
    usernameHint: '已有用户的用户名，也可以填电子邮箱或电话号码。',
    addButton: '添加管理员',
    noSuchUser: '没有此用户。',
  },
});

export const operatorText = operatorTexts({
  en: {
    rights: 'Rights',
    user: 'The user',
    events: 'Activity of this operator',
    remove: 'Remove the role',
    removal: 'The user account remains, but can no longer use the console or the admin API.',
    removeButton: 'Remove operator',
    wrongName: 'That does not match the user name. Enter it exactly as shown.',
  },
  zh: {
    rights: '权限',
    user: '用户资料',
    events: '此管理员的操作记录',
    remove: '取消角色',
    removal: '用户会保留，但不能再使用控制台和管理 API。',
    removeButton: '移除管理员',
    wrongName: '用户名不正确。',
  },
});

export const roleFormText = operatorTexts({
  en: {
    role: 'Role',
    roleHint:
      'An auditor reads everything but secrets. An operator also changes applications, clients and users. An owner can do everything.',
    applications: 'Only these applications',
    applicationsHint: 'One code per line. Empty: all applications, and users, operators and settings.',
    all: 'All',
    operators: 'Operators',
    apiKeys: 'API keys',
  },
  zh: {
    role: '角色',
    roleHint: '审计员可以查看除机密以外的所有内容。管理员还可以更改应用、客户端和用户。所有者可以执行所有操作。',
    applications: '仅限这些应用',
    applicationsHint: '每行一个代码。留空：所有应用，以及用户、管理员和设置。',
    all: '全部',
    operators: '管理员',
    apiKeys: 'API 密钥',
  },
});

export const ownerOfBuiltInText = operatorTexts({
  en: `must not be ${BUILT_IN_APPLICATION} for the role owner: only an owner of all applications changes its clients`,
  zh: `所有者角色不能限于 ${BUILT_IN_APPLICATION}：只有不限应用的所有者才能更改其客户端`,
});

import { operatorTexts } from '../../platform/ui/texts.ts';

export const initialAccessTokensText = operatorTexts({
  en: {
    title: 'Initial access tokens',
    about:
      'Anyone with an initial access token can register clients of this application (RFC 7591) while dynamic registration is on.',
    columns: ['Name', 'ID', 'Created', 'Expires', ''],
    empty: 'No initial access tokens.',
    never: 'Never',
    remove: 'Delete',
    removeButton: 'Delete token',
    wrongName: 'That does not match the name of the token. Enter it exactly as shown.',
    create: 'New initial access token',
    name: 'Name',
    nameHint: 'Who it is for.',
    expiry: 'Expires after',
    expiryHint: 'Clients that were registered with it remain.',
    days: (count: number) => `${count} days`,
    createButton: 'Create token',
    made: 'The initial access token. Copy it now: it is not shown again.',
  },
  zh: {
    title: '初始访问令牌',
    about: '开启动态注册后，持有令牌者可以注册此应用的客户端（RFC 7591）。',
    columns: ['名称', 'id', '创建时间', '到期时间', ''],
    empty: '没有初始访问令牌。',
    never: '从不',
    remove: '删除',
    removeButton: '删除令牌',
    wrongName: '令牌名称不正确。',
    create: '新建初始访问令牌',
    name: '名称',
    nameHint: '令牌的持有者。',
    expiry: '有效期',
    expiryHint: '已用它注册的客户端会保留。',
    days: count => `${count} 天`,
    createButton: '创建令牌',
    made: '初始访问令牌。请立即复制：之后不再显示。',
  },
});

/** For the controls in the form of an application. */
export const registrationText = operatorTexts({
  en: {
    documentOptions: [
      ['off', 'Off'],
      ['listed', 'From the hosts below'],
      ['any', 'From any host'],
    ],
    hosts: ['Hosts', 'One per line, such as client.example; *.client.example matches all of its subdomains.'],
    required: [
      'Require a software statement',
      'A registration without a statement from one of these issuers is rejected.',
    ],
  },
  zh: {
    documentOptions: [
      ['off', '关闭'],
      ['listed', '仅限下面的主机'],
      ['any', '任何主机'],
    ],
    hosts: ['主机', '每行一个，例如 client.example；*.client.example 表示其下的所有主机。'],
    required: ['必须有软件声明', '没有这些签发者的声明，任何人都不能注册客户端。'],
  },
});

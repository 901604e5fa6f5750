import { operatorTexts } from '../../platform/ui/texts.ts';

export const agentFormText = operatorTexts({
  en: {
    options: [
      ['user', 'A user'],
      ['group', 'A group'],
    ],
    name: ['Name of the owner', 'The user name, or the group. Empty for an ordinary client.'],
  },
  zh: {
    options: [
      ['user', '用户'],
      ['group', '用户组'],
    ],
    name: ['所有者名称', '用户名或用户组。普通客户端留空。'],
  },
});

import { operatorTexts } from '../../platform/ui/texts.ts';

export const accessFormText = operatorTexts({
  en: {
    legend: 'Who may sign in',
    access: ['Access', 'Others see a page that says so, and the client gets access_denied.'],
    options: [
      ['everybody', 'Everybody'],
      ['listed', 'Only those who are listed below'],
    ],
    lists: {
      groups: ['Groups', 'One on each line. Users who are in one of them may sign in.'],
      roles: ['Roles', 'One on each line. Users who have one of them in this application may sign in.'],
      users: ['Users', 'User names, one on each line.'],
    },
  },
  zh: {
    legend: '谁可以登录',
    access: ['访问权限', '其他人会看到说明页面，客户端会收到 access_denied。'],
    options: [
      ['everybody', '所有人'],
      ['listed', '仅限下面列出的人'],
    ],
    lists: {
      groups: ['用户组', '每行一个。属于其中任一组的用户可以登录。'],
      roles: ['角色', '每行一个。在此应用中拥有其中任一角色的用户可以登录。'],
      users: ['用户', '用户名，每行一个。'],
    },
  },
});

import { operatorTexts } from '../../platform/ui/texts.ts';

export const accessFormText = operatorTexts({
  en: {
    legend: 'Who may sign in',
    access: ['Access', 'Everyone else sees a page that says so, and the client receives access_denied.'],
    options: [
      ['everybody', 'Everyone'],
      ['listed', 'Only the groups, roles and users below'],
    ],
    lists: {
      groups: ['Groups', 'One per line. Members of any of these groups can sign in.'],
      roles: ['Roles', 'One per line. Users with any of these roles in this application can sign in.'],
      users: ['Users', 'User names, one per line.'],
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

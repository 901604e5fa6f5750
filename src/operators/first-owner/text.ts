import { operatorTexts } from '../../platform/ui/texts.ts';

export const firstOwnerText = operatorTexts({
  en: {
    title: 'Make the first owner',
    about: 'An owner manages applications, users and settings in the console. This link works once.',
    become: (name: string) => `Make ${name} the owner`,
    orNew: 'Or create a new user',
    create: 'Create the owner',
    username: 'User name',
    password: 'Password',
    existing: 'Or choose a user who exists',
    signIn: 'Sign in as that user',
  },
  zh: {
    title: '设置第一个所有者',
    about: '所有者在控制台中管理应用、用户和设置。此链接只能使用一次。',
    become: name => `将 ${name} 设为所有者`,
    orNew: '或创建新用户',
    create: '创建所有者',
    username: '用户名',
    password: '密码',
    existing: '或选择已有的用户',
    signIn: '以该用户身份登录',
  },
});

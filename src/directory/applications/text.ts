import { operatorTexts } from '../../platform/ui/texts.ts';
import type { ApplicationSection } from '../fields/declaration.fields.ts';

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

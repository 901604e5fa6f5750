import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { type OperatorTexts, operatorTexts } from '../../platform/ui/texts.ts';
import type { Role } from '../roles/store.ts';
import type { Place } from './places.ts';

/** What all pages of the console share. Each page has its own words beside it (`inLocale`). */
interface ConsoleText {
  readonly rail: string;
  readonly skip: string;
  readonly places: Readonly<Record<Place, string>>;
  readonly roles: Readonly<Record<Role, string>>;
  readonly account: string;
  readonly signOut: string;
  readonly search: string;
  readonly next: string;
  readonly first: string;
  readonly copy: string;
  readonly save: string;
  readonly cancel: string;
  readonly nothing: string;
  readonly typeToConfirm: (name: string) => string;
  readonly changedMeanwhile: string;
  readonly faults: string;
  readonly faultTitle: (title: string) => string;
  readonly continueTitle: string;
  readonly continueText: string;
  readonly continueLeftOut: string;
  readonly continueButton: string;
}

const consoleTexts = operatorTexts<ConsoleText>({
  en: {
    rail: 'Console',
    skip: 'Skip to the content',
    places: {
      overview: 'Overview',
      applications: 'Applications',
      users: 'Users',
      activity: 'Activity',
      refusals: 'Refusals',
      webhooks: 'Webhooks',
      operators: 'Operators',
      settings: 'Settings',
    },
    roles: { auditor: 'auditor', operator: 'operator', owner: 'owner' },
    account: 'Account',
    signOut: 'Sign out',
    search: 'Search',
    next: 'Next page',
    first: 'First page',
    copy: 'Copy',
    save: 'Save',
    cancel: 'Cancel',
    nothing: 'None',
    typeToConfirm: name => `Type ${name} to confirm`,
    changedMeanwhile:
      'Someone has changed this since you opened it. What you see is the current state with your values; check it and save again.',
    faults: 'Some values are not right.',
    faultTitle: title => `Error: ${title}`,
    continueTitle: 'You are signed in again',
    continueText: 'Nothing has been changed yet. Continue with what you were doing:',
    continueLeftOut: 'Too large to be kept meanwhile; it stays as it is, and you can choose it again afterwards:',
    continueButton: 'Continue',
  },
  zh: {
    rail: '控制台',
    skip: '跳到内容',
    places: {
      overview: '概览',
      applications: '应用',
      users: '用户',
      activity: '活动',
      refusals: '拒绝的请求',
      webhooks: 'Webhook',
      operators: '管理员',
      settings: '设置',
    },
    roles: { auditor: '审计员', operator: '管理员', owner: '所有者' },
    account: '账户',
    signOut: '退出登录',
    search: '搜索',
    next: '下一页',
    first: '第一页',
    copy: '复制',
    save: '保存',
    cancel: '取消',
    nothing: '无',
    typeToConfirm: name => `请输入 ${name} 以确认`,
    changedMeanwhile: '您打开此页面后，其他人已更改了内容。当前显示的是最新状态和您填写的值；请检查后再次保存。',
    faults: '部分填写内容有误。',
    faultTitle: title => `填写有误：${title}`,
    continueTitle: '您已重新登录',
    continueText: '尚未作任何更改。请继续刚才的操作：',
    continueLeftOut: '内容过大，登录期间无法保留；它保持不变，之后可以重新选择：',
    continueButton: '继续',
  },
});

export function consoleText(locale: OperatorLocale): ConsoleText {
  return consoleTexts[locale];
}

/** The words of one page in the languages of operators; TypeScript demands that all say the same. */
export function inLocale<Words>(words: OperatorTexts<Words>): (locale: OperatorLocale) => Words {
  return locale => words[locale];
}

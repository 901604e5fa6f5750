import type { PasswordFault } from './password.rules.ts';

/** What is wrong with a new password and what to do: one text for pages, API and command line. The name of the field precedes it. */
const names = {
  en: { username: 'the user name', email: 'the e-mail address', application: 'the name of the application' },
  zh: { username: '用户名', email: '电子邮件地址', application: '应用名称' },
} as const;

export function passwordFaultText(fault: PasswordFault, locale: 'en' | 'zh' = 'en'): string {
  return locale === 'zh' ? chineseText(fault) : englishText(fault);
}

function englishText(fault: PasswordFault): string {
  switch (fault.kind) {
    case 'tooShort':
      return `must have at least ${fault.min} characters: several words are easy to remember`;
    case 'tooLong':
      return `must have at most ${fault.max} characters`;
    case 'like':
      return `is too much like ${names.en[fault.name]}: choose another`;
    case 'common':
      return 'is among the most common passwords: choose another';
    case 'breached':
      return 'is known from a data breach: choose another, and change it wherever it is in use';
  }
}

function chineseText(fault: PasswordFault): string {
  switch (fault.kind) {
    case 'tooShort':
      return `至少需要 ${fault.min} 个字符：几个单词组成的密码容易记住`;
    case 'tooLong':
      return `最多 ${fault.max} 个字符`;
    case 'like':
      return `与${names.zh[fault.name]}过于相似：请选择其他密码`;
    case 'common':
      return '是最常见的密码之一：请选择其他密码';
    case 'breached':
      return '出现在已泄露的数据中：请选择其他密码，并在所有使用它的地方更换';
  }
}

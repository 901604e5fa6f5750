import { texts } from './texts.ts';

/** What pages of several capabilities say. Short, plain, second person, no blame: what happened, then what to do. */
export const sharedText = texts({
  en: {
    cancel: 'Cancel',
    continue: 'Continue',
    confirm: 'Confirm',
    signOut: 'Sign out',
    useAnother: 'Use another account',
    forgotPassword: 'Forgot your password?',
    showPassword: 'Show password',
    hidePassword: 'Hide password',
    tooManyAttempts: (seconds: number) =>
      `Too many attempts. Wait ${seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`} and try again.`,
    busy: 'We are busy at the moment. Wait a few seconds and try again.',
    links: { help: 'Help', privacy: 'Privacy', terms: 'Terms' },
  },
  zh: {
    cancel: '取消',
    continue: '继续',
    confirm: '确认',
    signOut: '退出登录',
    useAnother: '使用其他账户',
    forgotPassword: '忘记密码？',
    showPassword: '显示密码',
    hidePassword: '隐藏密码',
    tooManyAttempts: seconds =>
      `尝试次数过多。请等待 ${seconds < 90 ? `${seconds} 秒` : `${Math.ceil(seconds / 60)} 分钟`}后重试。`,
    busy: '系统繁忙。请稍等几秒后重试。',
    links: { help: '帮助', privacy: '隐私政策', terms: '服务条款' },
  },
  de: {
    cancel: 'Abbrechen',
    continue: 'Weiter',
    confirm: 'Bestätigen',
    signOut: 'Abmelden',
    useAnother: 'Anderes Konto verwenden',
    forgotPassword: 'Passwort vergessen?',
    showPassword: 'Passwort anzeigen',
    hidePassword: 'Passwort verbergen',
    tooManyAttempts: seconds =>
      `Zu viele Versuche. Warten Sie ${seconds === 1 ? 'eine Sekunde' : seconds < 90 ? `${seconds} Sekunden` : `${Math.ceil(seconds / 60)} Minuten`} und versuchen Sie es dann erneut.`,
    busy: 'Der Server ist gerade ausgelastet. Warten Sie einige Sekunden und versuchen Sie es erneut.',
    links: { help: 'Hilfe', privacy: 'Datenschutz', terms: 'Nutzungsbedingungen' },
  },
});

/** What an application may link to. */
export const linkNames = ['help', 'privacy', 'terms'] as const;
export type LinkName = (typeof linkNames)[number];

/** Of a text that is shown once (keep.ts). */
export const keepText = texts({
  en: { copy: 'Copy', copied: 'Copied', download: 'Download' },
  zh: { copy: '复制', copied: '已复制', download: '下载' },
  de: { copy: 'Kopieren', copied: 'Kopiert', download: 'Herunterladen' },
});

import { texts } from '../../platform/ui/texts.ts';

export const logoutText = texts({
  en: {
    signOutTitle: 'Sign out?',
    signOutQuestion: (username: string) =>
      `You are signed in as ${username}. Signing out ends your session in all applications.`,
    signedOutTitle: 'You are signed out',
    signedOut: 'You can close this page.',
    told: 'Signing you out of these applications:',
    goOn: 'Continue',
  },
  zh: {
    signOutTitle: '要退出登录吗？',
    signOutQuestion: username => `您已以 ${username} 的身份登录。退出后，所有应用中的会话都会结束。`,
    signedOutTitle: '您已退出登录',
    signedOut: '您可以关闭此页面。',
    told: '正在通知以下应用：',
    goOn: '继续',
  },
  de: {
    signOutTitle: 'Abmelden?',
    signOutQuestion: username =>
      `Sie sind als ${username} angemeldet. Wenn Sie sich abmelden, endet Ihre Sitzung in allen Anwendungen.`,
    signedOutTitle: 'Sie sind abgemeldet',
    signedOut: 'Sie können diese Seite schließen.',
    told: 'Diese Anwendungen werden benachrichtigt:',
    goOn: 'Weiter',
  },
});

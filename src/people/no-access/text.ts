import { texts } from '../../platform/ui/texts.ts';

export const noAccessText = texts({
  en: {
    title: (application: string) => `No access to ${application}`,
    account: (username: string, application: string) =>
      `You are signed in as ${username}. This account has no access to ${application}.`,
    ask: 'If you think this is a mistake, contact the people who run the application.',
    back: 'Back to the application',
  },
  zh: {
    title: application => `无权访问 ${application}`,
    account: (username, application) => `您已以 ${username} 的身份登录。此账户无权访问 ${application}。`,
    ask: '如果您认为应当有权访问，请联系该应用的管理人员。',
    back: '返回应用',
  },
  de: {
    title: application => `Kein Zugang zu ${application}`,
    account: (username, application) =>
      `Sie sind als ${username} angemeldet. Dieses Konto hat keinen Zugang zu ${application}.`,
    ask: 'Wenn Sie meinen, dass es Zugang haben sollte, wenden Sie sich an den Betreiber der Anwendung.',
    back: 'Zurück zur Anwendung',
  },
});

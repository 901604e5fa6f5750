import { texts } from '../../platform/ui/texts.ts';

export const sessionsText = texts({
  en: {
    title: 'Where you are signed in',
    intro: 'Signing out here also ends the access that applications got through that session.',
    here: 'this browser',
    first: 'First sign-in',
    last: 'last used',
    end: 'Sign out',
    endOthers: 'Sign out everywhere else',
    more: (count: number) => `And ${count} older ones.`,
  },
  zh: {
    title: '您的登录会话',
    intro: '在此退出登录，也会结束各应用从该会话获得的访问权限。',
    here: '当前浏览器',
    first: '首次登录',
    last: '最近使用',
    end: '退出登录',
    endOthers: '退出所有其他会话',
    more: count => `以及 ${count} 个更早的会话。`,
  },
  de: {
    title: 'Wo Sie angemeldet sind',
    intro: 'Wenn Sie eine Sitzung hier abmelden, endet auch der Zugriff, den Anwendungen durch sie erhalten haben.',
    here: 'dieser Browser',
    first: 'Erste Anmeldung am',
    last: 'zuletzt verwendet am',
    end: 'Abmelden',
    endOthers: 'Überall sonst abmelden',
    more: count => (count === 1 ? 'Und eine ältere.' : `Und ${count} ältere.`),
  },
});

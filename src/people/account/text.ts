import { texts } from '../../platform/ui/texts.ts';

/** What the pages of /account share. */
export const accountText = texts({
  en: {
    account: 'Your account',
    signOut: 'Sign out',
    unknown: 'Unknown browser',
    on: (browser: string, system: string) => `${browser} on ${system}`,
    places: {
      profile: 'Profile',
      security: 'Security',
      sessions: 'Sessions',
      access: 'Access',
      approvals: 'Approvals',
      activity: 'Activity',
      data: 'Your data',
    },
  },
  zh: {
    account: '您的账户',
    signOut: '退出登录',
    unknown: '未知浏览器',
    on: (browser, system) => `${browser}（${system}）`,
    places: {
      profile: '个人资料',
      security: '安全',
      sessions: '登录会话',
      access: '访问权限',
      approvals: '待批准请求',
      activity: '活动记录',
      data: '您的数据',
    },
  },
  de: {
    account: 'Ihr Konto',
    signOut: 'Abmelden',
    unknown: 'Unbekannter Browser',
    on: (browser, system) => `${browser} unter ${system}`,
    places: {
      profile: 'Profil',
      security: 'Sicherheit',
      sessions: 'Sitzungen',
      access: 'Zugriff',
      approvals: 'Freigaben',
      activity: 'Aktivität',
      data: 'Ihre Daten',
    },
  },
});

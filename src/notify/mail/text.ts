import { texts } from '../../platform/ui/texts.ts';

export const passwordMailText = texts({
  en: {
    hello: (name: string) => `Hello ${name},`,
    reset: {
      subject: (site: string) => `Set a new password for ${site}`,
      intro: (site: string) => `Somebody, probably you, asked to set a new password for your account at ${site}.`,
      label: 'Set a new password',
      limits: 'The link works once and expires in 30 minutes. A newer e-mail of this kind replaces it.',
      otherwise: 'If this was not you, you can ignore this e-mail: your password does not change.',
    },
    changed: {
      subject: (site: string) => `Your password for ${site} was changed`,
      intro: (site: string) =>
        `The password of your account at ${site} was changed. All sessions that were open before have ended.`,
      otherwise: 'If this was not you, set a new password now:',
      label: 'Set a new password',
    },
  },
  zh: {
    hello: name => `${name}，您好：`,
    reset: {
      subject: site => `重新设置 ${site} 的密码`,
      intro: site => `有人（可能是您本人）请求为您在 ${site} 的账户设置新密码。`,
      label: '设置新密码',
      limits: '此链接只能使用一次，30 分钟内有效。之后收到的同类邮件会取代它。',
      otherwise: '如果不是您本人，则无需任何操作，您的密码保持不变。',
    },
    changed: {
      subject: site => `您在 ${site} 的密码已更改`,
      intro: site => `您在 ${site} 的账户密码已更改，此前的所有登录会话均已结束。`,
      otherwise: '如果不是您本人操作，请立即设置新密码：',
      label: '设置新密码',
    },
  },
  de: {
    hello: name => `Guten Tag ${name},`,
    reset: {
      subject: site => `Neues Passwort für ${site} festlegen`,
      intro: site => `Jemand, vermutlich Sie, hat ein neues Passwort für Ihr Konto bei ${site} angefordert.`,
      label: 'Neues Passwort festlegen',
      limits: 'Der Link ist einmal und 30 Minuten lang gültig. Eine neuere E-Mail dieser Art ersetzt ihn.',
      otherwise: 'Wenn Sie das nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
    },
    changed: {
      subject: site => `Ihr Passwort für ${site} wurde geändert`,
      intro: site => `Das Passwort Ihres Kontos bei ${site} wurde geändert. Alle bisherigen Sitzungen sind beendet.`,
      otherwise: 'Wenn Sie das nicht waren, legen Sie sofort ein neues Passwort fest:',
      label: 'Neues Passwort festlegen',
    },
  },
});

/** For an operator. */
export const testMailContent = texts({
  en: {
    subject: (site: string) => `Test mail from ${site}`,
    intro: (site: string) => `This is a test: ${site} can send mail. You do not need to do anything.`,
  },
  zh: {
    subject: site => `来自 ${site} 的测试邮件`,
    intro: site => `这是一封测试邮件：${site} 可以发送邮件。您无需任何操作。`,
  },
  de: {
    subject: site => `Test-E-Mail von ${site}`,
    intro: site => `Dies ist ein Test: ${site} kann E-Mails versenden. Sie müssen nichts tun.`,
  },
});

/** What was changed in the account, and what to do if it was somebody else. */
export const noticeMailText = texts({
  en: {
    hello: (name: string) => `Hello ${name},`,
    factors: {
      password: 'a password',
      totp: 'an authenticator app',
      recovery: 'new recovery codes',
      passkey: 'a passkey',
    },
    link: (provider: string) => `sign-in with ${provider}`,
    added: {
      subject: (site: string) => `A new way to sign in to ${site}`,
      intro: (site: string, factor: string) => `A new way to sign in was added to your account at ${site}: ${factor}.`,
    },
    removed: {
      subject: (site: string) => `A way to sign in to ${site} was removed`,
      intro: (site: string, factor: string) => `A way to sign in was removed from your account at ${site}: ${factor}.`,
    },
    notYou: 'If this was not you, change your password and review your sessions now:',
    security: 'Sign-in and security',
    scheduled: {
      subject: (site: string) => `Your account at ${site} will be deleted`,
      intro: (site: string, day: string) => `As you asked, your account at ${site} will be deleted on ${day}.`,
      until: 'Until then nobody can use it, and you are signed out everywhere. After that day, it cannot be restored.',
      undo: 'If you want to keep it, or if it was not you who asked, sign in before that day:',
      label: 'Sign in and keep the account',
    },
    kept: {
      subject: (site: string) => `Your account at ${site} is kept`,
      intro: (site: string) => `Your account at ${site} will not be deleted: you signed in and chose to keep it.`,
    },
  },
  zh: {
    hello: name => `${name}，您好：`,
    factors: { password: '密码', totp: '身份验证器应用', recovery: '新的恢复码', passkey: '通行密钥' },
    link: provider => `使用 ${provider} 登录`,
    added: {
      subject: site => `${site} 新增了登录验证方式`,
      intro: (site, factor) => `您在 ${site} 的账户新增了验证方式：${factor}。`,
    },
    removed: {
      subject: site => `${site} 移除了登录验证方式`,
      intro: (site, factor) => `您在 ${site} 的账户移除了验证方式：${factor}。`,
    },
    notYou: '如果不是您本人操作，请立即更改密码并检查您的登录会话：',
    security: '登录与安全',
    scheduled: {
      subject: site => `您在 ${site} 的账户将被删除`,
      intro: (site, day) => `根据您的请求，您在 ${site} 的账户将于 ${day} 删除。`,
      until: '在此之前，任何人都无法使用该账户，所有登录会话均已结束。删除后无法恢复。',
      undo: '如果您想保留账户，或者请求并非您本人提出，请在该日期之前登录：',
      label: '登录并保留账户',
    },
    kept: {
      subject: site => `您在 ${site} 的账户已保留`,
      intro: site => `您在 ${site} 的账户不会被删除：您已登录并选择保留账户。`,
    },
  },
  de: {
    hello: name => `Guten Tag ${name},`,
    factors: {
      password: 'ein Passwort',
      totp: 'eine Authenticator-App',
      recovery: 'Wiederherstellungscodes',
      passkey: 'ein Passkey',
    },
    link: provider => `Anmeldung mit ${provider}`,
    added: {
      subject: site => `Eine neue Anmeldemöglichkeit bei ${site}`,
      intro: (site, factor) => `Ihr Konto bei ${site} hat eine neue Anmeldemöglichkeit: ${factor}.`,
    },
    removed: {
      subject: site => `Eine Anmeldemöglichkeit bei ${site} wurde entfernt`,
      intro: (site, factor) => `Aus Ihrem Konto bei ${site} wurde eine Anmeldemöglichkeit entfernt: ${factor}.`,
    },
    notYou: 'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort und prüfen Sie Ihre Sitzungen:',
    security: 'Anmeldung und Sicherheit',
    scheduled: {
      subject: site => `Ihr Konto bei ${site} wird gelöscht`,
      intro: (site, day) => `Wie von Ihnen gewünscht, wird Ihr Konto bei ${site} am ${day} gelöscht.`,
      until:
        'Bis dahin kann niemand es verwenden, und Sie sind überall abgemeldet. Danach lässt es sich nicht wiederherstellen.',
      undo: 'Wenn Sie es behalten möchten oder die Löschung nicht von Ihnen kam, melden Sie sich vor diesem Tag an:',
      label: 'Anmelden und Konto behalten',
    },
    kept: {
      subject: site => `Ihr Konto bei ${site} bleibt bestehen`,
      intro: site =>
        `Ihr Konto bei ${site} wird nicht gelöscht: Sie haben sich angemeldet und entschieden, es zu behalten.`,
    },
  },
});

/** By the kind of the credential (people/password/store.ts). */
export type NamedFactor = keyof (typeof noticeMailText)['en']['factors'];

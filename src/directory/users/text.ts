import { texts } from '../../platform/ui/texts.ts';

/** The mails about what operators do with the account of a user. */
export const operatorMailText = texts({
  en: {
    hello: (name: string) => `Hello ${name},`,
    invitation: {
      subject: (site: string) => `Your account at ${site}`,
      intro: (site: string, name: string) =>
        `Welcome. An account was created for you at ${site}. Your user name is ${name}. Set a password to get started:`,
      label: 'Set your password',
      limits: 'The link works once and expires in 7 days. A newer e-mail of this kind replaces it.',
      otherwise: 'If you were not expecting this account, you can ignore this e-mail.',
    },
    factorsReset: {
      subject: (site: string) => `Your second factors for ${site} were removed`,
      intro: (site: string) =>
        `An operator of ${site} has removed the second factors of your account: authenticator app, passkeys and recovery codes.`,
      next: 'You can set up new ones:',
      label: 'Sign-in and security',
      otherwise: 'If you did not ask for this, contact the operators immediately.',
    },
  },
  zh: {
    hello: name => `${name}，您好：`,
    invitation: {
      subject: site => `您在 ${site} 的账户`,
      intro: (site, name) => `欢迎。已在 ${site} 为您创建账户，您的用户名是 ${name}。请设置密码以开始使用：`,
      label: '设置密码',
      limits: '此链接只能使用一次，7 天内有效。之后收到的同类邮件会取代它。',
      otherwise: '如果您并不需要此账户，则无需任何操作。',
    },
    factorsReset: {
      subject: site => `您在 ${site} 的第二重验证已移除`,
      intro: site => `${site} 的管理员已移除您账户的第二重验证：身份验证器应用、通行密钥和恢复码。`,
      next: '您可以重新设置：',
      label: '登录与安全',
      otherwise: '如果这不是您要求的，请立即告知管理员。',
    },
  },
  de: {
    hello: name => `Guten Tag ${name},`,
    invitation: {
      subject: site => `Ihr Konto bei ${site}`,
      intro: (site, name) =>
        `Willkommen. Bei ${site} wurde ein Konto für Sie angelegt. Ihr Benutzername ist ${name}. Legen Sie ein Passwort fest, um zu beginnen:`,
      label: 'Passwort festlegen',
      limits: 'Der Link ist einmal und 7 Tage lang gültig. Eine neuere E-Mail dieser Art ersetzt ihn.',
      otherwise: 'Wenn Sie dort kein Konto erwarten, müssen Sie nichts tun.',
    },
    factorsReset: {
      subject: site => `Ihre zweiten Faktoren für ${site} wurden entfernt`,
      intro: site =>
        `Ein Administrator von ${site} hat die zweiten Faktoren Ihres Kontos entfernt: Authenticator-App, Passkeys und Wiederherstellungscodes.`,
      next: 'Sie können neue einrichten:',
      label: 'Anmeldung und Sicherheit',
      otherwise: 'Wenn Sie nicht darum gebeten haben, informieren Sie sofort die Administratoren.',
    },
  },
});

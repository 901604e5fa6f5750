import { texts } from '../../platform/ui/texts.ts';

export const emailMailText = texts({
  en: {
    hello: 'Hello,',
    helloTo: (name: string) => `Hello ${name},`,
    confirm: {
      subject: (place: string) => `Confirm your e-mail address for ${place}`,
      intro: {
        'sign-up': (place: string) => `Somebody, probably you, is creating an account for ${place} with this address.`,
        verify: (place: string) => `Somebody, probably you, is signing in to ${place} with this address.`,
        change: (place: string) => `Somebody, probably you, wants to use this address for an account at ${place}.`,
      },
      code: 'Enter this code on the page that asked for it:',
      link: 'Or open this link:',
      label: 'Confirm the address',
      limits: 'The code and the link work once and expire in 30 minutes. A newer e-mail of this kind replaces them.',
      otherwise: 'If this was not you, you can ignore this e-mail. Do not give the code to anybody.',
    },
    exists: {
      subject: (place: string) => `You have an account for ${place}`,
      intro: (place: string) =>
        `Somebody, probably you, tried to create an account for ${place} with this address. You already have one: go back and sign in with it.`,
      forgot: 'If you do not know the password, you can set a new one:',
      label: 'Set a new password',
      otherwise: 'If this was not you, you can ignore this e-mail: nothing was changed.',
    },
    tried: {
      subject: (place: string) => `Somebody tried to use your e-mail address at ${place}`,
      intro: (place: string) =>
        `Somebody tried to use this address for another account at ${place}. It belongs to your account, so nothing was changed.`,
      otherwise: 'You do not need to do anything.',
    },
    changed: {
      subject: (site: string) => `Your e-mail address for ${site} was changed`,
      intro: (site: string) =>
        `The e-mail address of your account at ${site} was changed. E-mails now go to the new address.`,
      otherwise:
        'If this was not you, undo the change. You get this address back, all sessions end, and you can set a new password:',
      label: 'Undo the change',
      limits:
        'The link works once, for 7 days. It stops working when the password, a second factor or the address of the account is changed again.',
      withoutLink: 'If this was not you, sign in and change your password, or ask the operator of this site for help.',
    },
  },
  zh: {
    hello: '您好：',
    helloTo: name => `${name}，您好：`,
    confirm: {
      subject: place => `确认您在 ${place} 的电子邮箱`,
      intro: {
        'sign-up': place => `有人（可能是您本人）正在使用此邮箱创建 ${place} 的账户。`,
        verify: place => `有人（可能是您本人）正在使用此邮箱登录 ${place}。`,
        change: place => `有人（可能是您本人）希望将此邮箱用于 ${place} 的账户。`,
      },
      code: '请在提示输入验证码的页面上输入：',
      link: '或者打开此链接：',
      label: '确认邮箱',
      limits: '验证码和链接只能使用一次，30 分钟内有效。之后收到的同类邮件会取代它们。',
      otherwise: '如果不是您本人，则无需任何操作。请勿将验证码告诉他人。',
    },
    exists: {
      subject: place => `您已有 ${place} 的账户`,
      intro: place => `有人（可能是您本人）尝试使用此邮箱创建 ${place} 的账户。该邮箱已有账户：请返回并登录。`,
      forgot: '如果您不知道密码，可以设置新密码：',
      label: '设置新密码',
      otherwise: '如果不是您本人，则无需任何操作，账户没有任何变化。',
    },
    tried: {
      subject: place => `有人希望在 ${place} 使用您的邮箱`,
      intro: place => `有人尝试将此邮箱用于 ${place} 的另一个账户。该邮箱属于您的账户，因此没有任何变化。`,
      otherwise: '您无需任何操作。',
    },
    changed: {
      subject: site => `您在 ${site} 的电子邮箱已更改`,
      intro: site => `您在 ${site} 的账户邮箱已更改，之后的邮件将发送到新邮箱。`,
      otherwise: '如果不是您本人操作，请撤销。此邮箱将恢复，所有登录会话都会结束，您可以设置新密码：',
      label: '撤销更改',
      limits: '此链接只能使用一次，7 天内有效。如果账户的密码、第二重验证或邮箱再次更改，链接即失效。',
      withoutLink: '如果不是您本人操作，请登录并更改密码，或联系本站管理员。',
    },
  },
  de: {
    hello: 'Guten Tag,',
    helloTo: name => `Guten Tag ${name},`,
    confirm: {
      subject: place => `Bestätigen Sie Ihre E-Mail-Adresse für ${place}`,
      intro: {
        'sign-up': place => `Jemand, vermutlich Sie, erstellt mit dieser Adresse ein Konto für ${place}.`,
        verify: place => `Jemand, vermutlich Sie, meldet sich mit dieser Adresse bei ${place} an.`,
        change: place => `Jemand, vermutlich Sie, möchte diese Adresse für ein Konto bei ${place} verwenden.`,
      },
      code: 'Geben Sie diesen Code auf der Seite ein, die danach gefragt hat:',
      link: 'Oder öffnen Sie diesen Link:',
      label: 'Adresse bestätigen',
      limits: 'Code und Link sind einmal und 30 Minuten lang gültig. Eine neuere E-Mail dieser Art ersetzt sie.',
      otherwise: 'Wenn Sie das nicht waren, müssen Sie nichts tun. Geben Sie den Code an niemanden weiter.',
    },
    exists: {
      subject: place => `Sie haben bereits ein Konto für ${place}`,
      intro: place =>
        `Jemand, vermutlich Sie, wollte mit dieser Adresse ein Konto für ${place} erstellen. Es gibt bereits eines: Gehen Sie zurück und melden Sie sich damit an.`,
      forgot: 'Wenn Sie das Passwort nicht wissen, können Sie ein neues festlegen:',
      label: 'Neues Passwort festlegen',
      otherwise: 'Wenn Sie das nicht waren, müssen Sie nichts tun: Es wurde nichts geändert.',
    },
    tried: {
      subject: place => `Jemand wollte Ihre Adresse bei ${place} verwenden`,
      intro: place =>
        `Jemand wollte diese Adresse für ein anderes Konto bei ${place} verwenden. Sie gehört zu Ihrem Konto, daher wurde nichts geändert.`,
      otherwise: 'Sie müssen nichts tun.',
    },
    changed: {
      subject: site => `Ihre E-Mail-Adresse für ${site} wurde geändert`,
      intro: site =>
        `Die E-Mail-Adresse Ihres Kontos bei ${site} wurde geändert. E-Mails gehen ab jetzt an die neue Adresse.`,
      otherwise:
        'Wenn Sie das nicht waren, machen Sie die Änderung rückgängig. Sie erhalten diese Adresse zurück, alle werden abgemeldet, und Sie können ein neues Passwort festlegen:',
      label: 'Änderung rückgängig machen',
      limits:
        'Der Link ist einmal und 7 Tage lang gültig. Er wird ungültig, wenn das Passwort, ein zweiter Faktor oder die Adresse des Kontos erneut geändert wird.',
      withoutLink:
        'Wenn Sie das nicht waren, melden Sie sich an und ändern Sie Ihr Passwort, oder bitten Sie den Administrator dieser Website um Hilfe.',
    },
  },
});

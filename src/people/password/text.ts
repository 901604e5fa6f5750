import { MIN_PASSWORD_LENGTH } from '../../directory/applications/rules.ts';
import { texts } from '../../platform/ui/texts.ts';

/** The pages of a forgotten password. */
export const forgottenPasswordText = texts({
  en: {
    forgot: 'Forgot your password?',
    forgotIntro: 'Tell us who you are. We will send a link to set a new password to your e-mail address.',
    send: 'Send the link',
    missing: 'Enter your user name, your e-mail address or your phone number.',
    sent: 'Check your e-mail',
    sentIntro:
      'If an account with this name has a confirmed e-mail address, we have sent a link to it. The link works once and expires in 30 minutes.',
    sentHint: 'No e-mail? Check the name that you entered and your spam folder, then try again.',
    again: 'Try again',
    noMail: 'No link can be sent',
    noMailIntro: 'This server does not send e-mail. Ask the people who run it for a new password.',
    choose: 'Set a new password',
    chooseFor: (username: string) => `A new password for ${username}. You will be signed out everywhere.`,
    welcome: 'Welcome',
    welcomeFor: (username: string) => `Your user name is ${username}. Choose a password to get started.`,
    password: 'New password',
    length: (min: number) => `At least ${min} characters.`,
    save: 'Save the password',
    fault: (text: string) => `This password ${text}.`,
    done: 'Your password is set',
    doneIntro: 'You are signed out everywhere. Go back to your application and sign in with the new password.',
    ready: 'Your account is ready',
    readyIntro: 'Your password is set, and your e-mail address is confirmed. Go to your application and sign in.',
    account: 'Sign in to your account',
    resume: 'Continue to sign-in',
    back: 'Back to sign-in',
  },
  zh: {
    forgot: '忘记密码？',
    forgotIntro: '请告诉我们您是谁。我们会向您的邮箱发送一个链接，您可以用它设置新密码。',
    send: '发送链接',
    missing: '请输入用户名、邮箱或手机号。',
    sent: '请查看您的邮箱',
    sentIntro: '如果存在使用此名称且邮箱已验证的账户，我们已发出带有链接的邮件。该链接只能使用一次，30 分钟内有效。',
    sentHint: '没有收到邮件？请检查您输入的名称和垃圾邮件文件夹，然后重新请求。',
    again: '重新请求',
    noMail: '无法发送链接',
    noMailIntro: '此服务器不发送邮件。请联系管理员为您设置新密码。',
    choose: '设置新密码',
    chooseFor: username => `为 ${username} 设置新密码。您将在所有地方退出登录。`,
    welcome: '欢迎',
    welcomeFor: username => `您的用户名是 ${username}。请设置密码以开始使用。`,
    password: '新密码',
    length: min => `至少 ${min} 个字符。`,
    save: '保存密码',
    fault: text => `此密码${text}。`,
    done: '密码已设置',
    doneIntro: '您已在所有地方退出登录。请返回您的应用，使用新密码登录。',
    ready: '您的账户已就绪',
    readyIntro: '密码已设置，邮箱已验证。请前往您的应用并登录。',
    account: '登录您的账户',
    resume: '继续登录',
    back: '返回登录',
  },
  de: {
    forgot: 'Passwort vergessen?',
    forgotIntro:
      'Sagen Sie uns, wer Sie sind. Wir senden einen Link an Ihre E-Mail-Adresse, mit dem Sie ein neues Passwort festlegen können.',
    send: 'Link senden',
    missing: 'Geben Sie Ihren Benutzernamen, Ihre E-Mail-Adresse oder Ihre Telefonnummer ein.',
    sent: 'Sehen Sie in Ihr Postfach',
    sentIntro:
      'Wenn es ein Konto mit diesem Namen und einer bestätigten E-Mail-Adresse gibt, ist eine E-Mail mit einem Link unterwegs. Der Link ist einmal und 30 Minuten lang gültig.',
    sentHint:
      'Keine E-Mail erhalten? Prüfen Sie den eingegebenen Namen und Ihren Spam-Ordner und fordern Sie den Link dann erneut an.',
    again: 'Erneut anfordern',
    noMail: 'Es kann kein Link gesendet werden',
    noMailIntro: 'Dieser Server sendet keine E-Mails. Bitten Sie diejenigen, die ihn betreiben, um ein neues Passwort.',
    choose: 'Neues Passwort festlegen',
    chooseFor: username => `Ein neues Passwort für ${username}. Sie werden überall abgemeldet.`,
    welcome: 'Willkommen',
    welcomeFor: username => `Ihr Benutzername ist ${username}. Wählen Sie ein Passwort, um zu beginnen.`,
    password: 'Neues Passwort',
    length: min => `Mindestens ${min} Zeichen.`,
    save: 'Passwort speichern',
    fault: text => `Dieses Passwort ${text}.`,
    done: 'Ihr Passwort ist festgelegt',
    doneIntro:
      'Sie sind überall abgemeldet. Gehen Sie zurück zu Ihrer Anwendung und melden Sie sich mit dem neuen Passwort an.',
    ready: 'Ihr Konto ist bereit',
    readyIntro:
      'Ihr Passwort ist festgelegt und Ihre E-Mail-Adresse bestätigt. Gehen Sie zu Ihrer Anwendung und melden Sie sich an.',
    account: 'Bei Ihrem Konto anmelden',
    resume: 'Weiter zur Anmeldung',
    back: 'Zurück zur Anmeldung',
  },
});

/** /account/security/password. */
export const changePasswordText = texts({
  en: {
    change: 'Change your password',
    set: 'Set a password',
    intro: 'You stay signed in here. You are signed out everywhere else, including your applications.',
    current: 'Current password',
    next: 'New password',
    length: `At least ${MIN_PASSWORD_LENGTH} characters. Several words are easy to remember.`,
    save: 'Save the password',
    fault: (text: string) => `This password ${text}.`,
  },
  zh: {
    change: '更改密码',
    set: '设置密码',
    intro: '您在此处保持登录。其他所有地方将退出登录，包括各应用。',
    current: '当前密码',
    next: '新密码',
    length: `至少 ${MIN_PASSWORD_LENGTH} 个字符。几个单词组成的密码容易记住。`,
    save: '保存密码',
    fault: text => `此密码${text}。`,
  },
  de: {
    change: 'Passwort ändern',
    set: 'Passwort festlegen',
    intro: 'Hier bleiben Sie angemeldet. Überall sonst werden Sie abgemeldet, auch in den Anwendungen.',
    current: 'Aktuelles Passwort',
    next: 'Neues Passwort',
    length: `Mindestens ${MIN_PASSWORD_LENGTH} Zeichen. Mehrere Wörter lassen sich leicht merken.`,
    save: 'Passwort speichern',
    fault: text => `Dieses Passwort ${text}.`,
  },
});

/** The step of a sign-in. */
export const newPasswordText = texts({
  en: {
    title: 'Set a new password',
    intro: (username: string) =>
      `Before you continue, set a new password for ${username}. You will be signed out everywhere else.`,
    label: 'New password',
    length: (min: number) => `At least ${min} characters.`,
    save: 'Save and continue',
    fault: (text: string) => `This password ${text}.`,
    same: 'is your current one: choose a different one',
  },
  zh: {
    title: '设置新密码',
    intro: username => `继续之前，请为 ${username} 设置新密码。您在其他地方的登录会话将结束。`,
    label: '新密码',
    length: min => `至少 ${min} 个字符。`,
    save: '保存并继续',
    fault: text => `此密码${text}。`,
    same: '与当前密码相同：请选择其他密码',
  },
  de: {
    title: 'Neues Passwort festlegen',
    intro: username =>
      `Bevor es weitergeht, legen Sie ein neues Passwort für ${username} fest. Überall sonst werden Sie abgemeldet.`,
    label: 'Neues Passwort',
    length: min => `Mindestens ${min} Zeichen.`,
    save: 'Speichern und weiter',
    fault: text => `Dieses Passwort ${text}.`,
    same: 'ist das bisherige: Wählen Sie ein anderes',
  },
});

/** The present password, typed once more. */
export const confirmPasswordText = texts({
  en: {
    wrong: 'That is not your current password. Check it and try again.',
    missing: 'Enter your current password.',
  },
  zh: {
    wrong: '当前密码不正确。请检查后重试。',
    missing: '请输入当前密码。',
  },
  de: {
    wrong: 'Das ist nicht Ihr aktuelles Passwort. Prüfen Sie es und versuchen Sie es erneut.',
    missing: 'Geben Sie Ihr aktuelles Passwort ein.',
  },
});

/** What is wrong with a new password and what to do: for pages, API and command line. The name of the field precedes it. */
export const passwordFaultTexts = texts({
  en: {
    tooShort: (min: number) => `must have at least ${min} characters: several words are easy to remember`,
    tooLong: (max: number) => `must have at most ${max} characters`,
    like: {
      username: 'is too similar to the user name: choose a different one',
      email: 'is too similar to the e-mail address: choose a different one',
      application: 'is too similar to the name of the application: choose a different one',
    },
    common: 'is too common: choose a different one',
    breached: 'is known from a data breach: choose a different one, and change it wherever you use it',
  },
  zh: {
    tooShort: min => `至少需要 ${min} 个字符：几个单词组成的密码容易记住`,
    tooLong: max => `最多 ${max} 个字符`,
    like: {
      username: '与用户名过于相似：请选择其他密码',
      email: '与电子邮件地址过于相似：请选择其他密码',
      application: '与应用名称过于相似：请选择其他密码',
    },
    common: '是最常见的密码之一：请选择其他密码',
    breached: '出现在已泄露的数据中：请选择其他密码，并在所有使用它的地方更换',
  },
  de: {
    tooShort: min => `muss mindestens ${min} Zeichen haben: Mehrere Wörter lassen sich leicht merken`,
    tooLong: max => `darf höchstens ${max} Zeichen haben`,
    like: {
      username: 'ist dem Benutzernamen zu ähnlich: Wählen Sie ein anderes',
      email: 'ist der E-Mail-Adresse zu ähnlich: Wählen Sie ein anderes',
      application: 'ist dem Namen der Anwendung zu ähnlich: Wählen Sie ein anderes',
    },
    common: 'gehört zu den häufigsten Passwörtern: Wählen Sie ein anderes',
    breached: 'ist aus einem Datenleck bekannt: Wählen Sie ein anderes und ändern Sie es überall, wo Sie es verwenden',
  },
});

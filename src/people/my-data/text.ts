import { type Html, html } from '../../platform/ui/html.ts';
import { texts } from '../../platform/ui/texts.ts';

/** /account/data. */
export const myDataText = texts({
  en: {
    title: 'Your data',
    download: 'Download your data',
    downloadIntro: 'Everything that we store about you, in one JSON file. It contains no passwords or keys.',
    remove: 'Delete your account',
    removeIntro: (days: number) =>
      `You are signed out everywhere, and nobody can use the account. For ${days} days you can restore it by signing in; after that it is permanently deleted.`,
    goOn: 'Delete the account …',
    confirm: 'To confirm, enter your password.',
    confirmWithout: 'You have just verified your identity. Press the button to confirm.',
    password: 'Password',
    lastOwner:
      'You are the only owner of this service, so your account cannot be deleted. Give the role to somebody else first.',
    gone: 'Your account will be deleted',
    goneOn: 'It will be deleted on',
    goneIntro: 'You are signed out everywhere. If you change your mind, sign in before that day and choose to keep it.',
  },
  zh: {
    title: '您的数据',
    download: '下载您的数据',
    downloadIntro: '我们保存的关于您的全部信息，以一个文件（JSON）提供。其中不包含密码和密钥。',
    remove: '删除您的账户',
    removeIntro: days =>
      `您将在所有地方退出登录，任何人都无法使用该账户。${days} 天内您可以通过登录恢复账户，之后将永久删除。`,
    goOn: '删除账户…',
    confirm: '请输入密码以确认。',
    confirmWithout: '您刚刚已证明是本人：请点击按钮确认。',
    password: '密码',
    lastOwner: '您是此服务唯一的所有者，因此无法删除您的账户。请先将该角色交给其他人。',
    gone: '您的账户将被删除',
    goneOn: '删除时间：',
    goneIntro: '您已在所有地方退出登录。如果您改变主意，请在该日期之前登录并选择保留账户。',
  },
  de: {
    title: 'Ihre Daten',
    download: 'Ihre Daten herunterladen',
    downloadIntro:
      'Alles, was wir über Sie gespeichert haben, in einer Datei (JSON). Sie enthält weder Passwörter noch Schlüssel.',
    remove: 'Konto löschen',
    removeIntro: days =>
      `Sie werden überall abgemeldet, und niemand kann das Konto verwenden. ${days} Tage lang können Sie es zurückholen, indem Sie sich anmelden. Danach ist es endgültig gelöscht.`,
    goOn: 'Konto löschen …',
    confirm: 'Geben Sie zur Bestätigung Ihr Passwort ein.',
    confirmWithout: 'Sie haben sich gerade ausgewiesen. Bestätigen Sie mit der Schaltfläche.',
    password: 'Passwort',
    lastOwner:
      'Sie sind der einzige Inhaber dieses Dienstes, daher kann Ihr Konto nicht gelöscht werden. Geben Sie die Rolle zuerst jemand anderem.',
    gone: 'Ihr Konto wird gelöscht',
    goneOn: 'Gelöscht wird es am',
    goneIntro:
      'Sie sind überall abgemeldet. Wenn Sie es sich anders überlegen, melden Sie sich vor diesem Tag an und behalten Sie das Konto.',
  },
});

/** The step of a sign-in. */
export const keepAccountText = texts({
  en: {
    title: 'Your account will be deleted',
    on: (day: Html) => html`As you asked, your account will be deleted on ${day}.`,
    choice: 'You can keep it. Then nothing is deleted, and you are signed in as usual.',
    keep: 'Keep the account',
    leave: 'Delete it as planned',
  },
  zh: {
    title: '您的账户将被删除',
    on: day => html`根据您的请求，您的账户将于 ${day} 删除。`,
    choice: '您可以保留账户。保留后不会删除任何内容，您将照常登录。',
    keep: '保留账户',
    leave: '继续删除',
  },
  de: {
    title: 'Ihr Konto wird gelöscht',
    on: day => html`Wie von Ihnen gewünscht, wird Ihr Konto am ${day} gelöscht.`,
    choice: 'Sie können es behalten. Dann wird nichts gelöscht, und Sie werden wie gewohnt angemeldet.',
    keep: 'Konto behalten',
    leave: 'Löschen lassen',
  },
});

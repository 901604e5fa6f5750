import { texts } from './texts.ts';

/** The page of an error that cannot be sent to a client. The part for developers names the exact failure. */
export const problemText = texts({
  en: {
    problemTitle: 'This did not work',
    problems: {
      badLink:
        'The link that brought you here is incomplete or incorrect. Go back and try again. If that does not help, contact the application.',
      notSentBack:
        'A program that you have not approved before sent you here, and its request could not be answered. You were not sent back to it. If you started it yourself, go back and try again. If not, close this page.',
      notSetUp:
        'The application that sent you here is not set up correctly for signing in with us. Trying again will not help: please contact the application.',
      notSignedOut:
        'You were not signed out, because the application that sent you here is not set up correctly for it. You can sign out here.',
      unreadable: 'Your browser sent something that this page cannot read. Go back and start again.',
      expired:
        'This page has expired, was opened in another browser, or your browser blocks our cookies. Go back and start again.',
      signInAgain:
        'You are no longer signed in, or somebody else has signed in with this browser. Go back and sign in again.',
      resetLink:
        'This link no longer works: it was already used, has expired, or was replaced by a newer one. Ask for a new link.',
      mailLink:
        'This link or code no longer works: it was already used, has expired, or was replaced by a newer e-mail. Start again.',
      noSignUp: 'You cannot create an account here. Go back to the application and ask for an account there.',
      noRole: 'If you need the console, ask an owner of this server to give you a role.',
      alreadySent: 'This form was already sent. Go back to the application and sign in again if you need to.',
      tooManyCodes: 'Too many wrong codes. Go back to the application and sign in again.',
      noPasskeys: 'Passkeys cannot be used here. Go back and sign in with your password.',
      fromElsewhere: 'This form was not sent from our page. Go back and start again.',
      notFound: 'There is nothing at this address. Check the link, or go back to the application.',
      tryLater: 'We cannot do this at the moment. Wait a few seconds and try again.',
      fault: 'Something went wrong on our side. Wait a moment and try again.',
    },
    noRoleTitle: 'This page is for operators',
    noRoleAs: (name: string) => `You are ${name}, who has no role here.`,
    forDevelopers: 'For developers',
    rule: 'Rule',
    expected: 'Expected',
    received: 'Received',
    howToFix: 'How to fix it',
    requestId: 'Request ID',
    explain: 'For operators',
    explainInConsole: 'Explanation in the console',
    reference: 'Error reference',
  },
  zh: {
    problemTitle: '无法完成操作',
    problems: {
      badLink: '您打开的链接不完整或不正确。请返回后重试；如果仍然不行，请联系该应用。',
      notSentBack:
        '您尚未批准过的程序将您带到这里，其请求无法得到处理。您没有被带回该程序。如果是您自己启动的，请返回后重试；否则请关闭此页面。',
      notSetUp: '将您带到这里的应用没有正确配置登录。重试不会有帮助，请联系该应用。',
      notSignedOut: '您没有被退出登录，因为将您带到这里的应用没有正确配置。您可以在此退出登录。',
      unreadable: '您的浏览器发送的内容无法识别。请返回后重新开始。',
      expired: '此页面已过期、是在另一个浏览器中打开的，或者您的浏览器阻止了我们的 Cookie。请返回后重新开始。',
      signInAgain: '您已不再处于登录状态，或者有其他人在此浏览器中登录了。请返回后重新登录。',
      resetLink: '此链接已失效：它已被使用、已过期，或者您已收到更新的链接。请重新请求链接。',
      mailLink: '此链接或验证码已失效：它已被使用、已过期，或者您已收到更新的邮件。请重新开始。',
      noSignUp: '您无法在此创建账户。请返回应用，并在那里申请账户。',
      noRole: '如果您需要使用控制台，请联系此服务器的所有者为您分配角色。',
      alreadySent: '此表单已提交过。如有需要，请返回应用重新登录。',
      tooManyCodes: '错误的验证码过多。请返回应用重新登录。',
      noPasskeys: '此处无法使用通行密钥。请返回并使用密码登录。',
      fromElsewhere: '此表单不是从本页面提交的。请返回后重新开始。',
      notFound: '此地址没有内容。请检查链接，或返回应用。',
      tryLater: '暂时无法处理。请稍等几秒后重试。',
      fault: '我们这边出了问题。请稍后重试。',
    },
    noRoleTitle: '此页面供管理员使用',
    noRoleAs: name => `您是 ${name}，没有角色。`,
    forDevelopers: '开发者信息',
    rule: '规则',
    expected: '应为',
    received: '收到',
    howToFix: '解决方法',
    requestId: '请求编号',
    explain: '管理员可运行',
    explainInConsole: '在控制台查看原因',
    reference: '错误参考',
  },
  de: {
    problemTitle: 'Das hat nicht funktioniert',
    problems: {
      badLink:
        'Der Link, der Sie hierher geführt hat, ist unvollständig oder nicht korrekt. Gehen Sie zurück und versuchen Sie es erneut. Hilft das nicht, wenden Sie sich an den Betreiber der Anwendung.',
      notSentBack:
        'Ein Programm, dem Sie bisher keinen Zugriff erlaubt haben, hat Sie hierher geleitet. Seine Anfrage konnte nicht beantwortet werden, und Sie wurden nicht dorthin zurückgeleitet. Wenn Sie es selbst gestartet haben, gehen Sie zurück und versuchen Sie es erneut. Andernfalls schließen Sie diese Seite.',
      notSetUp:
        'Die Anwendung, die Sie hierher geleitet hat, ist für die Anmeldung nicht richtig eingerichtet. Ein neuer Versuch hilft nicht. Bitte wenden Sie sich an den Betreiber der Anwendung.',
      notSignedOut:
        'Sie wurden nicht abgemeldet, weil die Anwendung, die Sie hierher geleitet hat, dafür nicht richtig eingerichtet ist. Sie können sich hier abmelden.',
      unreadable:
        'Ihr Browser hat etwas gesendet, das diese Seite nicht lesen kann. Gehen Sie zurück und beginnen Sie von vorn.',
      expired:
        'Diese Seite ist abgelaufen oder wurde in einem anderen Browser geöffnet, oder Ihr Browser blockiert unsere Cookies. Gehen Sie zurück und beginnen Sie von vorn.',
      signInAgain:
        'Sie sind nicht mehr angemeldet, oder jemand anderes hat sich in diesem Browser angemeldet. Gehen Sie zurück und melden Sie sich erneut an.',
      resetLink:
        'Dieser Link funktioniert nicht mehr: Er wurde bereits verwendet, ist abgelaufen, oder Sie haben inzwischen einen neueren erhalten. Fordern Sie einen neuen Link an.',
      mailLink:
        'Dieser Link oder Bestätigungscode funktioniert nicht mehr: Er wurde bereits verwendet, ist abgelaufen, oder Sie haben inzwischen eine neuere E-Mail erhalten. Beginnen Sie von vorn.',
      noSignUp:
        'Hier können Sie kein Konto erstellen. Gehen Sie zurück zur Anwendung und fragen Sie dort nach einem Konto.',
      noRole: 'Wenn Sie die Konsole brauchen, bitten Sie einen Inhaber dieses Servers um eine Rolle.',
      alreadySent:
        'Dieses Formular wurde bereits gesendet. Gehen Sie bei Bedarf zurück zur Anwendung und melden Sie sich erneut an.',
      tooManyCodes:
        'Es wurden zu viele falsche Codes eingegeben. Gehen Sie zurück zur Anwendung und melden Sie sich erneut an.',
      noPasskeys:
        'Passkeys können hier nicht verwendet werden. Gehen Sie zurück und melden Sie sich mit Ihrem Passwort an.',
      fromElsewhere:
        'Dieses Formular wurde nicht von unserer Seite gesendet. Gehen Sie zurück und beginnen Sie von vorn.',
      notFound: 'Unter dieser Adresse gibt es nichts. Prüfen Sie den Link oder gehen Sie zurück zur Anwendung.',
      tryLater: 'Das ist im Moment nicht möglich. Warten Sie einige Sekunden und versuchen Sie es erneut.',
      fault: 'Bei uns ist ein Fehler aufgetreten. Warten Sie einen Moment und versuchen Sie es erneut.',
    },
    noRoleTitle: 'Diese Seite ist für Administratoren',
    noRoleAs: name => `Sie sind ${name} und haben hier keine Rolle.`,
    forDevelopers: 'Für Entwickler',
    rule: 'Regel',
    expected: 'Erwartet',
    received: 'Erhalten',
    howToFix: 'Lösung',
    requestId: 'Anfrage-ID',
    explain: 'Für Administratoren',
    explainInConsole: 'Erklärung in der Konsole',
    reference: 'Fehlerreferenz',
  },
});

/** What the user is told of a failure. */
export type Problem = keyof (typeof problemText)['en']['problems'];

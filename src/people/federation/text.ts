import { texts } from '../../platform/ui/texts.ts';

/** What the sign-in page says about identity providers. */
export const federationText = texts({
  en: {
    continueWith: (provider: string) => `Continue with ${provider}`,
    or: 'or',
    linkTitle: 'Is this your account?',
    linkIntro: (provider: string, email: string) =>
      `An account here has the address ${email}. Sign in to it once, and ${provider} will sign you in from then on.`,
    notAvailable: (provider: string) => `${provider} isn’t available right now`,
    leaving: (provider: string) => `Going to ${provider}`,
    unsolicitedTitle: 'Continue with this account?',
    unsolicited: (provider: string, account: string) => `${provider} wants to sign you in as ${account}.`,
    unsolicitedLeave: 'If you didn’t expect this, or this isn’t your account, close this page.',
    unchecked: (provider: string) =>
      `The username or password is incorrect, or belongs to ${provider}, which isn’t available right now. Try again in a moment.`,
    faults: {
      unavailable: (provider: string) =>
        `${provider} didn’t answer. Try again in a moment, or use another way to sign in.`,
      refused: (provider: string) => `${provider} refused the sign-in. Try again, or ask your administrator.`,
      invalid: (provider: string) =>
        `The answer from ${provider} could not be verified, so you were not signed in. Try again, or ask your administrator.`,
      disabled: (provider: string) =>
        `You signed in at ${provider}, but your account here is disabled. Ask your administrator.`,
      unknownPerson: (provider: string) =>
        `You signed in at ${provider}, but you have no account here. Ask your administrator for one.`,
      otherPerson: (provider: string) =>
        `This sign-in is for a different account at ${provider}. Try again with that account.`,
      alreadyLinked: (provider: string) => `Your account at ${provider} is already connected to another account here.`,
      tooManyLinks: (_: string): string =>
        'Your account has reached the limit of connected accounts. Disconnect one first.',
      gone: (provider: string) =>
        `Your account at ${provider} is disabled or no longer exists, so you can’t sign in here. Ask your administrator.`,
      otherAccount: (provider: string) =>
        `You signed in to a different account than the one with your address at ${provider}, so nothing was connected. Sign in to that one, or sign in without ${provider}.`,
    },
  },
  zh: {
    continueWith: provider => `使用 ${provider} 继续`,
    or: '或',
    linkTitle: '这是您的账户吗？',
    linkIntro: (provider, email) => `此处已有账户使用 ${email}。请登录该账户一次，之后即可使用 ${provider} 登录。`,
    notAvailable: provider => `${provider} 暂时不可用`,
    leaving: provider => `正在前往 ${provider}`,
    unsolicitedTitle: '使用此账户继续？',
    unsolicited: (provider, account) => `${provider} 请求让您以 ${account} 的身份登录。`,
    unsolicitedLeave: '如果这不是您的操作，或者这不是您的账户，请关闭此页面。',
    unchecked: provider => `用户名或密码不正确，或该账户属于暂时不可用的 ${provider}。请稍后重试。`,
    faults: {
      unavailable: provider => `${provider} 没有响应。请稍后重试，或使用其他方式登录。`,
      refused: provider => `${provider} 拒绝了登录。请重试，或联系管理员。`,
      invalid: provider => `无法验证 ${provider} 的响应，因此未能登录。请重试，或联系管理员。`,
      disabled: provider => `您已在 ${provider} 登录，但您在此处的账户已被停用。请联系管理员。`,
      unknownPerson: provider => `您已在 ${provider} 登录，但您在此处没有账户。请联系管理员。`,
      otherPerson: provider => `您在 ${provider} 登录的账户与此次登录所要求的不同。请使用另一个账户。`,
      alreadyLinked: provider => `您在 ${provider} 的账户已属于此处的另一个账户。`,
      tooManyLinks: _ => '您的账户已达到可关联的上限，请先移除一个。',
      gone: provider => `您在 ${provider} 的账户已停用或不存在，因此无法在此登录。请联系管理员。`,
      otherAccount: provider =>
        `您登录的账户并非使用您在 ${provider} 的邮箱的账户，因此未建立关联。请登录该账户，或不使用 ${provider} 登录。`,
    },
  },
  de: {
    continueWith: provider => `Weiter mit ${provider}`,
    or: 'oder',
    linkTitle: 'Ist das Ihr Konto?',
    linkIntro: (provider, email) =>
      `Ein Konto hier hat die Adresse ${email}. Melden Sie sich einmal dort an, danach genügt ${provider}.`,
    notAvailable: provider => `${provider} ist gerade nicht verfügbar`,
    leaving: provider => `Weiter zu ${provider}`,
    unsolicitedTitle: 'Mit diesem Konto fortfahren?',
    unsolicited: (provider, account) => `${provider} möchte Sie als ${account} anmelden.`,
    unsolicitedLeave: 'Wenn Sie das nicht erwartet haben oder dies nicht Ihr Konto ist, schließen Sie diese Seite.',
    unchecked: provider =>
      `Benutzername oder Passwort sind falsch, oder sie gehören zu ${provider}, das gerade nicht verfügbar ist. Versuchen Sie es gleich noch einmal.`,
    faults: {
      unavailable: provider =>
        `${provider} hat nicht geantwortet. Versuchen Sie es gleich noch einmal oder melden Sie sich anders an.`,
      refused: provider =>
        `${provider} hat die Anmeldung abgelehnt. Versuchen Sie es erneut oder fragen Sie Ihre Administration.`,
      invalid: provider =>
        `Die Antwort von ${provider} ließ sich nicht prüfen, daher wurden Sie nicht angemeldet. Versuchen Sie es erneut oder fragen Sie Ihre Administration.`,
      disabled: provider =>
        `Sie haben sich bei ${provider} angemeldet, aber Ihr Konto hier ist gesperrt. Fragen Sie Ihre Administration.`,
      unknownPerson: provider =>
        `Sie haben sich bei ${provider} angemeldet, haben hier aber kein Konto. Fragen Sie Ihre Administration danach.`,
      otherPerson: provider =>
        `Sie haben sich bei ${provider} mit einem anderen Konto angemeldet, als diese Anmeldung verlangt. Verwenden Sie das andere Konto.`,
      alreadyLinked: provider => `Ihr Konto bei ${provider} gehört hier bereits zu einem anderen Konto.`,
      tooManyLinks: _ => 'Ihr Konto hat so viele weitere Anmeldungen, wie möglich sind. Entfernen Sie zuerst eine.',
      gone: provider =>
        `Ihr Konto bei ${provider} ist gesperrt oder gelöscht, daher können Sie sich hier nicht anmelden. Fragen Sie Ihre Administration.`,
      otherAccount: provider =>
        `Sie haben sich mit einem anderen Konto angemeldet als dem mit Ihrer Adresse bei ${provider}, daher wurde nichts verbunden. Melden Sie sich mit jenem an oder ohne ${provider}.`,
    },
  },
});

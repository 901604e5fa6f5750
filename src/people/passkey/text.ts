import { texts } from '../../platform/ui/texts.ts';
import { MAX_PASSKEYS } from './rules.ts';

/** /account/security/passkeys. */
export const passkeysText = texts({
  en: {
    title: 'Passkeys',
    intro:
      'A passkey is kept by your device, password manager or security key. You sign in with your fingerprint, face or PIN.',
    none: 'You have no passkey yet.',
    add: 'Add a passkey',
    name: 'Name of the new passkey',
    nameHint: 'So that you recognise it later. Leave it empty to name it after this browser and system.',
    defaultName: 'Passkey',
    unsupported: 'Adding a passkey needs JavaScript and a browser that supports passkeys.',
    created: 'Added on',
    used: 'last used on',
    unused: 'not used yet',
    synced: 'synced between your devices',
    rename: 'Rename',
    renameOf: (name: string) => `New name of ${name}`,
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    full: `You have ${MAX_PASSKEYS} passkeys. Remove one before you add another.`,
    taken: 'This passkey is already in use.',
    lastWay:
      'You cannot remove this passkey: it is your only way to sign in. Set a password or create another passkey first.',
    invalid: 'That passkey could not be added. Try again.',
    back: 'Back to security',
  },
  zh: {
    title: '通行密钥',
    intro: '通行密钥保存在您的设备、密码管理器或安全密钥中。您可以使用指纹、面容或 PIN 登录。',
    none: '您还没有通行密钥。',
    add: '添加通行密钥',
    name: '新通行密钥的名称',
    nameHint: '便于您日后辨认。留空则以此浏览器和系统命名。',
    defaultName: '通行密钥',
    unsupported: '添加通行密钥需要 JavaScript 以及支持通行密钥的浏览器。',
    created: '添加于',
    used: '上次使用于',
    unused: '尚未使用',
    synced: '在您的设备间同步',
    rename: '重命名',
    renameOf: name => `${name} 的新名称`,
    remove: '移除',
    removeOf: name => `移除 ${name}`,
    full: `您已有 ${MAX_PASSKEYS} 个通行密钥。请先移除一个再添加。`,
    taken: '此通行密钥已被使用。',
    lastWay: '无法移除此通行密钥：这是您唯一的登录方式。请先设置密码或创建另一个通行密钥。',
    invalid: '无法添加该通行密钥，请重试。',
    back: '返回安全设置',
  },
  de: {
    title: 'Passkeys',
    intro:
      'Ein Passkey liegt auf Ihrem Gerät, in Ihrem Passwort-Manager oder auf einem Sicherheitsschlüssel. Sie melden sich mit Fingerabdruck, Gesicht oder PIN an.',
    none: 'Sie haben noch keinen Passkey.',
    add: 'Passkey hinzufügen',
    name: 'Name des neuen Passkeys',
    nameHint: 'Damit Sie ihn später wiedererkennen. Ohne Angabe heißt er nach diesem Browser und System.',
    defaultName: 'Passkey',
    unsupported: 'Um einen Passkey hinzuzufügen, brauchen Sie JavaScript und einen Browser, der Passkeys unterstützt.',
    created: 'Hinzugefügt am',
    used: 'zuletzt verwendet am',
    unused: 'noch nicht verwendet',
    synced: 'auf Ihren Geräten synchronisiert',
    rename: 'Umbenennen',
    renameOf: name => `Neuer Name für ${name}`,
    remove: 'Entfernen',
    removeOf: name => `${name} entfernen`,
    full: `Sie haben ${MAX_PASSKEYS} Passkeys. Entfernen Sie einen, bevor Sie einen weiteren hinzufügen.`,
    taken: 'Dieser Passkey wird bereits verwendet.',
    lastWay:
      'Sie können diesen Passkey nicht entfernen: Er ist Ihre einzige Möglichkeit, sich anzumelden. Legen Sie zuerst ein Passwort oder einen weiteren Passkey an.',
    invalid: 'Dieser Passkey konnte nicht hinzugefügt werden. Versuchen Sie es erneut.',
    back: 'Zurück zur Sicherheit',
  },
});

/** The step of a sign-in. */
export const passkeyStepText = texts({
  en: {
    title: 'Use your passkey',
    intro: 'To finish signing in, confirm with a passkey of your account.',
    use: 'Use a passkey',
    unsupported: 'Passkeys need JavaScript and a browser that supports them.',
    wrong: 'That passkey did not work. Try again.',
  },
  zh: {
    title: '使用您的通行密钥',
    intro: '要完成登录，请使用您账户的通行密钥进行确认。',
    use: '使用通行密钥',
    unsupported: '通行密钥需要 JavaScript 以及支持它的浏览器。',
    wrong: '该通行密钥无法使用，请重试。',
  },
  de: {
    title: 'Passkey verwenden',
    intro: 'Bestätigen Sie die Anmeldung mit einem Passkey Ihres Kontos.',
    use: 'Passkey verwenden',
    unsupported: 'Für Passkeys brauchen Sie JavaScript und einen Browser, der sie unterstützt.',
    wrong: 'Dieser Passkey hat nicht funktioniert. Versuchen Sie es erneut.',
  },
});

/** What passkey.js shows. */
export const passkeyFormText = texts({
  en: {
    failed: 'That did not work, or you cancelled it. Try again.',
    present: 'This device already has a passkey for your account.',
  },
  zh: {
    failed: '操作未成功或已取消，请重试。',
    present: '此设备已有您账户的通行密钥。',
  },
  de: {
    failed: 'Das hat nicht funktioniert oder wurde abgebrochen. Versuchen Sie es erneut.',
    present: 'Auf diesem Gerät gibt es bereits einen Passkey für Ihr Konto.',
  },
});

export const passkeyOfferText = texts({
  en: {
    title: 'Sign in without a password',
    intro: 'With a passkey you sign in with your fingerprint, face or PIN. Nobody can guess or steal it.',
    create: 'Create a passkey',
    notNow: 'Not now',
  },
  zh: {
    title: '无需密码即可登录',
    intro: '使用通行密钥，您可以通过指纹、面容或 PIN 登录。它无法被猜到或窃取。',
    create: '创建通行密钥',
    notNow: '暂不',
  },
  de: {
    title: 'Ohne Passwort anmelden',
    intro:
      'Mit einem Passkey melden Sie sich per Fingerabdruck, Gesicht oder PIN an. Niemand kann ihn erraten oder stehlen.',
    create: 'Passkey erstellen',
    notNow: 'Jetzt nicht',
  },
});

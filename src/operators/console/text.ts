import { refusalsPlace } from '../../audit/refusals/console.text.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { type OperatorTexts, operatorTexts } from '../../platform/ui/texts.ts';

/** What all pages of the console share. */
const consoleTexts = operatorTexts({
  en: {
    rail: 'Console',
    /** For the frame of a client's pages. */
    places: { refusals: refusalsPlace.en },
    skip: 'Skip to the content',
    roles: { auditor: 'auditor', operator: 'operator', owner: 'owner' },
    account: 'Account',
    signOut: 'Sign out',
    search: 'Search',
    next: 'Next page',
    first: 'First page',
    copy: 'Copy',
    save: 'Save',
    cancel: 'Cancel',
    nothing: 'None',
    typeToConfirm: (name: string) => `Type ${name} to confirm`,
    changedMeanwhile:
      'Someone has changed this since you opened it. What you see is the current state with your values; check it and save again.',
    faults: 'Some values are not right.',
    faultTitle: (title: string) => `Error: ${title}`,
    continueTitle: 'You are signed in again',
    continueText: 'Nothing has been changed yet. Continue with what you were doing:',
    continueLeftOut: 'Too large to be kept meanwhile; it stays as it is, and you can choose it again afterwards:',
    continueButton: 'Continue',
  },
  zh: {
    rail: '控制台',
    places: { refusals: refusalsPlace.zh },
    skip: '跳到内容',
    roles: { auditor: '审计员', operator: '管理员', owner: '所有者' },
    account: '账户',
    signOut: '退出登录',
    search: '搜索',
    next: '下一页',
    first: '第一页',
    copy: '复制',
    save: '保存',
    cancel: '取消',
    nothing: '无',
    typeToConfirm: name => `请输入 ${name} 以确认`,
    changedMeanwhile: '您打开此页面后，其他人已更改了内容。当前显示的是最新状态和您填写的值；请检查后再次保存。',
    faults: '部分填写内容有误。',
    faultTitle: title => `填写有误：${title}`,
    continueTitle: '您已重新登录',
    continueText: '尚未作任何更改。请继续刚才的操作：',
    continueLeftOut: '内容过大，登录期间无法保留；它保持不变，之后可以重新选择：',
    continueButton: '继续',
  },
});

export function consoleText(locale: OperatorLocale): (typeof consoleTexts)[OperatorLocale] {
  return consoleTexts[locale];
}

/** What a form has done. The redirect after it names one of these in `done`, and the page that it leads to says it (layout.ts). */
export const noticeText = operatorTexts({
  en: {
    saved: 'Saved.',
    created: 'Created.',
    deleted: 'Deleted.',
    applicationDeleted: 'The application is deleted. It can be restored for 30 days.',
    restored: 'The application is restored.',
    keyRotated: 'The next key is published. It signs in a day, when every verifier has had time to fetch it.',
    keyDeleted: 'The key is deleted.',
    secretEnded: 'The former secret no longer works.',
    uriAdded: 'The redirect URI is registered.',
    repaired: 'Done. The same request works now.',
    operatorAdded: 'The operator is added.',
    operatorRemoved: 'The role is taken away.',
    signedOut: 'Signed out everywhere.',
    disabled: 'The user is disabled.',
    enabled: 'The user is enabled.',
    passwordSet: 'The password is set.',
    sessionEnded: 'The session is ended.',
    grantRevoked: 'The access is revoked.',
    consentWithdrawn: 'The consent is withdrawn.',
    factorRemoved: 'The factor is removed.',
    browserDistrusted: 'The user is asked for the second factor in this browser again.',
    undosRevoked: 'The change of the e-mail address can no longer be undone by the former address.',
    factorsReset: 'The second factors are removed. The user is told by mail, if there is a confirmed address.',
    factorRequired: 'The user sets up a second factor at the next sign-in.',
    factorOptional: 'A second factor is not required of this user any more.',
    invited: 'The invitation is on its way.',
    tested: 'A test is on its way. Reload to see what came of it.',
    sentAgain: 'It is being sent again. Reload to see what came of it.',
    paused: 'Deliveries are paused.',
    resumed: 'Deliveries are resumed.',
  },
  zh: {
    saved: '已保存。',
    created: '已创建。',
    deleted: '已删除。',
    applicationDeleted: '应用已删除，30 天内可以恢复。',
    restored: '应用已恢复。',
    keyRotated: '下一个密钥已公布。一天后所有验证方都有时间获取它，届时开始签名。',
    keyDeleted: '密钥已删除。',
    secretEnded: '旧密钥已失效。',
    uriAdded: '重定向 URI 已登记。',
    repaired: '已完成。同样的请求现在可以成功。',
    operatorAdded: '管理员已添加。',
    operatorRemoved: '角色已取消。',
    signedOut: '已在所有设备上退出。',
    disabled: '用户已停用。',
    enabled: '用户已启用。',
    passwordSet: '密码已设置。',
    sessionEnded: '会话已结束。',
    grantRevoked: '访问权限已撤销。',
    consentWithdrawn: '授权已撤回。',
    factorRemoved: '登录方式已移除。',
    browserDistrusted: '此浏览器将重新要求第二重验证。',
    undosRevoked: '原邮箱不能再撤销邮箱更改。',
    factorsReset: '第二重验证已移除。如有已验证的邮箱，会通知用户。',
    factorRequired: '用户下次登录时须设置第二重验证。',
    factorOptional: '不再要求此用户启用第二重验证。',
    invited: '邀请邮件正在发送。',
    tested: '测试正在发送。重新加载可查看结果。',
    sentAgain: '正在重新发送。重新加载可查看结果。',
    paused: '发送已暂停。',
    resumed: '发送已恢复。',
  },
});

/** For the pages whose words still stand beside them. */
export function inLocale<Words>(words: OperatorTexts<Words>): (locale: OperatorLocale) => Words {
  return locale => words[locale];
}

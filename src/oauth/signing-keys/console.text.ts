import { operatorTexts } from '../../platform/ui/texts.ts';

export const keysText = operatorTexts({
  en: {
    schedule:
      'A key is published a day before it signs, and stays published until the last token it signed has expired. New keys are created automatically every 90 days.',
    timeLine: 'Timeline',
    list: 'Signing keys',
    columns: ['Key', 'Algorithm', 'State', 'Created', 'Signs from', 'Published until', 'Action'],
    states: { next: 'next', signing: 'signs now', retired: 'retired', unused: 'not used' },
    open: 'no end yet',
    none: 'No keys yet. The first key is created with the first client.',
    rotate: 'Rotate now',
    compromised: 'Compromised',
    compromisedTitle: 'Delete a compromised key',
    compromisedText: (kid: string) =>
      `${kid} is deleted immediately and replaced by a new key. Every token that it signed becomes invalid: users must sign in again, and clients that cache the JWKS fail until they fetch it again.`,
    compromisedButton: 'Delete this key now',
    wrongName: 'That does not match the code of the application. Enter it exactly as shown.',
  },
  zh: {
    schedule: '密钥在开始签名前一天公布，直到它签发的最后一个令牌过期为止。每 90 天自动生成新密钥。',
    timeLine: '时间线',
    list: '签名密钥',
    columns: ['密钥', '算法', '状态', '创建时间', '开始签名', '公布至', '操作'],
    states: { next: '下一个', signing: '正在签名', retired: '已停用', unused: '未使用' },
    open: '尚无期限',
    none: '还没有密钥。第一个客户端登记时会生成密钥。',
    rotate: '立即轮换',
    compromised: '已泄露',
    compromisedTitle: '删除已泄露的密钥',
    compromisedText: kid =>
      `${kid} 会立即删除，由新密钥签名。它签发的所有令牌随即失效：用户需要重新登录，缓存了密钥集的客户端在重新获取之前会失败。`,
    compromisedButton: '立即删除此密钥',
    wrongName: '应用代码不正确。',
  },
});

export const timeLineText = operatorTexts({
  en: { waiting: 'published, not signing yet', signing: 'signs', kept: 'published for verification only', now: 'now' },
  zh: { waiting: '已公布，等待', signing: '签名', kept: '为已签发的令牌保留', now: '现在' },
});

import { operatorTexts } from '../../platform/ui/texts.ts';

export const emailUndosText = operatorTexts({
  en: {
    title: 'E-mail change that can be undone',
    hint: 'Anyone who can read mail at the former address can undo the change and set a new password. If the change is legitimate, revoke the link.',
    columns: ['Former address', 'Changed', 'Link valid until'],
    revoke: 'Revoke undo link',
  },
  zh: {
    title: '可撤销的邮箱更改',
    hint: '能读取原邮箱邮件的人可以撤销更改并设置新密码。如果更改无误，请作废撤销链接。',
    columns: ['原邮箱', '更改时间', '链接有效期至'],
    revoke: '作废撤销链接',
  },
});

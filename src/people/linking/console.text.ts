import { operatorTexts } from '../../platform/ui/texts.ts';

/** On the page of a user. */
export const linksText = operatorTexts({
  en: {
    title: 'Identity providers',
    columns: ['Provider', 'Account there', 'Since', 'Last used', ''],
    none: 'Not linked to an identity provider.',
    remove: 'Remove',
    removeLink: (name: string) => `Remove the link to ${name}`,
  },
  zh: {
    title: '身份提供方',
    columns: ['提供方', '对方的用户', '关联时间', '最近使用', ''],
    none: '未与身份提供方的用户关联。',
    remove: '移除',
    removeLink: name => `移除与 ${name} 的关联`,
  },
});

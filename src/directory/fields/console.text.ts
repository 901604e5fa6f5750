import { operatorTexts } from '../../platform/ui/texts.ts';

/** What the forms of clients and applications share. */
export const fieldsText = operatorTexts({
  en: { notSet: 'Not set', held: 'Set. Leave empty to keep it' },
  zh: { notSet: '未设置', held: '已设置，留空则保持不变' },
});

import { operatorTexts } from '../../platform/ui/texts.ts';

/** What the forms of clients and applications share. */
export const fieldsText = operatorTexts({
  en: { notSet: 'Not set' },
  zh: { notSet: '未设置' },
});
